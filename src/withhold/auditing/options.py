"""How an audit of records is made: the options, each defined once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from withhold.auditing.risk.options import (
    PopulationFile,
    PopulationInfo,
    SamplingFraction,
    UniqueSize,
)
from withhold.options import Option


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """How far breaches are counted, how many are listed, how many attacks are tried, on which population."""

    max_size: Annotated[
        int | None,
        Option(
            "Count all breaches of up to N known items, however long (default 3; buckets 5; estimated if "
            "too many).",
            at_least=0,
            at_most=12,
        ),
    ] = None
    show: Annotated[
        int, Option("How many of the worst breaches to list (default 10).", at_least=1)
    ] = 10
    samples: Annotated[
        int,
        Option("Attacks for each point of the curve (default 2000).", at_least=1),
    ] = 2000
    unique_size: UniqueSize = 3
    sampling_fraction: SamplingFraction = None
    population: PopulationFile = None

    def __post_init__(self) -> None:
        PopulationInfo.of(self)
