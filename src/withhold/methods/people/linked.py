"""People as plain records, in which a shown cell is an item ``COLUMN=value``: for measures, not for proofs.

The joint count of an attribute and an item, such as "how many women have asthma", is then a count of records
that hold two items, and all measures of records apply. A withheld cell is no item here. That is fine for
counting what is left, and would be wrong in a proof; docs/decisions/0034 says why.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records
from withhold.data.dated_items import dated_forms
from withhold.data.people import People
from withhold.methods.people.model import PeopleUncertainty


def linked_records(
    people: People, columns: Sequence[str], shown: Sequence[NDArray[np.bool_]] | None = None
) -> Records:
    """A record for each person: the items, and the cells of these columns, or those of them ``shown``."""
    found = [people.attributes.column(name) for name in columns]
    names = [[f"{column.name}={value or ''}" for value in column.values] for column in found]
    vocabulary = sorted({*people.items.vocabulary, *(name for each in names for name in each)})
    code_of = {name: code for code, name in enumerate(vocabulary)}
    rows = [np.repeat(np.arange(len(people)), people.items.lengths)]
    codes = [np.array([code_of[name] for name in people.items.vocabulary], dtype=np.int32)]
    codes[0] = codes[0][people.items.items]
    for place, (column, each) in enumerate(zip(found, names, strict=True)):
        is_shown = ~column.withheld if shown is None else ~column.withheld & shown[place]
        rows.append(np.flatnonzero(is_shown))
        own = np.array([code_of[name] for name in each], dtype=np.int32)
        codes.append(own[column.codes[is_shown]])
    row_of = np.concatenate(rows)
    order = np.argsort(row_of, kind="stable")
    lengths = np.bincount(row_of, minlength=len(people)).astype(np.int64)
    return Records.from_codes(lengths, np.concatenate(codes)[order], tuple(vocabulary))


def linked_pair(
    original: People, published: People, columns: Sequence[str]
) -> tuple[Records, Records]:
    """Both as records; of what is published the cells that still show their value."""
    shown = None
    if len(original) == len(published):
        before, after = original.attributes, published.attributes
        shown = [before.column(name).cells() == after.column(name).cells() for name in columns]
    return linked_records(original, columns), linked_records(published, columns, shown)


def sensitive_names(people: People, model: PeopleUncertainty) -> frozenset[str]:
    """What is sensitive, as items of these records."""
    columns = [people.attributes.column(name) for name in model.sensitive_column]
    values = (f"{column.name}={value or ''}" for column in columns for value in column.values)
    dated = dated_forms(people.items.vocabulary, model.sensitive)
    return model.sensitive | dated | frozenset(values)
