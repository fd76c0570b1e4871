"""What may be said about the population when risks are told: the options, each defined once."""

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
        "The file is a random sample of this share of the population, e.g. 0.01: the journalist's risk, "
        "and how many are unique in the population, are estimated.",
        kind="threshold",
        varies=False,
    ),
]
PopulationFile = Annotated[
    Any,
    Option(
        "A file with the whole population, in the same form as the data: the journalist's risk, how many are "
        "unique in the population, and --presence are counted in it.",
        kind="file",
        varies=False,
    ),
]
UniqueSize = Annotated[
    int,
    Option(
        "Look for rows that N columns or fewer single out, or records that N items or fewer do (special "
        "uniques; default 3).",
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
