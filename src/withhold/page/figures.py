"""Figures side by side: all that was measured of two releases, each number in its unit, and what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from withhold.telling.facts import in_percent

Values = Mapping[str, float | None]


@dataclass(frozen=True)
class Figure:
    """One measure of two releases."""

    label: str
    meaning: str
    unit: str
    values: tuple[float | None, float | None]

    @property
    def difference(self) -> float | None:
        """The second less the first; None if one is not known."""
        one, other = self.values
        return None if one is None or other is None else other - one

    @property
    def group(self) -> str:
        """Whether the two differ, are alike, or only one of them has it, as with different data."""
        if self.difference is None:
            return "alike" if self.values == (None, None) else "one"
        return "differ" if self.difference else "alike"


def side_by_side(told: Sequence[Mapping[str, Any]], one: Values, other: Values) -> list[Figure]:
    """Every figure that one of the two has; ``told`` is what the verbs printed, with labels and units."""
    words = {
        name: {path: text for each in told for path, text in each[name].items()}
        for name in ("label", "meaning", "unit")
    }
    return [
        Figure(
            words["label"][path],
            in_percent(words["meaning"][path], words["unit"][path]),
            words["unit"][path],
            (one.get(path), other.get(path)),
        )
        for path in words["label"]
        if path in one or path in other
    ]
