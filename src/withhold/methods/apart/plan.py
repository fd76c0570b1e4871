"""The plan: records in groups, their sensitive items in the lists of these, a few items withheld."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from withhold.arguments import checked
from withhold.data import Records
from withhold.data.array_types import Longs
from withhold.data.native import blanked
from withhold.data.people import People
from withhold.data.plan import check_fingerprint
from withhold.data.table import WITHHELD, Column
from withhold.methods.apart.entries import Entry, entry_name, group_name
from withhold.methods.apart.secrets import first_prefix, records_of


@dataclass(frozen=True, eq=False)
class ApartPlan:
    """Which record is in which group, and which sensitive items are withheld even from its list."""

    group_of: Longs
    """The group of each record, numbered from 0 by first record; -1: the record holds nothing sensitive."""
    sensitive: Longs
    """The codes of the sensitive items, ascending."""
    withheld: Longs
    """Places in the records' ``items``, ascending."""
    fingerprint: str
    """The fingerprint of the records for which the plan was made."""
    n_set_apart: int
    """How many occurrences are no longer in their records."""
    columns: tuple[str, ...] = ()
    """For people: the columns whose values are in the lists, too."""

    def __len__(self) -> int:
        """How many occurrences are not published unchanged."""
        return self.n_set_apart

    @checked
    def apply_to(self, data: Records | People) -> Records | People:
        """The records with their public items, the names of their groups and the lists of these.

        The attributes of people are unchanged, except in sensitive columns, whose cells are all withheld.
        """
        records = records_of(data, self.columns)
        if not isinstance(data, People):
            return self._grouped(records)
        hidden = [data.attributes.column(name) for name in self.columns]
        attributes = data.attributes.with_columns(map(_hidden, hidden))
        items = self._grouped(records, first_prefix(data))
        return replace(data, attributes=attributes, items=items)

    def _grouped(self, records: Records, prefix: str = "") -> Records:
        check_fingerprint(self, records)
        row_of = np.repeat(np.arange(len(records)), records.lengths)
        is_public = ~np.isin(records.items, self.sensitive)
        is_listed = ~is_public
        is_listed[self.withheld] = False
        group_of_item = self.group_of[row_of[is_listed]]
        sizes = np.bincount(self.group_of[self.group_of >= 0]).tolist()
        counts = Counter(
            zip(group_of_item.tolist(), records.items[is_listed].tolist(), strict=True)
        )
        lists: list[list[str]] = [[group_name(number + 1, prefix)] for number in range(len(sizes))]
        for (group, code), count in sorted(counts.items()):
            lists[group].append(entry_name(Entry(records.vocabulary[code], count, sizes[group])))
        public = records.without_items(self.sensitive)
        names = tuple(sorted({*public.vocabulary, *(name for each in lists for name in each)}))
        code_of = {name: code for code, name in enumerate(names)}
        recoded = np.array([code_of[name] for name in public.vocabulary], dtype=np.int32)
        added = np.array([code_of[name] for each in lists for name in each], dtype=np.int32)
        n_added = np.array([*map(len, lists), 0], dtype=np.int64)
        # For each record the items about its group; the last number is for records without a group.
        times = n_added[self.group_of]
        within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        starts = (np.cumsum(n_added) - n_added)[self.group_of]
        numbers = np.arange(len(records))
        owners = np.concatenate([np.repeat(numbers, public.lengths), np.repeat(numbers, times)])
        codes = np.concatenate([recoded[public.items], added[np.repeat(starts, times) + within]])
        codes, lengths = codes[np.argsort(owners, kind="stable")], public.lengths + times
        made = Records.from_codes(lengths, codes, names)
        return replace(records, offsets=made.offsets, items=made.items, vocabulary=names)


def _hidden(column: Column) -> Column:
    """The column with every cell withheld, also in its source's own representation."""
    everywhere = np.ones(len(column.codes), dtype=bool)
    native, padded = (blanked(cells, everywhere) for cells in (column.native, column.padded))
    codes = np.full_like(column.codes, WITHHELD)
    return replace(column, codes=codes, values=(), native=native, padded=padded)
