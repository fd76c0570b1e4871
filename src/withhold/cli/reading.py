"""What a verb works on: records of items, or for some models a table; and what to warn about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from withhold.cli.console import note
from withhold.cli.typed import Given, columns_to_publish, typed_values
from withhold.data.column_lists import split_columns
from withhold.data.roles import ALL
from withhold.errors import PolicyError
from withhold.listed import check_listed
from withhold.method import Model
from withhold.registry import method_of
from withhold.wording import counted


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
    skip_missing_ids: bool,
    silent: bool,
    allow_unknown: bool = False,
    stops: bool = True,
) -> Any:
    """The data that the model is about.

    ``stops``: columns of a table about which somebody has to decide end the run.
    """
    method = method_of(model)
    if method.data == "table":
        named = {
            "format": format,
            "record-column": record_column,
            "item-column": item_column,
            "skip-missing-ids": skip_missing_ids or None,
        }
        if used := [name for name, value in named.items() if value is not None]:
            raise PolicyError(f"--{used[0]} is for records of items, not for a table")
        return _read_table(
            data,
            model,
            given,
            separator,
            consent,
            allow_unknown=allow_unknown,
            stops=stops,
            silent=silent,
        )
    from withhold.formats import read

    table = read(
        data,
        format=format,
        separator=separator,
        record_column=record_column,
        item_column=item_column,
        consent=consent,
        allow_unknown=allow_unknown,
        skip_missing_ids=skip_missing_ids,
    )
    if table.skipped_rows:
        verb = "was" if table.skipped_rows == 1 else "were"
        rows = counted(table.skipped_rows, "row")
        note(f"{rows} without a record id {verb} left out", silent=silent)
    if table.repeated:
        verb = "was" if table.repeated == 1 else "were"
        note(
            f"{counted(table.repeated, 'repeated item')} within records {verb} merged",
            silent=silent,
        )
    for warning in method.search_options(**typed_values(method.searches(), given)).warnings():
        note(f"warning: {warning}")
    return table


def warn_about_unknown(model: Model, data: Any, *, allowed: bool) -> None:
    """Say which names of the model's lists the data do not have; raise if they have none of them."""
    for unknown in check_listed(model, data, allowed=allowed):
        if not unknown.allowed:
            note(f"warning: {unknown}")


def _read_table(
    data: str,
    model: Any,
    given: Given,
    separator: str | None,
    consent: str | None,
    *,
    allow_unknown: bool,
    stops: bool,
    silent: bool,
) -> Any:
    from withhold.data.roles import PUBLISHED, column_roles, refuse_undecided, telling_columns
    from withhold.formats import read_table

    publish = columns_to_publish(given.get("publish", []))

    table = read_table(
        data,
        separator=separator,
        drop=split_columns(given["drop"], "--drop") if "drop" in given else (),
        bins=given.get("bin", ()),
        consent=consent,
        allow_unknown=allow_unknown,
    )
    if publish == ALL and ALL in table.names:
        raise PolicyError(
            "the table has a column 'all', so that --publish all could mean two things; name the "
            "columns to publish, that one as '\"all\"'"
        )
    found = column_roles(table, model, publish)
    if stops:
        refuse_undecided(found.undecided)
    for name, reason in telling_columns(table, model).items():
        note(
            f"warning: column {name!r} is never changed and {reason}: what is withheld there can be "
            "read off it"
        )
    kept = [name for name, role in found.roles.items() if role == PUBLISHED]
    if kept:
        note(f"published as they are: {', '.join(kept)}", silent=silent)
    return table


def with_marks(table: Any, model: Any, mark: str | None) -> Any:
    """The table with cells that show the mark taken for withheld ones, where a mark was named."""
    if mark is None or method_of(model).data != "table":
        return table
    columns = [table.column(name) for name in model.quasi_identifiers]
    return table.with_columns(column.with_withheld(mark) for column in columns)


def check_marks(table: Any, model: Any, output: Path, mark: str | None) -> None:
    """Refuse, before any work is done, a mark that could be taken for a value."""
    if method_of(model).data == "table":
        from withhold.formats.table import refuse_ambiguous, table_form

        form = table_form(output.name, table.source, mark)
        refuse_ambiguous(table, form, model.quasi_identifiers)
