"""Columns that may identify people: they stop a release until somebody decides what to do with them.

In: a table and the columns to look at. Out: for each that may identify people, why; and which columns
determine a withheld cell, exactly or nearly, as years of schooling determine the degree. Patterns and
shares are rules of thumb: that a column is not found here does not mean that it identifies nobody. Each is
judged by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from withhold.data.given_names import are_names
from withhold.data.person_names import may_name_kinds, names_persons
from withhold.data.table import Column, Table

SHARE = 0.8
"""If at least this share of the values look like something, the column is taken for that."""
FEWEST = 20
"""With fewer rows, that most values differ means nothing."""
LOOKED_AT = 500
"""How many values are tried against the patterns."""
NEARLY = 0.9
"""A column that settles this share of what the most frequent value leaves open nearly determines another."""
_WHO = (
    "(birth|user|nick|patient|customer|client|contact|person|employee|member|participant|respondent|doctor"
    "|physician|nurse|mother|father|spouse|student|teacher|owner|patient(inn)?en|kunden|klient(inn)?en)"
)
_WHICH = "(id|no|nr|num|number|nummer|code|key|uuid|guid|mrn)"
NAME_OF_A_PERSON = re.compile(
    rf"(((first|last|middle|full|given|family|maiden)|{_WHO}s?) ?)?names?"
    r"|surname|forename|fname|lname|vorname|nachname|familienname"
    r"|nom|pr[eé]nom|nom de famille|apellidos?|nombres?|nome|cognome|sobrenome"
)
"""Names of columns that hold names of people, however few these are."""
OF_A_PERSON = re.compile(
    rf"id|{_WHO}s? ?{_WHICH}"
    r"|(.* )?(e ?mail( address)?|ssn|social security( number)?|passport( (no|nr|number))?|iban|mrn)"
    r"|(.* )?(tele)?phone( (no|nr|number))?|mobile( (no|nr|number))|mail( address)?"
    r"|telefon(nummer)?|t[eé]l[eé]phone"
    r"|(home |postal |street )?address|anschrift|adresse"
)
"""More names of columns that identify one person by each value, however few there are."""
PERSON = re.compile(r"first|last|middle|maiden")
"""Names of columns that may hold names of people, if there are many."""
NUMBER = re.compile(
    r"mobile|fax|street|url|ip|mac|licen[cs]e|drivers|account|uuid|guid|record|member|card|plate"
    r"|(.* )?(id|no|nr|number|uuid|guid)"
)
"""Names of columns that may identify one person by each value, if there are many values."""
ANSWERS = frozenset(
    (
        "0",
        "1",
        "y",
        "n",
        "t",
        "f",
        "yes",
        "no",
        "true",
        "false",
        "ja",
        "nein",
        "oui",
        "non",
        "si",
        "sí",
        "sì",
    )
)
"""These identify nobody, whatever the column's name."""
PLACE = re.compile(r"(.* )?(lat|latitude|lon|lng|long|longitude|coordinates?|gps|geo|location)")

_CLOCK = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?"
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY, _MONTH_NUMBER, _YEAR = r"(0?[1-9]|[12]\d|3[01])", r"(0?[1-9]|1[0-2])", r"(1[89]|20)\d{2}"
DATE = re.compile(
    rf"({_YEAR}[-/.]{_MONTH_NUMBER}[-/.]{_DAY}"
    rf"|{_YEAR}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
    rf"|{_DAY}[-/.]{_MONTH_NUMBER}[-/.](({_YEAR})|\d{{2}})"
    rf"|{_MONTH_NUMBER}[-/.]{_DAY}[-/.](({_YEAR})|\d{{2}})"
    rf"|{_DAY}(st|nd|rd|th)?[ .-]+{_MONTH}[ ,-]+(({_YEAR})|\d{{2}})"
    rf"|{_MONTH} {_DAY}(st|nd|rd|th)?,? {_YEAR})([T ]+{_CLOCK})?|{_CLOCK}",
    re.IGNORECASE,
)
"""A day or a moment, or a time of the day."""


class Pattern(NamedTuple):
    """What values may look like."""

    what: str
    matches: re.Pattern[str]
    different: float
    """The least share of different values; a few values that repeat everywhere identify nobody."""


