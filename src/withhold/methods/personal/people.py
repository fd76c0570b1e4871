"""Persons as the kernels need them: who owns what originally, who wants what protected, what is published.

In: the originals, the published rows and the constraints. Out: named tuples of arrays that the kernels
read. Persons with equal originals are merged into one, who wants protected what any of them does: an
adversary who knows the same items of each cannot tell them apart.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.attack import find_rank
from withhold.counting.bits import clear_bits
from withhold.counting.closed_walk import SIZE
from withhold.counting.equal_items import needed_occurrences, only_needed
from withhold.counting.jit import step
from withhold.counting.layout import Layout, lay_out
from withhold.counting.local_rows import merge_local_rows
from withhold.counting.published import PublishedRows
from withhold.counting.walk import Rows as WalkRows
from withhold.data import Records
from withhold.data.array_types import Bools, Ints
from withhold.data.constraints import Constraints

PAIRS_AT_ONCE = 2**20
"""Pairs of a person and a protected item that are sorted together."""
FEW = 2
"""If at most one person in this many wants anything protected, these are searched one by one."""
LONG = 16
"""In a record this many times as long as a set, each item of the set is searched for."""


class People(NamedTuple):
    """The distinct originals, and the person of each row."""

    of_row: Any
    """By row: its person."""
    offsets: Any
    items: Any
    """By person: the ranks of their original, ascending."""
    wishing: Any
    """By person: whether they want anything protected. Nobody else can be harmed."""
    post_offsets: Any
    post_people: Any
    """By rank: those of its owners who want anything protected."""


class Wishes(NamedTuple):
    """Who wants which rank protected: bits, or pairs where ``bits`` has no rows."""

    anybody: Any
    """By rank: whether anybody wants it protected."""
    column_of: Any
    """By rank: its number among the protected items, its *column*; -1 if nobody wants it protected."""
    bits: Any
    """By person: a bit for each column."""
    offsets: Any
    columns: Any
    """By person, where there are no bits: the columns, ascending."""


class Problem(NamedTuple):
    """Everything that a verdict depends on; the originals once more, for the walk over known sets."""

    rows: Any
    """The published rows."""
    people: Any
    wishes: Any
    num: Any
    """ρ is num/den."""
    den: Any
    originals: Any
    protected_offsets: Any
    protected_places: Any
    """The places of items that anybody wants protected, row by row: of a long row often few."""


@dataclass(frozen=True)
class PersonalLayout:
    """All that the kernels need of one problem."""

    layout: Layout
    rows: PublishedRows
    people: People
    wishes: Wishes

    @property
    def n_people(self) -> int:
        return len(self.people.offsets) - 1

    @property
    def n_wishing(self) -> int:
        """How many people want anything protected."""
        return int(np.count_nonzero(self.people.wishing))

    @property
    def few_wishing(self) -> bool:
        """Whether so few want anything protected that it is quicker to search them one by one."""
        return self.n_wishing * FEW <= self.n_people

    @cached_property
    def protected(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The places of items that anybody wants protected: where each row's part starts, and all places."""
        inside = self.wishes.anybody[self.layout.items]
        before = np.concatenate([[0], np.cumsum(inside, dtype=np.int64)])
        return before[self.layout.offsets], np.flatnonzero(inside).astype(np.int32)


def problem_of(layout: PersonalLayout, rho: Fraction) -> Problem:
    """The problem in the form that the kernels take."""
    laid = layout.layout
    originals = WalkRows(laid.offsets, laid.items, laid.post_offsets, laid.post_rows)
    decides = layout.rows, layout.people, layout.wishes, rho.numerator, rho.denominator
    return Problem(*decides, originals, *layout.protected)


@step
def wants_protected(person, rank, wishes):
    """Whether the person wants the item protected."""
    column = wishes.column_of[rank]
    if column < 0:
        return False
    if wishes.bits.shape[0] > 0:
        word = wishes.bits[person, column >> 6]
        return (word >> np.uint64(column & 63)) & np.uint64(1) != np.uint64(0)
    start = wishes.offsets[person]
    return find_rank(column, start, wishes.offsets[person + 1], wishes.columns) >= 0


def lay_out_people(
    originals: Records, kept: Bools, constraints: Constraints, *, merged: bool = True
) -> PersonalLayout:
    """The layout of ``originals`` of which only the occurrences ``kept`` are published.

    If not ``merged``, every record is a person of its own.
    """
    layout = lay_out(originals, originals.codes(constraints.items))
    items = layout.items.copy()
    gone = ~kept[layout.origin]
    items[gone] = ~items[gone]
    supports = np.bincount(layout.items[~gone], minlength=layout.n_items).astype(np.int64)
    bitmaps = layout.bitmaps()
    row_of = np.repeat(np.arange(layout.n_rows, dtype=np.int32), np.diff(layout.offsets))
    clear_bits(bitmaps, layout.n_items - len(bitmaps), layout.items[gone], row_of[gone])
    postings = layout.post_offsets, layout.post_rows, layout.post_positions
    rows = PublishedRows(layout.offsets, items, *postings, supports, bitmaps)
    of_row, first_row = _distinct_people(layout, merged=merged)
    wishes = _wishes(originals, layout, of_row, len(first_row), constraints)
    return PersonalLayout(layout, rows, _people(layout, of_row, first_row, wishes), wishes)


