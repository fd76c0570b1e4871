"""``withhold sweep``: what would each choice cost?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import methods, options
from withhold.cli.app import verb
from withhold.cli.console import announce_compilation, note, progress_bar, say
from withhold.cli.interrupts import saying
from withhold.cli.reading import read_data, warn_about_unknown
from withhold.cli.typed import Given
from withhold.cli.varying import cases, varied
from withhold.escaping import json_text


@verb(
    "sweep",
    example="withhold sweep baskets.dat --sensitive sensitive.txt --vary rho=0.3,0.5,0.7 -o sweep",
)
@methods.takes_method(searches=True)
def sweep(
    data: options.Data,
    vary: Annotated[
        list[str],
        typer.Option(
            help="An option and its values, e.g. rho=0.3,0.5,0.7; several make a grid.",
            show_default=False,
        ),
    ],
    given: Given,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A folder for the table (CSV, JSON), the plot and a page. An interrupted sweep goes on "
            "there.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start again, whatever the folder has.")
    ] = False,
    min_support: options.MinSupport = None,
    min_confidence: options.MinConfidence = "0.3",
    policy: options.Policy = None,
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    consent: options.Consent = None,
    skip_missing_ids: options.SkipMissingIds = False,
    allow_unknown: options.AllowUnknown = False,
    seed: options.SweepSeed = None,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """What every choice would cost: a release for each, measured and thrown away."""
    common = {"seed": seed, "allow_unknown": allow_unknown}
    grid = cases(given, varied(vary, given), common)
    from withhold import sweeping
    from withhold.atomic import settle
    from withhold.report import trade_off
    from withhold.telling.facts import Asked

    table = read_data(
        data,
        grid[0].model,
        given,
        format=format,
        separator=separator,
        record_column=record_column,
        item_column=item_column,
        consent=consent,
        allow_unknown=allow_unknown,
        skip_missing_ids=skip_missing_ids,
        silent=quiet,
    )
    grid = [
        replace(
            case,
            model=methods.complete_model(case.model, given, table, allow_unknown=allow_unknown),
        )
        for case in grid
    ]
    warn_about_unknown(grid[0].model, table, allowed=allow_unknown)
    announce_compilation(silent=quiet)
    kept = "nothing was kept (a folder, -o, keeps what is finished)"
    if output is not None:
        settle(trade_off.sweep_files(output))
        kept = f"what is finished is in {output}; the same command goes on from there"
    with saying(f"interrupted; {kept}"), progress_bar(silent=quiet) as progress:
        found = sweeping.run_cases(
            table,
            grid,
            asked=Asked(min_support=min_support, min_confidence=min_confidence),
            folder=output,
            force=force,
            jobs=jobs,
            progress=progress,
        )
    if output is not None:
        trade_off.write_files(found, output, name=data, promise=grid[0].model.promise())
        note(f"the table, the plot and a page are in {output}", silent=quiet)
    if as_json:
        say(json_text(trade_off.sweep_as_dict(found)))
    else:
        say(trade_off.sweep_text(found))
