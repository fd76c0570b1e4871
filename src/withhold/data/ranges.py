"""Ranges and sets in published cells: how they are written, and read again.

``[25..34]`` is every number or date from 25 to 34, ``{Local-gov, Private}`` one of these values. A value in a
set that could be misread is in quotes, as in JSON: ``{"Paris, Texas", Rome}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from withhold.data.decimals import exact_decimal
from withhold.data.names import is_unknown
from withhold.data.table import Value

DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?")
PLAIN = re.compile(r'[^\s,{}"](?:[^,{}"\n\r\t]*[^\s,{}"])?')
"""A value that needs no quotes in a set."""
RANGE = re.compile(r"\[(.*?[^.])\.\.([^.].*)\]", re.DOTALL)
NUMBER, MOMENT = "number", "date"
FINEST = -400
"""Numbers with more decimals than this are not taken for numbers."""


@dataclass(frozen=True)
class Range:
    """Every number or date from ``low`` to ``high``, both included.

    >>> "30" in Range("25", "34"), "35" in Range("25", "34"), "tall" in Range("25", "34")
    (True, False, False)
    """

    low: str
    high: str

    def __contains__(self, value: object) -> bool:
        found = [order_of(each) for each in (self.low, value, self.high) if isinstance(each, str)]
        known = [each for each in found if each is not None]
        if len(known) < 3 or len({kind for kind, _ in known}) > 1:
            return False
        return known[0][1] <= known[1][1] <= known[2][1]

    def __str__(self) -> str:
        """As a cell shows it; neither end begins or ends with a point, so that the dots are unambiguous."""
        low, high = (
            f"{exact_decimal(end):f}" if end.startswith(".") or end.endswith(".") else end
            for end in (self.low, self.high)
        )
        return f"[{low}..{high}]"


def order_of(text: Value) -> tuple[str, Fraction] | None:
    """Whether a text is a number or a date, and its value for ordering; None if it is neither.

    >>> order_of("2.5"), order_of("1970-01-02"), order_of("tall")
    (('number', Fraction(5, 2)), ('date', Fraction(719163, 1)), None)
    """
    if text is None:
        return None
    if (number := exact_decimal(text)) is not None:
        return None if number.adjusted() < FINEST else (NUMBER, Fraction(number))
    if DATE.fullmatch(text):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
        return MOMENT, Fraction(
            (moment - datetime.min) // timedelta(microseconds=1), 86_400_000_000
        )
    return None


def orders_of(values: Iterable[Value]) -> dict[Value, Fraction] | None:
    """The value of each for ordering, without missing ones; None unless all are numbers, or all dates."""
    found = {value: order_of(value) for value in values if not is_unknown(value)}
    kinds = {None if each is None else each[0] for each in found.values()}
    if len(kinds) != 1 or None in kinds:
        return None
    return {value: each[1] for value, each in found.items() if each is not None}


def set_text(values: Iterable[str]) -> str:
    """A set as a cell shows it.

    >>> print(set_text(["Rome", "Paris, Texas"]))
    {"Paris, Texas", Rome}
    """
    return "{" + ", ".join(map(_quoted, sorted(values))) + "}"


def read_cell(text: Value) -> Range | frozenset[str] | None:
    """What a published cell represents: a range or a set of values; None if it is a plain value.

    Parameters
    ----------
    text
        The cell.

    Returns
    -------
    Range, frozenset or None
        The range with its two ends, or the set of values.

    Examples
    --------
    >>> read_cell("[25..34]"), sorted(read_cell("{Private, Local-gov}")), read_cell("Private")
    (Range(low='25', high='34'), ['Local-gov', 'Private'], None)
    """
    if not isinstance(text, str):
        return None
    if found := RANGE.fullmatch(text):
        kinds = [order_of(end) for end in found.groups()]
        if None not in kinds and kinds[0][0] == kinds[1][0]:  # type: ignore[index]  # none is None
            return Range(*found.groups())
    if text.startswith("{") and text.endswith("}"):
        return _members(text[1:-1])
    return None


def _quoted(value: str) -> str:
    return value if PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _members(inside: str) -> frozenset[str] | None:
    """The values between the braces; None if that is not a set."""
    values, rest = [], inside
    while True:
        if rest.startswith('"'):
            try:
                value, end = json.JSONDecoder().raw_decode(rest)
            except ValueError:
                return None
        elif plain := PLAIN.match(rest):
            value, end = plain[0], plain.end()
        else:
            return None
        values.append(value)
        if end == len(rest):
            return frozenset(values)
        if not rest.startswith(", ", end):
            return None
        rest = rest[end + 2 :]
