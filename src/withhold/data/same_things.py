"""Which items may be the same thing as a listed one, judged by their words: more, fewer, in another order.

In: listed names and others. Out: for each of the others that has the words of a listed name, or whose words
that name has, which; numbers of things and plural endings do not count, and ``Ins.`` may be ``Insulin``.
Other things are called so, too, which is why this is worth a warning and no more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from withhold.describing import MARK

BETWEEN_WORDS = re.compile(r"[\W_]+")
PLURAL, SHORTEST = 3, 3
"""The fewest letters before a plural ending; and of a word that says what a thing is."""
AFTER_A_HISS = ("ses", "xes", "zes", "ches", "shes", "oes")
Words = frozenset[str]


def same_things(listed: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """For each of the others that may be a listed thing: which.

    >>> same_things(["Insulin pens"], ["Insulin", "2x Insulin pen", "Pens insulin", "Ins. pens", "Test pen"])
    {'Insulin': 'Insulin pens', '2x Insulin pen': 'Insulin pens', 'Pens insulin': 'Insulin pens', \
'Ins. pens': 'Insulin pens'}
    """
    words = {name: words_of(name) for name in sorted(listed)}
    words = {name: own for name, own in words.items() if own}
    by_word: dict[str, list[str]] = defaultdict(list)
    for name, own in words.items():
        for word in own:
            by_word[word].append(name)
    shortened = [(_tokens(name), name) for name in words if "." in name]
    by_length: dict[int, list[tuple[list[str], str]]] = defaultdict(list)
    for name in words:
        by_length[len(tokens := _tokens(name))].append((tokens, name))
    found: dict[str, str] = {}
    for other in others:
        own = words_of(other)
        near = {name for word in own for name in by_word.get(word, ())}
        same = sorted(name for name in near if _contains(words[name], own))
        if not same and own:
            tokens = _tokens(other)
            candidates = by_length[len(tokens)] if "." in other else shortened
            same = [name for theirs, name in candidates if _is_short_for(tokens, theirs)]
        if same:
            found[other] = same[0]
    return found


def words_of(name: str) -> Words:
    """The words of a name without case, plural endings and numbers of things; none if it has no word."""
    text = (name.partition(MARK)[2] or name).casefold()
    words = frozenset(map(_singular, filter(None, BETWEEN_WORDS.split(text))))
    return words if any(map(str.isalpha, words)) else frozenset()


def _singular(word: str) -> str:
    """The word without the ending of a plural; *hives* are not *hiv*."""
    if word.endswith(AFTER_A_HISS):
        return word.removesuffix("es")
    is_plural = word.endswith("s") and not word.endswith("ss") and len(word) > PLURAL
    return word.removesuffix("s") if is_plural else word


def _contains(one: Words, other: Words) -> bool:
    """Whether one has all words of the other, and what they share says what a thing is."""
    if not (one <= other or other <= one):
        return False
    return any(word.isalpha() and len(word) >= SHORTEST for word in one & other)


def _tokens(name: str) -> list[str]:
    """The words of a name in their order, with the points that end them."""
    return (name.partition(MARK)[2] or name).casefold().replace("-", " ").split()


def _is_short_for(tokens: list[str], others: list[str]) -> bool:
    """Whether each word is that of the other name, or one of them ends with a point and begins the other."""
    if len(tokens) != len(others) or not tokens:
        return False
    pairs = [(a, b) if a.endswith(".") else (b, a) for a, b in zip(tokens, others, strict=True)]
    short = [a.endswith(".") and b.startswith(a[:-1]) and a[:-1].isalpha() for a, b in pairs]
    same = [_singular(a) == _singular(b) for a, b in pairs]
    return any(short) and all(map(max, short, same)) and sum(len(a) for a, _ in pairs) > SHORTEST
