"""What strangers are told about the loss: enough to judge the file, too coarse to work backwards from.

Exact counts and long decimals are as good as a digest: whoever puts guesses back into the release can tell
which guess is right. So strangers get bands, and only bands that leave many possibilities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from withhold.measure import Loss
from withhold.publish.identifiers import KEPT
from withhold.telling.sections import Subject

if TYPE_CHECKING:
    from withhold.release import AnyRelease

BANDS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
FEWEST_POSSIBILITIES = 100
"""A band is told only if so many different numbers of occurrences lie in it."""


def fitness(subject: Subject) -> str:
    """A few sentences on what is still true of sets; of other data nothing."""
    release = subject.release
    if not isinstance(release.loss, Loss):
        return ""  # not simply fewer items; its own section may say what
    told = band_text(release.loss.share, release.data.n_occurrences)
    return (
        f"{told} What remains is as it was: values were withheld, none was invented. "
        "Counts in this file can therefore be too low, and are never too high."
    )


def band_text(share: float, published: int) -> str:
    """How much was withheld, in a band.

    >>> band_text(0.0244, 100_000)
    'Between 2 % and 5 % of the values were withheld.'
    >>> band_text(0.0244, 100)
    'Some of the values may have been withheld; in a small file, saying how many would say too much.'
    """
    low, high = next(
        (low, high) for low, high in zip(BANDS, BANDS[1:], strict=False) if share <= high
    )
    # The original had published / (1 - share) occurrences.
    most = published / (1 - high) - published if high < 1 else float("inf")
    least = published / (1 - low) - published
    if most - least < FEWEST_POSSIBILITIES:
        return (
            "Some of the values may have been withheld; in a small file, saying how many "
            "would say too much."
        )
    if low == 0.0:
        return f"At most {high * 100:g} % of the values were withheld."
    return f"Between {low * 100:g} % and {high * 100:g} % of the values were withheld."


def warnings_for_strangers(release: AnyRelease) -> tuple[str, ...]:
    """The warnings of a release without any name."""
    counts = tuple(
        f"{len(each.names):,} of {each.total:,} {each.what} {each.problem}"
        for each in release.unknown
        if not each.allowed
    )
    return (*counts, *(text for text in release.warnings if text == KEPT))
