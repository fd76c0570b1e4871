"""Synthetic transactions after the Quest model, for benchmarks that must grow without limit.

The model is that of Agrawal and Srikant, "Fast Algorithms for Mining Association Rules" (VLDB 1994,
section 3): people buy patterns of items, seldom whole ones. Written from the paper's description.
Where it is silent: lengths are one more than a Poisson number, so that none is 0 and the mean is as
asked; an item counts once in a transaction; an empty transaction takes whatever comes first.

    python benchmarks/quest.py --records 1000 --length 10 --pattern 4 --seed 1 > T10I4.dat
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, compress, islice

import numpy as np
from numpy.typing import NDArray

from withhold.data.records import Records
from withhold.errors import PolicyError

CORRELATION = 0.5
"""Mean share of a pattern's items that it takes over from the pattern before it."""
CORRUPTION_MEAN, CORRUPTION_SD = 0.5, 0.1
"""Of the chance, one per pattern, that another item is dropped when the pattern is bought."""

_BLOCK = 1 << 14
_PATIENCE = 4
"""A transaction is given up once it was offered this many times its length: with few items in the
patterns, the missing ones might never come."""


def quest(
    records: int,
    *,
    length: float,
    pattern: float,
    items: int = 1000,
    patterns: int = 2000,
    seed: int,
    part: int | None = None,
) -> Records:
    """Records of about ``length`` items, made of patterns of about ``pattern`` items.

    The literature's T10I4D100K is ``quest(100_000, length=10, pattern=4, seed=…)``. Items are named
    by their number; the vocabulary holds those that occur. With ``part`` the same patterns are bought by
    other people, so that a table of any size can be made part by part.

    >>> table = quest(1000, length=10, pattern=4, seed=1)
    >>> len(table), round(float(table.lengths.mean()))
    (1000, 10)
    """
    if records < 0 or items < 1 or patterns < 1:
        raise PolicyError("records must be 0 or more, items and patterns 1 or more")
    if not (1 <= length < np.inf and 1 <= pattern < np.inf):
        raise PolicyError("the average lengths of transactions and of patterns must be 1 or more")
    rng = np.random.default_rng(seed)
    pool = _Pool.draw(rng, items=items, mean=pattern, count=patterns)
    # The two consumers draw from their own streams, so that neither's block size moves the other.
    wants, purchases = (rng if part is None else np.random.default_rng([seed, part])).spawn(2)
    baskets = _fill(_lengths(wants, length), pool.purchases(purchases), items)
    by_name = sorted(range(items), key=str)
    code_of = np.zeros(items, dtype=np.int32)
    code_of[by_name] = np.arange(items, dtype=np.int32)
    names = tuple(map(str, by_name))
    # Rows are sorted block by block: one sort of everything would need many times the memory.
    blocks = [
        _table(islice(baskets, min(_BLOCK, records - start)), code_of, names)
        for start in range(0, records, _BLOCK)
    ]
    return _joined(blocks, names)


