"""The data of a verb: records of items, a table or people; and what to warn about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from withhold.cli.console import note
from withhold.cli.methods import ModelOptions, columns_to_publish, search_options
from withhold.cli.options import OF_PEOPLE, Input, Kind, Reading
from withhold.data import Evidence
from withhold.data.column_lists import split_columns
from withhold.data.roles import ALL, named_columns
from withhold.errors import PolicyError
from withhold.listed import check_listed
from withhold.method import Model
from withhold.registry import method_of
from withhold.wording import counted

MANY_COLUMNS = 8
"""The most names that readers count at a glance."""


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

    ``stops``: columns of a table that need a decision of the user end the run.
    """
    kind = method_of(model).data
    if kind == "records":
        return _read_records(data, model, given, how, allow_unknown=allow_unknown, silent=silent)
    chosen: dict[str, Any] = {"consent": how.consent, "allow_unknown": allow_unknown}
    chosen["drop"] = split_columns(given["drop"], "--drop") if "drop" in given else ()
    chosen["bins"] = given.get("bin", ())
    chosen["tidy"] = how.tidy
    if kind == "people":
        people = _read_people(data, given, how, chosen, silent=silent)
        _check_columns(people.attributes, model, given, stops=stops, silent=silent)
        return people
    from withhold.formats import read_table

    table = read_table(data, **chosen, **options_of_table(how, how.skip_missing_ids))
    _tell_tidied(table, silent=silent)
    _check_columns(table, model, given, stops=stops, silent=silent)
    return table


def _read_records(
    data: str, model: Model, given: ModelOptions, how: Input, *, allow_unknown: bool, silent: bool
) -> Any:
    from withhold.formats import read

    records = read(
        data,
        **options_of_records(how),
        tidy=how.tidy,
        consent=how.consent,
        skip_missing_ids=how.skip_missing_ids,
        allow_unknown=allow_unknown,
    )
    _tell_left_out(records, "record", silent=silent)
    _tell_tidied(records, silent=silent)
    for warning in method_of(model).search.options(**search_options(given, model)).warnings():
        note(f"warning: {warning}")
    return records


def _tell_left_out(records: Any, noun: str, *, silent: bool) -> None:
    for number, what, which, done in (
        (records.skipped_rows, "row", f"without a {noun} id", "left out"),
        (records.repeated, "repeated item", f"within {noun}s", "merged"),
    ):
        if number:
            verb = "was" if number == 1 else "were"
            note(f"{counted(number, what)} {which} {verb} {done}", silent=silent)


def _read_people(
    data: str, given: ModelOptions, how: Input, chosen: dict[str, Any], *, silent: bool
) -> Any:
    from withhold.formats import read_people

    people = read_people(data, **people_reading(given, how), **chosen)
    for warning in people.warnings:
        note(f"warning: {warning}")
    _tell_left_out(people.items, "person", silent=silent)
    if people.strangers:
        verb = "belongs" if people.strangers == 1 else "belong"
        left_out = "was left out" if people.strangers == 1 else "were left out"
        who = f"{counted(people.strangers, 'item')} {verb} to nobody in {Path(data).name}"
        note(f"{who} and {left_out}", silent=silent)
    if people.without_items:
        has = "has" if people.without_items == 1 else "have"
        note(
            f"{counted(people.without_items, 'person')} {has} no items; they are published, too",
            silent=silent,
        )
    _tell_tidied(people, silent=silent)
    return people


def people_asked(data: str | None, kind: Kind) -> bool:
    """Whether DATA has persons with items; refuses what does not fit that."""
    people = kind.people or bool(kind.items)
    if people and (kind.table or data is None):
        what = "--table" if kind.table else "no file of persons"
        raise PolicyError(
            f"--people and --items are for persons with items; {what} does not fit that"
        )
    for name, value in kind.of_people().items():
        if value and not people:
            raise PolicyError(f"--{name.replace('_', '-')} requires --people or --items")
    return people


def people_reading(given: Mapping[str, Any], how: Any) -> dict[str, Any]:
    """The options of ``read_people`` that say how its files are read."""
    if how.format is not None:
        raise PolicyError("--format is for records of items, not for people")
    reading: dict[str, Any] = how.reading() | {"skip_missing_ids": how.skip_missing_ids}
    return reading | {name: given[name] for name in OF_PEOPLE if given.get(name)}


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


def _check_columns(
    table: Any, model: Any, given: ModelOptions, *, stops: bool, silent: bool
) -> None:
    """Stop if a column needs a decision of the user; say which columns are published unchanged."""
    from withhold.data.decimals import comma_columns
    from withhold.data.grouping import refuse_few_rows
    from withhold.data.repeats import refuse_repeats
    from withhold.data.roles import (
        PUBLISHED,
        column_roles,
        columns_of,
        refuse_undecided,
        telling_columns,
    )

    publish = columns_to_publish(given.get("publish", []))
    if publish == ALL and ALL in table.names:
        raise PolicyError(
            "the table has a column 'all', so that --publish all could mean two things; name the "
            "columns to publish, that one as '\"all\"'"
        )
    named = columns_of(publish, table) if method_of(model).data == "people" else publish
    found = column_roles(table, model, named)
    if stops and found.undecided and method_of(model).data == "table":
        refuse_few_rows(len(table), model.k)
    if stops:
        refuse_undecided(found.undecided)
        refuse_repeats(table.repeats, getattr(model, "quasi_identifiers", ()), publish)
    never_changed = telling_columns(table, model) if method_of(model).data == "table" else {}
    for name, reason in never_changed.items():
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
        number = f" ({len(kept):,} columns)" if len(kept) > MANY_COLUMNS else ""
        ranges = {each.rpartition("=")[0] for each in table.binned}
        names = [f"{name} (in ranges)" if name in ranges else name for name in kept]
        published = "published as they are" if stops else "would be published as they are"
        note(f"{published}{number}: {', '.join(names)}", silent=silent)


def _tell_tidied(data: Any, *, silent: bool) -> None:
    for each in data.tidied:
        note(each.sentence(), silent=silent)


def check_marks(data: Any, model: Any, output: Path, mark: str | None) -> None:
    """Refuse, before any work is done, a mark that could be taken for a value."""
    if method_of(model).data != "records":
        from withhold.formats import form_for
        from withhold.formats.table import refuse_ambiguous

        form = form_for(data, output.name, like=data.source, mark=mark)
        if method_of(model).data == "people":
            refuse_ambiguous(data.attributes, form, named_columns(model))
        else:
            refuse_ambiguous(data, form, model.quasi_identifiers)
