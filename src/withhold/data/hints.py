"""What makes data unnecessarily costly to publish, and the remedy: hints before anything is withheld.

In: records or a table. Out: hints, each with its numbers and what to type. A value with two spellings
counts as two values, so both are rarer and more likely to be withheld. Rules of thumb: nothing here decides
anything.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from withhold.data.column_lists import typed
from withhold.data.decimals import exact_decimal
from withhold.data.identifying import DATE, FEWEST, SHARE
from withhold.data.identifying_items import identifying_items
from withhold.data.names import is_unknown
from withhold.data.records import Records
from withhold.data.table import Column
from withhold.data.tidied import ITEMS, Tidied
from withhold.data.tidy_ways import WAYS, tidy_text
from withhold.options import Plain
from withhold.wording import counted, listing, percent

SHOWN = 3
"""How many groups of spellings, or other examples, a hint names."""
SHORT = 3
"""The most letters of an abbreviation, unless it ends with a point."""
LONG = 4
"""The fewest letters of the word that it abbreviates."""
MOST_VALUES = 200
"""In columns with more different values, a short one is hardly an abbreviation of a long one."""
MOST_SPELLINGS = 1_000_000
"""The most different values that are compared."""
ALONE = 0.05
"""If this share of the rows has values that no other row has, most of a column will be withheld or coarse."""
RARE_VALUES = ("has ", "is different")
"""How reasons begin that are about the number of values, not about the values themselves."""
CHOICES = tuple(
    ways for size in (1, 2, 3) for ways in combinations(("spaces", "case", "punctuation"), size)
)


@dataclass(frozen=True)
class Hint:
    """One thing to see to before publishing."""

    kind: str
    """``identifiers``, ``spellings``, ``abbreviations``, ``near-unique``, ``dates`` or ``determines``."""
    column: str
    """The column, or ``items``."""
    text: str
    remedy: str
    numbers: Mapping[str, Plain]

    def as_dict(self) -> dict[str, Plain]:
        """The hint as plain values."""
        return {
            "kind": self.kind,
            "column": self.column,
            "text": self.text,
            "remedy": self.remedy,
            **self.numbers,
        }


def spelling_groups(
    counts: Mapping[str, int],
) -> tuple[list[tuple[tuple[str, int], ...]], tuple[str, ...]]:
    """Values that differ only in case, spaces or punctuation, and what to tidy so that each group is one.

    The groups with most cells come first, and in each the most frequent spelling.

    >>> spelling_groups({"Male": 9, "male": 2, "Female": 7})
    ([(('Male', 9), ('male', 2))], ('case',))
    """
    together: dict[str, list[tuple[str, int]]] = {}
    for value, count in counts.items():
        if count and not is_unknown(value):
            together.setdefault(tidy_text(value, WAYS), []).append((value, count))
    groups = [
        tuple(sorted(group, key=lambda pair: (-pair[1], pair[0])))
        for group in together.values()
        if len(group) > 1
    ]
    groups.sort(key=lambda group: (-sum(count for _, count in group), group[0][0]))
    needed = next(ways for ways in CHOICES if all(_become_one(group, ways) for group in groups))
    return groups, tuple(way for way in WAYS if groups and way in needed)


def _become_one(group: Sequence[tuple[str, int]], ways: Sequence[str]) -> bool:
    return len({tidy_text(value, ways) for value, _ in group}) == 1


def abbreviations(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Values that look like abbreviations, each with the most frequent value that it may abbreviate.

    >>> abbreviations({"Male": 9, "M": 2, "Female": 7, "fem.": 1, "USA": 3, "United States of America": 2})
    [('M', 'Male'), ('USA', 'United States of America'), ('fem.', 'Female')]
    """
    words = {v: tidy_text(v, WAYS) for v, n in counts.items() if n and not is_unknown(v)}
    if len(set(words.values())) > MOST_VALUES:
        return []
    letters = {v: key for v, key in words.items() if key.replace(" ", "").isalpha()}
    found = []
    for value, key in sorted(letters.items()):
        if len(key) > SHORT and not (value.endswith(".") and " " not in key):
            continue
        stands_for = [other for other, name in letters.items() if _is_short_for(key, name)]
        if stands_for:
            found.append((value, min(stands_for, key=lambda other: (-counts[other], other))))
    return found


def _is_short_for(key: str, name: str) -> bool:
    initials = "".join(word[0] for word in name.split())
    # The small words of "United States of America" may be left out.
    capital = "".join(word[0] for word in name.split() if len(word) > SHORT - 1)
    if len(name) < max(LONG, len(key) + 2):
        return False
    return name.startswith(key) or (len(key) > 1 and key in (initials, capital))


def hints_of_items(records: Records) -> tuple[Hint, ...]:
    """Items that may identify people, and those that differ only in case, spaces or punctuation."""
    found = [*_of_identifying(records)]
    if records.n_items <= MOST_SPELLINGS:
        supports = dict(zip(records.vocabulary, records.supports.tolist(), strict=True))
        found += _of_spellings(ITEMS, supports, "item", "record")
    return tuple(found)


