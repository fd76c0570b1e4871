"""Sensitive items apart, for people: the same groups and lists; attributes are unchanged.

Here: only the model. Everything else is in ``apart``.
"""

from __future__ import annotations

from dataclasses import replace

from withhold.data.reading_options import PeopleReading
from withhold.lazy import later
from withhold.methods.apart import METHOD as OF_RECORDS
from withhold.methods.people_apart.model import PeopleApart

METHOD = replace(
    OF_RECORDS,
    model=PeopleApart,
    data="people",
    reading_options=PeopleReading,
    column_roles=later("withhold.data.roles:roles_of_people"),
    marked=later("withhold.data.marks:people_with_marks"),
    added=frozenset({"sensitive_column"}),
)
