"""``withhold inspect``: what is in the file?"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import say
from withhold.cli.reading import options_of_records, options_of_table, people_reading
from withhold.errors import PolicyError
from withhold.escaping import json_text
from withhold.wording import counted

NODES_DRAWN = 60


@verb("inspect", example="withhold inspect baskets.dat")
def inspect(
    *,
    data: str | None = None,
    hierarchy: str | None = None,
    top: int = 10,
    table: bool = False,
    people: bool = False,
    items: list[str] | None = None,
    person_column: str | None = None,
    how: options.Reading,
    skip_missing_ids: bool = False,
    as_json: bool = False,
) -> None:
    """What is in the file: rows, items, lengths, the most frequent items, the format found.

    With --table: the columns, their values, and which of them may identify people. With --people or --items:
    both, of persons with attributes and items.
    """
    from withhold.data.profile import profile, profile_table
    from withhold.formats import read, read_people, read_table
    from withhold.formats.hierarchy import read_hierarchy
    from withhold.methods.cells.text import table_profile_text
    from withhold.report.json import hierarchy_as_dict, profile_as_dict
    from withhold.report.text import hierarchy_text, profile_text

    if data is None and hierarchy is None:
        raise PolicyError("nothing to inspect; name a file, or a hierarchy with --hierarchy")
    people = people or bool(items)
    if people and (table or data is None):
        what = "--table" if table else "no file of persons"
        raise PolicyError(
            f"--people and --items are for persons with items; {what} does not fit that"
        )
    if person_column is not None and not people:
        raise PolicyError("--person-column is for people; say --people or --items too")
    if (table or people) and data is not None and hierarchy is not None:
        raise PolicyError(
            "--hierarchy is checked against items, and a table has columns; leave DATA and --table out to "
            "draw it, or use withhold hierarchy suggest DATA COLUMN"
        )
    found: dict[str, Any] = {}
    texts = []
    tree = None if hierarchy is None else read_hierarchy(hierarchy)
    if data is not None and people:
        persons = read_people(
            data,
            **people_reading(
                {"items": items, "person_column": person_column},
                options.Input(**vars(how), skip_missing_ids=skip_missing_ids),
            ),
        )
        about, seen = profile_table(persons.attributes, top=top), profile(persons.items, top=top)
        form = persons.form
        assert form is not None  # they were read
        files = ", ".join(each.path.name for each in form.files) or f"column {form.list_column}"
        seen = replace(seen, format=files)
        found |= {"persons": asdict(about), "items": profile_as_dict(seen)}
        found |= {"items_of_nobody": persons.strangers, "warnings": list(persons.warnings)}
        texts += [table_profile_text(about, name=data), profile_text(seen, name="items")]
        texts += [f"Warning: {warning}." for warning in persons.warnings]
        if persons.strangers:
            texts.append(f"{counted(persons.strangers, 'item')} of nobody left out.")
    elif data is not None and table:
        columns = read_table(data, **options_of_table(how, skip_missing_ids))
        about = profile_table(columns, top=top)
        found |= asdict(about)
        texts.append(table_profile_text(about, name=data))
    elif data is not None:
        records = read(data, **options_of_records(how), skip_missing_ids=skip_missing_ids)
        if tree is not None:
            tree.check_covers(records.vocabulary)
        seen = profile(records, top=top)
        found |= profile_as_dict(seen)
        texts.append(profile_text(seen, name=data))
    if tree is not None:
        found |= {"hierarchy": hierarchy_as_dict(tree)}
        texts.append(hierarchy_text(tree, name=str(hierarchy), most=NODES_DRAWN))
    say(json_text(found) if as_json else "\n\n".join(texts))
