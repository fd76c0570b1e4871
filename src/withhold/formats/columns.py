"""Which column is which, by the names people usually give them.

In: a header and what the user said. Out: the record and the item column, or an error that lists the
columns there are and the nearest spelling. The cells themselves are not read here.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from withhold.data.names import nearest
from withhold.errors import InputError, option
from withhold.formats.opening import Placed

if TYPE_CHECKING:
    import polars

    from withhold.data.date_bins import Periods

RECORDS = (
    "basket", "bill", "cart", "case", "customer", "invoice", "member", "order", "patient", "person",
    "receipt", "record", "row", "session", "subject", "trans", "transaction", "user", "visit",
)  # fmt: skip
ITEMS = (
    "article", "diagnosis", "drug", "icd", "icd9", "icd10", "item", "medication", "movie", "page",
    "product", "stock",
)  # fmt: skip
RECORD_NAMES = frozenset(
    {noun + ending for noun in RECORDS for ending in ("", "id", "no", "nr", "number")}
    | {"anonid", "id", "index", "tid", "uid"}
)
ITEM_NAMES = frozenset(
    {noun + ending for noun in ITEMS for ending in ("", "id", "no", "code", "name", "description")}
    | {"code", "keyword", "query", "sku", "tag", "term", "url"}
)
LIST_NAMES = frozenset(
    ("articles", "basket", "baskets", "cart", "codes", "diagnoses", "drugs", "goods", "itemlist", "items",
     "itemset", "itemsets", "keywords", "medications", "movies", "pages", "products", "productlist",
     "purchases", "tags", "terms", "transaction", "transactions", "urls")
)  # fmt: skip
"""Names of a column whose cells hold several items."""
INNER = re.compile(r"[^,;|\t]+[,;|\t]")
"""Something with a separator after it: a cell that may be a list."""
INDEX_NAMES = frozenset(("", "Unnamed: 0"))
"""What a data frame's row labels are called once they have been written to a file."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller said about a file; ``None`` where nothing was said."""

    format: str | None = None
    separator: str | None = None
    record_column: str | None = None
    item_column: str | None = None
    skip_missing_ids: bool = False
    """Leave out rows that do not say which record they belong to."""
    encoding: str | None = None
    """Of a text."""
    sheet: str | int | None = None
    """Of a spreadsheet."""
    dates: Periods | None = None
    """What the dates of items become; None: they are left out."""
    date_column: str | None = None


class Columns(Placed):
    """What frames and CSV files have in common: named columns of cells."""

    __slots__ = ()
    columns: list[str]
    separator: str
    """Between the cells of a line; a blank where there are no lines."""

    @abstractmethod
    def column(self, name: str) -> polars.Series:
        """The cells of a column."""

    @abstractmethod
    def line(self, row: int) -> int | None:
        """The line on which a row, counted from 0, ends; None if there are no lines."""


def plain(name: str) -> str:
    """The name without case, blanks and punctuation, as the lists above have it."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def names_record(name: str) -> bool:
    """Whether a column of this name usually holds the records' own names."""
    return name in INDEX_NAMES or plain(name) in RECORD_NAMES


def find_column(name: str, header: Sequence[str], path: str | None) -> str:
    """The column that the user named."""
    if header.count(name) > 1:
        remedy = "give each column a unique name"
        raise InputError(f"has {header.count(name)} columns {name!r}", path=path, remedy=remedy)
    if name in header:
        return name
    near = nearest(name, header, cutoff=0.5)
    remedy = f"name {near!r}, if that is what you mean" if near else "name one of these"
    raise InputError(f"has no column {name!r}; {listed(header)}", path=path, remedy=remedy)


def only_column(
    found: Sequence[str],
    header: Sequence[str],
    path: str | None,
    *,
    alike: str,
    holding: str,
    remedy: str,
) -> str:
    """The one column that was found; refuses none that looks ``alike``, and several ``holding`` the same."""
    if len(found) == 1:
        return found[0]
    problem = f"no column looks like {alike}; {listed(header)}"
    if found:
        problem = f"several columns could hold {holding}: {', '.join(map(repr, found))}"
    raise InputError(problem, path=path, remedy=remedy)


def record_column(
    header: Sequence[str], options: Options, path: str | None, *, but: str | None = None
) -> str | None:
    """The column that names the records: as the user said, or by its usual name."""
    if options.record_column:
        return find_column(options.record_column, header, path)
    return usual_column(header, RECORD_NAMES, "record_column", path, but=but)


def long_columns(header: Sequence[str], options: Options, path: str | None) -> tuple[str, str]:
    """The record and the item column of a file that is said to have both."""
    record = item = None
    if len(header) == 2 and header[0] == header[1]:
        find_column(header[0], header, path)  # which says that there are two
    if options.record_column is not None:
        record = find_column(options.record_column, header, path)
    if options.item_column is not None:
        item = find_column(options.item_column, header, path)
    record = record or usual_column(header, RECORD_NAMES, "record_column", path, but=item)
    item = item or usual_column(header, ITEM_NAMES, "item_column", path, but=record)
    if len(header) == 2 and not (record and item):
        # With one of two columns known, or none, the order of the two says the rest.
        record = record or next(name for name in header if name != item)
        item = item or next(name for name in header if name != record)
    if not (record and item):
        missing = "record" if not record else "item"
        remedy = f"name it with {option(missing + '_column')}"
        problem = f"no column looks like the {missing} column; {listed(header)}"
        raise InputError(problem, path=path, remedy=remedy)
    if record == item:
        raise InputError(f"column {record!r} cannot be both record and item", path=path)
    return record, item


def usual_column(
    header: Sequence[str], names: frozenset[str], wanted: str, path: str | None, *, but: str | None
) -> str | None:
    """The one column with a usual name, if there is one; two of them are for the user to decide."""
    found = [name for name in header if plain(name) in names and name != but]
    if len(found) > 1:
        shown = ", ".join(map(repr, found))
        what = "that stands for a person" if wanted == "record_column" else "you mean"
        remedy = f"name the one {what} with {option(wanted)}"
        problem = f"several columns could be the {wanted.replace('_', ' ')}: {shown}"
        raise InputError(problem, path=path, remedy=remedy)
    return found[0] if found else None


def has_usual_columns(header: Sequence[str]) -> bool:
    """Whether a record and an item column stand out by their names."""
    names = {plain(name) for name in header}
    return not names.isdisjoint(RECORD_NAMES) and not names.isdisjoint(ITEM_NAMES)


def ask_about_persons(source: Columns, cells: Callable[[str], Collection[object]]) -> None:
    """Stop at a table with an id of its own in each row: of persons as likely as of items, one for each."""
    names = [name for name in source.columns if plain(name) in RECORD_NAMES]
    if len(source.columns) < 3 or len(names) != 1:
        return
    ids = cells(names[0])
    if len(ids) > 1 and len(set(ids)) == len(ids):
        typed = option("table").startswith("--")
        table = "say --table" if typed else "use read_table"
        people = "--people" if typed else "read_people"
        raise source.error(
            f"looks like a table of persons, since no id in column {names[0]!r} occurs twice; "
            f"{listed(source.columns)}",
            f"{table} if it is one, {people} if one of its columns holds items; or say "
            f"{option('format', 'long')} if each row is an item of a record",
        )


def listed(header: Sequence[str]) -> str:
    """The columns there are, in words."""
    shown = ", ".join(repr(name) for name in header[:12])
    return f"its columns are {shown}" + (f" and {len(header) - 12} more" if header[12:] else "")
