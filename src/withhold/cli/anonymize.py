"""``withhold anonymize``: the whole road, from a file to a proved release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import announce_compilation, note, progress_bar, say, warn_about
from withhold.errors import Interrupted, PolicyError


@verb(
    "anonymize",
    example="withhold anonymize baskets.dat --rho 0.5 --sensitive sensitive.txt -o published.dat",
)
def anonymize(
    data: options.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Where to publish; the extension chooses another format."
        ),
    ],
    model: options.Model = "rho",
    rho: options.Rho = None,
    sensitive: options.Sensitive = None,
    max_known: options.MaxKnown = None,
    ignore_prior: options.IgnorePrior = False,
    keep: Annotated[
        str, typer.Option(help="rules: least loss; distribution: item frequencies stay alike.")
    ] = "rules",
    pick: Annotated[
        str | None,
        typer.Option(
            help="Which records lose an item: longest or random. If not given: random for split "
            "records, else longest."
        ),
    ] = None,
    restore: Annotated[
        bool,
        typer.Option("--restore/--no-restore", help="Undo every deletion that can be undone."),
    ] = True,
    parts: Annotated[
        int | None,
        typer.Option(min=1, help="Split the records into so many parts; 4 for large files."),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(help="Split in halves until each part costs less (the paper's rule)."),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(help="Seconds to search; sensitive items not made safe by then are removed."),
    ] = None,
    force: options.Force = False,
    policy: options.Policy = None,
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Withhold as little as possible, prove the result, publish it with a manifest."""
    wanted = options.build_model(
        model, rho=rho, sensitive=sensitive, max_known=max_known, ignore_prior=ignore_prior
    )
    if str(output) == "-":
        raise PolicyError("a release is a file with a manifest beside it; name one with -o")
    from withhold import pipeline
    from withhold.formats import read
    from withhold.publish import check_target
    from withhold.report.json import release_as_dict
    from withhold.report.text import release_text

    table = read(
        data,
        format=format,
        separator=separator,
        record_column=record_column,
        item_column=item_column,
    )
    check_target(output, table.source, force=force)
    warn_about(table, wanted.sensitive, silent=quiet)
    announce_compilation(silent=quiet)
    try:
        with progress_bar(silent=quiet) as progress:
            release = pipeline.anonymize(
                table,
                wanted,
                keep=keep,
                pick=pick,
                restoring=restore,
                parts=parts,
                max_cost=max_cost,
                budget=budget,
                seed=seed,
                jobs=jobs,
                progress=progress,
            )
            published = release.write(output, force=force, jobs=jobs, progress=progress)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; nothing was published") from None
    if as_json:
        say(json.dumps(release_as_dict(release, published), ensure_ascii=False, indent=2))
    else:
        say(release_text(release, published))
        note(f"to prove it again: withhold verify {output}", silent=quiet)
