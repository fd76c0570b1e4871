"""Merge spellings of values that differ only in case, spaces or punctuation; on request.

In: records, a table or people, and what to tidy: ``Gender=case,spaces``, ``all=spaces``, ``items=case``.
Out: the same under the tidied names, and what was changed. It happens on reading, before any model sees the
data: a release shows the tidied values. What a value becomes depends on the value alone, so that lists and
other files can be tidied in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from withhold.data.column_lists import unquoted
from withhold.data.names import nearest
from withhold.data.people import People
from withhold.data.records import Records
from withhold.data.table import TEXT, Column, Table
from withhold.data.tidied import ITEMS, Tidied
from withhold.data.tidy_ways import WAYS, tidy_text
from withhold.errors import PolicyError

ALL, QUOTED_ALL = "all", '"all"'
TEXTS = (TEXT, "Categorical", "Enum")
"""Kinds of columns that hold words; numbers and dates in frames are tidy."""
Written = Iterable[str] | str | None
"""What to tidy, as it is written."""


def tidied_name(name: str, done: Iterable[Tidied]) -> str:
    """The name of an item as it is in records that were tidied."""
    for each in done:
        if each.name == ITEMS:
            name = _tidy_item(name, each.ways, each.prefixes)
    return name


def _tidy_item(name: str, ways: Iterable[str], prefixes: Iterable[str]) -> str:
    prefix = next((each for each in prefixes if name.startswith(each)), "")
    return prefix + tidy_text(name.removeprefix(prefix), ways)


def parse_tidy(written: Written) -> dict[str, tuple[str, ...]]:
    """What is to be tidied, by column, from texts such as ``Gender=case,spaces``."""
    found: dict[str, tuple[str, ...]] = {}
    for text in [written] if isinstance(written, str) else written or ():
        if not isinstance(text, str):
            raise PolicyError(f"what to tidy is a text such as 'Gender=case,spaces', not {text!r}")
        name, equals, listed = text.rpartition("=")
        ways = tuple(dict.fromkeys(each.strip().lower() for each in listed.split(",")))
        if not equals or not name.strip():
            raise PolicyError(
                f"what to tidy is written as COLUMN=case,spaces, all=spaces or items=case, not {text!r}"
            )
        for way in ways:
            if way not in WAYS:
                near = nearest(way, WAYS)
                hint = f"; did you mean {near!r}?" if near else ""
                raise PolicyError(f"{way!r} is not one of {', '.join(sorted(WAYS))}{hint}")
        # A column whose name is the word for every column is written in quotes.
        key = QUOTED_ALL if name.strip() == QUOTED_ALL else unquoted(name)
        if key in found:
            raise PolicyError(f"{unquoted(key)!r} is tidied twice; name it once")
        found[key] = tuple(way for way in WAYS if way in ways)
    return found


def tidy_records(records: Records, written: Written) -> Records:
    """The records with their items tidied; those of a record that become one are merged and counted."""
    wanted = parse_tidy(written)
    if not wanted:
        return records
    if odd := [name for name in wanted if name != ITEMS]:
        raise PolicyError(
            f"records have items and no column {unquoted(odd[0])!r} that could be tidied; write "
            f"{ITEMS}={','.join(wanted[odd[0]])}"
        )
    return _tidy_items(records, wanted[ITEMS])


def _tidy_items(records: Records, ways: tuple[str, ...], prefixes: Sequence[str] = ()) -> Records:
    names = [_tidy_item(name, ways, prefixes) for name in records.vocabulary]
    moved = [new != old for new, old in zip(names, records.vocabulary, strict=True)]
    changed = int(records.supports[moved].sum())
    occurring = len(records.occurring)
    made = renamed(records, names)
    merged = occurring - len(made.occurring)
    done = Tidied(ITEMS, ways, changed, merged, tuple(prefixes))
    return replace(made, tidied=(*records.tidied, done))


def renamed(records: Records, names: Sequence[str]) -> Records:
    """The records with these names for the items of the vocabulary; items that become one are merged.

    >>> renamed(Records.from_lists([["Beer", "beer"], ["tea"]]), ["beer", "beer", "tea"]).to_lists()
    [['beer'], ['tea']]
    """
    vocabulary = tuple(sorted(set(names)))
    code_of = {name: code for code, name in enumerate(vocabulary)}
    codes = np.array([code_of[name] for name in names], dtype=np.int32)
    made = Records.from_codes(records.lengths, codes[records.items], vocabulary)
    return replace(
        records,
        offsets=made.offsets,
        items=made.items,
        vocabulary=vocabulary,
        repeated=records.repeated + made.repeated,
    )


def tidy_table(table: Table, written: Written) -> Table:
    """The table with the named columns tidied, or all that hold texts."""
    return _tidy_columns(table, parse_tidy(written))


def tidy_people(people: People, written: Written, prefixes: Sequence[str] = ()) -> People:
    """The people with the named attributes tidied, or all; and their items, if those are named."""
    wanted = parse_tidy(written)
    if ITEMS in people.names and wanted.keys() & {ITEMS, ALL}:
        raise PolicyError(
            f"the persons have a column {ITEMS!r}, so that {ITEMS}= could mean two things; give it "
            "another name"
        )
    ways = wanted.pop(ITEMS, None)
    return replace(
        people,
        attributes=_tidy_columns(people.attributes, wanted),
        items=people.items if ways is None else _tidy_items(people.items, ways, prefixes),
    )


def _tidy_columns(table: Table, wanted: Mapping[str, tuple[str, ...]]) -> Table:
    if not wanted:
        return table
    ways = dict.fromkeys(table.names, wanted[ALL]) if ALL in wanted else {}
    if ALL in wanted and ALL in table.names:
        raise PolicyError(
            f"the table has a column {ALL!r}, so that {ALL}= could mean two things; name the columns, "
            f"that one as {QUOTED_ALL!r}"
        )
    ways |= {unquoted(name): how for name, how in wanted.items() if name != ALL}
    pairs = [_tidy_column(table.column(name), how) for name, how in ways.items()]
    named = {unquoted(name) for name in wanted}
    return replace(
        table.with_columns(column for column, _ in pairs),
        # Under ``all``, only columns that had something to tidy are reported.
        tidied=(*table.tidied, *(done for _, done in pairs if done.changed or done.name in named)),
    )


def _tidy_column(column: Column, ways: Sequence[str]) -> tuple[Column, Tidied]:
    exact = column.exact()
    new = [value if value is None else tidy_text(value, ways) for value in exact.values]
    moved = [value != old for value, old in zip(new, exact.values, strict=True)]
    changed = int(exact.counts[moved].sum())
    if not changed or not column.kind.startswith(TEXTS):
        return column, Tidied(column.name, tuple(ways))
    before = int((exact.counts > 0).sum())
    made = exact.mapped(lambda value: value if value is None else tidy_text(value, ways))
    after = int((made.counts > 0).sum())
    return made, Tidied(column.name, tuple(ways), changed, before - after)
