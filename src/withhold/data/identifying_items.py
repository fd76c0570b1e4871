"""Items that may identify people: they stop a release until somebody decides what to do with them.

In: records. Out: why their items may identify people. An identifier among the items is published like any
other, and whoever finds it finds the whole record. E-mail addresses and timestamps stop a release wherever
they occur; all else only if nearly every record holds the same number of such items, as it does where a line
begins with a record id. By chance that hardly happens: products that sell once are in some records, and not
in others. The one exception is long numbers of one form, each in one record only, such as those of
prescriptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from withhold.data.array_types import Longs
from withhold.data.identifying import DATE, FEWEST, LOOKED_AT, PATTERNS
from withhold.data.records import Records
from withhold.data.tidied import ITEMS
from withhold.errors import PolicyError, option
from withhold.wording import counted

FEWEST_OF_PART = 1000
"""In a smaller part, an item in only one record means nothing: it may be in other parts, too."""
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^\W\d_]{2,}")
"""Unlike packages with their versions, such as react@17.0.2."""
BETWEEN_WORDS = re.compile(r"[\s<>()\[\],;:\"']+")
SHORTEST_NUMBER = 8
"""The digits of a date without separators; telephone and document numbers have more."""
DIGITS = re.compile(r"\d+")
SHARED = 10
"""Numbers of one form that at most this many records share on average belong to few people each.

