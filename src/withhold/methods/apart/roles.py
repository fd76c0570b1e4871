"""What becomes of each column of people whose sensitive items are apart: none is changed."""

from __future__ import annotations

from withhold.data.people import People
from withhold.data.roles import NamesColumns, roles_of


def roles_of_people(people: People, model: NamesColumns) -> dict[str, str]:
    """The role of every column, those that are left out at the end."""
    return roles_of(people.attributes, model)
