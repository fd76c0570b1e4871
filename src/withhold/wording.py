"""Numbers with their nouns, as every text of the program writes them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun; ``plural`` where it is not the noun with an s.

    >>> counted(1, "item"), counted(1200, "item"), counted(2, "leaf", "leaves")
    ('1 item', '1,200 items', '2 leaves')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def so_many(most: int | None, noun: str) -> str:
    """How a sentence says how much somebody may know.

    >>> so_many(3, "item"), so_many(None, "public item"), so_many(0, "item")
    ('at most 3 items', 'any public items', 'no item')
    """
    if most == 0:
        return f"no {noun}"
    return f"any {noun}s" if most is None else f"at most {counted(most, noun)}"


def none_of(number: int, noun: str) -> str:
    """How a sentence says that all of them are out of reach.

    >>> none_of(3, "sensitive item"), none_of(1, "sensitive item")
    ('can infer none of the 3 sensitive items', 'cannot infer the 1 sensitive item')
    """
    things = counted(number, noun)
    return f"cannot infer the {things}" if number == 1 else f"can infer none of the {things}"


def listing(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> listing(["age"]), listing(["age", "sex", "zip"])
    ('age', 'age, sex and zip')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def none_inferred(items: int, columns: Sequence[str], *, dated: bool = False) -> str:
    """How a sentence says that so many sensitive items, and the values of columns, are out of reach.

    >>> none_inferred(2, ["job"])
    'can infer none of the 2 sensitive items, and no value of job,'
    >>> none_inferred(0, ["job"])
    'cannot infer any value of job'
    >>> none_inferred(2, [], dated=True)
    'can infer none of the 2 sensitive items, nor any of their dates,'
    """
    values = f"value of {listing(columns)}"
    if not items:
        return f"cannot infer any {values}"
    told = none_of(items, "sensitive item")
    if dated:
        told += f", nor any of {'its' if items == 1 else 'their'} dates"
    told += f", and no {values}" if columns else ""
    return f"{told}," if dated or columns else told
