"""The requested hierarchy of a column: a file, or a way to build one, such as ``width:5``.

In: a column and a text. Out: its tree. A suggestion looks at the values and names a way that suits them;
``arx_lines`` writes a tree as ARX reads it.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from withhold.data import Hierarchy, Table
from withhold.data.column_edges import Cells, column_prefix_edges
from withhold.data.column_lists import split_pairs
from withhold.data.decimals import decimals_of
from withhold.data.names import is_missing, nearest
from withhold.data.table import Column
from withhold.data.tree_building import build_tree
from withhold.errors import InputError, PolicyError, option
from withhold.formats.hierarchy import read_hierarchy

WAYS = "width:5, quantiles:8, edges:18,40,65, dates, prefix, prefix:1,3 or frequency:0.01"
FEW_VALUES = 12
"""Columns with at most this many different numbers hold codes, whose rare values can be merged."""
SHORTEST_CODE, LONG_CODE = 3, 4
"""The length of a code that contains letters, and of one that is a number."""
RARE = "0.05"


def column_tree(column: Column, wanted: str | os.PathLike[str]) -> Hierarchy:
    """The requested tree, over all values of the column; a file of that name takes precedence.

    >>> column_tree(Column.of("age", ["17", "18", "", "41"]), "edges:18,40").parent("18")
    '18-39'
    """
    text = os.fspath(wanted)
    kind, colon, rest = text.partition(":")
    if os.path.isfile(text) or not (kind in BUILDERS or _looks_built(text)):
        return read_hierarchy(wanted)
    if kind not in BUILDERS or bool(rest) < (kind in NEED_MORE) or (colon and not rest):
        near = nearest(kind, BUILDERS) if kind not in BUILDERS else None
        hint = f"; did you mean {near!r}?" if near else ""
        raise PolicyError(
            f"the hierarchy of column {column.name!r} is a file, or one of {WAYS}; {text!r} is neither{hint}"
        )
    try:
        return BUILDERS[kind](counts_of(column), rest)
    except InputError as error:
        raise InputError(error.problem, column=column.name, remedy=error.remedy) from None


def hierarchies_from(given: Mapping[str, Any] | str | None, table: Table) -> dict[str, Hierarchy]:
    """The tree of each column that has one, from trees, or texts such as ``age=age.csv,zip=prefix``."""
    if isinstance(given, str):
        if not given.strip():
            raise PolicyError(f"{option('hierarchy')} is empty; name COLUMN=FILE, or leave it out")
        given = split_pairs(given, "hierarchies")
    for name in given or {}:
        if name not in table.names:
            near = nearest(name, table.names)
            hint = f"; did you mean {near!r}?" if near else ""
            raise PolicyError(
                f"a hierarchy is given for column {name!r}, which the table does not have{hint}"
            )
    return {
        name: tree if isinstance(tree, Hierarchy) else column_tree(table.column(name), tree)
        for name, tree in (given or {}).items()
    }


def counts_of(column: Column) -> Counter[str]:
    """How often each value is in the column; blanks are not counted."""
    counts = zip(column.values, column.counts.tolist(), strict=True)
    return Counter({value: count for value, count in counts if value and count})


def suggest(column: Column) -> tuple[str, str]:
    """A way to build a hierarchy that fits the values, and why."""
    counts = counts_of(column)
    values = [value for value in counts if value != "?" and not is_missing(value)]
    if not values:
        raise InputError("has no value to build a hierarchy of", column=column.name)
    if None not in decimals_of(values).values() and len(values) > FEW_VALUES:
        lengths = {len(value) for value in values}
        if len(lengths) == 1 and max(lengths) >= LONG_CODE and "".join(values).isdigit():
            return "prefix", f"numbers that all have {max(lengths)} digits look like codes"
        return "quantiles:8", "the values are numbers"
    try:
        Hierarchy.by_dates(values)
    except InputError:
        pass
    else:
        return "dates", "the values are dates"
    is_code = all(value.isalnum() or "." in value for value in values)
    digits = any(mark.isdigit() for value in values for mark in value)
    if is_code and digits and min(map(len, values)) >= SHORTEST_CODE and len(values) > FEW_VALUES:
        return "prefix", "the values look like codes"
    return f"frequency:{RARE}", "the values are names; rare ones are merged"


def arx_lines(tree: Hierarchy) -> str:
    """The tree as ARX's CSV: a line for each leaf, and all lines of the same length.

    >>> tree = Hierarchy.from_edges([("beer", "drinks"), ("drinks", "*"), ("soap", "*")])
    >>> print(arx_lines(tree), end="")
    beer;drinks;*
    soap;soap;*
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    for leaf in tree.leaves:
        path = [leaf]
        while (above := tree.parent(path[-1])) is not None:
            path.append(above)
        writer.writerow([leaf] * (tree.height + 1 - len(path)) + path)
    return text.getvalue()


def _looks_built(text: str) -> bool:
    """Whether the text names a way to build a tree rather than a file."""
    kind, colon, rest = text.partition(":")
    numbers = all(each.replace(".", "").isdigit() for each in rest.split(","))
    return not os.path.exists(text) and "." not in kind and ((bool(colon) and numbers) or not colon)


def _whole_numbers(text: str) -> list[int] | None:
    try:
        return [int(number) for number in text.split(",")] if text else None
    except ValueError:
        raise PolicyError(f"{text!r} must be whole numbers with commas between") from None


def _by_prefix(cells: Cells, rest: str) -> Hierarchy:
    return Hierarchy(*build_tree(column_prefix_edges(cells, _whole_numbers(rest))))


def _by_quantiles(cells: Cells, rest: str) -> Hierarchy:
    return Hierarchy.by_quantiles(cells, (_whole_numbers(rest) or [0])[0])


def _by_dates(cells: Cells, rest: str) -> Hierarchy:
    if rest:
        raise PolicyError(f"dates takes nothing after it, not {rest!r}")
    return Hierarchy.by_dates(cells)


BUILDERS: dict[str, Callable[[Cells, str], Hierarchy]] = {
    "width": lambda cells, rest: Hierarchy.by_width(cells, rest),
    "quantiles": _by_quantiles,
    "edges": lambda cells, rest: Hierarchy.by_edges(cells, rest.split(",")),
    "dates": _by_dates,
    "prefix": _by_prefix,
    "frequency": lambda cells, rest: Hierarchy.by_frequency(cells, rest),
}
NEED_MORE = frozenset(("width", "quantiles", "edges", "frequency"))
"""Ways that must be followed by a number."""
