"""The exact check of k-anonymity: count the rows of every group, a withheld cell being its own value.

In: a table and the model. Out: a verdict with the smallest group. Shares no code with the suppressor or the
audit: the rows are counted one by one in a dictionary. A code stands for one text of its column and no other.
"""

from __future__ import annotations

import time
from collections import Counter
from itertools import islice

from withhold.data import Table
from withhold.data.table import Column
from withhold.kernels.threads import Progress, quiet
from withhold.models import KAnonymity, SmallGroup, Status, Verdict

BLOCK = 1 << 16
"""Rows counted between two looks at the clock."""
METHOD = "the rows of every group counted, a withheld cell being a value of its own"


def verify_table(
    table: Table,
    model: KAnonymity,
    *,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Verdict:
    """The verdict on ``table``."""
    began = time.perf_counter()
    columns = [table.column(name).codes.tolist() for name in model.quasi_identifiers]
    rows: Counter[tuple[int, ...]] = Counter()
    values: dict[tuple[int, ...], set[int]] = {}
    keys = zip(*columns, strict=True)
    done = 0
    sensitive = model.sensitive_column and table.column(model.sensitive_column).codes.tolist()
    while block := list(islice(keys, BLOCK)):
        rows.update(block)
        if sensitive:
            for key, value in zip(block, sensitive[done : done + BLOCK], strict=True):
                values.setdefault(key, set()).add(value)
        done += len(block)
        progress("counting groups", done, len(table))
        if limit_seconds is not None and time.perf_counter() - began > limit_seconds:
            seconds = time.perf_counter() - began
            if done < len(table):
                return Verdict(Status.UNDECIDED, METHOD, len(rows), seconds, unit="groups")
    witness = _witness(table, model, rows, values)
    status = Status.BROKEN if witness else Status.HOLDS
    seconds = time.perf_counter() - began
    return Verdict(status, METHOD, len(rows), seconds, witness, witness is not None, unit="groups")


def _witness(
    table: Table,
    model: KAnonymity,
    rows: Counter[tuple[int, ...]],
    values: dict[tuple[int, ...], set[int]],
) -> SmallGroup | None:
    """The smallest group if it is too small, else the one with the fewest values if these are too few."""
    smallest = min(rows, key=lambda key: (rows[key], key))
    if rows[smallest] < model.k:
        return SmallGroup(_named(table, model, smallest), rows[smallest], model.k)
    if model.l is None:
        return None
    poorest = min(values, key=lambda key: (len(values[key]), key))
    if len(values[poorest]) >= model.l:
        return None
    cells = _named(table, model, poorest)
    return SmallGroup(cells, rows[poorest], model.l, len(values[poorest]))


def _named(
    table: Table, model: KAnonymity, key: tuple[int, ...]
) -> tuple[tuple[str, str | None], ...]:
    return tuple(
        (name, _shown(table.column(name), code))
        for name, code in zip(model.quasi_identifiers, key, strict=True)
    )


def _shown(column: Column, code: int) -> str | None:
    # A blank is shown as nothing; only a withheld cell is None.
    return None if code < 0 else column.values[code] or ""