@dataclass(frozen=True)
class _Pool:
    """The patterns, one after another in ``items``, with what decides how they are bought."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int64]
    popularity: NDArray[np.float64]
    """Cumulative, ending at 1."""
    corruption: NDArray[np.float64]

    @classmethod
    def draw(cls, rng: np.random.Generator, *, items: int, mean: float, count: int) -> _Pool:
        sizes = np.minimum(1 + rng.poisson(mean - 1, size=count), items)
        shares = np.minimum(rng.exponential(CORRELATION, size=count), 1.0)
        chosen: list[NDArray[np.int64]] = []
        last = np.zeros(0, dtype=np.int64)
        for size, share in zip(sizes.tolist(), shares.tolist(), strict=True):
            kept = rng.permutation(last)[: round(share * size)]
            # As many as the whole pattern: enough are left when those already kept are struck out.
            fresh = rng.choice(items, size=size, replace=False)
            fresh = fresh[~np.isin(fresh, kept)][: size - len(kept)]
            last = np.concatenate([kept, fresh])
            chosen.append(last)
        weights = np.cumsum(rng.exponential(size=count))
        corruption = rng.normal(CORRUPTION_MEAN, CORRUPTION_SD, size=count)
        return cls(
            offsets=np.concatenate([[0], np.cumsum(sizes)]),
            items=np.concatenate(chosen),
            popularity=weights / weights[-1],
            corruption=np.clip(corruption, 0.0, 0.95),
        )

    def purchases(self, rng: np.random.Generator) -> Iterator[tuple[list[int], bool]]:
        """Corrupted patterns without end, each with a coin: whether it goes in though too long."""
        while True:
            pattern = np.searchsorted(self.popularity, rng.random(_BLOCK), side="right")
            size = np.diff(self.offsets)[pattern]
            kept = size - self._dropped(rng, pattern, size)
            occurrences = _ranges(self.offsets[pattern], size)
            # Rank a pattern's items at random and keep the first few: the rest were dropped.
            owner = np.repeat(np.arange(_BLOCK), size)
            order = np.argsort(owner + rng.random(len(owner)))
            survives = _ranges(np.zeros_like(size), size) < np.repeat(kept, size)
            bought = self.items[occurrences[order[survives]]].tolist()
            coins = (rng.random(_BLOCK) < 0.5).tolist()
            end = 0
            for count, coin in zip(kept.tolist(), coins, strict=True):
                start, end = end, end + count
                if count:
                    yield bought[start:end], coin

    def _dropped(
        self, rng: np.random.Generator, pattern: NDArray[np.int64], size: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """How many items each purchase lacks: one more as long as chance is below corruption."""
        dropped = np.zeros(len(pattern), dtype=np.int64)
        going = np.arange(len(pattern))
        while len(going):
            going = going[rng.random(len(going)) < self.corruption[pattern[going]]]
            dropped[going] += 1
            going = going[dropped[going] < size[going]]
        return dropped


def _lengths(rng: np.random.Generator, mean: float) -> Iterator[int]:
    """Wanted lengths without end."""
    while True:
        yield from (1 + rng.poisson(mean - 1, size=_BLOCK)).tolist()


def _fill(
    wanted: Iterator[int], purchases: Iterator[tuple[list[int], bool]], items: int
) -> Iterator[list[int]]:
    """Records without end, each filled with purchases up to about its wanted length.

    A purchase that does not fit goes in all the same when its coin says so, and otherwise opens the
    next transaction; what is taken from the stream is therefore never lost.
    """
    # Marking an item with its transaction's number needs no clearing, unlike a set per transaction.
    last_in = [-1] * items
    held: list[int] | None = None
    for number, length in enumerate(wanted):
        basket: list[int] = []
        offered = 0
        while len(basket) < length and offered < _PATIENCE * length:
            purchase, coin = next(purchases) if held is None else (held, True)
            held = None
            if basket and not coin and len(basket) + len(purchase) > length:
                held = purchase
                break
            offered += len(purchase)
            for item in purchase:
                if last_in[item] != number:
                    last_in[item] = number
                    basket.append(item)
        yield basket


def _ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """``start, start + 1, …`` for each start, so many as its size, one after another."""
    before = np.cumsum(sizes) - sizes
    ranges: NDArray[np.int64] = np.arange(sizes.sum()) + np.repeat(starts - before, sizes)
    return ranges


def _table(
    baskets: Iterable[list[int]], code_of: NDArray[np.int32], names: tuple[str, ...]
) -> Records:
    """A few baskets of item numbers as a table."""
    rows = list(baskets)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    numbers = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=int(lengths.sum()))
    return Records.from_codes(lengths, code_of[numbers], names)


def _joined(blocks: list[Records], names: tuple[str, ...]) -> Records:
    """The blocks' rows as one table, with the names that occur."""
    lengths = np.concatenate([np.zeros(0, np.int64), *(block.lengths for block in blocks)])
    codes = np.concatenate([np.zeros(0, np.int32), *(block.items for block in blocks)])
    occurs = np.bincount(codes, minlength=len(names)) > 0
    # Leaving names out keeps the order of the others, so every row stays ascending.
    new_code = (np.cumsum(occurs) - 1).astype(np.int32)
    vocabulary = tuple(compress(names, occurs.tolist()))
    return Records.from_codes(lengths, new_code[codes], vocabulary)


def main() -> None:
    """Print a table as FIMI lines: item numbers, ascending, separated by blanks."""
    parser = argparse.ArgumentParser(description="Quest-style synthetic transactions, FIMI format.")
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--length", type=float, required=True, help="average items a record (T)")
    parser.add_argument("--pattern", type=float, required=True, help="average items a pattern (I)")
    parser.add_argument("--items", type=int, default=1000, help="different items (N)")
    parser.add_argument("--patterns", type=int, default=2000, help="different patterns (L)")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--part", type=int, help="its number, of a table that is made in parts")
    try:
        table = quest(**vars(parser.parse_args()))
    except PolicyError as error:
        parser.error(str(error))
    for record in table:
        sys.stdout.write(" ".join(sorted(record, key=int)) + "\n")


if __name__ == "__main__":
    main()
