"""What the page looks up, against the same by brute force."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from withhold.data import People, Records, Table
from withhold.page.lookup import Lookup, changed_rows, rows_of, store

items = st.sampled_from(["tea", "beer", "Bread", "pill", "x<b>"])
rows = st.lists(st.frozensets(items), min_size=1, max_size=8)


def laid_out(data, name: str, folder: str) -> Lookup:
    store(data, Path(folder) / name, {})
    return Lookup(Path(folder) / name)


@given(rows, st.frozensets(items), st.text("abeprTtx", max_size=2))
def test_lookup__counts_and_finds_as_brute_force(table, wanted, text):
    with tempfile.TemporaryDirectory() as folder:
        lookup = laid_out(Records.from_lists([sorted(row) for row in table]), "a", folder)
        held = [bool(row & wanted) for row in table]
        assert lookup.rows_with(wanted | {"not there"}).tolist() == held
        assert lookup.count_with(wanted) == sum(held) == lookup.count_with(wanted)
        found = [any(text.casefold() in item.casefold() for item in row) for row in table]
        assert lookup.search(text).tolist() == found
        names = {item: sum(item in row for row in table) for row in table for item in row}
        fits = {name: n for name, n in names.items() if text.casefold() in name.casefold()}
        assert dict(lookup.find_items(text, 100)) == fits


@given(rows, st.data())
def test_rows__show_what_was_withheld(table, data):
    kept = [data.draw(st.frozensets(st.sampled_from(sorted(row)))) if row else row for row in table]
    cells = [data.draw(st.sampled_from(["f", "m"])) for _ in table]
    shown = [data.draw(st.sampled_from([cell, "*"])) for cell in cells]
    with tempfile.TemporaryDirectory() as folder:
        before, after = (
            laid_out(
                People(
                    Table.from_columns({"sex": column}),
                    Records.from_lists([sorted(row) for row in sets]),
                ),
                name,
                folder,
            )
            for name, sets, column in (("a", table, cells), ("b", kept, shown))
        )
        changed = [
            row != new or old != now
            for row, new, old, now in zip(table, kept, cells, shown, strict=True)
        ]
        assert changed_rows(before, after).tolist() == changed
        for number, row in enumerate(rows_of(before, after, range(len(table)))):
            as_shown = any(cell.after is not None for cell in (*row.cells, *row.items))
            assert as_shown is changed[number]
            assert {cell.before for cell in row.items if cell.after is None} == kept[number]
            gone = {cell.before for cell in row.items if cell.after == ""}
            assert gone == table[number] - kept[number]


def test_rows__show_what_stands_instead(tmp_path):
    old = laid_out(Records.from_lists([["ale", "tea"], ["stout"], ["tea"]]), "a", str(tmp_path))
    new = laid_out(Records.from_lists([["beer", "tea"], ["beer"], ["tea"]]), "b", str(tmp_path))
    assert changed_rows(old, new).tolist() == [True, True, False]
    first = rows_of(old, new, [0])[0]
    assert [(cell.before, cell.after) for cell in first.items] == [
        ("tea", None),
        ("ale", ""),
        ("", "beer"),
    ]
    assert np.flatnonzero(old.search("TEA")).tolist() == [0, 2]
