"""What becomes of the records' own ids in a release: they are numbered anew, unless the ids are asked for.

The ids of a long file are often those of people. Rows keep their order, so the custodian, who has the
originals, can still tell which record is whose; the ids are in the internal manifest, which stays there.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

from withhold.data import Table
from withhold.data.people import People
from withhold.errors import PolicyError
from withhold.formats import Data

RENUMBER, KEEP = "renumber", "keep"
CHOICES = (RENUMBER, KEEP)
KEPT = "the records' own ids are published (--ids keep); they may identify people"


def check_ids(ids: str) -> None:
    """Refuse a choice that does not exist."""
    if ids not in CHOICES:
        near = get_close_matches(str(ids), CHOICES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise PolicyError(f"ids must be {' or '.join(CHOICES)}, not {ids!r}{hint}")


def released(data: Data, ids: str) -> Data:
    """The data as they are published: records that have names are numbered from 1 unless those are kept.

    >>> released(Records.from_lists([["a"], ["b"]], record_ids=["Ann", "Bob"]), RENUMBER).record_ids
    ('1', '2')
    """
    if ids == KEEP:
        return data
    if isinstance(data, People):
        named = None if data.ids is None else tuple(map(str, range(1, len(data) + 1)))
        return replace(data, attributes=replace(data.attributes, index=None), ids=named)
    if isinstance(data, Table):
        return replace(data, index=None)
    if data.record_ids is None and data.index is None:
        return data
    numbers = tuple(str(number) for number in range(1, len(data) + 1))
    return replace(data, record_ids=None if data.record_ids is None else numbers, index=None)
