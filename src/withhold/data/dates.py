"""Dates as people write them, read only if there is a single possible reading.

In: the texts of a column. Out: the day that each represents. Dates that begin with the year (ISO 8601)
and those with the month's English name are unambiguous. ``03/04/2020`` is read in the order that the other
dates of the column, or the user, determine; nothing is guessed. A time of day and its zone are ignored: the
day is the one that is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final, Literal, get_args

Order = Literal["dmy", "mdy"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
"""Day, month, year, or month, day, year."""
NUMBERS: Final[Mapping[str, int]] = {
    spelling: number
    for number, name in enumerate(
        (
            *("january", "february", "march", "april", "may", "june", "july", "august"),
            *("september", "october", "november", "december"),
        ),
        start=1,
    )
    for spelling in (name, name[:3], *(["sept"] if number == 9 else []))
}
"""The months by their English names."""

_CLOCK = (
    r"(?:(?:[T ]|,? +)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?"
    r"(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?)?"
)
_WORD = r"(?P<word>[A-Za-z]{3,9})\.?"
PATTERNS: Final = tuple(
    re.compile(pattern + _CLOCK, re.ASCII)
    for pattern in (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:[ -]|\. ?)?{_WORD}[ -]?,? ?(?P<year>\d{{4}})",
        rf"{_WORD} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})",
        r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4})",
    )
)


def read_date(text: str, order: Order) -> date | None:
    """The day that a text represents; None if it is no date. ``order`` matters only if the text is ambiguous.

    >>> read_date("2020-02-29T23:30:00Z", "dmy"), read_date("29 Feb 2020", "dmy")
    (datetime.date(2020, 2, 29), datetime.date(2020, 2, 29))
    >>> read_date("03/04/2020", "dmy"), read_date("03/04/2020", "mdy"), read_date("03/04/20", "mdy")
    (datetime.date(2020, 4, 3), datetime.date(2020, 3, 4), None)
    """
    text = text.strip()
    for pattern in PATTERNS:
        if (found := pattern.fullmatch(text)) is None:
            continue
        parts = found.groupdict()
        if "first" in parts:
            names = ("day", "month") if order == "dmy" else ("month", "day")
            parts |= dict(zip(names, (parts["first"], parts["second"]), strict=True))
        elif "word" in parts:
            parts["month"] = _month(parts["word"])
        try:
            return date(*(int(parts[name]) for name in ("year", "month", "day")))
        except ValueError:
            return None
    return None


def fitting_orders(texts: Iterable[str]) -> tuple[Order, ...]:
    """The orders in which every text is a date.

    >>> fitting_orders(["03/04/2020", "25/12/2019"]), fitting_orders(["03/04/2020"])
    (('dmy',), ('dmy', 'mdy'))
    """
    listed = list(texts)
    return tuple(o for o in ORDERS if all(read_date(text, o) is not None for text in listed))


def age(born: date, when: date) -> int:
    """Whole years from one day to another; somebody born on 29 February is older on 1 March in other years.

    >>> age(date(2000, 2, 29), date(2001, 2, 28)), age(date(2000, 2, 29), date(2001, 3, 1))
    (0, 1)
    """
    return when.year - born.year - ((when.month, when.day) < (born.month, born.day))


def _month(word: str) -> str:
    """The number of a month; 0, which no date has, if the word is none."""
    return str(NUMBERS.get(word.lower(), 0))
