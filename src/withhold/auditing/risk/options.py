"""What may be known about the population when risks are computed: the options, each defined once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from withhold.errors import PolicyError, option
from withhold.exact import exact_threshold
from withhold.options import Option, Threshold

SamplingFraction = Annotated[
    Threshold | None,
    Option(
        "Share of the population in the file, if it is a random sample of it, e.g. 0.01.",
        kind="threshold",
        varies=False,
    ),
]
PopulationFile = Annotated[
    Any,
    Option(
        "A file with the whole population, in the form of the data, to count its risks in.",
        kind="file",
        varies=False,
    ),
]
UniqueSize = Annotated[
    int,
    Option(
        "Look for rows or records that N columns or items, or fewer, single out (default 3).",
        at_least=1,
        at_most=12,
    ),
]


@dataclass(frozen=True)
class PopulationInfo:
    """Where the people of the data come from; both None: nothing is known."""

    fraction: Fraction | None = None
    file: Any = None
    """The population, as whatever can be read."""

    @classmethod
    def of(cls, options: Any) -> PopulationInfo:
        """What the options of an audit say."""
        return cls.from_options(options.population, options.sampling_fraction)

    @classmethod
    def from_options(
        cls, population: Any = None, sampling_fraction: Threshold | None = None
    ) -> PopulationInfo:
        """The file or the share, of which one is enough."""
        fraction = sampling_fraction
        if fraction is None:
            return cls(None, population)
        if population is not None:
            raise PolicyError(
                f"{option('population')} says who the population is, so {option('sampling_fraction')} is not "
                "needed; leave one of them out"
            )
        return cls(exact_threshold(fraction, name="sampling_fraction"))
