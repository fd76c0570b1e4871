"""A hospital's patients, invented from a seed: who they are, what they have, and what they take.

In: how many persons, and a seed. Out: three tables as hospitals keep them, joined by PATIENT. Age, sex
and work drive what people have; that drives what else they have and what they take. No real person or file is
behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked
from withhold.data import Records, Table
from withhold.data.array_types import Longs
from withhold.data.people import People
from withhold.data.pharmacy import TICKETS, urn, zipf
from withhold.data.table import Column
from withhold.datasets.diagnoses import CHAPTERS, Chapter
from withhold.formats import write

TODAY: Final = np.datetime64("2025-01-01")
AGE_BANDS: Final = ("0-19", "20-39", "40-59", "60-79", "80+")
REGIONS: Final = ("Aldmoor", "Brenwick", "Cottlesea", "Dunfold", "Eskdene", "Farrowby")
OCCUPATIONS: Final = ("none", "pupil", "office", "manual", "service", "teaching", "care", "retired")
MARITAL: Final = ("single", "married", "divorced", "widowed")

_AGES: Final = (18, 24, 27, 23, 8)
"""How many of a hundred patients are in each age band."""
_WORK: Final = (
    (30, 66, 1, 1, 2, 0, 0, 0),
    (8, 12, 26, 20, 18, 6, 10, 0),
    (10, 0, 30, 22, 17, 8, 12, 1),
    (6, 0, 8, 4, 5, 2, 3, 72),
    (2, 0, 0, 0, 0, 0, 0, 98),
)
_MARRIED: Final = ((99, 1, 0, 0), (58, 37, 5, 0), (22, 58, 18, 2), (10, 60, 14, 16), (7, 37, 6, 50))
_COUNTS: Final = (
    (46, 30, 14, 6, 3, 1, 0, 0),
    (38, 29, 17, 9, 4, 2, 1, 0),
    (27, 26, 20, 13, 8, 4, 1, 1),
    (14, 20, 21, 18, 13, 8, 4, 2),
    (8, 14, 20, 21, 17, 11, 6, 3),
)
"""How many of a hundred persons of each band have one diagnosis, two, and so on up to eight."""
_MOST: Final = len(_COUNTS[0])
_PERCENT_OF_ONE_CHAPTER: Final = 55
_PERCENT_TAKEN: Final = (85, 40, 20)
"""How often in a hundred the first, second and third drug of a diagnosis is taken."""
_YEARS_KEPT: Final = 10
_MANUAL: Final = OCCUPATIONS.index("manual")


FOLLOWS: Final = (
    ("opioid dependence", "hepatitis C", 25),
    ("alcohol dependence", "fatty liver", 30),
    ("enlarged prostate", "erectile dysfunction", 12),
    ("type 2 diabetes", "overweight", 25),
    ("high blood pressure", "high cholesterol", 20),
    ("insomnia", "depression", 15),
    ("burnout", "depression", 20),
    ("syphilis", "HIV infection", 20),
    ("frailty", "urinary incontinence", 15),
    ("unsteady gait", "broken hip", 10),
    ("anxiety disorder", "insomnia", 25),
    ("coronary heart disease", "angina", 25),
)
"""Whoever has the first also has the second, this many times in a hundred."""


@dataclass(frozen=True, eq=False)
class Hospital:
    """Persons, their conditions and their drugs, as three tables joined by PATIENT."""

    persons: Table
    """PATIENT, SEX, BIRTHDATE, POSTCODE, MARITAL, OCCUPATION; one row each."""
    conditions: Table
    """PATIENT, DATE, DESCRIPTION; each person has one to eight."""
    drugs: Table
    """PATIENT, DATE, DESCRIPTION."""
    sensitive: frozenset[str]
    """The diagnoses that nobody should be able to infer."""

    def __repr__(self) -> str:
        """How much it holds, not what."""
        return (
            f"<Hospital persons={len(self.persons):,} conditions={len(self.conditions):,} "
            f"drugs={len(self.drugs):,}>"
        )

    def people(self) -> People:
        """The persons with four coarse attributes, and their diagnoses as items.

        >>> hospital(100).people().attributes.rows()[0]
        ('f', '60-79', 'Aldmoor', 'office')
        """
        born, postcode = self.persons.column("BIRTHDATE"), self.persons.column("POSTCODE")
        attributes = (
            ("sex", self.persons.column("SEX")),
            ("age", born.mapped(lambda date: AGE_BANDS[_band(date or "")])),
            ("region", postcode.mapped(lambda code: REGIONS[int((code or "1")[0]) - 1])),
            ("occupation", self.persons.column("OCCUPATION")),
        )
        table = Table(tuple(Column(name, each.codes, each.values) for name, each in attributes))
        # Conditions are in the order of the persons.
        ids, found = self.persons.column("PATIENT"), self.conditions.column("DESCRIPTION")
        lengths = np.bincount(self.conditions.column("PATIENT").codes, minlength=len(ids.values))
        names = tuple(str(name) for name in found.values)
        items = Records.from_codes(lengths[ids.codes], found.codes, names)
        return People(table, items, ids=tuple(ids.cells()))

    def write(self, folder: str | Path) -> None:
        """Write ``patients.csv``, ``conditions.csv``, ``drugs.csv`` and ``sensitive.txt`` into the folder."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("persons", "conditions", "drugs"):
            file = "patients" if name == "persons" else name
            write(getattr(self, name), folder / f"{file}.csv")
        (folder / "sensitive.txt").write_text("\n".join(sorted(self.sensitive)) + "\n", "utf-8")


