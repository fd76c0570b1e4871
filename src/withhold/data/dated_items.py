"""Items with a date: ``asthma@2015-2019`` says when somebody had ``asthma``, and thereby that they had it.

A date is a year, a month, a day or a range of years. The name alone says that an item is dated, so that a
proof need not trust anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from withhold.data.records import Records

BETWEEN = "@"
DATED = re.compile(r"(.+?)(?:@\d{4}(?:-\d{2}(?:-\d{2})?|-\d{4})?)+", re.ASCII | re.DOTALL)


def undated(name: str) -> str | None:
    """The item that a dated one implies; None if the name has no date.

    >>> undated("asthma@2015-2019"), undated("asthma@2015-03"), undated("asthma"), undated("ann@example.org")
    ('asthma', 'asthma', None, None)
    """
    found = DATED.fullmatch(name)
    return None if found is None else found[1]


def oddly_dated(names: Iterable[str], items: Iterable[str]) -> list[str]:
    """Those of ``names`` that begin like one of the items with a date, but whose date is not recognised.

    >>> oddly_dated(["flu@2015", "flu@2010s", "flu @2015", "cold@x"], ["flu"])
    ['flu @2015', 'flu@2010s']
    """
    known = frozenset(items)
    found = (name for name in names if BETWEEN in name and undated(name) not in known)
    return sorted(name for name in found if name.partition(BETWEEN)[0].strip() in known)


def has_dates(records: Records) -> bool:
    """Whether an item that occurs has a date."""
    occurring = zip(records.vocabulary, records.supports.tolist(), strict=True)
    return any(undated(name) is not None for name, times in occurring if times)


def dated_forms(names: Iterable[str], items: Iterable[str]) -> frozenset[str]:
    """Those of ``names`` that are one of the items with a date."""
    known = frozenset(items)
    return frozenset(name for name in names if undated(name) in known)
