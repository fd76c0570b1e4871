"""Breaches of single parts, counted over all of them: what is still a breach then is one of the whole.

A rule that breaks ρ-uncertainty in all records breaks it in at least one part, since its confidence in all of
them is a weighted mean of those in the parts. So the parts know where to look, and all of them decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from withhold.counting.threads import Progress
from withhold.data import Records
from withhold.data.breach import Breach
from withhold.measure.queries import count_itemsets
from withhold.parts.reading import Parts


def still_breaches(
    parts: Parts, found: Sequence[Breach], model: Any, n_records: int, progress: Progress
) -> list[Breach]:
    """Those breaches of parts that are breaches of all records together, with the counts of all."""
    if not found:
        return []
    names = sorted({name for each in found for name in (*each.antecedent, each.consequent)})
    code_of = {name: code for code, name in enumerate(names)}
    asked = [
        tuple(code_of[name] for name in each)
        for breach in found
        for each in (breach.antecedent, (*breach.antecedent, breach.consequent))
    ]
    # Every record holds the empty antecedent.
    known = [number for number, each in enumerate(asked) if each]
    counts = np.full(len(asked), n_records, dtype=np.int64)
    counts[known] = 0
    for records in parts.told("counting breaches", progress):
        here = _only(records, tuple(names))
        # Every item has the weight 1, so these sums are whole numbers, and exact below 2^53.
        counts[known] += count_itemsets(here, [asked[n] for n in known]).astype(np.int64)
    counted = [
        replace(breach, support=int(counts[2 * n]), joint=int(counts[2 * n + 1]))
        for n, breach in enumerate(found)
    ]
    left = [each for each in counted if each.support and each.confidence > model.rho]
    return sorted(
        left,
        key=lambda each: (
            len(each.antecedent),
            -each.confidence,
            -each.joint,
            each.antecedent,
            each.consequent,
        ),
    )


def _only(records: Records, names: tuple[str, ...]) -> Records:
    """The records with these items alone, under their codes."""
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.array([code_of.get(name, -1) for name in records.vocabulary], dtype=np.int32)
    kept = codes[records.items] >= 0 if len(codes) else np.zeros(0, dtype=np.bool_)
    offsets = np.concatenate([[0], np.cumsum(kept)])[records.offsets]
    return Records(offsets, codes[records.items[kept]], names)
