"""The audit of k-anonymity: the k that a table has, who is at risk, and what knowing a few columns reveals.

In: a table and the model. Out: a ``TableAudit``. The verdict is that of the exact check.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.result import AnyAudit, seconds_left
from withhold.auditing.risk.options import PopulationInfo
from withhold.auditing.risk.risks import risks_of_table
from withhold.counting.threads import Progress, Stop
from withhold.data import Table
from withhold.data.array_types import Ints, Longs
from withhold.data.breach import SmallGroup
from withhold.data.evidence import Evidence
from withhold.data.grouping import Groups, group_rows, groups_of
from withhold.data.repeats import repeat_warnings
from withhold.data.roles import column_roles
from withhold.data.table import WITHHELD
from withhold.data.unknown import unknown_as_dict
from withhold.method import AuditRun, Finding
from withhold.methods.cells.advice import advise
from withhold.methods.cells.check import verify_table
from withhold.methods.cells.disclosure import (
    Disclosed,
    disclosed,
    disclosure_warnings,
    lacking,
    one_label_rows,
)
from withhold.methods.cells.fitting import rows_fitting
from withhold.methods.cells.model import WILDCARD, KAnonymity
from withhold.methods.cells.options import CellsAudit
from withhold.methods.cells.people import Presences, presences
from withhold.methods.cells.presence import TooPresent
from withhold.options import Plain
from withhold.verdict import Status
from withhold.wording import counted

CELLS_TO_GROUP = 8_000_000
"""At most this many rows are grouped for each number of known columns; beyond, choices are drawn."""
MOST_CHOICES = 1000
"""At most this many choices of columns are tried for each number of known ones, even with few rows."""
LEFT_OUT = (
    "what knowing some of the quasi-identifiers tells, which of them contribute most, special uniques and, "
    "where cells are withheld, the k at which they fit anything need all groups at once, and are left out"
)
"""Of an audit by parts."""
SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""Where the ranges of group sizes begin."""


@dataclass(frozen=True)
class GroupSizes:
    """The groups of a range of sizes."""

    smallest: int
    largest: int | None
    """None: no upper end."""
    groups: int
    rows: int


@dataclass(frozen=True)
class KnownColumns:
    """What somebody finds who knows this many of a person's quasi-identifiers."""

    known: int
    combinations: int
    """How many choices of columns were tried."""
    of: int
    """How many there are."""
    unique: float
    """The share of rows that no other row equals in these columns, on average over the choices."""
    below_k: float
    """The share of rows in groups smaller than k."""
    worst: tuple[str, ...]
    """The columns for which most rows are unique."""
    worst_unique: float


@dataclass(frozen=True, kw_only=True)
class TableAudit(AnyAudit):
    """The answer to "is this table safe, and if not, who is at risk"."""

    model: KAnonymity
    rows: int
    columns: int
    groups: int
    k: int
    """The k that the table has: the size of its smallest group, a withheld cell being its own value."""
    k_wildcard: int | None
    """The same if a withheld cell fits anything; None if the time ran out."""
    sensitive: tuple[Disclosed, ...]
    """What the groups disclose about each sensitive column."""
    rows_at_risk: int
    """Rows of groups that break the model."""
    withheld: int
    """Quasi-identifying cells that are withheld already."""
    sizes: tuple[GroupSizes, ...]
    known: tuple[KnownColumns, ...]
    """One for each number of columns; fewer if the time ran out."""
    one_label_rows: int | None
    """Rows of groups in which all have the same label: who finds the group knows it."""
    column_roles: Mapping[str, str] = field(default_factory=dict)
    """What becomes of every column in a release."""
    warnings: tuple[str, ...] = ()
    """What the table gives away although the model does not forbid it."""
    undecided: Mapping[str, str] = field(default_factory=dict)
    """The columns that would stop a release until somebody decides, each with the reason."""
    presence: Presences | None = None
    """How probable it is that people of the population are in the table, if the model limits that."""

    def __repr__(self) -> str:
        """The verdict and how many are at risk, not the groups, which name what people have."""
        return (
            f"<TableAudit model={self.model.name} verdict={self.verdict.words}, {self.rows_at_risk:,} of "
            f"{counted(self.rows, 'row')} at risk, smallest group {self.k:,}>"
        )

    @property
    def left_out(self) -> str:
        """What an audit by parts does not have, in words; nothing where all rows were in memory."""
        return "" if self.parts is None else LEFT_OUT

    def as_dict(self) -> dict[str, Plain]:
        """The audit as plain values; ``verdict`` is at the top level."""
        return {
            "verdict": self.verdict.status.value,
            "promise": self.model.promise(),
            "model": self.model.parameters(),
            "rows": self.rows,
            "columns": self.columns,
            "column_roles": dict(self.column_roles),
            "undecided_columns": dict(self.undecided),
            "without_consent": self.without_consent,
            **unknown_as_dict(self.unknown),
            "groups": self.groups,
            "k": self.k,
            "k_wildcard": self.k_wildcard,
            "sensitive": [asdict(each) for each in self.sensitive],
            "rows_at_risk": self.rows_at_risk,
            "withheld_cells": self.withheld,
            "one_label_rows": self.one_label_rows,
            "warnings": list(self.warnings),
            "group_sizes": [asdict(each) for each in self.sizes],
            "known_columns": [asdict(each) for each in self.known],
            "risks": None if self.risks is None else self.risks.as_dict(),
            "presence": None if self.presence is None else _plain_presence(self.presence),
            "breaches": [each.as_dict() for each in self.breaches],
            "advice": list(self.advice),
            **({} if self.parts is None else {"parts": self.parts, "left_out": self.left_out}),
            "seed": self.seed,
            "seconds": round(self.seconds, 4),
        }


