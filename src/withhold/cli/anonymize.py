"""``withhold anonymize``: the whole road, from a file to a proved release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import methods, options
from withhold.cli.again import typed_policy, verify_command
from withhold.cli.app import verb
from withhold.cli.console import announce_compilation, note, progress_bar, say
from withhold.cli.reading import check_marks, read_data
from withhold.cli.typed import Given
from withhold.errors import PolicyError
from withhold.escaping import json_text
from withhold.formats.forms import check_extension
from withhold.registry import method_of


@verb(
    "anonymize",
    example="withhold anonymize baskets.dat --rho 0.5 --sensitive sensitive.txt -o published.dat",
    publishes="output",
)
@methods.takes_method(searches=True)
def anonymize(
    context: typer.Context,
    data: options.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Where to publish; the extension chooses another format."
        ),
    ],
    given: Given,
    report: Annotated[
        bool, typer.Option("--report", help="Also write a page for people, OUTPUT.report.html.")
    ] = False,
    edition: Annotated[
        str | None,
        typer.Option(
            help="Of the report: internal (default), or external for strangers, without items."
        ),
    ] = None,
    safe_csv: Annotated[
        bool,
        typer.Option(
            "--safe-csv",
            help="Write a quote before CSV cells that a spreadsheet would run as formulas, such as =1+1.",
        ),
    ] = False,
    force: options.Force = False,
    policy: options.Policy = None,
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    consent: options.Consent = None,
    skip_missing_ids: options.SkipMissingIds = False,
    ids: options.Ids = "renumber",
    allow_unknown: options.AllowUnknown = False,
    seed: options.Seed = None,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Withhold as little as possible, prove the result, publish it with a manifest."""
    wanted = methods.build_model(given)
    if str(output) == "-":
        raise PolicyError("a release is a file with a manifest beside it; name one with -o")
    check_extension(output.name, data, table=method_of(wanted).data == "table")
    if edition is not None and not report:
        raise PolicyError("--edition is about the report; say --report too")
    from withhold import pipeline
    from withhold.formats import form_for
    from withhold.publish.identifiers import check_ids
    from withhold.publish.publishing import check_target
    from withhold.report.content import check_edition
    from withhold.report.json import release_as_dict
    from withhold.report.text import release_text

    edition = edition or "internal"
    check_edition(edition)
    check_ids(ids)
    table = read_data(
        data,
        wanted,
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
    check_target(output, table.source, force=force)
    check_marks(table, wanted, output, given.get("mark"))
    # Refuses, before any work is done, what could not be written.
    form_for(table, output.name, like=table.source, mark=given.get("mark"), safe_csv=safe_csv)
    wanted = methods.complete_model(wanted, given, table, allow_unknown=allow_unknown)
    announce_compilation(silent=quiet)
    with progress_bar(silent=quiet) as progress:
        release = pipeline.anonymize(
            table,
            wanted,
            **methods.search_options(given, wanted),
            ids=ids,
            allow_unknown=allow_unknown,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
        published = release.write(
            output,
            force=force,
            mark=given.get("mark"),
            safe_csv=safe_csv,
            report=report,
            edition=edition,
            policy=typed_policy(context, seed=release.options["seed"]),
            jobs=jobs,
            progress=progress,
        )
    for warning in published.warnings:
        note(f"warning: {warning}")
    if as_json:
        say(json_text(release_as_dict(release, published)))
    else:
        say(release_text(release, published))
        if not quiet:
            note(f"to prove it again: {verify_command(release, published, context.params)}")