So do others if each record has exactly one of them beside other items.
"""
LONG_NUMBER = re.compile(r"\d{5}")
"""Serial numbers are this long. Article numbers may be, too, but most articles sell more than once."""
WORDS_OF_A_TEXT, FEWEST_TEXTS = 6, 5
"""How many words make an item a text, unless it is in a catalogue; and how many such texts are no chance."""
ALL = "all"


class Identifying(NamedTuple):
    """Why items may identify people."""

    reason: str
    """What the items look like, as a message says it."""
    number: int
    """How many items, or records."""


def identifying_items(records: Records, *, fewest: int = FEWEST) -> Identifying | None:
    """Why the items may identify people, if they may.

    An item in a single record is a sign only if there are at least ``fewest`` records.

    >>> lines = [[f"C{n:04}", "tea", "milk"] for n in range(40)]
    >>> identifying_items(Records.from_lists(lines)).reason
    '40 of 40 records hold 1 item that no other record has, as a record id or a customer number is'
    """
    supports = records.supports
    if (found := _always(records, supports)) is not None or len(records) < fewest:
        return found
    rows = np.searchsorted(
        records.offsets, np.flatnonzero((supports == 1)[records.items]), side="right"
    )
    held, number = _held_alike(np.bincount(rows - 1, minlength=len(records)), records.lengths)
    if held:
        return Identifying(
            f"{number:,} of {counted(len(records), 'record')} hold {counted(held, 'item')} that no other "
            "record has, as a record id or a customer number is",
            number,
        )
    return (
        _alike(records, supports)
        or _numbered(records, supports)
        or _named(records, supports)
        or _written(records, supports)
    )


def refuse_identifying_items(
    records: Records, publish: str | Iterable[str], *, fewest: int = FEWEST
) -> None:
    """Stop if items may identify people and nobody said that they are to be published."""
    if publish == ALL or ITEMS in publish:
        return
    if (found := identifying_items(records, fewest=fewest)) is None:
        return
    where = "" if records.source is None else f"{records.source.path}: "
    raise PolicyError(
        f"{where}the items may identify people, and nobody has said what to do with them:",
        f"  {found.reason}",
        "To fix it, choose one of these:",
        f"  take them out of the file, or read it with the ids of records in a column of their own: "
        f"{option('format', 'long')}, {option('record_column')}",
        f"  {option('publish', ITEMS)}  publishes them like all other items",
    )


def _always(records: Records, supports: Longs) -> Identifying | None:
    """Items that cannot be articles, however many records they are in."""
    mails = [n for n, name in _names_with("@", records) if _has_mail(name)]
    times = [n for n, name in _names_with(":", records) if _is_moment(name.strip())]
    for codes, one, several in (
        (mails, "an e-mail address", "e-mail addresses"),
        (times, "a date with a time", "dates with times"),
    ):
        if number := int(np.count_nonzero(supports[codes])):
            look = f"looks like {one}" if number == 1 else f"look like {several}"
            return Identifying(f"{counted(number, 'item')} {look}", number)
    return None


def _names_with(mark: str, records: Records) -> list[tuple[int, str]]:
    """The names with this character, and their codes."""
    names = records.vocabulary
    # Most files have none, which takes one look at all names together.
    if mark not in "".join(names):
        return []
    return [(code, name) for code, name in enumerate(names) if mark in name]


def _has_mail(name: str) -> bool:
    """Whether there is an e-mail address in it, such as in ``Ann <ann@web.at>``."""
    return any(map(EMAIL.fullmatch, BETWEEN_WORDS.split(name)))


def _is_moment(name: str) -> bool:
    return ":" not in name[:3] and DATE.fullmatch(name) is not None


def _alike(records: Records, supports: Longs) -> Identifying | None:
    """Items that look like telephone numbers, dates and the like, as many in nearly every record.

    Only some records are examined, evenly spaced.
    """
    step = max(1, len(records) // LOOKED_AT)
    rows = range(0, len(records), step)
    seen = [records.items[records.offsets[row] : records.offsets[row + 1]] for row in rows]
    lengths = np.array([len(codes) for codes in seen], dtype=np.int64)
    items = np.concatenate(seen)
    codes = np.array([code for code in np.unique(items) if _has_a_look(records.vocabulary[code])])
    for pattern in PATTERNS:
        fits = [bool(pattern.matches.fullmatch(records.vocabulary[code])) for code in codes]
        matched = codes[fits]
        # A few that repeat everywhere identify nobody, such as the number of a shop.
        if len(matched) < 2 or len(matched) < pattern.different * int(supports[matched].sum()):
            continue
        of_row = np.repeat(np.arange(len(seen)), lengths)[np.isin(items, matched)]
        held, number = _held_alike(np.bincount(of_row, minlength=len(seen)), lengths)
        if held:
            return Identifying(
                f"{number:,} of {counted(len(seen), 'record')} looked at hold {counted(held, 'item')} "
                f"of those that look like {pattern.what}",
                number,
            )
    return None


def _numbered(records: Records, supports: Longs) -> Identifying | None:
    """Items of one form with different numbers that look like a column of the data or like serial numbers."""
    forms: dict[str, list[int]] = {}
    for code in np.flatnonzero(supports).tolist():
        name = records.vocabulary[code]
        # The length of a bare number is all that tells a postcode from a year.
        form = "#" * len(name) if name.isdigit() else DIGITS.sub("#", name)
        if form != name:
            forms.setdefault(form, []).append(code)
    for form, codes in sorted(forms.items()):
        times = supports[codes]
        if len(codes) < FEWEST:
            continue
        once = 10 * int((times == 1).sum()) >= 9 * len(codes)
        long = sum(bool(LONG_NUMBER.search(records.vocabulary[code])) for code in codes)
        is_serial = once and form.strip("#") and 10 * long >= 9 * len(codes)
        if not is_serial and 10 * int(times.sum()) < 9 * len(records):
            continue
        own, others = _held(records, codes), _others(records, form)
        if int(times.sum()) > SHARED * len(codes) and not _is_beside_all(own, others):
            continue
        told = f"of the form {form!r} (digits as #)"
        held, number = _held_alike(own, others + own)
        if held:
            return Identifying(
                f"{number:,} of {counted(len(records), 'record')} hold {counted(held, 'item')} {told}, of "
                f"{len(codes):,} different ones, as a customer number or a postcode is",
                number,
            )
        if is_serial and 10 * int((own == 1).sum()) >= 9 * int((own > 0).sum()):
            return Identifying(
                f"nearly all of {len(codes):,} items {told} are in one record only, as the number of a "
                "prescription is",
                len(codes),
            )
    return None


def _named(records: Records, supports: Longs) -> Identifying | None:
    """Two capitalised words, one pair in nearly every record beside other items: names of people."""
    codes = [
        code for code in np.flatnonzero(supports).tolist() if _may_name(records.vocabulary[code])
    ]
    if len(codes) < FEWEST:
        return None
    own = _held(records, codes)
    if not _is_beside_all(own, records.lengths - own):
        return None
    number = int((own == 1).sum())
    return Identifying(
        f"{number:,} of {counted(len(records), 'record')} hold 1 item of two capitalised words, of "
        f"{len(codes):,} different ones, as the name of a person is",
        number,
    )


def _written(records: Records, supports: Longs) -> Identifying | None:
    """Items of many words, most of which occur once, while other items do not: free text."""
    found = np.flatnonzero(supports)
    long = np.array([len(records.vocabulary[code].split()) >= WORDS_OF_A_TEXT for code in found])
    once = supports[found] == 1
    if not long.any() or (n_texts := int(long.sum())) < FEWEST_TEXTS:
        return None
    if 4 * int(once[long].sum()) < 3 * n_texts or 4 * int(once[~long].sum()) > int((~long).sum()):
        return None
    return Identifying(
        f"{counted(n_texts, 'item')} have {WORDS_OF_A_TEXT} words or more, and most are in one record only, "
        "as free text is",
        n_texts,
    )


def _may_name(name: str) -> bool:
    """Whether this may name a person: two capitalised words and no digit."""
    words = name.split(" ")
    return len(words) == 2 and all(
        len(word) > 1 and word.istitle() and word.replace("-", "").replace("'", "").isalpha()
        for word in words
    )


def _is_beside_all(own: Longs, others: Longs) -> bool:
    """Whether nearly every record has one such item, and hardly any has nothing else."""
    holds = own == 1
    number = int(holds.sum())
    return 10 * number >= 9 * len(own) and 50 * int((holds & (others == 0)).sum()) <= number


def _held(records: Records, codes: list[int]) -> Longs:
    """How many of these items each record holds."""
    wanted = np.zeros(records.n_items, dtype=bool)
    wanted[codes] = True
    sums = np.concatenate([[0], np.cumsum(wanted[records.items])])
    return np.diff(sums[records.offsets])


def _others(records: Records, form: str) -> Longs:
    """How many other items each record has; if the form is a bare number, other numbers do not count."""
    is_number = not form.strip("#")
    codes = [
        code
        for code, name in enumerate(records.vocabulary)
        if not (name.isdigit() if is_number else DIGITS.sub("#", name) == form)
    ]
    return _held(records, codes)


def _has_a_look(name: str) -> bool:
    """Whether it may fit a pattern: a number of few digits fits none."""
    return len(name) >= SHORTEST_NUMBER or not name.isdecimal()


def _held_alike(own: Longs, lengths: Longs) -> tuple[int, int]:
    """The number of such items that nine records in ten hold, and how many do; 0 if there is none.

    Half of the records must hold other items, too: records that hold nothing else are not identified by them.
    """
    times = np.bincount(own)
    if len(times) < 2 or 2 * int((lengths > own).sum()) < len(own):
        return 0, 0
    held = int(times[1:].argmax()) + 1
    number = int(times[held])
    return (held, number) if 10 * number >= 9 * len(own) else (0, 0)
