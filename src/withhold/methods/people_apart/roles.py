"""The role of each column of people whose sensitive items are apart: sensitive columns are withheld."""

from __future__ import annotations

from dataclasses import replace

from withhold.data.people import People
from withhold.data.roles import roles_of
from withhold.methods.people_apart.model import PeopleApart


def roles_of_people(people: People, model: PeopleApart) -> dict[str, str]:
    """The role of every column, those that are left out at the end."""
    return roles_of(people.attributes, model)


def people_with_marks(people: People, model: PeopleApart, mark: str | None) -> People:
    """The people with cells of sensitive columns that show the mark taken for withheld ones."""
    if mark is None:
        return people
    attributes = people.attributes.with_marks(mark, model.sensitive_column)
    return replace(people, attributes=attributes)
