"""The invented hospital: reproducible, and shaped like one."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from withhold.data.people import People
from withhold.datasets import Hospital, hospital
from withhold.datasets.diagnoses import CHAPTERS
from withhold.datasets.patients import AGE_BANDS, FOLLOWS
from withhold.errors import AssumedWarning, PolicyError
from withhold.formats import read_table

DRUGS_OF = {name: drugs for each in CHAPTERS for name, drugs in each.drugs_of.items()}


@pytest.fixture(scope="module")
def found() -> Hospital:
    return hospital()


@pytest.fixture(scope="module")
def people(found: Hospital) -> People:
    return found.people()


def digest(found: Hospital) -> str:
    cells = [table.rows() for table in (found.persons, found.conditions, found.drugs)]
    return hashlib.sha256(repr(cells).encode()).hexdigest()


def has(people: People, name: str) -> NDArray[np.bool_]:
    """Who has this diagnosis."""
    return np.array([name in record for record in people.items], dtype=bool)


def is_in(people: People, column: str, *values: str) -> NDArray[np.bool_]:
    return np.isin(people.attributes.column(column).cells().astype(str), values)


def test_hospital__default_is_pinned_across_platforms_and_versions(found: Hospital) -> None:
    assert digest(found) == "553bca8ac3d998a891076dd0c83458a827132abcb268d90a162138140703e235"


def test_hospital__other_seed_other_patients() -> None:
    assert digest(hospital(300, seed=3)) == digest(hospital(300, seed=3))
    assert digest(hospital(300, seed=3)) != digest(hospital(300, seed=4))


@pytest.mark.parametrize("persons", [0, 1, 7])
def test_hospital__as_many_persons_as_asked(persons: int) -> None:
    found = hospital(persons)
    assert len(found.persons) == len(found.people()) == persons


def test_hospital__refuses_negative_sizes() -> None:
    with pytest.raises(PolicyError, match="persons must be 0 or more, not -1"):
        hospital(-1)


def test_words__every_diagnosis_once_with_drugs_for_it() -> None:
    assert len(DRUGS_OF) == sum(len(each.drugs_of) for each in CHAPTERS) == 200
    assert all(1 <= len(drugs) <= 3 and all(drugs) for drugs in DRUGS_OF.values())
    assert {name for pair in FOLLOWS for name in pair[:2]} <= DRUGS_OF.keys()


def test_hospital__diagnoses_are_skewed_and_a_tenth_is_sensitive(
    found: Hospital, people: People
) -> None:
    assert people.items.n_items == 200
    assert len(found.sensitive) == 22
    assert found.sensitive <= set(people.items.occurring)
    assert {1, 8} == {people.items.lengths.min(), people.items.lengths.max()}
    supports = np.sort(people.items.supports)
    assert supports[-20:].sum() > supports[:-20].sum() / 2
    assert 0 < supports[0] < 60


def test_hospital__age_sex_and_work_drive_diagnoses(people: People) -> None:
    old, young = is_in(people, "age", "60-79", "80+"), is_in(people, "age", "0-19", "20-39")
    assert has(people, "high blood pressure")[old].mean() > (
        5 * has(people, "high blood pressure")[young].mean()
    )
    men = is_in(people, "sex", "m")
    assert not has(people, "normal pregnancy")[men].any()
    assert not has(people, "enlarged prostate")[~men].any()
    adults = is_in(people, "age", "20-39", "40-59")
    hands = is_in(people, "occupation", "manual")
    backs = has(people, "low back pain")
    assert backs[hands].mean() > 1.3 * backs[adults & ~hands].mean()
    assert people.items.lengths[old].mean() > people.items.lengths[young].mean() + 1


def test_hospital__diagnoses_drive_diagnoses(people: People) -> None:
    for first, second in (("opioid dependence", "hepatitis C"), ("insomnia", "depression")):
        assert has(people, second)[has(people, first)].mean() > 2 * has(people, second).mean()


def test_hospital__drugs_are_for_diagnoses_and_follow_them(found: Hospital) -> None:
    conditions: dict[str | None, list[tuple[str, str]]] = {}
    for patient, when, what in found.conditions.rows():
        conditions.setdefault(patient, []).append((str(what), str(when)))
    for patient, when, drug in found.drugs.rows():
        since = [day for what, day in conditions[patient] if drug in DRUGS_OF[what]]
        late = (date.fromisoformat(str(when)) - date.fromisoformat(min(since))).days
        assert late >= 0


def test_hospital__nobody_is_ill_before_birth_or_after_today(found: Hospital) -> None:
    born = {row[0]: str(row[2]) for row in found.persons.rows()}
    assert all(born[row[0]] <= str(row[1]) <= "2025-01-01" for row in found.conditions.rows())


def test_people__attributes_are_those_of_the_persons(found: Hospital, people: People) -> None:
    rows = zip(people.attributes.rows(), found.persons.rows(), people.ids or (), strict=True)
    for (sex, age, region, work), person, patient in rows:
        assert (patient, sex, work) == (person[0], person[1], person[5])
        years = (date(2025, 1, 1) - date.fromisoformat(str(person[2]))).days / 365
        assert AGE_BANDS.index(str(age)) == int((years - 1 / 365) // 20)
        assert ord(str(region)[0]) - ord("A") == int(str(person[3])[0]) - 1
    by_patient: dict[str | None, set[str]] = {}
    for patient, _, what in found.conditions.rows():
        by_patient.setdefault(patient, set()).add(str(what))
    ids = people.ids or ()
    assert [set(record) for record in people.items] == [by_patient[patient] for patient in ids]


def test_write__files_read_back(tmp_path: Path) -> None:
    found = hospital(50)
    found.write(tmp_path / "new")
    assert read_table(tmp_path / "new" / "patients.csv").rows() == found.persons.rows()
    with pytest.warns(AssumedWarning, match="'PATIENT' names 50 persons"):
        assert read_table(tmp_path / "new" / "conditions.csv").rows() == found.conditions.rows()
    with pytest.warns(AssumedWarning, match="'PATIENT' names"):
        assert read_table(tmp_path / "new" / "drugs.csv").names == found.drugs.names
    listed = (tmp_path / "new" / "sensitive.txt").read_text().splitlines()
    assert listed == sorted(found.sensitive)
