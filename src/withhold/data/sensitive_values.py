"""Values of a sensitive column that count as several although they mean one thing, or nothing.

In: a column. Out: an error for spellings of one value, pairs that may be one, values that say nothing. A
group of ``HIV``, ``hiv`` and ``n/a`` has three different values, and whoever finds it knows the diagnosis.
"""

from __future__ import annotations

from collections.abc import Mapping

from withhold.data.hints import spelling_groups
from withhold.data.misspelt import is_code, one_slip_apart, plainest
from withhold.data.names import is_unknown
from withhold.data.table import Column
from withhold.data.tidied import Tidied
from withhold.data.tidy_ways import tidy_text
from withhold.errors import InputError, option

SHOWN = 3
"""How many groups of spellings, and spellings of each, are shown."""
MOST_VALUES = 5_000
"""More different values than this are not compared with one another."""
NOTHING = frozenset(
    (
        *("unknown", "not known", "not stated", "not available", "no answer", "missing", "refused"),
        *("unbekannt", "nicht bekannt", "k a", "ka", "keine angabe", "ohne angabe", "fehlt"),
        *("inconnu", "non renseigné", "desconocido", "sconosciuto", "xx", "tbd"),
    )
)
"""What means that a value is not known, in lower case and without punctuation."""


def says_nothing(value: str | None) -> bool:
    """Whether a value only means that none is known.

    >>> [says_nothing(each) for each in ("", "?", "-", "k.A.", "Unknown", "none of these", "0")]
    [True, True, True, True, True, False, False]
    """
    if is_unknown(value) or value is None or not any(map(str.isalnum, value)):
        return True
    return tidy_text(value, ("case", "punctuation", "spaces")) in NOTHING


def refuse_spellings(
    name: str, counts: Mapping[str | None, int], *, by_parts: bool = False
) -> None:
    """Raise if a sensitive column of these values has one in several spellings, each of which would count."""
    groups, ways = spelling_groups(_without_blanks(counts))
    if not groups:
        return
    shown = "; ".join(
        ", ".join(f"{value!r} ({count:,})" for value, count in group[:SHOWN])
        for group in groups[:SHOWN]
    )
    more = f" and {len(groups) - SHOWN:,} more" if len(groups) > SHOWN else ""
    # Parts are not tidied.
    where = "in the files" if by_parts else f"with {option('tidy', str(Tidied(name, ways)))}"
    raise InputError(
        f"spellings of one sensitive value would count as different values: {shown}{more}",
        column=name,
        remedy=f"give them one spelling {where}; or say {option('allow_unknown', True)} if they are values "
        "of their own",
    )


def nearly_equal(column: Column) -> list[tuple[str, str]]:
    """Pairs of values that may be one: they differ only by a slip or in punctuation.

    >>> nearly_equal(Column.of("test", ["HIV", "H.I.V.", "measles", "measels", "F32", "F33"]))
    [('H.I.V.', 'HIV'), ('measels', 'measles')]
    """
    values = sorted(
        value
        for value in _without_blanks(counts_of(column))
        if not says_nothing(value) and not is_code(value)
    )
    if len(values) > MOST_VALUES:
        return []
    first: dict[str, str] = {}
    for value in reversed(values):
        first[_letters(value)] = value
    pairs = {(first[_letters(value)], value) for value in values if first[_letters(value)] != value}
    pairs |= {(min(pair), max(pair)) for pair in one_slip_apart(values, values)}
    return sorted(pairs)


def _letters(value: str) -> str:
    return "".join(filter(str.isalnum, plainest(value)))


def counts_of(column: Column) -> dict[str | None, int]:
    """How often each value occurs, with the blanks around it."""
    exact = column.exact()
    return dict(zip(exact.values, exact.counts.tolist(), strict=True))


def _without_blanks(counts: Mapping[str | None, int]) -> dict[str, int]:
    """The same for values without the blanks around them, which do not count in the proof either."""
    found: dict[str, int] = {}
    for value, count in counts.items():
        if count and value and (bare := value.strip()):
            found[bare] = found.get(bare, 0) + count
    return found
