"""The random seed, drawn if none is given."""

from __future__ import annotations

import secrets

SEED_BITS = 32
"""The size of a drawn seed: too many values for anybody to try them all on a release."""


def given_or_drawn(seed: int | None) -> int:
    """The seed; one that nobody knows if none is given.

    Whoever knows the seed can work backwards from a release, so the usual one must not be known.
    """
    return secrets.randbits(SEED_BITS) if seed is None else seed