def audit_table(
    table: Table,
    model: KAnonymity,
    evidence: Evidence,
    options: CellsAudit,
    run: AuditRun,
) -> TableAudit:
    """The audit of ``table``, with the ``show`` smallest groups that break the model.

    Columns that would stop a release are listed, and stop nothing here.
    """
    began = time.perf_counter()
    roles = column_roles(table, model, options.publish)
    verdict = run.verdict or verify_table(table, model, evidence, run)
    table = table.with_columns(table.column(name).exact() for name in model.quasi_identifiers)
    groups = groups_of(table, model.quasi_identifiers)
    lacks = lacking(table, model, groups)
    sensitive = disclosed(table, model, groups)
    fitting = groups.sizes
    if model.missing == WILDCARD:
        fitting = _fitting(table.cells(model.quasi_identifiers)[groups.first_rows], groups.sizes)
    risky = fitting < model.k
    risky[list(lacks)] = True
    found = _worst(table, model, replace(groups, sizes=fitting), risky, lacks, options.show)
    present = None
    if model.presence is not None and evidence.population is not None:
        present = presences(table, model.quasi_identifiers, evidence.population)
    if isinstance(verdict.witness, TooPresent):
        found = (verdict.witness, *found)[: options.show]
    return TableAudit(
        model=model,
        verdict=verdict,
        breaches=found,
        presence=present,
        rows=len(table),
        columns=len(table.columns),
        groups=len(groups),
        k=int(groups.sizes.min()),
        k_wildcard=_wildcard_k(table, model, groups, seconds_left(run.limit_seconds, began)),
        sensitive=sensitive,
        rows_at_risk=int(groups.sizes[risky].sum()),
        withheld=int((table.cells(model.quasi_identifiers) == WITHHELD).sum()),
        sizes=size_ranges(groups.sizes),
        known=_known(table, model, run.seed, seconds_left(run.limit_seconds, began), run.progress),
        one_label_rows=one_label_rows(table, model, groups),
        warnings=(
            *repeat_warnings(table, model.quasi_identifiers),
            *disclosure_warnings(table, model),
        ),
        column_roles=roles.roles,
        undecided=roles.undecided,
        risks=risks_of_table(
            table,
            model.quasi_identifiers,
            PopulationInfo.of(options),
            unique_size=options.unique_size,
            show=options.show,
        ),
        advice=advise(model) if verdict.status is Status.BROKEN else (),
        seed=run.seed,
        seconds=time.perf_counter() - began,
    )


def _plain_presence(found: Presences) -> dict[str, Plain]:
    ends = {"lowest": float(found.lowest), "highest": float(found.highest)}
    return {"people": found.people, **ends, "rows_nobody_fits": found.unmatched_rows}


