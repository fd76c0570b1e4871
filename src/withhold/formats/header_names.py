"""What columns are called in several languages: enough to ask whether a first line is a header, and no more.

These names decide nothing by themselves. ``columns`` has those by which columns are recognised.
"""

from __future__ import annotations

from collections.abc import Sequence

from withhold.formats.columns import (
    ITEM_NAMES,
    LIST_NAMES,
    OTHER_ITEMS,
    OTHER_RECORDS,
    RECORD_NAMES,
    plain,
)

OF_RECORDS = frozenset(
    ("nr", "nummer", "numéro", "numero", "número", "ticket", "client", "dossier")
)
OF_ITEMS = frozenset(
    ("produkte", "waren", "medikamente", "diagnosen", "produits", "médicaments", "artículos",
     "productos", "articoli", "prodotti", "farmaci", "artigos", "produtos", "artikelen", "producten")
)  # fmt: skip
"""Names for several items, or for no item in particular."""
BESIDE = frozenset(
    ("amount", "count", "date", "name", "price", "qty", "quantity", "time", "total", "menge",
     "anzahl", "stück", "preis", "betrag", "datum", "uhrzeit", "quantité", "prix", "nom", "montant",
     "heure", "cantidad", "precio", "fecha", "hora", "nombre", "quantità", "prezzo", "data", "ora",
     "nome", "quantidade", "preço", "aantal", "prijs")
)  # fmt: skip
"""Names that occur in a header only beside others."""
ALONE = OF_RECORDS | OF_ITEMS | OTHER_RECORDS | OTHER_ITEMS | RECORD_NAMES | ITEM_NAMES | LIST_NAMES


BETWEEN = frozenset(
    (
        "per",
        "of",
        "in",
        "each",
        "je",
        "pro",
        "der",
        "des",
        "par",
        "de",
        "du",
        "por",
        "del",
        "di",
        "da",
        "van",
    )
)
"""Words between names, as in ``Artikel je Bon``."""


def are_names_of_columns(cells: Sequence[str]) -> bool:
    """Whether all of these are names of columns, and at least one of records or items.

    >>> are_names_of_columns(["Artikel", "Menge"]), are_names_of_columns(["Menge"])
    (True, False)
    >>> are_names_of_columns(["Artikel", "je", "Bon"]), are_names_of_columns(["je"])
    (True, False)
    >>> are_names_of_columns(["code", "milk"]), are_names_of_columns([])
    (False, False)
    """
    names = set(map(plain, cells)) - BETWEEN
    return bool(names & ALONE) and names <= ALONE | BESIDE
