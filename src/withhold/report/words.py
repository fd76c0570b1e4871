"""What the numbers of an audit are called: for text and page alike, and only where the model knows them."""

from __future__ import annotations

from typing import Any

from withhold.auditing.result import Audit, SizeCount
from withhold.method import Model
from withhold.registry import method_of
from withhold.telling.words import Words
from withhold.wording import counted


def words_of(model: Model) -> Words:
    """The words of the model."""
    return method_of(model).words


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
    words = words_of(audit.model)
    return [
        (words.counted.format(items=_items(size, words)), count)
        for size, count in audit.counts.items()
    ]


def exposed_meaning(audit: Audit) -> str:
    """What the number of exposed records counts."""
    words = words_of(audit.model)
    return words.exposed_meaning.format(**_at_most(audit.exposed_known or 0, words))


def exposed_text(audit: Audit) -> str:
    """How many records are exposed, and to whom."""
    if audit.exposed_known is None:
        return "Exposed records were not counted."
    words = words_of(audit.model)
    number = f"{counted(audit.exposed_records, 'record')} ({audit.exposed_share:.1%})"
    return f"{words.exposed.format(**_at_most(audit.exposed_known, words))}: {number}"


def _at_most(most: int, words: Words) -> dict[str, Any]:
    """The largest number of items in all the ways in which sentences may need it."""
    return {
        "most": most,
        "at_most": "nothing" if most == 0 else f"at most {most:,}",
        "at_most_items": "nothing" if most == 0 else f"at most {_items(most, words)}",
    }


def _items(number: int, words: Words) -> str:
    return words.nothing if number == 0 else f"{number:,} item{'s' * (number > 1)}"
