"""How a table is read, and how its cells are chosen: the options, each defined once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from withhold.auditing.risk.options import (
    PopulationFile,
    PopulationInfo,
    SamplingFraction,
    UniqueSize,
)
from withhold.data.roles import ColumnTreesOption, PublishOption
from withhold.errors import PolicyError, option
from withhold.method import SearchOptions
from withhold.options import Option
from withhold.polished_search import PolishMovesOption, PolishOption, is_polished

PATTERN_COSTS = ("ham", "info")
"""The costs that give a pattern one price, whatever else is withheld."""
STAR, HIERARCHY, SETS = "star", "hierarchy", "sets"
"""What replaces a cell that cannot be published: nothing, a node of a hierarchy, a range or a set."""


@dataclass(frozen=True, kw_only=True)
class TableFiles:
    """What is read besides the table."""

    population: PopulationFile = None


@dataclass(frozen=True, kw_only=True)
class CellsSearch(SearchOptions):
    """How to choose the cells to withhold."""

    cost: Annotated[
        Literal["ham", "info", "hybrid", "mar"],
        Option("What a cell costs: ham (default), info, hybrid or mar."),
    ] = "ham"
    search: Annotated[
        Literal["patterns", "paper"] | None,
        Option("patterns (default for ham, info), paper (merge rows)."),
    ] = None
    block_rows: Annotated[
        int | None,
        Option(
            "Rows per block (default: 50,000, from 400,000 rows on).",
            at_least=1,
        ),
    ] = None
    hierarchy: ColumnTreesOption = None
    cells: Annotated[
        Literal["star", "hierarchy", "sets"] | None,
        Option(
            "What a cell becomes: star (withheld), hierarchy (one of its nodes) or sets (a range or "
            "set of values)."
        ),
    ] = None
    population: PopulationFile = None
    bound: Annotated[
        bool,
        Option(
            "Also compute the least that must be withheld (default).",
            spelt="--bound/--no-bound",
            varies=False,
        ),
    ] = True
    bound_rounds: Annotated[
        int | None,
        Option(
            "Rounds that raise this bound; 200 are usually enough.",
            at_least=1,
            at_most=100_000,
            varies=False,
        ),
    ] = None
    polish: PolishOption = None
    polish_moves: PolishMovesOption = None

    def __post_init__(self) -> None:
        self._check_cells()
        self._check_polish()
        self._check_blocks()
        if self.bound_rounds is not None and not self.bound:
            raise PolicyError(
                f"{option('bound_rounds')} raises the bound, which is left out here; leave one of the two out"
            )
        if self.search == "patterns" and self.cost not in PATTERN_COSTS:
            raise PolicyError(
                f"{option('cost', self.cost)} gives patterns no price, since it depends on what is withheld "
                f"already; leave {option('search', 'patterns')} out, or choose "
                f"{option('cost', 'ham')} or {option('cost', 'info')}"
            )

    def _check_cells(self) -> None:
        """Refuse options that do not fit the kind of cells."""
        if self.cells == HIERARCHY and self.hierarchy is None:
            raise PolicyError(
                f"{option('cells', HIERARCHY)} needs hierarchies; name them with {option('hierarchy')}"
            )
        if self.cells in (STAR, SETS) and self.hierarchy is not None:
            raise PolicyError(
                f"{option('cells', self.cells)} uses no hierarchies; leave {option('hierarchy')} out, or "
                f"choose {option('cells', HIERARCHY)}"
            )
        if self.cells != SETS:
            return
        if self.cost != "ham":
            raise PolicyError(
                f"{option('cells', SETS)} loses as little detail as possible (NCP) and has no other cost; "
                f"leave {option('cost', self.cost)} out"
            )
        if self.search is not None:
            raise PolicyError(
                f"{option('cells', SETS)} has a search of its own; leave {option('search', self.search)} out"
            )
        if self.polishes or self.bound_rounds is not None:
            unfit = "bound_rounds" if not self.polishes else "polish"
            raise PolicyError(
                f"{option(unfit)} is for cells that stay, are withheld or are generalised along hierarchies; "
                f"leave it out with {option('cells', SETS)}"
            )

    @property
    def polishes(self) -> bool:
        """Whether the release is to be improved after the search."""
        return is_polished(self.polish, self.polish_moves)

    def _check_polish(self) -> None:
        if self.polishes and not self.by_patterns:
            raise PolicyError(
                f"polishing improves groups that were found by patterns; leave {option('search', 'paper')} "
                f"out, and choose {option('cost', 'ham')} or {option('cost', 'info')}"
            )

    def _check_blocks(self) -> None:
        if self.block_rows is None:
            return
        if self.cells == SETS or not self.by_patterns:
            raise PolicyError(
                f"{option('block_rows')} is for the search by patterns, of which each block has its own; "
                f"leave it out with {option('cells', SETS)}, {option('search', 'paper')} and the costs mar "
                "and hybrid"
            )
        if self.polishes:
            raise PolicyError(
                f"polishing improves a release as a whole; leave {option('block_rows')} out, or polishing"
            )

    @property
    def by_patterns(self) -> bool:
        """Whether patterns are searched."""
        return self.search != "paper" and self.cost in PATTERN_COSTS


@dataclass(frozen=True, kw_only=True)
class CellsAudit:
    """How much of an audit to show, and what is known about the population."""

    show: Annotated[
        int, Option("How many of the worst breaches to list (default 10).", at_least=1)
    ] = 10
    unique_size: UniqueSize = 3
    publish: PublishOption = ()
    sampling_fraction: SamplingFraction = None
    population: PopulationFile = None

    def __post_init__(self) -> None:
        PopulationInfo.of(self)
