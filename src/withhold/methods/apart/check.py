"""The exact check: in every group, as the file shows it, no sensitive item is in more than ρ of the records.

A record that names no group is a group of its own, and a sensitive item in a record itself is certain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from withhold.data import Records
from withhold.data.dated_items import undated
from withhold.data.evidence import Evidence
from withhold.data.people import People
from withhold.method import CheckRun, Finding
from withhold.methods.apart.entries import GROUP, Entry, entry_of, is_unclear
from withhold.methods.apart.finding import Misfit, TooFrequent
from withhold.methods.apart.model import ApartModel
from withhold.methods.apart.secrets import Secrets, records_of
from withhold.verdict import Status, Verdict

NO_GROUP = -1


class PublishedGroups:
    """The groups of published records, as the records themselves state them."""

    def __init__(self, records: Records, sensitive: Secrets) -> None:
        self.records, self.sensitive = records, sensitive
        names = records.vocabulary
        self.entries: list[Entry | None] = [entry_of(name, sensitive) for name in names]
        self.row_of = np.repeat(np.arange(len(records)), records.lengths)
        self.is_tag = np.array([bool(GROUP.fullmatch(name)) for name in names], dtype=bool)
        self.is_entry = np.array([entry is not None for entry in self.entries], dtype=bool)
        self.is_unclear = np.array([is_unclear(name, sensitive) for name in names], dtype=bool)
        self.is_plain = np.array([name in sensitive for name in names], dtype=bool) & ~self.is_entry
        tagged = self.is_tag[records.items]
        self.n_tags = np.bincount(self.row_of[tagged], minlength=len(records))
        self.group_of = np.full(len(records), NO_GROUP, dtype=np.int64)
        self.group_of[self.row_of[tagged]] = records.items[tagged]
        """By record: the code of the item that names its group."""
        self.sizes = np.bincount(self.group_of[self.group_of >= 0], minlength=len(names))
        """By that code: how many records are in the group."""

    def findings(self, rho: Fraction) -> Iterator[Finding]:
        """Everything that breaks the model, what is certain first."""
        items = self.records.items
        for place in np.flatnonzero(self.is_plain[items]).tolist():
            yield TooFrequent(self._record(place), self.records.vocabulary[items[place]], 1, 1)
        yield from self._misfits()
        for group, entry in self.lists():
            if Fraction(entry.held, entry.size) > rho:
                yield TooFrequent(self.records.vocabulary[group], *entry)

    def lists(self) -> Iterator[tuple[int, Entry]]:
        """Each group, by the code of its name, with each entry of its list."""
        for group, code, _, _ in self._pairs:
            entry = self.entries[code]
            assert entry is not None
            yield group, entry

    @cached_property
    def _pairs(self) -> list[tuple[int, int, int, int]]:
        """Each pair of a group and an entry in its records, its first place, and how often it occurs."""
        places = np.flatnonzero(self.is_entry[self.records.items])
        groups = self.group_of[self.row_of[places]] - NO_GROUP
        n_items = max(self.records.n_items, 1)
        keys = groups * n_items + self.records.items[places]
        found, first, counts = np.unique(keys, return_index=True, return_counts=True)
        columns = found // n_items + NO_GROUP, found % n_items, places[first], counts
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _misfits(self) -> Iterator[Misfit]:
        """Everything by which records contradict each other, or are not clear."""
        for place in np.flatnonzero(self.is_unclear[self.records.items]).tolist():
            name = self.records.vocabulary[self.records.items[place]]
            yield Misfit(self._record(place), f"says {name}, which is not how groups are written")
        for row in np.flatnonzero(self.n_tags > 1).tolist():
            yield Misfit(f"record {row + 1:,}", "names more than one group")
        held = {(group, entry.item): entry.held for group, entry in self.lists()}
        seen: set[tuple[int, str]] = set()
        for group, code, place, times in self._pairs:
            entry, name = self.entries[code], self.records.vocabulary[code]
            assert entry is not None
            size = int(self.sizes[group]) if group != NO_GROUP else 0
            if group == NO_GROUP:
                yield Misfit(self._record(place), f"says {name}, and names no group")
            elif entry.size != size or entry.held > size:
                yield Misfit(
                    self._record(place), f"says {name}, and its group has {size:,} records"
                )
            elif times != size:
                yield Misfit(self._record(place), f"says {name}, and not all of its group do")
            elif (group, entry.item) in seen:
                yield Misfit(self._record(place), f"says {name}, and its group another number, too")
            elif (item := self._implied(entry)) and entry.held > held.get((group, item), 0):
                # A date of an item implies the item: whoever has the one has the other.
                yield Misfit(self._record(place), f"says {name}, and its group less of {item}")
            seen.add((group, entry.item))

    def _implied(self, entry: Entry) -> str | None:
        """The sensitive item of which the entry lists a date; None if it lists none."""
        item = undated(entry.item)
        return item if item in self.sensitive.items else None

    def _record(self, place: int) -> str:
        return f"record {self.row_of[place] + 1:,}"


def verify_apart(
    data: Records | People, model: ApartModel, evidence: Evidence, run: CheckRun
) -> Verdict:
    """The verdict on records or people. One pass over them, so limits and threads make no difference."""
    began = time.perf_counter()
    published = PublishedGroups(records_of(data, model.sensitive_column), model.secrets)
    worst = next(published.findings(model.rho), None)
    n_groups = int((published.sizes > 0).sum()) + int((published.group_of == NO_GROUP).sum())
    return Verdict(
        Status.HOLDS if worst is None else Status.BROKEN,
        "every group of records and its list, counted",
        n_groups,
        time.perf_counter() - began,
        worst,
        unit="groups",
    )


def counts_apart(data: Records | People, model: ApartModel) -> dict[str, int]:
    """How often each item occurs: in records, or by the lists of the groups."""
    records = records_of(data, model.sensitive_column)
    published = PublishedGroups(records, model.secrets)
    about_groups = published.is_tag | published.is_entry
    supports = records.supports.tolist()
    counts = {
        name: count
        for name, count, is_about_group in zip(
            records.vocabulary, supports, about_groups, strict=True
        )
        if not is_about_group
    }
    for _, entry in published.lists():
        counts[entry.item] = counts.get(entry.item, 0) + entry.held
    return counts
