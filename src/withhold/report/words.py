"""What the numbers of an audit are called: for text and page alike, and only where the model knows them."""

from __future__ import annotations

from dataclasses import dataclass

from withhold.auditing.result import Audit, SizeCount
from withhold.method import Model
from withhold.wording import counted


@dataclass(frozen=True)
class Words:
    """What one model calls things."""

    special: str = "sensitive"
    """The items that must not be inferred."""
    counts: str = "Breaches by what the attacker knows"
    worst: str = "The worst, smallest knowledge first"
    inferred: str = "sensitive item inferred"
    known: str = ""
    """The kind of items that may be known, if not all may."""


WORDS = {
    "personal-rho": Words(special="feared by somebody", inferred="feared item inferred"),
    "coherence": Words(
        special="private",
        counts="Minimal moles by what the attacker knows",
        inferred="private item inferred",
        known="public ",
    ),
    "km": Words(counts="Minimal moles by what the attacker knows"),
    "buckets": Words(counts="Rare sets by their number of items", worst="The rarest sets"),
}


def words_of(model: Model) -> Words:
    """The words of the model."""
    return WORDS.get(model.name, Words())


def shown_shares(audit: Audit) -> list[tuple[str, str]]:
    """The shares that the points of the attack curve have, under their names, with their headings."""
    k = getattr(audit.model, "k", 0)
    headings = {
        "unique": "record is unique",
        "below_k": f"fewer than {k:,} records",
        "inferred": words_of(audit.model).inferred,
    }
    point = audit.attack_curve[0]
    return [(name, head) for name, head in headings.items() if getattr(point, name) is not None]


def beyond_promise(audit: Audit) -> list[str]:
    """A line where the curve goes further than the promise."""
    bounds = (getattr(audit.model, name, None) for name in ("max_known", "p"))
    most = next((bound for bound in bounds if bound is not None), None)
    if most is None or most >= audit.attack_curve[-1].known:
        return []
    kind = words_of(audit.model).known
    return [f"The promise is about at most {most:,} known {kind}item{'s' * (most != 1)}."]


def counted_rows(audit: Audit) -> list[tuple[str, SizeCount]]:
    """For each number of known items how many breaches there are, and how that is known."""
    if audit.model.name == "buckets":
        labels = {size: f"{size:,} item{'s' * (size != 1)}" for size in audit.counts}
    else:
        labels = {size: f"knows {_items(size)}" for size in audit.counts}
    return [(labels[size], count) for size, count in audit.counts.items()]


def exposed_meaning(audit: Audit) -> str:
    """What the number of exposed records counts."""
    most = audit.exposed_known
    if audit.model.name == "buckets":
        return f"records that share all their items, {most or 0:,} or fewer, with too few others"
    known = "nothing" if not most else f"at most {_items(most)}"
    return f"records of which somebody who knows {known} learns what the model forbids"


def exposed_text(audit: Audit) -> str:
    """How many records are exposed, and to whom."""
    most = audit.exposed_known
    if most is None:
        return "Exposed records were not counted."
    number = f"{counted(audit.exposed_records, 'record')} ({audit.exposed_share:.1%})"
    if audit.model.name == "buckets":
        return f"In rare sets of at most {_items(most)}: {number}"
    known = "nothing" if most == 0 else f"at most {most:,}"
    return f"Exposed to somebody who knows {known}: {number}"


def _items(number: int) -> str:
    return "nothing" if number == 0 else f"{number:,} item{'s' * (number > 1)}"
