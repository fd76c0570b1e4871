"""The promise for people by brute force: every knowledge of attributes and items, tried one by one.

A person is a tuple of cells (None: withheld) and a set of items. *Whoever knows anything about a person's
attributes and at most m items of the published record, and counts the published records that fit, finds no
further sensitive item in more than ρ of them; and every person shares all published attributes with k - 1
others.* To know anything about an attribute is to know a set of cells one of which is published for the
person; that a cell is withheld can be known as well. An item ``X@2019`` is X with its date: whoever has it
has X, whoever knows it knows X, and where X is sensitive so is its date. Imports nothing of withhold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, product

Cells = tuple[str | None, ...]
Person = tuple[Cells, frozenset[str]]


def undated(item: str) -> str:
    """The item without its date."""
    return item.partition("@")[0]


def subsets(
    things: Iterable[object], *, least: int = 0, most: int | None = None
) -> Iterator[tuple]:
    """All subsets of at least and at most so many."""
    things = list(things)
    most = len(things) if most is None else min(most, len(things))
    return chain.from_iterable(combinations(things, n) for n in range(least, most + 1))


def worst_share(
    people: Sequence[Person],
    sensitive: Iterable[str],
    max_known: int | None,
    *,
    wildcard: Sequence[Iterable[str | None]] | None = None,
) -> Fraction:
    """The largest share of fitting persons that have one further sensitive item.

    With ``wildcard``, the original values of each column, a withheld cell fits whatever is known; without it
    the attacker knows a set of published cells, in which the withheld cell can be.
    """
    everybody = (1 << len(people)) - 1
    people = [(cells, items | {undated(item) for item in items}) for cells, items in people]
    protected = {item for _, items in people for item in items if undated(item) in set(sensitive)}
    protected |= set(sensitive)
    having: dict[str, int] = {}
    for place, (_, items) in enumerate(people):
        for item in items:
            having[item] = having.get(item, 0) | 1 << place
    columns = []
    for column in range(len(people[0][0])):
        showing: dict[str | None, int] = {}
        for place, (cells, _) in enumerate(people):
            showing[cells[column]] = showing.get(cells[column], 0) | 1 << place
        if wildcard is None:
            known = subsets(showing, least=1)
            masks = {sum(showing[cell] for cell in chosen) for chosen in known}
        else:
            stars = showing.get(None, 0)
            known = subsets(set(wildcard[column]), least=1)
            masks = {
                stars | sum(showing.get(v, 0) for v in chosen if v is not None) for chosen in known
            }
        columns.append(masks | {everybody})
    worst = Fraction(0)
    places = {everybody}
    for masks in columns:
        places = {one & other for one, other in product(places, masks)} - {0}
    for known in subsets(having, most=max_known):
        with_items = everybody
        for item in known:
            with_items &= having[item]
        for fitting in {place & with_items for place in places} - {0}:
            for item in protected - set(known) - {undated(item) for item in known}:
                joint = (fitting & having.get(item, 0)).bit_count()
                worst = max(worst, Fraction(joint, fitting.bit_count()))
    return worst


def smallest_group(people: Sequence[Person]) -> int:
    """The fewest persons that share all published attributes."""
    return min(Counter(cells for cells, _ in people).values())


def _public_in(people: Sequence[Person], cells: Cells, sensitive: Iterable[str]) -> list[set[str]]:
    """The public items of each person of a group, those with dates also without."""
    group = [
        {each for item in items for each in (item, undated(item))}
        for others, items in people
        if others == cells
    ]
    return [{i for i in items if undated(i) not in sensitive} for items in group]


def rarest(people: Sequence[Person], sensitive: Iterable[str], most: int) -> int:
    """The fewest persons of a group that have some public items, at most so many, which one of them has."""
    fewest = len(people)
    for cells in {cells for cells, _ in people}:
        public = _public_in(people, cells, sensitive)
        for known in {
            known for items in public for known in subsets(sorted(items), least=1, most=most)
        }:
            fewest = min(fewest, sum(set(known) <= items for items in public))
    return fewest


def rare_sets(
    people: Sequence[Person], sensitive: Iterable[str], k: int, most: int
) -> dict[tuple[Cells, frozenset[str]], int]:
    """The public items, at most so many, that some but fewer than k persons of a group have.

    Only sets of which no part is one; each with how many have it.
    """
    found: dict[tuple[Cells, frozenset[str]], int] = {}
    for cells in {cells for cells, _ in people}:
        public = _public_in(people, cells, sensitive)
        for known in subsets(set().union(*public), least=1, most=most):
            having = sum(set(known) <= items for items in public)
            parts = subsets(known, least=1, most=len(known) - 1)
            if 0 < having < k and not any((cells, frozenset(part)) in found for part in parts):
                found[cells, frozenset(known)] = having
    return found


def is_safe(
    people: Sequence[Person], sensitive: Iterable[str], rho: Fraction, k: int, max_known: int | None
) -> bool:
    """Whether the promise holds."""
    return smallest_group(people) >= k and worst_share(people, sensitive, max_known) <= rho
