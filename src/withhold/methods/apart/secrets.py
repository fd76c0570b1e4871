"""The names of what is sensitive: listed items with their dates, and values of sensitive columns of people.

A value of a sensitive column is an item ``COLUMN=value``; where items come from several files, it begins with
the name of the first of these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from withhold.data import People, Records
from withhold.data.array_types import Longs
from withhold.data.dated_items import undated
from withhold.describing import MARK


@dataclass(frozen=True)
class Secrets:
    """The names of what is sensitive.

    >>> secrets = Secrets(frozenset({"HIV"}), ("job",))
    >>> [name in secrets for name in ("HIV", "HIV@2019", "job=nurse", "drugs: job=nurse", "flu", "job")]
    [True, True, True, True, False, False]
    """

    items: frozenset[str]
    columns: tuple[str, ...] = ()

    def __contains__(self, name: str) -> bool:
        return name in self.items or undated(name) in self.items or self.in_column(name)

    def in_column(self, name: str) -> bool:
        """Whether the name is that of a value of a sensitive column."""
        shown = (name, name.partition(MARK)[2])
        return any(each.startswith(f"{column}=") for column in self.columns for each in shown)

    def codes(self, records: Records) -> Longs:
        """The codes of what is sensitive there, ascending."""
        found = [code for code, name in enumerate(records.vocabulary) if name in self]
        return np.array(found, dtype=np.int64)


def first_prefix(people: People) -> str:
    """What the items of the first of several files begin with."""
    files = () if people.form is None else people.form.files
    return f"{files[0].part}{MARK}" if len(files) > 1 else ""


def records_of(data: Records | People, columns: tuple[str, ...]) -> Records:
    """The records of items; for people, the shown cells of these columns are added as items."""
    if not isinstance(data, People):
        return data
    items = data.items
    if not columns:
        return items
    names, prefix = list(items.vocabulary), first_prefix(data)
    rows, codes = [np.repeat(np.arange(len(items)), items.lengths)], [items.items.astype(np.int64)]
    for name in columns:
        column = data.attributes.column(name)
        shown = np.flatnonzero(~column.withheld)
        # Null and empty text count as the same blank.
        labels = [f"{prefix}{name}={value or ''}" for value in column.values]
        place = {label: len(names) + n for n, label in enumerate(dict.fromkeys(labels))}
        names += place
        rows.append(shown)
        codes.append(np.array([*(place[label] for label in labels), -1])[column.codes[shown]])
    row_of, code = np.concatenate(rows), np.concatenate(codes)
    vocabulary = sorted(set(names))
    code_of = {name: number for number, name in enumerate(vocabulary)}
    recoded = np.array([code_of[name] for name in names], dtype=np.int64)[code]
    order = np.argsort(row_of, kind="stable")
    lengths = np.bincount(row_of, minlength=len(items)).astype(np.int64)
    made = Records.from_codes(lengths, recoded[order].astype(np.int32), tuple(vocabulary))
    return replace(items, offsets=made.offsets, items=made.items, vocabulary=made.vocabulary)
