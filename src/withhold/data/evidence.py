"""What a proof needs besides the published data and the model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from withhold.data.constraints import Constraints
from withhold.data.records import Records
from withhold.data.table import Table


@dataclass(frozen=True)
class Draw:
    """Which sample confirms a release: any other would do, as long as nobody could know it beforehand."""

    seed: int = 0
    round: int = 1
    """Which draw with this seed; each later one spends less of ``delta``."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a proof may need besides the data: the originals, the constraints, a draw and the population.

    Most models are proved from the published data alone and need none of these.

    Examples
    --------
    >>> baskets = Records.from_lists([["milk", "medicine"], ["milk"]])
    >>> known = Evidence(constraints=Constraints.of({0: ["medicine"]}, baskets))
    >>> known.of(baskets).originals is baskets, sorted(known.protected())
    (True, ['medicine'])
    """

    originals: Records | None = field(default=None, repr=False)
    """The records as they were before anything was withheld: what an adversary may know."""
    constraints: Constraints | None = None
    """Who wants what protected."""
    draw: Draw = Draw()
    population: Table | None = field(default=None, repr=False)
    """Everybody who may be in a table."""

    def of(self, originals: Records) -> Evidence:
        """The evidence for a release of these records."""
        return replace(self, originals=originals)

    def protected(self, listed: frozenset[str] = frozenset()) -> frozenset[str]:
        """The items that a model lists, and those that anybody wants protected."""
        return listed if self.constraints is None else listed | frozenset(self.constraints.items)
