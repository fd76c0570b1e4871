"""Values of a sensitive column that count as several although they mean one thing, or nothing.

In: a column. Out: an error for spellings of one value, pairs that may be one, values that say nothing. A
group of ``HIV``, ``hiv`` and ``n/a`` has three different values, and whoever finds it knows the diagnosis.
"""

from __future__ import annotations

from withhold.data.hints import spelling_groups
from withhold.data.misspelt import is_code, one_slip_apart
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


def refuse_spellings(column: Column) -> None:
    """Raise if a sensitive column has one value in several spellings, each of which would count."""
    groups, ways = spelling_groups(_counts(column))
    if not groups:
        return
    shown = "; ".join(
        ", ".join(f"{value!r} ({count:,})" for value, count in group[:SHOWN])
        for group in groups[:SHOWN]
    )
    more = f" and {len(groups) - SHOWN:,} more" if len(groups) > SHOWN else ""
    raise InputError(
        f"spellings of one sensitive value would count as different values: {shown}{more}",
        column=column.name,
        remedy=f"give them one spelling with {option('tidy', str(Tidied(column.name, ways)))}; or say "
        f"{option('allow_unknown', True)} if they are values of their own",
    )


def nearly_equal(column: Column) -> list[tuple[str, str]]:
    """Pairs of values that may be one: they differ only by a slip or in punctuation.

    >>> nearly_equal(Column.of("test", ["HIV", "H.I.V.", "measles", "measels", "F32", "F33"]))
    [('H.I.V.', 'HIV'), ('measels', 'measles')]
    """
    values = sorted(
        value for value in _counts(column) if not says_nothing(value) and not is_code(value)
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
    return "".join(filter(str.isalnum, value.casefold()))


def _counts(column: Column) -> dict[str, int]:
    """How often each value occurs; blanks around it do not count, as in the proof."""
    exact = column.exact()
    counts: dict[str, int] = {}
    for value, count in zip(exact.values, exact.counts.tolist(), strict=True):
        if count and value and (bare := value.strip()):
            counts[bare] = counts.get(bare, 0) + count
    return counts
