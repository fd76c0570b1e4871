"""``withhold inspect``: what is in the file?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import json_of, note, say
from withhold.cli.reading import options_of_records, options_of_table, people_asked, people_reading
from withhold.describing import described, known_descriptions
from withhold.errors import PolicyError
from withhold.wording import counted

if TYPE_CHECKING:
    from withhold.data import Records

NODES_DRAWN = 60


@verb("inspect", example="withhold inspect baskets.dat")
def inspect(
    *,
    data: str | None = None,
    hierarchy: str | None = None,
    top: int = 10,
    kind: options.Kind,
    how: options.Reading,
    tidy: list[str] | None = None,
    suggest_sensitive: bool = False,
    skip_missing_ids: bool = False,
    describe: str | None = None,
    as_json: bool = False,
) -> None:
    """Show what is in a file: its format, records and frequent items.

    With --table: the columns, their values, and which of them may identify people. With --people or --items:
    both, of persons with attributes and items. All end with hints: what to tidy, bin or drop before
    publishing. With --suggest-sensitive: a list of items to read and to change.
    """
    from withhold.data.profile import profile, profile_people, profile_table
    from withhold.data.tidied import ITEMS
    from withhold.formats import read, read_people, read_table
    from withhold.formats.hierarchy import read_hierarchy
    from withhold.methods.cells.text import table_profile_text
    from withhold.report.json import (
        hierarchy_as_dict,
        people_profile_as_dict,
        profile_as_dict,
        table_profile_as_dict,
    )
    from withhold.report.text import hierarchy_text, profile_text

    if data is None and hierarchy is None:
        raise PolicyError("nothing to inspect; name a file, or a hierarchy with --hierarchy")
    table, people = kind.table, people_asked(data, kind)
    if suggest_sensitive and (table or data is None):
        raise PolicyError(
            "--suggest-sensitive is about items; name a file of records or people, without --table"
        )
    if (table or people) and data is not None and hierarchy is not None:
        raise PolicyError(
            "--hierarchy is checked against items, and a table has columns; leave DATA and --table out to "
            "draw it, or use withhold hierarchy suggest DATA COLUMN"
        )
    found: dict[str, Any] = {}
    texts = []
    tree = None if hierarchy is None else read_hierarchy(hierarchy)
    if data is not None and people:
        beside = options.Input(**vars(how), skip_missing_ids=skip_missing_ids)
        reading = people_reading(kind.of_people(), beside)
        persons = read_people(data, tidy=tidy, allow_unknown=True, **reading)
        if suggest_sensitive:
            _suggest(persons.items, as_json=as_json)
            return
        both = profile_people(persons, top=top)
        found |= people_profile_as_dict(both)
        texts += [table_profile_text(both.persons, name=data), profile_text(both.items, name=ITEMS)]
        texts += [f"Warning: {warning}." for warning in both.warnings]
        if both.items_of_nobody:
            texts.append(f"{counted(both.items_of_nobody, 'item')} of nobody left out.")
    elif data is not None and table:
        columns = read_table(data, tidy=tidy, **options_of_table(how, skip_missing_ids))
        about = profile_table(columns, top=top)
        found |= table_profile_as_dict(about)
        texts.append(table_profile_text(about, name=data))
    elif data is not None:
        records = read(
            data, **options_of_records(how), tidy=tidy, skip_missing_ids=skip_missing_ids
        )
        if tree is not None:
            tree.check_covers(records.vocabulary)
        if suggest_sensitive:
            _suggest(records, as_json=as_json)
            return
        seen = profile(records, top=top)
        found |= profile_as_dict(seen)
        texts.append(profile_text(seen, name=data))
    if tree is not None:
        found |= {"hierarchy": hierarchy_as_dict(tree)}
        texts.append(hierarchy_text(tree, name=str(hierarchy), most=NODES_DRAWN))
    say(json_of(found) if as_json else "\n\n".join(texts))


def _suggest(records: Records, *, as_json: bool) -> None:
    """The list on stdout, so that it can be kept in a file; counts and reasons on stderr."""
    from withhold.data.suggesting import suggest_sensitive
    from withhold.formats.items import as_listed
    from withhold.telling.layout import columns

    found = suggest_sensitive(records, meaning=known_descriptions())
    if as_json:
        say(json_of({"suggested": [each.as_dict() for each in found]}))
        return
    if not found:
        note("the starter list knows none of the items; name the sensitive ones yourself")
        return
    rows = [(described(each.item), f"{each.records:,}", each.why, each.matched) for each in found]
    head = ("item", "records", "why", "fits")
    note(
        f"a proposal from a starter list of health terms: {len(found):,} of {records.n_items:,} items. Read "
        "it, and add what it does not know; nothing is protected until you name it with --sensitive",
        *columns([head, *rows], right={1}),
    )
    say("\n".join(as_listed(each.item) for each in found))
