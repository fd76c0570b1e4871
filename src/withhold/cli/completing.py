"""Shell completion of values: what an option of few values takes. Names of files are left to the shell."""

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
"""Where the values of an option are listed; they are loaded when somebody asks for them."""


def completed(values: str | Iterable[str]) -> Callable[[str], list[str]] | None:
    """What proposes those of the values that begin as was typed; None where there are none.

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
