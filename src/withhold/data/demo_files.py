"""The small files besides the pharmacy's baskets that the guide's commands read; all invented.

In: how many baskets there are. Out: texts by file name. ``withhold demo`` writes them.
"""

from __future__ import annotations

from typing import Final

from withhold.data.pharmacy import SENSITIVE, SHELVES
from withhold.data.survey import zip_hierarchy

SHELF_NAMES: Final = (
    *("colds", "teeth", "hygiene", "skin", "pain", "vitamins", "wounds", "stomach"),
    *("allergies-and-eyes", "babies", "travel", "hair", "intimate-care", "wellbeing"),
)
"""What stands on each shelf of the pharmacy."""
BEHIND_THE_COUNTER: Final = {
    "self-tests": ("chlamydia-self-test", "hiv-self-test", "pregnancy-test"),
    "medicines": (
        *("antidepressant", "emergency-contraceptive", "erection-pills", "insulin"),
        "sleeping-pills",
    ),
    "discreet-care": (
        *("haemorrhoid-cream", "hair-loss-tonic", "incontinence-pads", "nicotine-patches"),
        *("wart-remover", "weight-loss-pills"),
    ),
}
"""The sensitive items by kind."""
CONSTRAINTS: Final = (
    ("*", "pregnancy-test"),
    ("*", "hiv-self-test"),
    ("3", "antidepressant"),
    ("3", "sleeping-pills"),
    ("17", "insulin"),
    ("29", "!pregnancy-test"),
)
"""Who wants what protected: everybody two items, two customers more, one fewer."""
VISITS: Final = """\
E11.9 I10
E11.9 I10 J45
E11.2 I10
E10.1 J45
J45 M54.5
J44.1 M54.5
I25.1 E11.9
I10 E78.0
"""
"""Eight visits to a doctor, as ICD codes."""


def demo_files(baskets: int) -> dict[str, str]:
    """The texts of the files, by name."""
    items = "\n".join(sorted(SENSITIVE)) + "\n"
    named = [pair for pair in CONSTRAINTS if pair[0] == "*" or int(pair[0]) <= baskets]
    return {
        "sensitive.txt": items,
        "private.txt": items,
        "constraints.csv": "".join(
            f"{record},{item}\n" for record, item in (("record", "item"), *named)
        ),
        "item-hierarchy.csv": item_hierarchy(),
        "zip-hierarchy.csv": zip_hierarchy(),
        "visits.dat": VISITS,
    }


def item_hierarchy() -> str:
    """Every item of the pharmacy with its kind, leaf first, with semicolons."""
    kinds = dict(zip(SHELF_NAMES, (shelf.split() for shelf in SHELVES), strict=True))
    kinds |= {kind: list(items) for kind, items in BEHIND_THE_COUNTER.items()}
    return "".join(f"{item};{kind};*\n" for kind, items in kinds.items() for item in items)
