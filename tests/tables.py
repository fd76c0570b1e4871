"""Random tables for hypothesis: small enough for brute force, nasty enough to matter."""

from __future__ import annotations

import os
from fractions import Fraction

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from oracle import interesting_rhos

ITEMS = tuple("abcdefgh")
COSTS = ("ham", "info", "hybrid", "mar")
"""What a cell can cost."""
Rows = list[frozenset[str]]


@st.composite
def tables(draw: st.DrawFn, *, records: int = 9, items: int = 8) -> tuple[Rows, frozenset[str]]:
    """Up to nine records over up to eight items, with repeats, and at least one sensitive item."""
    universe = ITEMS[: draw(st.integers(1, items))]
    row = st.frozensets(st.sampled_from(universe))
    distinct = draw(st.lists(row, min_size=1, max_size=records))
    repeats = draw(st.lists(st.sampled_from(distinct), max_size=records - len(distinct)))
    sensitive = draw(st.frozensets(st.sampled_from(universe), min_size=1))
    return distinct + repeats, sensitive


@st.composite
def problems(
    draw: st.DrawFn, *, records: int = 9, items: int = 8
) -> tuple[Rows, frozenset[str], Fraction]:
    """A table with a ρ at, just below or just above one of its own confidences."""
    rows, sensitive = draw(tables(records=records, items=items))
    return rows, sensitive, draw(st.sampled_from(interesting_rhos(rows, sensitive)))


knowledge = st.one_of(st.none(), st.integers(0, 5))
limits = st.fixed_dictionaries({"max_known": knowledge, "ignore_prior": st.booleans()}).filter(
    # Who knows nothing has the prior alone, and a model that ignores it would be about nobody.
    lambda drawn: drawn["max_known"] != 0 or not drawn["ignore_prior"]
)
"""What a model of rho may be limited to."""


def example_share() -> float:
    """The share of their examples that tests take: all of them, unless WITHHOLD_EXAMPLES says less."""
    return min(1.0, float(os.environ.get("WITHHOLD_EXAMPLES", "1")))


def examples(number: int) -> settings:
    """So many examples, or the share of them that is asked for: 20 at least, 8 where it is below a tenth.

    So small shares are for slow runs (no JIT, bounds checks), beside one in which the kernels are fast.
    """
    least = 20 if example_share() >= 0.1 else 8
    return settings(max_examples=max(least, round(number * example_share())))


def size(number: int) -> int:
    """So many records, or a quarter of them where kernels run as plain Python."""
    return number // 4 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else number


needs_speed = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="too long without compiled kernels"
)
