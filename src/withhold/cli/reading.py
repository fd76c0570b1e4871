"""What a verb works on: records of items, or for some models a table; and what to warn about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from withhold.cli.console import note
from withhold.cli.methods import ModelOptions, columns_to_publish, search_options
from withhold.cli.options import Input, Reading
from withhold.data import Evidence
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
    given: ModelOptions,
    how: Input,
    *,
    allow_unknown: bool,
    silent: bool,
    stops: bool = True,
) -> Any:
    """The data that the model is about.

    ``stops``: columns of a table about which somebody has to decide end the run.
    """
    if method_of(model).data == "table":
        people = {"consent": how.consent, "allow_unknown": allow_unknown}
        reading = options_of_table(how, how.skip_missing_ids)
        return _read_table(data, model, given, {**people, **reading}, stops=stops, silent=silent)
    from withhold.formats import read

    records = read(
        data,
        **options_of_records(how),
        consent=how.consent,
        skip_missing_ids=how.skip_missing_ids,
        allow_unknown=allow_unknown,
    )
    for number, noun, which, done in (
        (records.skipped_rows, "row", "without a record id", "left out"),
        (records.repeated, "repeated item", "within records", "merged"),
    ):
        if number:
            verb = "was" if number == 1 else "were"
            note(f"{counted(number, noun)} {which} {verb} {done}", silent=silent)
    for warning in method_of(model).search.options(**search_options(given, model)).warnings():
        note(f"warning: {warning}")
    return records


def options_of_table(how: Reading, skip_missing_ids: bool) -> Mapping[str, Any]:
    """The options of reading that are for a table, too; the others are refused."""
    from withhold.publish.rereading import table_options

    return table_options(how.reading() | ({"skip_missing_ids": ""} if skip_missing_ids else {}))


def options_of_records(how: Reading) -> Mapping[str, Any]:
    """The options of reading that are for records; that of numbers is refused."""
    if how.decimal is not None:
        raise PolicyError("--decimal is for the numbers of a table, not for records of items")
    return how.reading()


def warn_about_unknown(model: Model, data: Any, evidence: Evidence, *, allowed: bool) -> None:
    """Say which names of the model's lists the data do not have; raise if they have none of them."""
    for unknown in check_listed(model, data, evidence, allowed=allowed):
        if not unknown.allowed:
            note(f"warning: {unknown}")


def _read_table(
    data: str, model: Any, given: ModelOptions, how: dict[str, Any], *, stops: bool, silent: bool
) -> Any:
    from withhold.data.decimals import comma_columns
    from withhold.data.roles import PUBLISHED, column_roles, refuse_undecided, telling_columns
    from withhold.formats import read_table

    publish = columns_to_publish(given.get("publish", []))
    drop = split_columns(given["drop"], "--drop") if "drop" in given else ()
    table = read_table(data, drop=drop, bins=given.get("bin", ()), **how)
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
    numbers = {*comma_columns(table)} & {*getattr(model, "quasi_identifiers", ())}
    for name in sorted(numbers):
        note(
            f"column {name!r} looks like numbers with decimal commas, which are names here; say --decimal "
            "comma to have them read as numbers",
            silent=silent,
        )
    if kept := [name for name, role in found.roles.items() if role == PUBLISHED]:
        note(f"published as they are: {', '.join(kept)}", silent=silent)
    return table


def check_marks(table: Any, model: Any, output: Path, mark: str | None) -> None:
    """Refuse, before any work is done, a mark that could be taken for a value."""
    if method_of(model).data == "table":
        from withhold.formats.table import refuse_ambiguous, table_form

        form = table_form(output.name, table.source, mark)
        refuse_ambiguous(table, form, model.quasi_identifiers)
