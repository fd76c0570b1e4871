"""What a release is still good for, in numbers, each with a meaning.

In: an original and what was published of it. Out: one ``Utility``, which everything that
reports on a release renders and never recomputes. Nothing here decides about privacy, so
floating point is good enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from inspect import getmro
from typing import Any

import numpy as np

from withhold.counting.threads import Progress, quiet
from withhold.data import Records
from withhold.data.array_types import Longs
from withhold.measure.alignment import align
from withhold.measure.loss import divergence, frequencies, symmetric_divergence
from withhold.measure.occurrences import Occurrences, measure_occurrences
from withhold.measure.patterns import ItemsetChanges, RuleChanges, measure_patterns
from withhold.measure.queries import QUERIES, QueryErrors, set_query_errors

ITEMS_SHOWN = 20
TOP_ITEMS = 100


@dataclass(frozen=True)
class Distribution:
    """How far the item frequencies of the release are from the original's."""

    kl: float
    symmetric_kl: float

    @classmethod
    def of(cls, before: Longs, after: Longs) -> Distribution:
        """From the supports of the items."""
        shares = frequencies(after), frequencies(before)
        return cls(divergence(*shares), symmetric_divergence(*shares))


@dataclass(frozen=True)
class SupportErrors:
    """Relative errors |after - before| / before of the items' supports: the most frequent, and all."""

    top_items: int
    top_mean: float
    top_worst: float
    mean: float


@dataclass(frozen=True)
class Objectives:
    """What Jia et al. minimise (their equation 1)."""

    distribution: float
    rules: float

    @classmethod
    def of(cls, lost: float, kl: float, similar: float) -> Objectives:
        """From the share of occurrences that were removed, KL, and Jaccard's J of the rules."""
        # If nothing is lost, both objectives are 0, even if the other factor is infinite or J is 0.
        if lost == 0.0:
            return cls(0.0, 0.0)
        return cls(lost * kl, lost / similar if similar else float("inf"))


@dataclass(frozen=True)
class Utility:
    """What is left of an original in its release; ``MEANING`` explains each number in a sentence."""

    records: int
    published_records: int
    same_rows: bool
    """Whether both have as many records, so that records could be compared one by one."""
    occurrences: Occurrences
    distribution: Distribution
    supports: SupportErrors
    itemsets: ItemsetChanges
    rules: RuleChanges
    queries: QueryErrors

    @property
    def objectives(self) -> Objectives:
        lost, kl = self.occurrences.all.share, self.distribution.kl
        return Objectives.of(lost, kl, self.rules.jaccard)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, nested as the attributes are; an infinite number is None.

        Of ``occurrences.by_item`` only the first are given; ``by_record`` stays out.
        """
        plain: dict[str, Any] = _plain(self)
        occurrences = plain["occurrences"]
        occurrences["by_item"] = occurrences["by_item"][:ITEMS_SHOWN]
        return plain


def measure_utility(
    original: Records,
    published: Records,
    *,
    sensitive: Iterable[str] = (),
    min_support: str | Fraction | int = "0.05%",
    min_confidence: str | Fraction | float = "0.3",
    queries: int = QUERIES,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Utility:
    """The utility of ``published`` compared with ``original``.

    Both may come from two files: items are compared by name, records by their place. Itemsets
    are frequent from ``min_support`` on (a number of records, or a share such as "0.05%" of each
    one's own records), rules are those of ``min_confidence`` or more. ``seed`` is
    the random seed of the ``queries``.
    """
    pair = align(original, published)
    marked = np.zeros(len(pair.vocabulary), dtype=np.bool_)
    marked[pair.original.codes(sensitive)] = True
    itemsets, rules = measure_patterns(
        pair, min_support, min_confidence, jobs=jobs, progress=progress
    )
    before, after = pair.original.supports, pair.published.supports
    return Utility(
        records=len(original),
        published_records=len(published),
        same_rows=pair.same_rows,
        occurrences=measure_occurrences(pair, marked),
        distribution=Distribution.of(before, after),
        supports=support_errors(before, after),
        itemsets=itemsets,
        rules=rules,
        queries=set_query_errors(pair.original, pair.published, queries=queries, seed=seed),
    )


def support_errors(before: Longs, after: Longs) -> SupportErrors:
    """The errors of the most frequent items of the original, and of all its items."""
    held = np.flatnonzero(before)
    errors = np.abs(after - before)[held] / before[held]
    if not len(errors):
        return SupportErrors(0, 0.0, 0.0, 0.0)
    top = errors[np.lexsort((held, -before[held]))[:TOP_ITEMS]]
    return SupportErrors(len(top), float(top.mean()), float(top.max()), float(errors.mean()))


def _plain(value: Any) -> Any:
    """Frozen values as dictionaries, their derived numbers included."""
    if is_dataclass(value):
        members = [
            member for kind in reversed(getmro(type(value))) for member in vars(kind).items()
        ]
        derived = (name for name, member in members if isinstance(member, property))
        names = [*(field.name for field in fields(value) if field.repr), *derived]
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and math.isinf(value) else value
