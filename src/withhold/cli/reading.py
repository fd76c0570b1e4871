"""What a verb works on: records of items, or for some models a table; and what to warn about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from withhold.cli.console import note, warn_about
from withhold.cli.offers import Given, listed_columns
from withhold.errors import PolicyError
from withhold.models import TABLE_MODELS, KAnonymity, Model
from withhold.models.buckets import FILLS


def read_data(
    data: str,
    model: Model,
    given: Given,
    *,
    format: str | None,
    separator: str | None,
    record_column: str | None,
    item_column: str | None,
    consent: str | None,
    silent: bool,
) -> Any:
    """The data that the model is about."""
    if model.name in TABLE_MODELS and isinstance(model, KAnonymity):
        named = {
            "format": format,
            "record-column": record_column,
            "item-column": item_column,
        }
        if used := [name for name, value in named.items() if value is not None]:
            raise PolicyError(f"--{used[0]} is for records of items, not for a table")
        return _read_table(data, model, given, separator, consent, silent=silent)
    from withhold.formats import read

    table = read(
        data,
        format=format,
        separator=separator,
        record_column=record_column,
        item_column=item_column,
        consent=consent,
    )
    warn_about(table, model.sensitive, silent=silent)
    if given.get("fill") == "hash":
        note(f"warning: --fill hash {FILLS['hash']}")
    return table


def _read_table(
    data: str,
    model: KAnonymity,
    given: Given,
    separator: str | None,
    consent: str | None,
    *,
    silent: bool,
) -> Any:
    from withhold.data.identifying import gives_away, looks_identifying
    from withhold.formats import read_table

    table = read_table(
        data,
        separator=separator,
        drop=listed_columns(given.get("drop", "")),
        bins=given.get("bin", ()),
        consent=consent,
    )
    for name in model.columns:
        table.column(name)
    kept = [name for name in table.names if name not in model.columns]
    warned = looks_identifying(table, kept)
    for name, reason in warned.items():
        note(
            f"warning: column {name!r} {reason} and is published as it is; leave it out with --drop"
        )
    for name, other in gives_away(table, kept, model.quasi_identifiers):
        note(
            f"warning: column {name!r} is published as it is and tells {other!r}: what is withheld there "
            "can be read off it; leave it out with --drop, or make it a quasi-identifier"
        )
    rest = [name for name in kept if name not in warned]
    if rest:
        note(f"published as they are: {', '.join(rest)}", silent=silent)
    return table


def with_marks(table: Any, model: Model, mark: str | None) -> Any:
    """The table with cells that show the mark taken for withheld ones, where a mark was named."""
    if mark is None or not isinstance(model, KAnonymity):
        return table
    columns = [table.column(name) for name in model.quasi_identifiers]
    return table.with_columns(column.with_withheld(mark) for column in columns)


def check_marks(table: Any, model: Model, output: Path, mark: str | None) -> None:
    """Refuse, before any work is done, a mark that could be taken for a value."""
    if isinstance(model, KAnonymity):
        from withhold.formats.table import refuse_ambiguous, table_form

        form = table_form(output.name, table.source, mark)
        refuse_ambiguous(table, form, model.quasi_identifiers)
