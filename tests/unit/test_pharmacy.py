"""The built-in example: reproducible, shaped like real baskets, and unsafe in ways one can read."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numpy.typing import NDArray

from withhold.data.pharmacy import ERRANDS, HABITS, SENSITIVE, SHELVES, STORIES, pharmacy
from withhold.data.records import Records
from withhold.errors import PolicyError


def fimi(table: Records) -> bytes:
    return "".join(" ".join(record) + "\n" for record in table).encode()


def holds(table: Records, *names: str) -> NDArray[np.bool_]:
    """Which records hold all of the names."""
    wanted = set(names)
    return np.array([wanted <= set(record) for record in table], dtype=bool)


def test_pharmacy__same_seed_same_bytes() -> None:
    assert fimi(pharmacy(500, seed=3)[0]) == fimi(pharmacy(500, seed=3)[0])


def test_pharmacy__default_is_pinned_across_platforms_and_versions() -> None:
    digest = hashlib.sha256(fimi(pharmacy()[0])).hexdigest()
    assert digest == "2d10a31c02a504e66b98a05e0923cbb5d9c0ea7a3531f39ee86bcd170ccc435a"


def test_pharmacy__other_seed_other_baskets() -> None:
    assert pharmacy(500, seed=3)[0] != pharmacy(500, seed=4)[0]


@pytest.mark.parametrize("baskets", [0, 1, 99, 100, 16_384, 16_385])
def test_pharmacy__as_many_baskets_as_asked_none_empty(baskets: int) -> None:
    table, _ = pharmacy(baskets)
    assert len(table) == baskets
    assert (table.lengths >= 1).all()


def test_pharmacy__refuses_negative_sizes() -> None:
    with pytest.raises(PolicyError, match="baskets must be 0 or more, not -1"):
        pharmacy(-1)


def test_pharmacy__lengths_resemble_real_baskets() -> None:
    lengths = pharmacy(20_000)[0].lengths
    assert 3.5 < lengths.mean() < 4.5
    assert np.median(lengths) <= 3
    assert 30 < lengths.max() <= 48
    counts = np.bincount(lengths)[1:12]
    assert (np.diff(counts[1:]) < 0).all(), "longer baskets are rarer"


def test_pharmacy__popularity_falls_like_zipf() -> None:
    supports = np.sort(pharmacy(20_000)[0].supports)[::-1]
    assert supports[0] < 0.3 * 20_000, "no item is in nearly every basket"
    ranks = np.arange(3, 101)
    slope = np.polyfit(np.log(ranks), np.log(supports[2:100]), 1)[0]
    assert -1.3 < slope < -0.5


@pytest.mark.parametrize("seed", range(7, 12))
def test_pharmacy__every_item_occurs_at_the_default_size(seed: int) -> None:
    table, sensitive = pharmacy(seed=seed)
    assert (table.supports > 0).all()
    assert table.supports[table.codes(sensitive)].min() >= 5
    assert len(table.codes(sensitive)) == len(sensitive) == 14


@pytest.mark.parametrize("seed", range(7, 12))
@pytest.mark.parametrize(
    ("known", "sensitive"),
    [("lancets", "insulin"), ("bed-protectors", "incontinence-pads")],
)
def test_pharmacy__one_item_gives_a_customer_away(seed: int, known: str, sensitive: str) -> None:
    table, _ = pharmacy(seed=seed)
    knows = holds(table, known)
    exposed = holds(table, known, sensitive)
    assert knows.sum() >= 15
    assert 2 * exposed.sum() > knows.sum()


def test_pharmacy__nobody_is_suspected_without_knowledge() -> None:
    table, sensitive = pharmacy()
    assert table.supports[table.codes(sensitive)].max() < 0.1 * len(table)


def test_pharmacy__much_of_what_is_sensitive_can_stay() -> None:
    """Where no other basket holds the same harmless items, every sensitive item has to go."""
    table, sensitive = pharmacy()
    harmless = [frozenset(record) - sensitive for record in table]
    told = [len(set(record) & sensitive) for record in table]
    forced = sum(
        count
        for row, count in enumerate(told)
        if count and sum(harmless[row] <= other for other in harmless) < 2
    )
    assert 0 < forced < 0.4 * sum(told)


def test_pharmacy__stories_are_told_once_the_sample_is_large_enough() -> None:
    table, _ = pharmacy()
    records = [" ".join(sorted(record)) for record in table]
    for story in STORIES:
        assert records.count(" ".join(sorted(story.split()))) == 1
    assert table.lengths.max() == len(STORIES[0].split())
    assert pharmacy(99)[0].lengths.max() <= 40


def test_pharmacy__tables_are_consistent() -> None:
    shelved = " ".join(SHELVES).split()
    assert len(shelved) == len(set(shelved))
    assert SENSITIVE.isdisjoint(shelved)
    assert {habit.sensitive for habit in HABITS} <= SENSITIVE
    assert sum(errand.per_thousand for errand in ERRANDS) <= 1000
    assert all(name == name.lower() and name.isascii() for name in [*shelved, *SENSITIVE])