PATTERNS = (
    Pattern("e-mail addresses", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"), 0),
    Pattern("UUIDs", re.compile(r"\{?[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}\}?"), 0),
    Pattern(
        "network addresses",
        re.compile(
            r"(?:\d{1,3}\.){3}\d{1,3}(:\d+)?|(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F:]*|(?:[0-9a-fA-F]{2}[:-]){5}"
            r"[0-9a-fA-F]{2}|(?:https?|ftp)://\S+|www\.\S+"
        ),
        0,
    ),
    Pattern("dates", DATE, 0),
    Pattern(
        "telephone numbers",
        re.compile(
            r"\+\d[\d /().-]{6,}\d|\(?0\d[\d /().-]{6,}\d"
            # As in North America: (555) 116-4567, 555-116-4567, 1-555-116-4567 x12.
            r"|(?:1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?: ?(?:x|ext\.?) ?\d{1,6})?",
            re.IGNORECASE,
        ),
        0.02,
    ),
    Pattern(
        "coordinates",
        re.compile(
            r"(POINT *)?[(\[]?-?\d{1,3}\.\d{2,}[,; ]+-?\d{1,3}\.\d{2,}[)\]]?", re.IGNORECASE
        ),
        0.02,
    ),
    Pattern(
        "document numbers",
        re.compile(
            r"[A-Z]{1,3}[ -]?\d{6,}[A-Z0-9]?|(?=(?:\D*\d){8})\d{2,4}([ -]\d{2,6}){1,4}|\d{9,}"
        ),
        0.1,
    ),
    Pattern(
        "names of people",
        re.compile(r"[A-Z][a-zß-ÿ'-]+\d*,? (?:[A-Z]\.? )?[A-Z][a-zß-ÿ'-]+\d*"),
        0.1,
    ),
)
REACHED = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]|(?<![\w+])\+\d{1,3}[ /().-]*(\d[ /().-]{0,2}){7,}\d"
    r"|(?<![\w(])\(\d{3}\) ?\d{3}[ .-]\d{4}\b|(?<![\w-])\d{3}-\d{3}-\d{4}\b(?!-)"
    r"|\b(tel|telefon|telephone|phone|mobile|mobil|handy|fax|t[eé]l[eé]phone|tel[eé]fono)\b\W{0,3}"
    r"(no|nr|number)?\W{0,3}(\d[ /().-]{0,2}){5,}\d",
    re.IGNORECASE,
)
"""An e-mail address or a telephone number somewhere in a cell; a number without a sign of its own is none."""
CAPITALISED = re.compile(r"[^\W\d_][\w .'-]*")
DECIMALS = re.compile(r"-?\d{1,3}\.\d{3,}")
TEXT_WORDS, TEXT_LENGTH = 4, 20
"""A value with at least this many words and characters is a sentence rather than a category."""


def looks_identifying(table: Table, names: Iterable[str]) -> dict[str, str]:
    """For each of these columns that may identify people: why."""
    found = {name: _reason(table.column(name)) for name in names}
    return {name: reason for name, reason in found.items() if reason}


class _Cells(NamedTuple):
    """What is examined of a column."""

    name: str
    """The name of the column as words."""
    tried: list[str]
    """Some of the different values."""
    values: list[str]
    """All of them."""
    filled: int

    @property
    def different(self) -> int:
        """How many different values there are."""
        return len(self.values)

    @property
    def reached(self) -> int:
        """How many of the different values hold an e-mail address or a telephone number."""
        # One look at all values together says whether there is any.
        is_any = REACHED.search("\n".join(self.values))
        return sum(bool(REACHED.search(value)) for value in self.values) if is_any else 0

    def share(self, fits: Callable[[str], object]) -> float:
        """The share of the values that fit."""
        return sum(bool(fits(value)) for value in self.tried) / len(self.tried)

    @property
    def many(self) -> bool:
        """Whether there are too many values for a category."""
        return too_many(self.different, self.filled)

    @property
    def are_answers(self) -> bool:
        """Whether the values are yes or no, such as whether a phone number is known."""
        return all(value.casefold() in ANSWERS for value in self.tried)


def too_many(different: int, filled: int) -> bool:
    """Whether this many different values in this many cells are too many for a category."""
    return different > FEWEST or different >= max(5, filled / 10)


