"""A table prepared for publishing: without some columns, with dates and numbers in ranges.

In: a table, and what to do. Out: the table, which records what was done to it. ``COLUMN=HOW`` is the one
spelling of a bin on the command line, in manifests and in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from withhold.data.binning import Bins, Number, Quantiles, parse_numbers
from withhold.data.column_lists import unquoted
from withhold.data.date_bins import AGE, PERIOD, Ages, Periods
from withhold.data.dates import ORDERS, Order
from withhold.data.names import nearest
from withhold.data.table import Table
from withhold.errors import PolicyError, option

Cut = Bins | Quantiles | Periods | Ages
Widths = Number | Sequence[Number] | Cut
"""How wide the ranges of a column are, where they begin, or how else they are made."""
WAYS = "5 (the width), 18,65 or edges:18 (edges), quantiles:10, day, month, year, decade, 5y, or age:COLUMN:5"
WORDS = ("quantiles", "edges", "width", "age", "day", "month", "year", "decade")
MOST_PARTS = 10_000


def prepare(table: Table, drop: tuple[str, ...], bins: Mapping[str, Cut]) -> Table:
    """The table without what is dropped, numbers and dates in ranges if requested."""
    if several := [name for name in bins if name not in table.names and re.search(r"=.*,", name)]:
        typed = option("bins").startswith("--")
        each = "--bin a=5 --bin b=year" if typed else "bins={'a': 5, 'b': 'year'}"
        raise PolicyError(
            f"the bins of {several[0]!r} are of several columns; name each apart: {each}"
        )
    for name in (*drop, *bins):
        table.column(name)
    if both := [name for name in bins if name in drop]:
        raise PolicyError(f"column {both[0]!r} is to be dropped and binned; say one of the two")
    if len(set(drop)) == len(table.columns):
        raise PolicyError("nothing is left of the table when all its columns are dropped")
    # Ages are counted to the dates as they came, whatever becomes of that column.
    made = {name: how.cut(table.column(name), table) for name, how in bins.items()}
    return replace(
        table,
        columns=tuple(
            made[column.name][0] if column.name in made else column
            for column in table.columns
            if column.name not in drop
        ),
        dropped=(*table.dropped, *(name for name in table.names if name in drop)),
        binned=(*table.binned, *(f"{name}={how}" for name, (_, how) in made.items())),
    )


def parse_bins(bins: Mapping[str, Widths] | Iterable[str]) -> dict[str, Cut]:
    """The bins of each column, from values or from texts such as ``age=5``."""
    if isinstance(bins, str):
        bins = [bins]
    if odd := [name for name in bins if not isinstance(name, str)]:
        raise PolicyError(f"bins name columns by texts, such as 'age', not {odd[0]!r}")
    if not isinstance(bins, Mapping):
        pairs = [text.rpartition("=") for text in bins]
        pairs = [(unquoted(name), mark, rest) for name, mark, rest in pairs]
        if bad := [rest for name, mark, rest in pairs if not (name and mark)]:
            raise PolicyError(f"bins are written as COLUMN=HOW, such as age=5, not {bad[0]!r}")
        names = [name for name, _, _ in pairs]
        if len(set(names)) < len(names):
            raise PolicyError("a column is binned twice; name it once")
        bins = {name: rest for name, _, rest in pairs}
    return {name: _parse(name, given) for name, given in bins.items()}


def _parse(name: str, given: Widths) -> Cut:
    if isinstance(given, Bins | Quantiles | Periods | Ages):
        return given
    if isinstance(given, str) and (found := _parse_text(name, given.strip())) is not None:
        return found
    if (numbers := parse_numbers(name, given)) is not None:
        return numbers
    word = str(given).partition(":")[0].strip().lower()
    near = nearest(word, WORDS) if word not in WORDS else None
    hint = f"; did you mean {near!r}?" if near else ""
    raise PolicyError(f"the bins of {name!r} must be {WAYS}; not {given!r}{hint}")


def _parse_text(name: str, text: str) -> Cut | None:
    """The bin that a text with a word in it requests; None if there is no such bin."""
    word, colon, rest = text.partition(":")
    if found := PERIOD.fullmatch(text):
        return Periods(found[1], _order(found[2]))
    if found := AGE.fullmatch(text):
        quoted, plain, numbers, order = found.groups()
        at = plain.strip() if quoted is None else quoted.replace('""', '"')
        bins = _parse_edges(name, numbers or "1")
        return None if bins is None else Ages(at, bins, _order(order))
    if word == "quantiles" and rest.isascii() and rest.isdigit() and 2 <= int(rest) <= MOST_PARTS:
        return Quantiles(int(rest))
    if colon and word == "width":
        return parse_numbers(name, rest) if "," not in rest else None
    return _parse_edges(name, text) if colon and word == "edges" else None


def _order(text: str | None) -> Order | None:
    return next((order for order in ORDERS if order == text), None)


def _parse_edges(name: str, text: str) -> Bins | None:
    """A width, or edges; a single edge is possible after the word ``edges:``."""
    word, colon, rest = text.partition(":")
    if not colon:
        return parse_numbers(name, text)
    return parse_numbers(name, rest.split(",")) if word == "edges" else None
