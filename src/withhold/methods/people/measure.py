"""What released people are still good for: the measures of records, over items and shown cells together."""

from __future__ import annotations

from dataclasses import replace

from withhold.data.people import People
from withhold.data.roles import named_columns
from withhold.measure.sets import measure_sets
from withhold.methods.people.linked import linked_pair, sensitive_names
from withhold.methods.people.model import PeopleUncertainty
from withhold.telling.facts import Measured, MeasureRequest


def measure_people(original: People, published: People, request: MeasureRequest) -> Measured:
    """The utility of released persons, each as a record of items and cells ``COLUMN=value``."""
    columns, sensitive = original.attributes.names, request.sensitive
    if isinstance(model := request.model, PeopleUncertainty):
        columns, sensitive = named_columns(model), sensitive_names(original, model)
    both = linked_pair(original, published, [c for c in columns if c in published.attributes.names])
    return measure_sets(*both, replace(request, sensitive=sensitive))