def column_words(name: str) -> str:
    """The name of a column as words in lower case.

    >>> column_words("maritalStatus"), column_words("BIRTH_DATE2")
    ('marital status', 'birth date')
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return re.sub(r"[\W\d_]+", " ", words).strip()


def _reason(column: Column) -> str:
    cells = _cells(column)
    if cells.different < 2:
        return ""  # one value for all says nothing about anybody
    if column.kind.startswith(("Date", "Time")):
        return "holds dates" if column.kind.startswith("Date") else "holds times"
    for pattern in PATTERNS:
        enough = cells.different >= pattern.different * cells.filled
        if enough and cells.share(lambda value: pattern.matches.fullmatch(value)) >= SHARE:  # noqa: B023
            return f"holds {pattern.what}"
    return next((reason for reason, applies in _CHECKS.items() if applies(cells)), "").format(
        different=cells.different, filled=cells.filled, reached=cells.reached
    )


def _cells(column: Column) -> _Cells:
    counts = column.counts.tolist()
    filled = [(value, n) for value, n in zip(column.values, counts, strict=True) if value and n]
    # Evenly over the sorted values, so that the first letters of the alphabet do not decide.
    tried = [value.strip() for value, _ in filled[:: max(1, len(filled) // LOOKED_AT)]]
    values = [value for value, _ in filled]
    return _Cells(column_words(column.name), tried, values, sum(n for _, n in filled))


def _stands_for_a_person(name: str) -> bool:
    is_person = names_persons(name) and not may_name_kinds(name)
    return is_person or OF_A_PERSON.fullmatch(name) is not None


def _is_sentence(value: str) -> bool:
    return len(value) >= TEXT_LENGTH and len(value.split()) >= TEXT_WORDS


_CHECKS: Mapping[str, Callable[[_Cells], bool]] = {
    "holds free text": lambda cells: (
        cells.different >= cells.filled / 5 and cells.share(_is_sentence) >= 0.5
    ),
    "has the name of a column of people's names, and {different:,} different values": lambda cells: (
        bool(NAME_OF_A_PERSON.fullmatch(cells.name) and not cells.are_answers)
        or (
            bool(PERSON.fullmatch(cells.name))
            and (cells.many or cells.filled < FEWEST)
            and cells.share(CAPITALISED.fullmatch) >= SHARE
        )
    ),
    "holds names of people": lambda cells: are_names(cells.tried),
    "holds coordinates": lambda cells: (
        bool(PLACE.fullmatch(cells.name)) and cells.share(DECIMALS.fullmatch) >= SHARE
    ),
    "is different in every row": lambda cells: cells.different == cells.filled >= FEWEST,
    "has {different:,} different values in {filled:,} rows": lambda cells: (
        cells.filled >= FEWEST and cells.different > cells.filled / 2
    ),
    "has the name of an identifier, and {different:,} different values": lambda cells: (
        (_stands_for_a_person(cells.name) and not cells.are_answers)
        or (
            bool(NUMBER.fullmatch(cells.name) or names_persons(cells.name))
            and (cells.many or (cells.filled < FEWEST and cells.different > cells.filled / 2))
        )
    ),
    "holds e-mail addresses or telephone numbers, in {reached:,} of {different:,} different values": (
        lambda cells: bool(cells.reached)
    ),
}
"""What to say of a column, and when; the first that applies."""


def determining_columns(
    table: Table, kept: Iterable[str], protected: Iterable[str]
) -> dict[str, dict[str, float]]:
    """For each kept column that determines a protected one: which, and in what share of the rows."""
    hidden = [table.column(name) for name in protected]
    found: dict[str, dict[str, float]] = {}
    for column in map(table.column, kept):
        for other in hidden:
            share = 0.0 if other.name == column.name else _told(column, other)
            if share:
                found.setdefault(column.name, {})[other.name] = share
    return found


def _told(column: Column, other: Column) -> float:
    """The share of the rows whose other cell can be inferred from this one; 0 if that is trivial.

    Whoever finds a withheld cell looks at the other rows with the same value of the kept column, and guesses
    what most of them have. A row that has its value alone is therefore not counted.
    """
    shown = (column.codes >= 0) & (other.codes >= 0)
    codes, others = column.codes[shown].astype(np.int64), other.codes[shown].astype(np.int64)
    if not len(codes):
        return 0.0
    width = len(other.values)
    keys, counts = np.unique(codes * width + others, return_counts=True)
    order = np.lexsort((-counts, keys // width))
    keys, counts = keys[order], counts[order]
    owner = keys // width
    first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    top = counts[first]
    second = np.zeros(len(first), dtype=counts.dtype)
    several = np.append(first[1:], len(owner)) - first > 1
    second[several] = counts[first[several] + 1]
    by_majority = int(np.bincount(others).max())
    if by_majority == len(others):
        return 0.0
    if not second.any() and len(np.unique(keys[first[top > 1]] % width)) > 1:
        return 1.0
    guessed = int(top[(top > 1) & (top > second)].sum())
    news = (guessed - by_majority) / (len(others) - by_majority)
    return guessed / len(others) if news >= NEARLY else 0.0
