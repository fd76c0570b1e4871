"""Shell completion of values, for options with few values. File names are left to the shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from withhold.lazy import load

VALUES = {
    "format": "withhold.formats.forms:FORMATS",
    "separator": "withhold.formats.forms:SEPARATOR_NAMES",
    "decimal": "withhold.data.decimals:DECIMALS",
    "engine": "withhold.cli.by_parts:ENGINES",
    "edition": "withhold.report.content:EDITIONS",
    "ids": "withhold.publish.identifiers:CHOICES",
}
"""Where the values of an option are listed; they are loaded on first use."""


def completed(values: str | Iterable[str]) -> Callable[[str], list[str]] | None:
    """A function that returns the values with the typed prefix; None if there are no values.

    >>> completed(["rules", "counts"])("r")
    ['rules']
    """
    if not isinstance(values, str):
        values = list(values)
    if not values:
        return None

    def propose(incomplete: str) -> list[str]:
        listed = load(values) if isinstance(values, str) else values
        return [value for value in listed if value.startswith(incomplete)]

    return propose
