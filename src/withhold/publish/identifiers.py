"""What becomes of the records' own ids in a release: they are replaced by numbers, unless they are asked for.

The ids of a long file are often those of people. Rows keep their order, so the custodian, who has the
originals, can still tell which record is whose; the ids are in the internal manifest, which stays there.
"""

from __future__ import annotations

from difflib import get_close_matches

from withhold.errors import PolicyError
from withhold.formats import Data
from withhold.publish.by_kind import KINDS

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

    >>> from withhold.data import Records
    >>> released(Records.from_lists([["a"], ["b"]], record_ids=["Ann", "Bob"]), RENUMBER).record_ids
    ('1', '2')
    """
    return data if ids == KEEP else KINDS[data.kind].renumbered(data)
