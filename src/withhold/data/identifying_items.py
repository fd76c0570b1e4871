"""Items that may identify people: they stop a release until somebody decides what to do with them.

In: records. Out: why their items may identify people. An identifier among the items is published like any
other, and whoever finds it finds the whole record. E-mail addresses and moments stop wherever they occur; all
else only if nearly every record holds the same number of such items, as it does where a line begins with a
record id. By chance that hardly happens: products that sell once are in some records, and not in others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from withhold.data.array_types import Longs
from withhold.data.identifying import DATE, FEWEST, LOOKED_AT, PATTERNS
from withhold.data.records import Records
from withhold.data.tidied import ITEMS
from withhold.errors import PolicyError, option
from withhold.wording import counted

FEWEST_OF_PART = 1000
"""In a part of fewer records, that an item is in one record only means nothing: others may be elsewhere."""
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^\W\d_]{2,}")
"""Unlike packages with their versions, such as react@17.0.2."""
ALL = "all"


class Identifying(NamedTuple):
    """Why items may identify people."""

    reason: str
    """What is said of the items, or of records."""
    number: int
    """Of items, or of records."""


def identifying_items(records: Records, *, fewest: int = FEWEST) -> Identifying | None:
    """Why the items may identify people, if they may.

    That an item is in one record only is looked at from ``fewest`` records on.

    >>> lines = [[f"C{n:04}", "tea", "milk"] for n in range(40)]
    >>> identifying_items(Records.from_lists(lines)).reason
    '40 of 40 records hold 1 item that no other record has, as a record id or a customer number is'
    """
    supports = records.supports
    if (found := _always(records, supports)) is not None or len(records) < fewest:
        return found
    rows = np.searchsorted(
        records.offsets, np.flatnonzero((supports == 1)[records.items]), side="right"
    )
    held, number = _held_alike(np.bincount(rows - 1, minlength=len(records)), records.lengths)
    if held:
        return Identifying(
            f"{number:,} of {counted(len(records), 'record')} hold {counted(held, 'item')} that no other "
            "record has, as a record id or a customer number is",
            number,
        )
    return _alike(records, supports)


def refuse_identifying_items(
    records: Records, publish: str | Iterable[str], *, fewest: int = FEWEST
) -> None:
    """Stop if items may identify people and nobody said that they are to be published."""
    if publish == ALL or ITEMS in publish:
        return
    if (found := identifying_items(records, fewest=fewest)) is None:
        return
    where = "" if records.source is None else f"{records.source.path}: "
    raise PolicyError(
        f"{where}the items may identify people, and nobody has said what to do with them:",
        f"  {found.reason}",
        "To fix it, choose one of these:",
        f"  take them out of the file, or read it with the ids of records in a column of their own: "
        f"{option('format', 'long')}, {option('record_column')}",
        f"  {option('publish', ITEMS)}  publishes them like all other items",
    )


def _always(records: Records, supports: Longs) -> Identifying | None:
    """What nobody takes for an article, in however many records it is."""
    names = records.vocabulary
    mails = [n for n, name in enumerate(names) if "@" in name and EMAIL.fullmatch(name.strip())]
    times = [n for n, name in enumerate(names) if ":" in name and _is_moment(name.strip())]
    for codes, one, several in (
        (mails, "an e-mail address", "e-mail addresses"),
        (times, "a date with a time", "dates with times"),
    ):
        if number := int(np.count_nonzero(supports[codes])):
            look = f"looks like {one}" if number == 1 else f"look like {several}"
            return Identifying(f"{counted(number, 'item')} {look}", number)
    return None


def _is_moment(name: str) -> bool:
    return ":" not in name[:3] and DATE.fullmatch(name) is not None


def _alike(records: Records, supports: Longs) -> Identifying | None:
    """What looks like telephone numbers, dates and the like, and is in nearly every record alike.

    Some records are looked at, evenly over all.
    """
    step = max(1, len(records) // LOOKED_AT)
    rows = range(0, len(records), step)
    seen = [records.items[records.offsets[row] : records.offsets[row + 1]] for row in rows]
    lengths = np.array([len(codes) for codes in seen], dtype=np.int64)
    items = np.concatenate(seen)
    codes = np.unique(items)
    for pattern in PATTERNS:
        fits = [bool(pattern.matches.fullmatch(records.vocabulary[code])) for code in codes]
        matched = codes[fits]
        # Few that repeat all over are nobody's: the number of a shop.
        if len(matched) < 2 or len(matched) < pattern.different * int(supports[matched].sum()):
            continue
        of_row = np.repeat(np.arange(len(seen)), lengths)[np.isin(items, matched)]
        held, number = _held_alike(np.bincount(of_row, minlength=len(seen)), lengths)
        if held:
            return Identifying(
                f"{number:,} of {counted(len(seen), 'record')} looked at hold {counted(held, 'item')} "
                f"of those that look like {pattern.what}",
                number,
            )
    return None


def _held_alike(own: Longs, lengths: Longs) -> tuple[int, int]:
    """The number of such items that nine records in ten hold, and how many do; 0 if there is none.

    Half of the records must hold other items, too: records of nothing else are not identified by them.
    """
    times = np.bincount(own)
    if len(times) < 2 or 2 * int((lengths > own).sum()) < len(own):
        return 0, 0
    held = int(times[1:].argmax()) + 1
    number = int(times[held])
    return (held, number) if 10 * number >= 9 * len(own) else (0, 0)