def _of_identifying(records: Records) -> Iterable[Hint]:
    if (found := identifying_items(records)) is not None:
        yield Hint(
            "identifiers",
            ITEMS,
            f"may identify people, and a release stops: {found.reason}",
            f"take them out, or read them as record ids (--format long); --publish {ITEMS} keeps them",
            {"number": found.number},
        )


def hints_of_column(column: Column, looks: str, tells: Mapping[str, float]) -> list[Hint]:
    """Everything to see to in one column.

    ``looks`` says why it may identify people, if it does; ``tells`` which other columns it determines, and in
    what share of the rows.
    """
    counts = _counts(column.exact())
    found: list[Hint] = []
    if len(counts) <= MOST_SPELLINGS:
        found += _of_spellings(column.name, counts, "value", "row")
        found += _of_abbreviations(column.name, counts)
    if _holds_dates(column, looks, counts):
        found.append(_of_dates(column.name, counts))
    elif not looks or looks.startswith(RARE_VALUES):
        found += _of_rare_values(column)
    if not looks:
        found += _of_determined(column.name, tells)
    return found


def _counts(column: Column) -> Counter[str]:
    pairs = zip(column.values, column.counts.tolist(), strict=True)
    return Counter({value: count for value, count in pairs if value and count})


def _of_spellings(name: str, counts: Mapping[str, int], what: str, where: str) -> Iterable[Hint]:
    groups, ways = spelling_groups(counts)
    if not groups:
        return
    spellings = sum(map(len, groups))
    rare = sum(count for group in groups for _, count in group[1:])
    shown = "; ".join(
        ", ".join(f"{value!r} {count:,}" for value, count in group[: SHOWN + 1])
        + (f" and {len(group) - SHOWN - 1:,} more" if len(group) > SHOWN + 1 else "")
        for group in groups[:SHOWN]
    )
    differ = listing(sorted(ways)).replace(" and ", " or ")
    yield Hint(
        "spellings",
        name,
        f"{counted(spellings, what)} differ only in {differ} and would be "
        f"{len(groups):,}: {shown}{'; …' if len(groups) > SHOWN else ''}",
        f"--tidy {shlex.quote(str(Tidied(name, tuple(sorted(ways)))))}",
        {
            "values": spellings,
            "become": len(groups),
            f"{where}s": rare,
            "groups": [[value for value, _ in group] for group in groups[:MOST_VALUES]],
        },
    )


def _of_abbreviations(name: str, counts: Mapping[str, int]) -> Iterable[Hint]:
    pairs = abbreviations(counts)
    if not pairs:
        return
    rows = sum(counts[value] for value, _ in pairs)
    shown = ", ".join(
        f"{short!r} {counts[short]:,} for {long!r} {counts[long]:,}"
        for short, long in pairs[:SHOWN]
    )
    yield Hint(
        "abbreviations",
        name,
        f"{counted(len(pairs), 'value')} may be short for others: {shown}"
        + (", …" if len(pairs) > SHOWN else ""),
        "if they are, write them out in the file",
        {"values": len(pairs), "rows": rows, "pairs": [list(pair) for pair in pairs]},
    )


def _holds_dates(column: Column, looks: str, counts: Mapping[str, int]) -> bool:
    if looks.startswith("holds dates"):
        return True
    fits = sum(bool(DATE.fullmatch(value.strip())) and ":" not in value[:3] for value in counts)
    return bool(counts) and column.kind == "String" and fits >= SHARE * len(counts)


def _of_dates(name: str, counts: Mapping[str, int]) -> Hint:
    alone = sum(count == 1 for count in counts.values())
    return Hint(
        "dates",
        name,
        f"holds dates, {len(counts):,} different ones; {counted(alone, 'row')} "
        f"{'has' if alone == 1 else 'have'} one that nobody else has",
        f"--bin {_typed(name)}=year (or month, decade, 5y), --bin {_typed(name)}=age:OTHER_DATE:5, "
        f"or --drop {_typed(name)}",
        {"different": len(counts), "alone": alone},
    )


def _of_rare_values(column: Column) -> Iterable[Hint]:
    counts = column.counts
    rows, alone = len(column.codes), int((counts == 1).sum())
    if rows < FEWEST or not alone or alone < ALONE * rows:
        return
    numbers = all(
        exact_decimal(value) is not None
        for value in column.values
        if value and not is_unknown(value)
    )
    name = _typed(column.name)
    how = (
        f"--bin {name}=quantiles:10"
        if numbers
        else f"a hierarchy (withhold hierarchy suggest DATA {name})"
    )
    yield Hint(
        "near-unique",
        column.name,
        f"{alone:,} of {counted(rows, 'row')} ({percent(alone / rows, 0)}) have a value that nobody else has",
        f"{how}, or --drop {name}",
        {"rows": rows, "alone": alone},
    )


def _of_determined(name: str, tells: Mapping[str, float]) -> Iterable[Hint]:
    for other, share in tells.items():
        yield Hint(
            "determines",
            name,
            f"reveals the value of {other} in {percent(share, 0)} of the rows, so withholding {other} alone "
            "hides little",
            f"make both quasi-identifiers, or --drop {_typed(name)}",
            {"determines": other, "share": share},
        )


def _typed(name: str) -> str:
    """The column as it is typed."""
    return shlex.quote(typed(name))
