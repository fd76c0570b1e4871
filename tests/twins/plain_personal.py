"""The personal kernels in obvious Python: records are sets, persons are numbered as their records are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, count
from math import log

Record = frozenset[int]
PersonalRule = tuple[Record, int]
"""What is known, and what follows from it that somebody who owns all of it wants protected."""
Occurrence = tuple[int, int]
"""A record's number and an item."""
Fix = tuple[tuple[int, ...], int, int, int, list[Occurrence]]
"""What is known, what follows, in how many records they are together, in how many what is known is; and
what was withheld for it."""


@dataclass
class Choice:
    """What is withheld from an unsafe rule, and from which of the records that hold it."""

    victim: str
    """"consequent", "leftover" or "distribution"; see ``choose``."""
    at_random: bool
    """Else from the first records."""
    state: int
    """Of the random numbers."""


def count_support(itemset: Iterable[int], records: Iterable[Collection[int]]) -> int:
    """How many records hold the whole itemset."""
    return sum(set(itemset) <= set(record) for record in records)


def survey_known_sets(
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
    *,
    sizes: tuple[int, int],
) -> set[PersonalRule]:
    """Every unsafe rule of somebody who knows ``sizes[0]`` to ``sizes[1]`` items of an original record.

    >>> one, two = frozenset({1}), frozenset({1, 2})
    >>> survey_known_sets([two, two], [two, one], [frozenset({2}), frozenset()], Fraction(1, 3), sizes=(1, 1))
    {(frozenset({1}), 2)}
    """
    return {
        (frozenset(known), e)
        for original, wished in zip(originals, wishes, strict=True)
        for size in range(sizes[0], sizes[1] + 1)
        for known in combinations(sorted(original), size)
        for e in wished - set(known)
        if count_support({*known, e}, published) > rho * count_support(known, published)
    }


def has_unsafe_known_set(
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
    largest: int,
) -> bool:
    """Whether somebody who knows up to ``largest`` items infers what the owner of these wants protected."""
    return bool(survey_known_sets(originals, published, wishes, rho, sizes=(1, largest)))


def find_set_unsafe_for_somebody(
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
) -> set[PersonalRule]:
    """Every unsafe rule, however much is known: one of these is found, or there is none."""
    longest = max(map(len, originals))
    return survey_known_sets(originals, published, wishes, rho, sizes=(0, longest))


def find_harmed_person(
    persons: Iterable[int],
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
) -> set[PersonalRule]:
    """Every unsafe rule, not of nothing known, about one of these persons."""
    mine = list(persons)
    longest = max((len(originals[person]) for person in mine), default=0)
    own, want = [originals[person] for person in mine], [wishes[person] for person in mine]
    return survey_known_sets(own, published, want, rho, sizes=(1, longest))


def find_unsafe_people(
    persons: Iterable[int],
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
) -> set[PersonalRule]:
    """Of each person's rules those with all known items, except e, that its rows share of the original."""
    found = set()
    for person in persons:
        for known, e in find_harmed_person([person], originals, published, wishes, rho):
            rows = [record for record in published if known <= record]
            shared = frozenset.intersection(*rows) & originals[person]
            if shared - {e} == known:
                found.add((known, e))
    return found


def find_unsafe_sets(
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
) -> set[tuple[Record, int]]:
    """The closed sets Y (not empty) of the published rows, with each item that is unsafe there."""
    found = set()
    for closed, rows in _closed_sets(published):
        for e in {item for wished in wishes for item in wished}:
            for original, wished in zip(originals, wishes, strict=True):
                known = (closed & original) - {e}
                joint = sum(e in published[row] for row in rows)
                if (
                    e in wished
                    and count_support(known, published) == len(rows)
                    and joint > rho * len(rows)
                ):
                    found.add((closed, e))
    return found


def _closed_sets(published: Sequence[Record]) -> Iterator[tuple[Record, list[int]]]:
    """Every intersection of published rows that is not empty, and the rows that hold it."""
    sets: set[Record] = set()
    for record in published:
        sets |= {record & other for other in sets} | {record}
    for closed in sets - {frozenset()}:
        yield closed, [row for row, record in enumerate(published) if closed <= record]


def try_adversaries(
    persons: Sequence[int],
    known: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
) -> list[bool]:
    """Which of the adversaries infer something that their person wants protected."""
    return [
        any(
            count_support(q | {e}, published) > rho * count_support(q, published)
            for e in wishes[person] - q
        )
        for person, q in zip(persons, known, strict=True)
    ]


def mark_successful(
    persons: Sequence[int],
    known: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
) -> list[bool]:
    """The same as ``try_adversaries``: the check has a kernel of its own."""
    return try_adversaries(persons, known, published, wishes, rho)


def are_first_personal_breaches(
    draws: Iterable[tuple[int, int, Record]],
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
) -> list[bool]:
    """Which draws of a record, an item e and known items q are a breach and the first record with all of it.

    A breach: e follows from q, and somebody who owns all of q originally wants e protected.
    """
    return [
        row == next(n for n, record in enumerate(published) if q | {e} <= record)
        and any(q <= o and e in wished for o, wished in zip(originals, wishes, strict=True))
        and count_support(q | {e}, published) > rho * count_support(q, published)
        for row, e, q in draws
    ]


