"""``withhold compare``: what did each release lose, side by side?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import announce_compilation, note, progress_bar, say
from withhold.cli.typed import listed_items
from withhold.data import Records
from withhold.data.unknown import find_unknown, refuse_if_nothing_known
from withhold.escaping import json_text


@verb("compare", example="withhold compare baskets.dat strict.dat loose.dat --html compare.html")
def compare(
    original: Annotated[str, typer.Argument(help="The file as it was.", show_default=False)],
    published: Annotated[
        list[Path], typer.Argument(help="One or several releases of it.", show_default=False)
    ],
    sensitive: Annotated[
        str | None,
        typer.Option(help="Items to count apart; if not given, those that a manifest names."),
    ] = None,
    min_support: options.MinSupport = None,
    min_confidence: options.MinConfidence = "0.3",
    hierarchy: Annotated[
        str | None,
        typer.Option(help="By which releases were generalised: a file, prefix or fan-out:10."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Also write a page.")] = None,
    force: options.Force = False,
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    safe_csv: options.SafeCsv = None,
    consent: options.Consent = None,
    skip_missing_ids: options.SkipMissingIds = False,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """What each release lost against the same original, one column for each."""
    wanted = None if sensitive is None else listed_items(sensitive)
    from withhold import comparison
    from withhold.candidates import candidate, with_originals
    from withhold.publish.publishing import check_free, save_text
    from withhold.report import side_by_side

    sources = [Path(original), *published]
    if html is not None:
        check_free(html, force=force, sources=sources)
    reading = {
        "format": format,
        "separator": separator,
        "record_column": record_column,
        "item_column": item_column,
        "skip_missing_ids": skip_missing_ids,
    }
    releases = [candidate(path, reading=reading, safe_csv=safe_csv) for path in published]
    releases = with_originals(original, releases, **reading, consent=consent)
    table = releases[0].original
    if wanted is not None and isinstance(table, Records):
        unknown = find_unknown(wanted, table.vocabulary, what="sensitive items")
        refuse_if_nothing_known(unknown)
        if unknown is not None:
            note(f"warning: {unknown}")
    announce_compilation(silent=quiet)
    with progress_bar(silent=quiet) as progress:
        found = comparison.compare(
            original,
            *releases,
            sensitive=wanted,
            min_support=min_support,
            min_confidence=min_confidence,
            hierarchy=hierarchy,
            jobs=jobs,
            progress=progress,
        )
    for warning in found.warnings:
        note(f"warning: {warning}")
    if html is not None:
        save_text(html, side_by_side.comparison_html(found), force=force, sources=sources)
    if as_json:
        say(json_text(side_by_side.comparison_as_dict(found)))
    else:
        say(side_by_side.comparison_text(found))
