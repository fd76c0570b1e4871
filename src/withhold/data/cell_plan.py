"""Which cells of a table are withheld or generalised, and the only code that does it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked
from withhold.data import Table
from withhold.data.array_types import Ints
from withhold.data.forest import Forest
from withhold.data.native import blanked
from withhold.data.table import TEXT, WITHHELD
from withhold.errors import PolicyError

KEPT = -2
"""The code of a cell that stays as it is. -1: is withheld. From 0 on: becomes the name with this index."""


@dataclass(frozen=True)
class CellPlan:
    """What every cell of some columns of one table becomes."""

    columns: tuple[str, ...]
    cells: Ints
    """By row and column: kept, withheld, or the number of a name."""
    names: tuple[tuple[str, ...], ...]
    """By column: what cells are generalised to."""
    hidden: tuple[tuple[float, ...], ...]
    """By column: the share of its detail that a cell loses if it is generalised to each of these names."""
    fingerprint: str
    """The fingerprint of the table that the plan was made for."""

    def __len__(self) -> int:
        """How many cells do not stay as they are."""
        return int((self.cells != KEPT).sum())

    def ncp(self) -> float:
        """The share of the detail that cells lose on average: 0 kept, 1 withheld (NCP)."""
        lost = 0.0
        for cells, hidden in zip(self.cells.T, self.hidden, strict=True):
            lost += float(np.array((*hidden, 1.0))[cells[cells != KEPT]].sum())
        return lost / max(self.cells.size, 1)

    @checked
    def apply_to(self, table: Table) -> Table:
        """The table with these cells withheld or generalised; rows and their order stay."""
        if self.fingerprint != fingerprint(table):
            raise PolicyError("the plan was made for another table; make a new one for this")
        changed = []
        for j, name in enumerate(self.columns):
            column = table.column(name)
            cells = self.cells[:, j]
            # A name that is a value of the column already, too, gets that value's code.
            new = [n for n in self.names[j] if n not in column.values]
            values = (*column.values, *new)
            code_of = {value: code for code, value in enumerate(values)}
            named = np.array([*(code_of[n] for n in self.names[j]), WITHHELD], dtype=np.int32)
            codes = np.where(cells == KEPT, column.codes, named[np.maximum(cells, WITHHELD)])
            generalised = bool((cells >= 0).any())
            changed.append(
                replace(
                    column,
                    codes=codes,
                    values=values,
                    kind=TEXT if generalised else column.kind,
                    native=None if generalised else blanked(column.native, codes == WITHHELD),
                    # Blanks around a value would distinguish cells that are equal to the proof.
                    padded=None,
                )
            )
        return table.with_columns(changed)


def plan_of_nothing(table: Table, columns: tuple[str, ...]) -> CellPlan:
    """The plan that leaves these columns as they are."""
    cells = np.full((len(table), len(columns)), KEPT, dtype=np.int32)
    nothing: tuple[tuple[()], ...] = ((),) * len(columns)
    return CellPlan(columns, cells, nothing, nothing, fingerprint(table))


def make_plan(table: Table, forest: Forest, final: NDArray[np.int32]) -> CellPlan:
    """The plan that turns the cells of every row into these nodes."""
    n_values = [len(table.column(name).values) for name in forest.columns]
    inner = final - (forest.bounds[:-1] + n_values).astype(np.int32)
    changed = np.where(final == forest.bounds[1:] - 1, WITHHELD, inner)
    cells = np.where(final == forest.nodes, KEPT, changed).astype(np.int32)
    ends = (forest.bounds[1:] - 1).tolist()
    starts = (forest.bounds[:-1] + n_values).tolist()
    spans = zip(starts, ends, strict=True)
    hidden = tuple(tuple(forest.losses[start:end].tolist()) for start, end in spans)
    return CellPlan(forest.columns, cells, forest.names, hidden, fingerprint(table))


def fingerprint(table: Table) -> str:
    """A digest of the cells, whatever file they came from."""
    digest = hashlib.sha256()
    for column in table.columns:
        digest.update(np.ascontiguousarray(column.codes).tobytes())
        digest.update(repr((column.name, column.values)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
