"""A survey, invented from a seed: a table with named columns, and a hierarchy for one of them.

In: how many people, and a seed. Out: a table with a row for each. Older people went to school for less long,
those who went for longer earn more, and areas differ; that is all there is to find. The names are
put together from syllables: no real person, place or file is behind it.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

from withhold.data.table import Table
from withhold.errors import PolicyError

GIVEN: Final = {
    "f": tuple(
        a + b for a, b in product(("Al", "Be", "Do", "Fe", "Lu", "Ni", "Ta"), ("ma", "ria", "sel"))
    ),
    "m": tuple(
        a + b for a, b in product(("Ar", "Bo", "Da", "Gi", "Ho", "Jo", "Pe"), ("ran", "vik", "no"))
    ),
}
FAMILY: Final = tuple(
    a + b + c
    for a, b, c in product(
        ("Bar", "Dol", "Hem", "Kes", "Mor", "Tal"), ("a", "in", "o"), ("cott", "field", "wick")
    )
)
AREAS: Final = tuple(
    f"{first}{second}{third}0" for first, second, third in product("12", "013", "125")
)
"""Postcodes: two regions, three districts each, three areas each."""
EDUCATION: Final = ("primary", "secondary", "vocational", "bachelor", "master")
INCOME: Final = ("low", "middle", "high")
_SCHOOLING: Final = ((1, 30, 20, 30, 19), (6, 34, 30, 20, 10), (22, 38, 28, 8, 4))
"""Of a hundred people under 35, under 60 and above: how many left school with each qualification."""


def survey(rows: int = 600, *, seed: int = 7) -> Table:
    """Invented people: name, age, sex, zip, education and income; the same seed gives the same cells."""
    if rows < 0:
        raise PolicyError(f"{rows} people cannot be invented; ask for 0 or more")
    # Whole numbers only, so that no platform's floating point has a say.
    rng = np.random.default_rng(seed)
    draws = rng.integers(1 << 20, size=(rows, 8)).tolist()
    people = [_person(*draw) for draw in draws]
    names = ("name", "age", "sex", "zip", "education", "income")
    columns = zip(*people, strict=True) if people else ((),) * len(names)
    return Table.from_columns(dict(zip(names, columns, strict=True)))


def zip_hierarchy() -> str:
    """The hierarchy of the postcodes: area, district, region; leaf first, with semicolons."""
    return "".join(f"{area};{area[:2]}**;{area[:1]}***;*\n" for area in AREAS)


def _person(
    given: int, family: int, older: int, age: int, sex: int, area: int, school: int, earns: int
) -> tuple[str, ...]:
    years = 18 + (age % 45 if older % 3 else 30 + age % 43)
    gender = "fm"[sex % 2]
    # Most live in the first few areas, as in every town.
    place = area % len(AREAS) if area % 3 else (area // 3) % 5
    level = _drawn(_SCHOOLING[0 if years < 35 else 1 if years < 60 else 2], school)
    high = 4 + 9 * level + (6 if AREAS[place][0] == "2" else 0)
    low = max(60 - 12 * level - (years > 30) * 10, 5)
    share = earns % 100
    income = INCOME[0] if share < low else INCOME[2] if share >= 100 - high else INCOME[1]
    name = f"{GIVEN[gender][given % 21]} {FAMILY[family % len(FAMILY)]}"
    return name, str(years), gender, AREAS[place], EDUCATION[level], income


def _drawn(shares: tuple[int, ...], ticket: int) -> int:
    """The place in the shares, which add up to a hundred, on which a ticket falls."""
    left = ticket % 100
    for place, share in enumerate(shares):
        if left < share:
            return place
        left -= share
    return len(shares) - 1
