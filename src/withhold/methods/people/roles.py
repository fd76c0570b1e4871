"""What becomes of each column of people, and which cells show that they are withheld."""

from __future__ import annotations

from dataclasses import replace

from withhold.data.people import People
from withhold.data.roles import roles_of
from withhold.methods.people.model import PeopleUncertainty


def roles_of_people(people: People, model: PeopleUncertainty) -> dict[str, str]:
    """The role of every column, those that are left out at the end."""
    return roles_of(people.attributes, model)


def people_with_marks(people: People, model: PeopleUncertainty, mark: str | None) -> People:
    """The people with cells of the model's columns that show the mark taken for withheld ones."""
    if mark is None:
        return people
    return replace(people, attributes=people.attributes.with_marks(mark, model.columns))
