"""Items that might be sensitive: a proposal to read and to change, which is never applied automatically.

In: records, and perhaps what their items mean in words. Out: the items that a starter list of health terms
and ICD-10 codes (``sensitive_terms.csv``) knows, each with the reason. The list has what brings stigma, or
trouble with employers, insurers and the law: infections, mental health, addiction, sexuality, pregnancy,
violence. Common diseases are not on it, nor anything outside health: what is sensitive is for people to
decide.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from withhold.data.dated_items import undated
from withhold.data.records import Records
from withhold.data.tidy_ways import tidy_text
from withhold.describing import MARK, meaning_of

ICD = re.compile(
    r"(?:ICD[ -]?10(?:-?CM)?[:\s]\s*)?([A-TV-Z]\d[0-9A-Z])(?:\.?[0-9A-Z]{1,4})?(?=$|[\s:,;(–-])"
)
"""A code of ICD-10, alone or before its description."""
MOSTLY = 0.5
"""If at least this share of the items look like ICD-10 codes, they are taken for codes."""


@dataclass(frozen=True)
class Suggested:
    """One item that might be sensitive."""

    item: str
    records: int
    """How many records hold it."""
    why: str
    matched: str
    """The pattern of the starter list that it matches."""

    def as_dict(self) -> dict[str, str | int]:
        """The suggestion as plain values."""
        return asdict(self)


class Term(NamedTuple):
    """A row of the starter list."""

    kind: str
    """``code`` (a range of ICD-10 blocks), ``word`` (whole words) or ``stem`` (a word begins so)."""
    pattern: str
    why: str

    def fits_code(self, block: str) -> bool:
        """Whether a block, the first three characters of a code, lies in the range."""
        first, _, last = self.pattern.partition("-")
        return self.kind == "code" and first <= block <= (last or first)

    def fits_words(self, text: str) -> bool:
        """Whether the words, in lower case with single blanks, contain the pattern."""
        if self.kind == "code":
            return False
        end = r"\b" if self.kind == "word" else ""
        return re.search(rf"\b{re.escape(self.pattern)}{end}", text) is not None


@cache
def starter_list() -> tuple[Term, ...]:
    """The list that comes with the package."""
    text = files("withhold.data").joinpath("sensitive_terms.csv").read_text(encoding="utf-8")
    return tuple(Term(**row) for row in csv.DictReader(text.splitlines()))


def suggest_sensitive(
    records: Records, *, meaning: Mapping[str, str] | None = None
) -> tuple[Suggested, ...]:
    """The items that might be sensitive, the most frequent first; ``meaning`` describes codes in words.

    >>> records = Records.from_lists([["bread", "HIV self-test"], ["bread", "prenatal vitamins"]])
    >>> [(each.item, each.why) for each in suggest_sensitive(records)]
    [('HIV self-test', 'HIV'), ('prenatal vitamins', 'pregnancy and birth')]
    """
    meaning = meaning or {}
    supports = dict(zip(records.vocabulary, records.supports.tolist(), strict=True))
    there = {item: count for item, count in supports.items() if count}
    has_codes = _are_codes(there)
    found = []
    for item, count in there.items():
        if undated(item) in there:
            continue  # whoever lists an item means its dates, too
        if (term := _first_fit(item, meaning_of(item, meaning) or "", has_codes)) is not None:
            found.append(Suggested(item, count, term.why, term.pattern))
    return tuple(sorted(found, key=lambda each: (-each.records, each.item)))


def _are_codes(items: Iterable[str]) -> bool:
    listed = list(items)
    return sum(_code_in(item) is not None for item in listed) >= MOSTLY * max(len(listed), 1)


def _code_in(item: str) -> re.Match[str] | None:
    """The code of ICD-10 that an item is, with or without the name of its file before it."""
    return ICD.match(item) or ICD.match(item.partition(MARK)[2])


def _first_fit(item: str, described: str, has_codes: bool) -> Term | None:
    code = _code_in(item) if has_codes else None
    if code is not None:
        fits = next((term for term in starter_list() if term.fits_code(code[1])), None)
        if fits is not None:
            return fits
    words = re.sub(r"[\W_]+", " ", tidy_text(f"{item} {described}", ("case",)))
    return next((term for term in starter_list() if term.fits_words(words)), None)
