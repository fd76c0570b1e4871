"""Numbers with their nouns, as every text of the program writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun; ``plural`` is needed if it is not the noun with an s.

    >>> counted(1, "item"), counted(1200, "item"), counted(2, "leaf", "leaves")
    ('1 item', '1,200 items', '2 leaves')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(share: float | Fraction, digits: int | None = 1) -> str:
    """A share as every text of the program writes it; all and nothing have no decimals.

    ``digits=None`` is for numbers that somebody chose, which are written as they are.

    >>> percent(0.717), percent(0.99999), percent(1), percent(0.0244, 2)
    ('71.7%', '100.0%', '100%', '2.44%')
    >>> percent(Fraction(1, 20), None), percent(Fraction(1, 3), None)
    ('5%', '33.3333%')
    """
    if share in (0, 1):
        return "100%" if share else "0%"
    return f"{float(share * 100):.6g}%" if digits is None else f"{float(share):.{digits}%}"


def so_many(most: int | None, noun: str) -> str:
    """The words for how many items somebody may know.

    >>> so_many(3, "item"), so_many(None, "public item"), so_many(0, "item")
    ('at most 3 items', 'any public items', 'no item')
    """
    if most == 0:
        return f"no {noun}"
    return f"any {noun}s" if most is None else f"at most {counted(most, noun)}"


def none_of(number: int, noun: str) -> str:
    """The words saying that none of them can be inferred.

    >>> none_of(3, "sensitive item"), none_of(1, "sensitive item")
    ('can infer none of the 3 sensitive items', 'cannot infer the sensitive item')
    """
    return (
        f"cannot infer the {noun}"
        if number == 1
        else f"can infer none of the {counted(number, noun)}"
    )


def listing(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> listing(["age"]), listing(["age", "sex", "zip"])
    ('age', 'age, sex and zip')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def either(names: Iterable[str]) -> str:
    """Names of which one is to be chosen, as a sentence has them.

    >>> either(["km"]), either(["km", "rho", "apart"])
    ('km', 'km, rho or apart')
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def none_inferred(items: int, columns: Sequence[str], *, dated: bool = False) -> str:
    """The words saying that none of this many sensitive items, nor values of columns, can be inferred.

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
