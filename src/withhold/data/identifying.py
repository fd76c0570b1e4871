"""Columns that look as if they named people: a warning, never a decision.

In: a table and the columns that are published as they are. Out: for each that looks identifying, why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from withhold.data.table import Column, Table

SHARE = 0.8
"""From this share of the values on, a column is taken for what they look like."""
FEWEST = 20
"""With fewer rows, being all different means nothing."""
LOOKED_AT = 500
"""Values tried against the patterns."""
NAMES = re.compile(
    r"\b((first|last|full|given|family|middle|maiden|user|patient|customer)? ?name|surname|forename"
    r"|e ?mail|mail|phone|mobile|fax|address|street|ssn|social security|passport|iban|licence|license"
    r"|account|card|insurance|id|uuid|guid|record|patient|customer|client|person|member|url|ip)"
    r"( ?(id|no|nr|number))?\b"
)
PATTERNS = {
    "mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "telephone numbers": re.compile(r"\+\d[\d /().-]{6,}\d|0\d[\d /().-]{6,}\d"),
    "numbers of documents": re.compile(r"(?=(?:.*\d){6})[A-Z]{0,3}[\d -]{6,}[A-Z0-9]?"),
    "names of people": re.compile(r"[A-Z][a-zß-ÿ'-]+,? (?:[A-Z]\.? )?[A-Z][a-zß-ÿ'-]+"),
    "addresses on the net": re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|https?://\S+"),
}


def looks_identifying(table: Table, names: Iterable[str]) -> dict[str, str]:
    """Why each of these columns could name people, as far as one does.

    >>> people = {"mail": ["ann@x.org", "bob@y.org"], "sex": ["f", "m"]}
    >>> looks_identifying(Table.from_columns(people), ["mail", "sex"])
    {'mail': 'holds mail addresses'}
    """
    found = {name: _reason(table.column(name), len(table)) for name in names}
    return {name: reason for name, reason in found.items() if reason}


def gives_away(
    table: Table, kept: Iterable[str], protected: Iterable[str]
) -> list[tuple[str, str]]:
    """The pairs (kept, protected) of which the first column tells the second: each value goes with one.

    >>> years = {"degree": ["BA", "MA", "BA"], "years": ["13", "14", "13"], "sex": ["f", "f", "m"]}
    >>> gives_away(Table.from_columns(years), ["years", "sex"], ["degree"])
    [('years', 'degree')]
    """
    hidden = [table.column(name) for name in protected]
    found = []
    for column in map(table.column, kept):
        # What is different in nearly every row tells everything, and is warned about for that.
        several = len(table) >= 2 * int((column.counts > 0).sum())
        for other in hidden if several or len(table) < FEWEST else ():
            if len(other.values) > 1 and _tells(column, other):
                found.append((column.name, other.name))
    return found


def _tells(column: Column, other: Column) -> bool:
    shown = (column.codes >= 0) & (other.codes >= 0)
    codes, others = column.codes[shown], other.codes[shown]
    goes_with = np.full(len(column.values), -1, dtype=np.int32)
    goes_with[codes] = others
    return bool((goes_with[codes] == others).all())


def _reason(column: Column, n_rows: int) -> str:
    counts = column.counts
    values = [value for value, n in zip(column.values, counts, strict=True) if value and n]
    for what, pattern in PATTERNS.items():
        # A few values that repeat all over, such as "Private Sector", are nobody's name.
        many = len(values) >= n_rows / 10
        tried = values[:: max(1, len(values) // LOOKED_AT)]
        hits = sum(pattern.fullmatch(value) is not None for value in tried)
        if tried and many and hits >= SHARE * len(tried):
            return f"holds {what}"
    filled = int(counts[[bool(value) for value in column.values]].sum())
    if filled == n_rows >= FEWEST and int(np.max(counts, initial=0)) == 1:
        return "is different in every row"
    words = re.sub(r"[^a-z]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name).lower())
    if NAMES.fullmatch(words.strip()) and len(values) > n_rows / 2:
        return "has the name of something that identifies, and is different in most rows"
    return ""
