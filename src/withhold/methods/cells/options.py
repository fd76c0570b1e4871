"""How a table is read, and how its cells are chosen: the options, each defined once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from withhold.auditing.risk.options import PopulationFile, PopulationInfo, SamplingFraction
from withhold.data.roles import Publish
from withhold.method import SearchOptions
from withhold.options import Option

PublishOption = Annotated[
    Publish,
    Option(
        "Columns to publish as they are although they may identify people, with commas between; all: every "
        "one. May be repeated.",
        kind="publish",
        varies=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class TableReading:
    """How the columns of a table are prepared; read once, whatever is varied."""

    drop: Annotated[
        Sequence[str],
        Option(
            "Columns to leave out, such as names, with commas between.",
            kind="columns",
            varies=False,
        ),
    ] = ()
    bin: Annotated[
        Sequence[str],
        Option(
            "age=5: ranges so wide; age=18,65: cut at these edges. May be repeated.",
            kind="repeated",
            varies=False,
        ),
    ] = ()
    mark: Annotated[
        str | None,
        Option(
            "What stands for a withheld cell; an empty field or null if not given.", varies=False
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class CellsSearch(SearchOptions):
    """Which cells to withhold rather than others."""

    cost: Annotated[
        Literal["hybrid", "mar", "info", "ham"],
        Option("What a merge costs: hybrid (default), mar (statistics), info or ham (cells)."),
    ] = "hybrid"
    hierarchy: Annotated[
        Mapping[str, Any] | str | None,
        Option(
            "What values can be generalised to: COLUMN=FILE, or COLUMN= and a way to build one (width:5, "
            "quantiles:8, edges:18,40,65, dates, prefix, frequency:0.01); with commas between.",
            kind="file",
        ),
    ] = None
    publish: PublishOption = ()


@dataclass(frozen=True, kw_only=True)
class CellsAudit:
    """How much of an audit to show, and what is known of the population."""

    show: Annotated[int, Option("List so many of the worst breaches (default 10).", at_least=1)] = (
        10
    )
    unique_size: Annotated[
        int,
        Option(
            "Look for rows that so many columns, or fewer, single out (special uniques; default 3).",
            at_least=1,
            at_most=12,
        ),
    ] = 3
    publish: PublishOption = ()
    sampling_fraction: SamplingFraction = None
    population: PopulationFile = None

    def __post_init__(self) -> None:
        PopulationInfo.of(self)
