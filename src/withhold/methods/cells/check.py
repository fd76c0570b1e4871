"""The exact check of k-anonymity: count the rows of every group, or those that fit it.

In: a table and the model. Out: a verdict with the smallest group that breaks it. It shares no counting with
the search: rows are counted one by one in a dictionary. Each code of a column stands for one text only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping

import numpy as np

from withhold.data import Table
from withhold.data.breach import SmallGroup
from withhold.data.evidence import Evidence
from withhold.method import CheckRun, Finding
from withhold.methods.cells.fitting import rows_fitting
from withhold.methods.cells.model import VALUE, WILDCARD, KAnonymity
from withhold.methods.cells.presence_check import METHOD as PRESENCE_METHOD
from withhold.methods.cells.presence_check import presence_breach
from withhold.methods.cells.sensitive import Sensitive, sensitive_columns
from withhold.verdict import Status, Verdict

BLOCK = 1 << 16
"""Rows counted between two checks of the time limit."""
METHODS = {
    VALUE: "the rows of every group counted, a withheld cell being a value of its own",
    WILDCARD: "the rows that fit each row counted, a withheld cell fitting anything",
}


def verify_table(
    table: Table,
    model: KAnonymity,
    evidence: Evidence,
    run: CheckRun,
) -> Verdict:
    """The verdict on ``table``."""
    began = time.perf_counter()
    method = METHODS[model.missing]
    # Everybody can see blanks around a cell, though they are no part of a value.
    table = table.with_columns(table.column(name).exact() for name in model.quasi_identifiers)
    codes = [table.column(name).codes for name in model.quasi_identifiers]
    # The codes of a row side by side, as bytes: these are what is counted.
    cells = np.ascontiguousarray(np.stack(codes, axis=1))
    keys = cells.view(np.dtype((np.void, cells.itemsize * len(codes)))).ravel()
    rows: Counter[bytes] = Counter()
    sensitive = sensitive_columns(table, model)
    pairs: list[Counter[tuple[bytes, int]]] = [Counter() for _ in sensitive]
    done = 0
    while block := keys[done : done + BLOCK].tolist():
        rows.update(block)
        for column, counts in zip(sensitive, pairs, strict=True):
            counts.update(zip(block, column.values[done : done + BLOCK].tolist(), strict=True))
        done += len(block)
        run.progress("counting groups", done, len(table))
        if run.limit_seconds is not None and time.perf_counter() - began > run.limit_seconds:
            seconds = time.perf_counter() - began
            if done < len(table):
                return Verdict(Status.UNDECIDED, method, len(rows), seconds, unit="groups")
    until = None if run.limit_seconds is None else began + run.limit_seconds
    fitting = _fitting(rows, until) if model.missing == WILDCARD else rows
    if fitting is None:
        seconds = time.perf_counter() - began
        return Verdict(Status.UNDECIDED, method, len(rows), seconds, unit="groups")
    witness: Finding | None = _witness(
        table, model, rows, fitting, list(zip(sensitive, pairs, strict=True))
    )
    if witness is None and model.presence is not None:
        method = f"{method}, {PRESENCE_METHOD}"
        try:
            # Presence that cannot be counted must not count as safe.
            if evidence.population is None:
                raise TimeoutError
            witness = presence_breach(table, model, evidence.population, until)
        except TimeoutError:
            seconds = time.perf_counter() - began
            return Verdict(Status.UNDECIDED, method, len(rows), seconds, unit="groups")
    status = Status.BROKEN if witness else Status.HOLDS
    seconds = time.perf_counter() - began
    return Verdict(status, method, len(rows), seconds, witness, witness is not None, unit="groups")


def _witness(
    table: Table,
    model: KAnonymity,
    rows: Mapping[bytes, int],
    fitting: Mapping[bytes, int],
    counted: list[tuple[Sensitive, Counter[tuple[bytes, int]]]],
) -> SmallGroup | None:
    """The smallest group if it is too small, else the smallest one that lacks something else.

    ``fitting`` has for every group how many rows somebody finds who looks for it.
    """
    smallest = _least(fitting)
    if fitting[smallest] < model.k:
        return SmallGroup(_named(table, model, smallest), fitting[smallest], model.k)
    lacking: dict[bytes, str] = {}
    for column, pairs in counted:
        groups: dict[bytes, dict[int, int]] = {}
        for (key, value), n_rows in pairs.items():
            groups.setdefault(key, {})[value] = n_rows
        for requirement in model.requirements:
            for key, counts in groups.items():
                if lacks := requirement.lacks(counts, column.whole):
                    lacking.setdefault(key, f"{column.name} has {lacks}")
    if not lacking:
        return None
    worst = _least({key: rows[key] for key in lacking})
    return SmallGroup(_named(table, model, worst), rows[worst], model.k, lacking[worst])


def _fitting(rows: Mapping[bytes, int], until: float | None) -> dict[bytes, int] | None:
    """How many rows fit each group if a withheld cell fits anything; None if the time ran out."""
    keys = {tuple(_codes(key)): key for key in rows}
    found: dict[bytes, int] = {}
    for scheme in rows_fitting({codes: rows[key] for codes, key in keys.items()}):
        if until is not None and time.perf_counter() > until:
            return None
        found.update((keys[codes], fitting) for codes, fitting in scheme.items())
    return found


def _least(numbers: Mapping[bytes, int]) -> bytes:
    """The key of the least number; of several the one with the lowest codes."""
    least = min(numbers.values())
    return min((key for key, number in numbers.items() if number == least), key=_codes)


def _codes(key: bytes) -> list[int]:
    codes: list[int] = np.frombuffer(key, dtype=np.int32).tolist()
    return codes


def _named(table: Table, model: KAnonymity, key: bytes) -> tuple[tuple[str, str | None], ...]:
    # A blank is shown as nothing; only a withheld cell is None.
    return tuple(
        (name, None if code < 0 else table.column(name).values[code] or "")
        for name, code in zip(model.quasi_identifiers, _codes(key), strict=True)
    )