def lay_out_needed(originals: Records, kept: Bools, constraints: Constraints) -> PersonalLayout:
    """The same, but equal items of long records are merged into one, which suffices for a yes or no."""
    needed = needed_occurrences(originals, originals.codes(constraints.items), kept)
    if needed is not None:
        originals, kept = only_needed(originals, needed), kept[needed]
    return lay_out_people(originals, kept, constraints)


def _distinct_people(layout: Layout, *, merged: bool) -> tuple[Ints, Ints]:
    """The person of each row, and the first row of each person."""
    of_row = np.arange(layout.n_rows, dtype=np.int32)
    if not merged:
        return of_row, of_row
    of_row = np.zeros(layout.n_rows, dtype=np.int32)
    n_people, first_row, _ = merge_local_rows(layout.n_rows, layout.offsets, layout.items, of_row)
    return of_row, first_row[:n_people]


def _people(layout: Layout, of_row: Ints, first_row: Ints, wishes: Wishes) -> People:
    held_as_bits = len(wishes.bits) > 0
    wishing = wishes.bits.any(axis=1) if held_as_bits else np.diff(wishes.offsets) > 0
    lengths = np.diff(layout.offsets)[first_row]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(offsets[-1]) + np.repeat(layout.offsets[first_row] - offsets[:-1], lengths)
    items = layout.items[places]
    owners = np.repeat(np.arange(len(first_row), dtype=np.int32), lengths)
    of_wishing = wishing[owners]
    posted, owners = items[of_wishing], owners[of_wishing]
    post_offsets = np.concatenate([[0], np.cumsum(np.bincount(posted, minlength=layout.n_items))])
    post_people = owners[np.argsort(posted, kind="stable")]
    return People(of_row, offsets, items, wishing, post_offsets, post_people)


def _wishes(
    originals: Records, layout: Layout, of_row: Ints, n_people: int, constraints: Constraints
) -> Wishes:
    """What each distinct person wants protected: the union over the rows that are equal."""
    column_of_name = {name: column for column, name in enumerate(constraints.items)}
    of_code = [column_of_name.get(name, -1) for name in originals.vocabulary]
    column_of = np.array(of_code, dtype=np.int32)[layout.code_of_rank]
    person_of_record = np.empty(layout.n_rows, dtype=np.int32)
    person_of_record[layout.record_of_row] = of_row
    bits = np.zeros((0, 0), dtype=np.uint64)
    offsets, columns = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    if len(constraints.offsets) == 1:
        by_person = np.argsort(person_of_record, kind="stable")
        firsts = np.searchsorted(person_of_record[by_person], np.arange(n_people))
        bits = np.bitwise_or.reduceat(constraints.bits[by_person], firsts)
    else:
        offsets, columns = _united_pairs(person_of_record, n_people, constraints)
    return Wishes(column_of >= 0, column_of, bits, offsets, columns)


def _united_pairs(
    person_of_record: NDArray[np.int32], n_people: int, constraints: Constraints
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The pairs by person instead of by record, sorted for a few persons at a time."""
    by_person = np.argsort(person_of_record, kind="stable")
    lengths = np.diff(constraints.offsets)[by_person]
    width = max(len(constraints.items), 1)
    counts = np.zeros(n_people, dtype=np.int64)
    found = [np.zeros(0, dtype=np.int32)]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    # The first record of each person, so that no person is cut in two.
    first_of = np.searchsorted(person_of_record[by_person], np.arange(n_people + 1))
    start = 0
    while start < n_people:
        enough = int(np.searchsorted(ends[1:], ends[first_of[start]] + PAIRS_AT_ONCE))
        end = max(int(np.searchsorted(first_of, enough, side="right")) - 1, start + 1)
        end = min(end, n_people)
        some = slice(first_of[start], first_of[end])
        shift = constraints.offsets[by_person[some]] - (ends[:-1][some] - ends[some.start])
        places = np.arange(int(lengths[some].sum())) + np.repeat(shift, lengths[some])
        owner = np.repeat(person_of_record[by_person[some]] - start, lengths[some])
        keys = np.sort(owner.astype(np.int64) * width + constraints.columns[places])
        keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
        counts[start:end] = np.bincount(keys // width, minlength=end - start)
        found.append((keys % width).astype(np.int32))
        start = end
    return np.concatenate([[0], np.cumsum(counts)]), np.concatenate(found)


@step
def known_of(person, without, people, walk, known):
    """Fill ``known`` with the items of a closed set that the person owns, except ``without``; how many."""
    n_known = 0
    p = people.offsets[person]
    end = people.offsets[person + 1]
    if end - p <= LONG * walk.at[SIZE]:
        for q in range(p, end):
            x = people.items[q]
            if walk.in_set[x] and x != without:
                known[n_known] = x
                n_known += 1
        return n_known
    for c in range(walk.at[SIZE]):
        x = walk.closure[c]
        if x != without and find_rank(x, p, end, people.items) >= 0:
            known[n_known] = x
            n_known += 1
    return n_known
