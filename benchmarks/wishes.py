"""Who wants what protected in the experiments of Nakagawa and others, drawn from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from withhold import Constraints, Records

NOISE = 0.01
BLOCK = 64
"""Records that are drawn at a time, each block from a seed of its own."""
SETTINGS: Mapping[str, str] = {
    "fixed": "the same random share of the items is protected for everybody",
    "personalized": "everybody has a random share of the items protected",
    "personalized+": "a random share of the items is protected for 99%, every other item for 1%",
    "fixed+": "what anybody wants protected under personalized+ is protected for all",
    "few": "2,000 random people have a random share of the items protected, nobody else has any",
    "few, five items": "2,000 random people have five random items protected, nobody else has any",
}
WISHING, ITEMS_OF_FEW = 2000, 5
"""How many people have wishes in the settings of few, and how many items each in the last one."""


def constraints(table: Records, setting: str, share: float, seed: int) -> Constraints:
    """The constraints of one of the ``SETTINGS`` for a table."""
    from withhold import Constraints

    if setting.startswith("few"):
        chosen = ITEMS_OF_FEW if setting == "few, five items" else round(share * table.n_items)
        return few_constraints(table, chosen, seed)
    drawn = Drawn(len(table), table.n_items, setting, share, seed)
    if setting == "fixed+":
        anybody = np.zeros(table.n_items, dtype=bool)
        for start in range(0, len(table), BLOCK):
            anybody |= drawn[start : start + BLOCK].any(axis=0)
        names = [
            name for name, protected in zip(table.vocabulary, anybody, strict=True) if protected
        ]
        return Constraints.of({"*": names}, table)
    return Constraints.from_matrix(drawn, table)


def few_constraints(table: Records, chosen: int, seed: int) -> Constraints:
    """``WISHING`` random people, each with so many random items protected."""
    from withhold import Constraints

    generator = np.random.default_rng(seed)
    people = generator.permutation(len(table))[:WISHING].tolist()
    names = np.array(table.vocabulary)
    wanted = {who: names[generator.permutation(len(names))[:chosen]].tolist() for who in people}
    return Constraints.of(wanted, table)


@dataclass(frozen=True)
class Drawn:
    """A matrix of records × items that is drawn when it is looked at, always the same."""

    n_records: int
    n_items: int
    setting: str
    share: float
    seed: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_records, self.n_items

    def __getitem__(self, rows: slice) -> np.ndarray:
        start, end, _ = rows.indices(self.n_records)
        first = start // BLOCK
        blocks = [self._block(block) for block in range(first, (end + BLOCK - 1) // BLOCK)]
        return np.concatenate(blocks)[start - first * BLOCK : end - first * BLOCK]

    def _block(self, block: int) -> np.ndarray:
        likely = np.zeros(self.n_items, dtype=bool)
        chosen = round(self.share * self.n_items)
        likely[np.random.default_rng(self.seed).permutation(self.n_items)[:chosen]] = True
        generator = np.random.default_rng([self.seed, block])
        if self.setting == "fixed":
            return np.tile(likely, (BLOCK, 1))
        noise = generator.random((BLOCK, self.n_items), dtype=np.float32)
        if self.setting == "personalized":
            places = np.argpartition(noise, chosen, axis=1)[:, :chosen]
            marks = np.zeros((BLOCK, self.n_items), dtype=bool)
            np.put_along_axis(marks, places, True, axis=1)
            return marks
        return noise < np.where(likely, 1 - NOISE, NOISE)