def _worst(
    table: Table,
    model: KAnonymity,
    groups: Groups,
    risky: NDArray[np.bool_],
    lacks: Mapping[int, str],
    show: int,
) -> tuple[Finding, ...]:
    """The smallest groups that break the model."""
    order = np.flatnonzero(risky)
    order = order[np.lexsort((groups.first_rows[order], groups.sizes[order]))][:show]
    columns = [(name, table.column(name)) for name in model.quasi_identifiers]
    found = []
    for row, size, group in zip(groups.first_rows[order], groups.sizes[order], order, strict=True):
        codes = ((name, column, column.codes[row]) for name, column in columns)
        cells = tuple(
            (name, None if code == WITHHELD else column.values[code] or "")
            for name, column, code in codes
        )
        wrong = "" if size < model.k else lacks[int(group)]
        found.append(SmallGroup(cells, int(size), model.k, wrong))
    return tuple(found)


def _fitting(cells: Ints, sizes: Longs) -> Longs:
    """How many rows fit each group if a withheld cell fits anything."""
    keys = [tuple(row) for row in cells.tolist()]
    found: dict[tuple[int, ...], int] = {}
    for scheme in rows_fitting(dict(zip(keys, sizes.tolist(), strict=True))):
        found |= scheme
    return np.array([found[key] for key in keys], dtype=np.int64)


def _wildcard_k(
    table: Table, model: KAnonymity, groups: Groups, limit_seconds: float | None
) -> int | None:
    """The k if a withheld cell fits anything."""
    cells = table.cells(model.quasi_identifiers)[groups.first_rows]
    hidden = (cells == WITHHELD).sum(axis=1)
    if not hidden.any():
        return int(groups.sizes.min())
    from withhold.methods.cells.wildcard import fewest_fitting

    # Rows with much withheld fit most others, so that most counts end early.
    order = np.lexsort((-groups.sizes, -hidden))
    with Stop(limit_seconds) as stop:
        cells, sizes = np.ascontiguousarray(cells[order]), groups.sizes[order]
        fewest = int(fewest_fitting(cells, sizes, np.int32(WITHHELD), stop.flag))
    return None if fewest < 0 else fewest


def size_ranges(sizes: Longs) -> tuple[GroupSizes, ...]:
    """The groups by ranges of sizes; none of them empty."""
    band = np.searchsorted(SIZES, sizes, side="right") - 1
    found = []
    for number in np.unique(band).tolist():
        largest = SIZES[number + 1] - 1 if number + 1 < len(SIZES) else None
        inside = sizes[band == number]
        found.append(GroupSizes(SIZES[number], largest, len(inside), int(inside.sum())))
    return tuple(found)


def _known(
    table: Table, model: KAnonymity, seed: int, left: float | None, progress: Progress
) -> tuple[KnownColumns, ...]:
    """Uniqueness by the number of columns known: over all choices of columns, or some drawn ones."""
    names = model.quasi_identifiers
    codes = {name: table.column(name).codes for name in names}
    generator = np.random.default_rng(seed)
    most = min(max(2, CELLS_TO_GROUP // len(table)), MOST_CHOICES)
    until = None if left is None else time.perf_counter() + left
    points: list[KnownColumns] = []
    for known in range(1, len(names) + 1):
        there = comb(len(names), known)
        chosen = list(combinations(names, known)) if there <= most else []
        if not chosen:
            drawn = (sorted(generator.permutation(len(names))[:known]) for _ in range(4 * most))
            places = dict.fromkeys(tuple(each) for each in drawn)
            chosen = [tuple(names[p] for p in each) for each in islice(places, most)]
        unique = below = most_unique = 0
        worst: tuple[str, ...] = chosen[0]
        for columns in chosen:
            if until is not None and time.perf_counter() > until:
                return tuple(points)
            sizes = group_rows([codes[name] for name in columns], len(table)).sizes
            alone = int((sizes == 1).sum())
            unique += alone
            below += int(sizes[sizes < model.k].sum())
            if alone > most_unique:
                worst, most_unique = columns, alone
        progress("counting who is unique", known, len(names))
        rows = len(chosen) * len(table)
        shares = unique / rows, below / rows
        most_alone = most_unique / len(table)
        points.append(KnownColumns(known, len(chosen), there, *shares, worst, most_alone))
    return tuple(points)