def fix_known_sets(
    size: int,
    originals: Sequence[Record],
    published: list[set[int]],
    wishes: Sequence[Record],
    rho: Fraction,
    choice: Choice,
) -> list[Fix]:
    """Make safe every rule of ``size`` known items whose owners want it protected; what was done for it.

    Sets of known items come from the lowest item on, each followed by those with higher items, in the order
    in which its records have them. A set in the same records as the one without its last item, or a larger
    set in a single record, need not be visited: whatever is unsafe there is unsafe without its last item.
    """
    done: list[Fix] = []

    def visit(known: tuple[int, ...], n_before: int) -> None:
        owners = [row for row, original in enumerate(originals) if set(known) <= original]
        holders = [row for row in owners if set(known) <= published[row]]
        if len(holders) in (0, n_before):
            return
        if len(known) == size:
            wished = frozenset().union(*(wishes[row] for row in owners))
            while _fix_one_set(known, wished, originals, published, rho, choice, done):
                pass
        elif len(holders) > 1:
            higher = [x for row in owners for x in sorted(originals[row]) if x > known[-1]]
            for x in dict.fromkeys(higher):
                visit((*known, x), len(holders))

    for root in sorted(frozenset().union(*originals)):
        visit((root,), len(originals))
    return done


def _fix_one_set(
    known: tuple[int, ...],
    wished: Record,
    originals: Sequence[Record],
    published: list[set[int]],
    rho: Fraction,
    choice: Choice,
    done: list[Fix],
) -> bool:
    """Fix what follows from one set; True if something known was withheld, so that counts have changed."""
    holders = [row for row in range(len(published)) if set(known) <= published[row]]
    for e in dict.fromkeys(x for row in holders for x in sorted(published[row])):
        if e in wished - set(known):
            fix_rules([(known, e)], originals, published, rho, choice, done)
            if any(set(known) - published[row] for row in holders):
                return True
    return False


def fix_rules(
    rules: Iterable[tuple[tuple[int, ...], int]],
    originals: Sequence[Record],
    published: list[set[int]],
    rho: Fraction,
    choice: Choice,
    done: list[Fix] | None = None,
) -> list[Fix]:
    """Make these rules safe one after the other, as far as they are not; adds what was done for which.

    >>> table = [{1, 9}, {1, 9}, {1}]
    >>> fix_rules([((1,), 9)], table, table, Fraction(1, 2), Choice("consequent", False, 1))
    [((1,), 9, 2, 3, [(0, 9)])]
    """
    done = [] if done is None else done
    for known, e in rules:
        support = count_support(known, published)
        joint = count_support({*known, e}, published)
        if joint > rho * support:
            victim, many = choose(known, e, originals, published, rho, choice.victim)
            both = [row for row, record in enumerate(published) if {*known, e} <= record]
            gone = []
            for number, row in enumerate(both):
                left, wanted = len(both) - number, many - len(gone)
                if wanted and (not choice.at_random or next_random(choice) % left < wanted):
                    published[row].remove(victim)
                    gone.append((row, victim))
            done.append((known, e, joint, support, gone))
    return done


def choose(
    known: tuple[int, ...],
    e: int,
    originals: Sequence[Collection[int]],
    published: Sequence[Collection[int]],
    rho: Fraction,
    victim: str,
) -> tuple[int, int]:
    """The item to withhold so that e no longer follows, and from how many records that hold them all.

    Always e; or the item whose share that is left, times the records needed, is least; or whose share of all
    occurrences has grown most, for the records needed. Of equals e, then the lowest.
    """
    support, joint = count_support(known, published), count_support({*known, e}, published)
    needed = {x: next(k for k in count(1) if joint - k <= rho * (support - k)) for x in known}
    needed[e] = next(k for k in count(1) if joint - k <= rho * support)

    def cost(x: int) -> float:
        now, before = count_support({x}, published), count_support({x}, originals)
        if victim == "leftover":
            return now / before * needed[x]
        share = now / sum(map(len, published))
        gain = share * log(share / (before / sum(map(len, originals))))
        return -gain / needed[x] if gain > 0 else -gain * needed[x]

    best = e if victim == "consequent" else min([e, *known], key=cost)
    return best, needed[best]


def next_random(choice: Choice) -> int:
    """The next number of a Lehmer generator."""
    choice.state = choice.state * 48271 % (2**31 - 1)
    return choice.state


def put_all_back(published: Sequence[Record], gone: Iterable[Occurrence]) -> list[Record]:
    """The records with these occurrences published again."""
    back = list(published)
    for row, x in gone:
        back[row] |= {x}
    return back


def try_restoring(
    gone: Iterable[Occurrence],
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
    most: int,
) -> list[bool]:
    """Whether each of the occurrences, published again alone, leaves a safe table safe."""
    return [
        unsafe_rule(originals, put_all_back(published, [each]), wishes, rho, most) is None
        for each in gone
    ]


def restore_together(
    gone: Iterable[Occurrence],
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
    most: int,
) -> list[bool]:
    """Which of the occurrences come back, one after the other, if the table stays safe."""
    outcomes = []
    for each in gone:
        with_it = put_all_back(published, [each])
        outcomes.append(unsafe_rule(originals, with_it, wishes, rho, most) is None)
        published = with_it if outcomes[-1] else published
    return outcomes


def unsafe_rule(
    originals: Sequence[Record],
    published: Sequence[Record],
    wishes: Sequence[Record],
    rho: Fraction,
    most: int,
) -> PersonalRule | None:
    """An unsafe rule of at most ``most`` known items, or none, that an owner of these wants protected."""
    known_sets = {
        frozenset(known)
        for original in originals
        for size in range(most + 1)
        for known in combinations(sorted(original), size)
    }
    for known in sorted(known_sets, key=lambda known: (len(known), sorted(known))):
        holders = [record for record in published if known <= record]
        owners = [n for n, original in enumerate(originals) if known <= original]
        for e in sorted(frozenset().union(*(wishes[owner] for owner in owners)) - known):
            if sum(e in record for record in holders) > rho * len(holders):
                return known, e
    return None