@checked
def hospital(persons: int = 20_000, *, seed: int = 0) -> Hospital:
    """An invented hospital; the same seed gives the same cells.

    Parameters
    ----------
    persons
        How many; each has at least one diagnosis.
    seed
        Random seed of everything that is drawn.

    Examples
    --------
    >>> found = hospital(200, seed=1)
    >>> found.persons.rows()[0]
    ('P000053', 'f', '1974-12-10', '1110', 'married', 'care')
    >>> found.conditions.rows()[0]
    ('P000053', '2016-07-24', 'high blood pressure')
    """
    rng = np.random.default_rng(seed)
    who = _persons(persons, rng)
    ids = [f"P{number:06}" for number in (rng.permutation(persons) + 1).tolist()]
    patient = Column.of("PATIENT", ids)
    table = Table(
        (
            patient,
            _named("SEX", who.sex, ("f", "m")),
            _dates("BIRTHDATE", who.born),
            Column.of("POSTCODE", _postcodes(persons, rng)),
            _named("MARITAL", _drawn(_MARRIED, who.band, rng), MARITAL),
            _named("OCCUPATION", who.work, OCCUPATIONS),
        )
    )
    words = _Words()
    row, code = np.nonzero(_held(who, words, rng))
    since = np.maximum(who.born, TODAY - np.timedelta64(365 * _YEARS_KEPT))[row]
    days = (TODAY - since).astype(np.int64)
    date = since + rng.integers(days).astype("timedelta64[D]")
    conditions = _events(patient, row, date, code, words.diagnoses)
    drugs = _events(patient, *_taken(row, date, code, words, rng), words.drugs)
    return Hospital(table, conditions, drugs, frozenset(words.sensitive))


class _Persons(NamedTuple):
    """Who the patients are, as numbers: their age band, sex, occupation, and day of birth."""

    band: Longs
    sex: Longs
    work: Longs
    born: NDArray[np.datetime64]


class _Words:
    """The names of diagnoses and drugs, sorted, and the numbers of those that each chapter has."""

    def __init__(self) -> None:
        drugs_of = {name: drugs for chapter in CHAPTERS for name, drugs in chapter.drugs_of.items()}
        self.diagnoses = tuple(sorted(drugs_of))
        self.drugs = tuple(sorted({drug for drugs in drugs_of.values() for drug in drugs}))
        self.sensitive = [name for chapter in CHAPTERS for name in chapter.sensitive]
        self.code_of = {name: code for code, name in enumerate(self.diagnoses)}
        number_of = {name: number for number, name in enumerate(self.drugs)}
        self.treated_with = np.full((len(self.diagnoses), len(_PERCENT_TAKEN)), -1)
        for name, drugs in drugs_of.items():
            for place, drug in enumerate(drugs):
                self.treated_with[self.code_of[name], place] = number_of[drug]
        self.within = np.stack(
            [
                urn([self.code_of[name] for name in each.drugs_of], _skewed(len(each.drugs_of)))
                for each in CHAPTERS
            ]
        )
        """By chapter: tickets with its diagnoses."""
        self.chapters = np.stack(
            [
                urn(range(len(CHAPTERS)), [_likely(each, band, sex, hands) for each in CHAPTERS])
                for band in range(len(AGE_BANDS))
                for sex in (0, 1)
                for hands in (False, True)
            ]
        )
        """By age band, sex, and whether they work with their hands: tickets with chapters."""


