"""The trade-off between withholding and giving up detail, as proved points.

A point is a cut of the hierarchy that was searched and proved. The *curve* is the lower hull of the points
over NCP: the cuts that are best for some weight of detail against withholding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from withhold.data.groups import Detail
from withhold.options import Plain
from withhold.shown import Listed
from withhold.telling.facts import shown
from withhold.telling.layout import columns


@dataclass(frozen=True)
class CutPoint(Detail):
    """One cut, and what publishing its nodes costs: the detail that they give up, and what is withheld."""

    withheld: float
    """The share of the sensitive occurrences that was withheld."""
    nodes: tuple[str, ...]
    """What the public items are published as; ``cut=`` takes it."""

    def as_dict(self) -> dict[str, Plain]:
        """The point as plain values."""
        numbers = {"withheld": self.withheld, "ncp": self.ncp, "bits": self.bits}
        return {**numbers, "groups": len(self.nodes), "nodes": list(self.nodes)}


@dataclass(frozen=True)
class Curve(Listed):
    """What each choice of groups costs.

    >>> costs = (1.0, 1.0, 0.0), (0.1, 0.4, 0.3), (0.2, 0.5, 0.5), (0.0, 0.0, 0.6)
    >>> curve = Curve.of(CutPoint(*each, nodes=()) for each in costs)
    >>> [point.ncp for point in curve.points]
    [0.0, 0.1, 1.0]
    >>> curve.choose(0.5).ncp, [round(weight, 3) for weight in curve.weights()]
    (0.1, [0.75, 0.25, 0.0])
    """

    points: tuple[CutPoint, ...]
    """The best, from most detail to least."""
    tried: tuple[CutPoint, ...]
    """All cuts that were searched and proved, from most detail to least."""

    @classmethod
    def of(cls, tried: Iterable[CutPoint]) -> Curve:
        """The curve through the lower hull of all points."""
        ordered = sorted(tried, key=lambda point: (point.ncp, point.withheld, len(point.nodes)))
        hull: list[CutPoint] = []
        for point in ordered:
            if hull and point.withheld >= hull[-1].withheld:
                continue
            while len(hull) > 1 and _slope(hull[-2], hull[-1]) <= _slope(hull[-1], point):
                hull.pop()
            hull.append(point)
        return cls(tuple(hull), tuple(ordered))

    def choose(self, weight: float) -> CutPoint:
        """The point with the least (1 - weight) × withheld + weight × NCP; of equal ones the finest."""
        return min(self.points, key=lambda p: ((1 - weight) * p.withheld + weight * p.ncp, p.ncp))

    def weights(self) -> list[float]:
        """For each point the weight from which on it is chosen, up to that of the point before it."""
        slopes = [_slope(*two) for two in pairwise(self.points)]
        return [slope / (1 + slope) for slope in slopes] + [0.0]

    def lines(self) -> list[str]:
        """The curve as a table of text."""
        head = ("groups", "sensitive withheld", "NCP", "bits", "with --detail")
        least = self.weights()
        uppers = [1.0, *least]
        rows = [
            (f"{len(p.nodes):,}", *_shares(p), f"{low:.3f} to {high:.3f}")
            for p, low, high in zip(self.points, least, uppers, strict=False)
        ]
        return columns([head, *rows], right={0, 1, 2, 3, 4})

    def as_dict(self) -> dict[str, Plain]:
        """The curve and all that was tried as plain values."""
        ways: dict[str, Sequence[CutPoint]] = {"curve": self.points, "tried": self.tried}
        return {name: [point.as_dict() for point in points] for name, points in ways.items()}


def _slope(left: CutPoint, right: CutPoint) -> float:
    """How much less is withheld for each unit of NCP."""
    return (left.withheld - right.withheld) / (right.ncp - left.ncp)


def _shares(point: CutPoint) -> tuple[str, str, str]:
    return tuple(shown(value, "share") for value in (point.withheld, point.ncp, point.bits))  # type: ignore[return-value]
