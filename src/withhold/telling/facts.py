"""What was measured, as a list of facts that tables, plots and pages show without knowing the measures.

Each kind of data has measures of its own; ``compare``, ``sweep`` and the report only see facts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from withhold.counting.threads import Progress, quiet
from withhold.data import Hierarchy
from withhold.method import Model
from withhold.wording import percent

Unit = Literal["count", "share", "number"]


ALL_ITEMS, SENSITIVE_ITEMS = "occurrences.all.share", "occurrences.sensitive.share"
"""The paths of the shares withheld, of all items and of the sensitive ones, which are shown together."""


@dataclass(frozen=True)
class Fact:
    """One number, its path in ``details.as_dict()``, and what it means.

    >>> fact = Fact("rules.jaccard", "rules alike", 0.8125, "share", "rules of both, of either")
    >>> fact.shown, Fact("records", "records", 1200, "count", "").shown
    ('81.2%', '1,200')
    """

    path: str
    label: str
    value: float | None
    """None: not known for this release."""
    unit: Unit
    meaning: str

    @property
    def shown(self) -> str:
        """The number as people read it."""
        return shown(self.value, self.unit)

    @property
    def meant(self) -> str:
        """The meaning in the unit in which the number is shown.

        >>> Fact("rules.jaccard", "rules alike", 0.8, "share", "rules of both (1 = the same)").meant
        'rules of both (100% = the same)'
        """
        return in_percent(self.meaning, self.unit)


def in_percent(meaning: str, unit: str) -> str:
    """The meaning of a number as it is shown, with shares in percent."""
    return meaning.replace("(1 = ", "(100% = ") if unit == "share" else meaning


class Shown(NamedTuple):
    """How people see a measure: its name, its unit, what it means, and whether it is drawn."""

    label: str
    unit: Unit
    meaning: str
    plotted: int = 0
    """Its number among the measures that sweeps and comparisons draw; 0 if it is not one of them."""


Measures = Mapping[str, str | Shown]
"""One row for each measure, by its path: what it means, and how people see it if they do."""


def meanings_of(measures: Measures) -> dict[str, str]:
    """What each number means, by its path."""
    return {path: row if isinstance(row, str) else row.meaning for path, row in measures.items()}


@dataclass(frozen=True)
class MeasureRequest:
    """What to measure of a release, and how; each kind of data uses what applies to it."""

    model: Model | None = None
    """None: two files are compared, and nothing else is known about them."""
    sensitive: frozenset[str] = frozenset()
    """The items whose loss is counted separately."""
    min_support: str | None = None
    """The minimum support of itemsets and rules: a number of records or a share; None: the usual one."""
    min_confidence: str = "0.3"
    hierarchy: Hierarchy | None = None
    """The tree whose nodes a generalised release holds."""
    queries: int = 1000
    """How many random count queries are asked of both."""
    seed: int = 0
    """The random seed of these queries."""
    jobs: int | None = None
    progress: Progress = quiet


class Details(Protocol):
    """All that was measured, in the words of its kind of data."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        ...


@dataclass(frozen=True)
class Measured:
    """How a release compares with its original."""

    facts: tuple[Fact, ...]
    """The facts in the order in which they are shown."""
    warnings: tuple[str, ...]
    """Why these two may not belong together: what was added, other rows."""
    details: Details
    plotted: tuple[str, ...]
    """The paths of the facts that a sweep draws, the loss first."""

    @classmethod
    def by(
        cls,
        measures: Measures,
        value: Callable[[str], float | None],
        warnings: Iterable[str],
        details: Details,
    ) -> Measured:
        """The measures that people see, each with the value at its path."""
        shown = {path: row for path, row in measures.items() if isinstance(row, Shown)}
        facts = (
            Fact(path, row.label, value(path), row.unit, row.meaning) for path, row in shown.items()
        )
        drawn = sorted((row.plotted, path) for path, row in shown.items() if row.plotted)
        return cls(tuple(facts), tuple(warnings), details, tuple(path for _, path in drawn))

    def fact(self, path: str) -> Fact:
        """The fact at a path."""
        return next(fact for fact in self.facts if fact.path == path)

    def values(self) -> Mapping[str, float | None]:
        """The numbers by their paths, as JSON can hold them."""
        return {fact.path: finite(fact.value) for fact in self.facts}


def first_facts(several: Iterable[Iterable[Fact]]) -> Mapping[str, Fact]:
    """Every fact that any of them has, by its path; the first with each path."""
    known: dict[str, Fact] = {}
    for facts in several:
        for fact in facts:
            known.setdefault(fact.path, fact)
    return known


def described(facts: Iterable[Fact]) -> dict[str, dict[str, str]]:
    """What the facts mean, what they are called and in what unit they are, by their paths, for JSON.

    >>> described([Fact("rules.jaccard", "rules alike", 0.8, "share", "rules of both, of either")])["unit"]
    {'rules.jaccard': 'share'}
    """
    known = list(facts)
    return {
        name: {fact.path: getattr(fact, name) for fact in known}
        for name in ("meaning", "label", "unit")
    }


def value_at(details: Any, path: str) -> float | None:
    """The number at a path of ``details.as_dict()``; None if anything on the way is.

    >>> value_at({"tree": {"mean": 1}, "leak": None}, "tree.mean"), value_at({"leak": None}, "leak.mean")
    (1.0, None)
    """
    for name in path.split("."):
        details = None if details is None else details[name]
    return None if details is None else float(details)


def finite(value: float | None) -> float | None:
    """The number as JSON can hold it, which knows no infinity."""
    return None if value is None or math.isinf(value) else value


def shown(value: float | None, unit: Unit) -> str:
    """A number as people read it.

    >>> shown(0.02435, "share"), shown(0.00169, "number"), shown(None, "count")
    ('2.44%', '0.00169', '–')
    """
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞"
    if unit == "count":
        return f"{round(value):,}"
    if unit == "number":
        return f"{value:.3g}"
    return percent(value, 2 if abs(value) < 0.1 else 1)