def _skewed(count: int) -> Iterator[int]:
    """Weights that decrease fast: the first of a chapter is frequent, the last is rare."""
    return (10**6 // (rank * (rank + 3)) for rank in range(1, count + 1))


def _likely(chapter: Chapter, band: int, sex: int, hands: bool) -> int:
    """The weight of a chapter for such a person."""
    return (
        chapter.ages[band] * (chapter.women, chapter.men)[sex] * (chapter.workers if hands else 1)
    )


def _persons(count: int, rng: np.random.Generator) -> _Persons:
    band = urn(range(len(AGE_BANDS)), _AGES)[rng.integers(TICKETS, size=count)]
    # The oldest band ends at 99, as the others do after twenty years.
    days = rng.integers(20 * 365, size=count) + band * 20 * 365 + 1
    sex = rng.integers(2, size=count)
    return _Persons(band, sex, _drawn(_WORK, band, rng), TODAY - days.astype("timedelta64[D]"))


def _drawn(shares: tuple[tuple[int, ...], ...], row: Longs, rng: np.random.Generator) -> Longs:
    """A number for each person, drawn by the shares in the person's row."""
    tickets = np.stack([urn(range(len(each)), each) for each in shares])
    return tickets[row, rng.integers(TICKETS, size=len(row))]


def _held(who: _Persons, words: _Words, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which person has which diagnosis."""
    count = _drawn(_COUNTS, who.band, rng) + 1
    row = np.repeat(np.arange(len(count)), count)
    kind = (who.band * 2 + who.sex) * 2 + (who.work == _MANUAL)
    # Most of what somebody has is of one kind; the rest is what people like them have.
    main = words.chapters[kind, rng.integers(TICKETS, size=len(kind))]
    other = words.chapters[kind[row], rng.integers(TICKETS, size=len(row))]
    is_main = rng.integers(100, size=len(row)) < _PERCENT_OF_ONE_CHAPTER
    chapter = np.where(is_main, main[row], other)
    held = np.zeros((len(count), len(words.diagnoses)), dtype=bool)
    held[row, words.within[chapter, rng.integers(TICKETS, size=len(row))]] = True
    for first, second, percent in FOLLOWS:
        also = held[:, words.code_of[first]] & (held.sum(axis=1) < _MOST)
        also &= rng.integers(100, size=len(also)) < percent
        held[also, words.code_of[second]] = True
    return held


def _taken(
    row: Longs,
    date: NDArray[np.datetime64],
    diagnosis: Longs,
    words: _Words,
    rng: np.random.Generator,
) -> tuple[Longs, NDArray[np.datetime64], Longs]:
    """Who takes which drug, and since when: at most a month after its diagnosis."""
    drug = words.treated_with[diagnosis]
    taken = rng.integers(100, size=drug.shape) < np.array(_PERCENT_TAKEN)
    which, place = np.nonzero(taken & (drug >= 0))
    later = date[which] + rng.integers(31, size=len(which)).astype("timedelta64[D]")
    return row[which], np.minimum(later, TODAY), drug[which, place]


def _postcodes(count: int, rng: np.random.Generator) -> list[str]:
    """Four digits, the first for the region; most people live in a few areas of each."""
    region = urn(range(1, len(REGIONS) + 1), (30, 22, 17, 13, 10, 8))
    area = urn(range(40), zipf(40))
    regions, areas = (each[rng.integers(TICKETS, size=count)] for each in (region, area))
    return list(map(str, (regions * 1000 + areas * 5 + 100).tolist()))


def _events(
    patient: Column,
    row: Longs,
    date: NDArray[np.datetime64],
    code: Longs,
    names: tuple[str, ...],
) -> Table:
    """A table of what happened to whom and when."""
    what = Column("DESCRIPTION", code.astype(np.int32), names)
    return Table((replace(patient, codes=patient.codes[row]), _dates("DATE", date), what))


def _dates(name: str, days: NDArray[np.datetime64]) -> Column:
    values, codes = np.unique(days, return_inverse=True)
    return Column(name, codes.astype(np.int32), tuple(map(str, values.tolist())))


def _named(name: str, numbers: Longs, words: tuple[str, ...]) -> Column:
    return Column(name, numbers.astype(np.int32), words)


def _band(date: str) -> int:
    """The age band of somebody who was born then."""
    days = (TODAY - np.datetime64(date)).astype(np.int64)
    return int((days - 1) // (20 * 365))
