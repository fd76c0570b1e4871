"""Which column is which, by the names that people usually give them.

In: a header and the user's options. Out: the record and the item column, or an error that lists the
existing columns and the nearest spelling. The cells themselves are not read here.
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
OTHER_RECORDS = frozenset(
    ("warenkorb", "warenkörbe", "einkauf", "kunde", "kunden", "kundenid", "kundennr",
     "kundennummer", "bestellung", "bestellnr", "bestellnummer", "rechnung", "rechnungsnr",
     "rechnungsnummer", "beleg", "belegnr", "belegnummer", "bon", "bonid", "bonnr", "bonnummer",
     "fall", "fallid", "fallnr", "fallnummer", "vorgang", "vorgangsnr", "transaktion", "patnr",
     "patid", "patienten", "patientenid", "patientennr", "patientennummer", "panier", "achat",
     "commande", "facture", "cesta", "carrito", "compra", "cliente", "pedido", "factura",
     "paciente", "transacción", "carrello", "acquisto", "ordine", "fattura", "scontrino",
     "paziente", "transazione", "carrinho", "cesto", "fatura", "recibo", "transação",
     "winkelmand", "klant", "bestelling", "factuur", "transactie")
)  # fmt: skip
OTHER_ITEMS = frozenset(
    ("artikel", "artikelid", "artikelname", "artikelnr", "artikelnummer", "produkt",
     "produktname", "ware", "bezeichnung", "medikament", "diagnose", "produit", "libellé",
     "désignation", "médicament", "diagnostic", "artículo", "articulo", "producto",
     "medicamento", "diagnóstico", "código", "codigo", "articolo", "prodotto", "farmaco",
     "diagnosi", "codice", "artigo", "produto")
)  # fmt: skip
"""What records and items are called in German, French, Spanish, Italian, Portuguese and Dutch."""
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
"""Text followed by a separator: a cell that may be a list."""
INDEX_NAMES = frozenset(("", "Unnamed: 0"))
"""What a data frame's row labels are called once they have been written to a file."""


@dataclass(frozen=True, slots=True)
class Options:
    """The caller's options for reading a file; ``None`` if not given."""

    format: str | None = None
    separator: str | None = None
    record_column: str | None = None
    item_column: str | None = None
    skip_missing_ids: bool = False
    """Leave out rows without a record id."""
    encoding: str | None = None
    """The encoding of a text."""
    sheet: str | int | None = None
    """The sheet of a spreadsheet."""
    dates: Periods | None = None
    """The periods that replace the dates of items; None: dates are left out."""
    date_column: str | None = None


class Columns(Placed):
    """What frames and CSV files have in common: named columns of cells."""

    __slots__ = ()
    columns: list[str]
    separator: str
    """The separator between the cells of a line; a blank if there are no lines."""

    @abstractmethod
    def column(self, name: str) -> polars.Series:
        """The cells of a column."""

    @abstractmethod
    def line(self, row: int) -> int | None:
        """The line on which a row, counted from 0, ends; None if there are no lines."""


def plain(name: str) -> str:
    """The name in lower case without blanks and punctuation, as in the lists above."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def names_record(name: str, *, in_any_language: bool = False) -> bool:
    """Whether a column of this name usually holds the records' own names."""
    names = RECORD_NAMES | OTHER_RECORDS if in_any_language else RECORD_NAMES
    return name in INDEX_NAMES or plain(name) in names


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
    """The one column found; an error if none looks ``alike``, or several are ``holding`` the same."""
    if len(found) == 1:
        return found[0]
    problem = f"no column looks like {alike}; {listed(header)}"
    if found:
        problem = f"several columns could hold {holding}: {', '.join(map(repr, found))}"
    raise InputError(problem, path=path, remedy=remedy)


def record_column(
    header: Sequence[str], options: Options, path: str | None, *, but: str | None = None
) -> str | None:
    """The column that names the records: the one the user named, or one with a usual name."""
    if options.record_column:
        return find_column(options.record_column, header, path)
    return usual_column(header, RECORD_NAMES | OTHER_RECORDS, "record_column", path, but=but)


def long_columns(header: Sequence[str], options: Options, path: str | None) -> tuple[str, str]:
    """The record and the item column of a file that is said to have both."""
    record = item = None
    if len(header) == 2 and header[0] == header[1]:
        find_column(header[0], header, path)  # reports the duplicate name
    if options.record_column is not None:
        record = find_column(options.record_column, header, path)
    if options.item_column is not None:
        item = find_column(options.item_column, header, path)
    record = record or usual_column(
        header, RECORD_NAMES | OTHER_RECORDS, "record_column", path, but=item
    )
    item = item or usual_column(header, ITEM_NAMES | OTHER_ITEMS, "item_column", path, but=record)
    if len(header) == 2 and not (record and item):
        # If at most one of the two columns is known, their order settles the rest.
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
    """The one column with a usual name, if there is one; between two, the user must decide."""
    found = [name for name in header if plain(name) in names and name != but]
    if len(found) > 1:
        shown = ", ".join(map(repr, found))
        what = "that stands for a person" if wanted == "record_column" else "you mean"
        remedy = f"name the one {what} with {option(wanted)}"
        problem = f"several columns could be the {wanted.replace('_', ' ')}: {shown}"
        raise InputError(problem, path=path, remedy=remedy)
    return found[0] if found else None


def has_usual_columns(header: Sequence[str], *, in_any_language: bool = True) -> bool:
    """Whether a record and an item column stand out by their names."""
    names = {plain(name) for name in header}
    records, items = RECORD_NAMES, ITEM_NAMES
    if in_any_language:
        records, items = records | OTHER_RECORDS, items | OTHER_ITEMS
    return not names.isdisjoint(records) and not names.isdisjoint(items)


def ask_about_persons(source: Columns, cells: Callable[[str], Collection[object]]) -> None:
    """Stop at a table with a distinct id in each row: it may hold persons, or one item for each record."""
    usual = RECORD_NAMES | OTHER_RECORDS
    names = [name for name in source.columns if plain(name) in usual]
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
    """The existing columns, in words."""
    shown = ", ".join(repr(name) for name in header[:12])
    return f"its columns are {shown}" + (f" and {len(header) - 12} more" if header[12:] else "")
