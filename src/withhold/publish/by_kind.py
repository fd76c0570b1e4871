"""What a release says of its data, for each kind of data: how much there is, and what was withheld."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from withhold.data import People, Records, Table
from withhold.data.records import counts_of_items

Counts = Callable[[Any], Mapping[str, int]]
"""(data) → how often each item occurs."""


class Kind(NamedTuple):
    """How to describe one kind of data, as plain values."""

    renumbered: Callable[[Any], Any]
    """(data) → the data without names of their own: those that have some are numbered from 1."""
    amounts: Callable[[Any], dict[str, Any]]
    """(data) → how much there is, and what was changed on the way in."""
    withheld: Callable[[Any, Any, Counts], dict[str, Any]]
    """(original, published, what counts its items) → how often each item, or column's cell, was withheld."""
    prepared: Callable[[Any], dict[str, list[str]]] = lambda _: {}
    """(original) → the options that prepared it so."""


def _numbers(data: Records | People) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, len(data) + 1))


def _renumbered_records(records: Records) -> Records:
    if records.record_ids is None and records.index is None:
        return records
    ids = None if records.record_ids is None else _numbers(records)
    return replace(records, record_ids=ids, index=None)


def _renumbered_people(people: People) -> People:
    attributes = replace(people.attributes, index=None)
    return replace(
        people, attributes=attributes, ids=None if people.ids is None else _numbers(people)
    )


def _items_withheld(
    original: Records | People, published: Records | People, counts: Counts
) -> dict[str, Any]:
    left = counts(published)
    lost = {name: n - left.get(name, 0) for name, n in counts_of_items(original).items()}
    return {name: n for name, n in lost.items() if n > 0}


def _cells_withheld(_: Table, published: Table, __: Counts) -> dict[str, Any]:
    counts = [(column.name, int(column.withheld.sum())) for column in published.columns]
    return {name: n for name, n in counts if n > 0}


def _amounts_of_table(table: Table) -> dict[str, Any]:
    return {
        "rows": len(table),
        "withheld_cells": table.n_withheld,
        "dropped_columns": list(table.dropped),
        "binned_columns": list(table.binned),
        "without_consent": table.without_consent,
    }


def _amounts_of_people(people: People) -> dict[str, Any]:
    table = _amounts_of_table(people.attributes)
    del table["rows"]
    return {
        "persons": len(people),
        "persons_without_items": people.without_items,
        "occurrences": people.items.n_occurrences,
        **table,
        "without_consent": people.without_consent,
        "items_of_nobody": people.strangers,
    }


def _prepared(table: Table) -> dict[str, list[str]]:
    return {"drop": list(table.dropped), "bin": list(table.binned)}


KINDS: Mapping[str, Kind] = {
    Records.kind: Kind(
        _renumbered_records,
        lambda records: {"records": len(records), "occurrences": records.n_occurrences},
        _items_withheld,
    ),
    Table.kind: Kind(
        lambda table: replace(table, index=None), _amounts_of_table, _cells_withheld, _prepared
    ),
    People.kind: Kind(
        _renumbered_people,
        _amounts_of_people,
        lambda original, published, counts: {
            "cells": _cells_withheld(original.attributes, published.attributes, counts),
            "items": _items_withheld(original, published, counts),
        },
        lambda people: _prepared(people.attributes),
    ),
}
