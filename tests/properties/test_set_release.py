"""Ranges and sets against brute force: what is in the file is right, true, and as dear as it says."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from datetime import date
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples
from withhold.data import Table
from withhold.data.ranges import Range, read_cell, set_text
from withhold.errors import ImpossibleError
from withhold.publish.recheck import verify_file
from withhold.verdict import Status

AGES = ["1", "2", "2.0", "3", "-4", "17", "0.5", "", "?", None]
WORDS = ["a", "b, c", "d}", '"e"', "{f", "[g", " h ", "é", "i\\", "", None]
DAYS = ["2020-01-01", "2020-02-29", "2021-12-31", "1999-05-05", ""]
drawn_rows = st.lists(
    st.tuples(
        st.sampled_from(AGES),
        st.sampled_from(WORDS),
        st.sampled_from(DAYS),
        st.sampled_from("uvw"),
    ),
    min_size=2,
    max_size=24,
)
NAMES = ("age", "word", "day", "secret")
QUASI = NAMES[:3]


def table_of(drawn) -> Table:
    return Table.from_columns(dict(zip(NAMES, zip(*drawn, strict=True), strict=True)))


def _day(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def stands_for(cell: str, value: str | None) -> bool:
    """Whether a published text may have been made from a value, read by other code than withhold's."""
    if cell.startswith("[") and ".." in cell:
        low, high = cell[1:-1].split("..")
        place = _day if "-" in low[1:] else Fraction
        try:
            return place(low) <= place(value or "") <= place(high)
        except ValueError:
            return False
    assert cell.startswith("{")
    rest, found = cell[1:-1], []
    # Quoted members are JSON, and commas inside them separate nothing.
    for part in next(csv.reader(io.StringIO(rest.replace('\\"', '""')), skipinitialspace=True)):
        found.append(part.replace("\\\\", "\\"))
    return value in found


def lost(cell: str, values: list[str | None]) -> Fraction:
    """How much of its detail a cell lost, by the definition."""
    if cell.startswith("{"):
        n_values = len({value for value in values if value})
        return Fraction(len(read_cell(cell)) - 1, n_values - 1)
    low, high = cell[1:-1].split("..")
    known = [value for value in values if value and value != "?"]
    if "-" in low[1:]:
        ends, span = [low, high], sorted(known)
        ordinal = [_day(text) for text in (*ends, span[0], span[-1])]
        return Fraction(ordinal[1] - ordinal[0], ordinal[3] - ordinal[2])
    numbers = list(map(Fraction, known))
    return (Fraction(high) - Fraction(low)) / (max(numbers) - min(numbers))


@examples(1500)
@given(
    drawn=drawn_rows,
    k=st.integers(2, 4),
    seed=st.integers(0, 3),
    asked=st.sampled_from([{}, {}, {"l": 2}, {"t": "0.5"}, {"beta": 1}, {"l": "entropy:1.5"}]),
)
def test_release__holds_and_is_true(drawn, k, seed, asked):
    table = table_of(drawn)
    if asked:
        asked = {**asked, "sensitive_column": "secret"}
    model = wh.KAnonymity(k, QUASI, **asked)
    how = {"cells": "sets", "publish": "all", "seed": seed}
    try:
        release = wh.anonymize(table, model, **how)
    except ImpossibleError:
        assert len(drawn) < k or asked
        return
    columns = [release.data.column(name) for name in QUASI]
    shown = [
        tuple("withheld" if c.codes[row] < 0 else (c.values[c.codes[row]],) for c in columns)
        for row in range(len(drawn))
    ]
    assert min(Counter(shown).values()) >= k
    if asked.get("l") == 2:
        for cells in set(shown):
            inside = {row[3] for row, own in zip(drawn, shown, strict=True) if own == cells}
            assert len(inside) >= 2
    total = Fraction(0)
    for before, after in zip(drawn, shown, strict=True):
        for place, (was, now) in enumerate(zip(before[:3], after, strict=True)):
            if now == (was,):
                continue
            if now == "withheld":
                total += 1
                continue
            assert stands_for(now[0], was), (now, was)
            total += lost(now[0], [row[place] for row in drawn])
    assert release.loss.ncp == pytest.approx(float(total / (3 * len(drawn))))
    assert release.data.column("secret").cells().tolist() == [row[3] for row in drawn]
    again = wh.anonymize(table, model, **how)
    assert again.data == release.data
    assert release.bound is None


@examples(60)
@given(drawn=drawn_rows, k=st.integers(2, 3), ending=st.sampled_from(["csv", "jsonl", "parquet"]))
def test_file__proved_again_and_measured_the_same(drawn, k, ending, tmp_path_factory):
    if len(drawn) < k:
        return
    folder = tmp_path_factory.mktemp("sets")
    release = wh.anonymize(
        table_of(drawn), wh.KAnonymity(k, QUASI), cells="sets", publish="all", seed=1
    )
    path = folder / f"out.{ending}"
    release.write(path, mark="withheld")
    assert verify_file(path).verdict.status is Status.HOLDS
    # CSV knows neither null nor blanks around a cell, so what comes back is compared as such a file has it.
    plain = [[None if v is None else v.strip(" ") for v in row[:3]] for row in drawn]
    if ending != "csv" and all(row[:3] == tuple(p) for row, p in zip(drawn, plain, strict=True)):
        found = wh.compare(table_of(drawn), path).releases[0].measured
        assert found.fact("loss.ncp").value == pytest.approx(release.loss.ncp)
        assert not found.warnings
    kinds = json.loads((folder / f"out.{ending}.manifest.json").read_text()).get("cells", {})
    assert set(kinds.get("columns", {}).values()) <= {"ranges", "sets"}


@examples(60)
@given(
    drawn=drawn_rows, row=st.integers(0, 23), other=st.sampled_from(["[99..100]", "{z, y}", "9"])
)
def test_tampered_file__is_broken(drawn, row, other, tmp_path_factory):
    if len(drawn) < 2:
        return
    release = wh.anonymize(
        table_of(drawn), wh.KAnonymity(2, QUASI), cells="sets", publish="all", seed=1
    )
    path = tmp_path_factory.mktemp("tampered") / "out.jsonl"
    release.write(path, mark="withheld")
    lines = path.read_text(encoding="utf-8").splitlines()
    changed = json.loads(lines[row % len(lines)]) | {"age": other}
    lines[row % len(lines)] = json.dumps(changed)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = verify_file(path)
    assert found.same_bytes is False
    assert found.verdict.status is Status.BROKEN


@examples(500)
@given(values=st.sets(st.text(max_size=6), min_size=1, max_size=6))
def test_set_text__reads_back(values):
    assert read_cell(set_text(values)) == values


numbers = st.decimals(-1000, 1000, allow_nan=False, places=2).map(str)


@examples(300)
@given(ends=st.tuples(numbers, numbers), form=st.sampled_from(["{}", "{}e0", "+{}", "0{}", "{}."]))
def test_range__reads_back(ends, form):
    low, high = sorted(ends, key=Fraction)
    if not low.startswith("-") and not high.startswith("-") and form != "{}.":
        low, high = form.format(low), form.format(high)
    found = read_cell(str(Range(low, high)))
    assert isinstance(found, Range)
    assert low in found
    assert high in found


def test_frames__columns_with_ranges_are_texts_and_others_keep_their_types():
    frame = pl.DataFrame(
        {"age": [30, 31, 32, 33, 50, 51], "n": [1, 1, 1, 2, 2, 2], "city": list("abcabc")}
    )
    model = wh.KAnonymity(3, ["age", "n", "city"])
    release = wh.anonymize(frame, model, cells="sets", publish="all", seed=1)
    found = release.data.to_polars()
    assert found["age"].dtype == pl.String
    assert found["n"].dtype == pl.Int64
    assert found["age"].to_list() == ["[30..32]"] * 3 + ["[33..51]"] * 3
    assert release.data.to_pandas()["n"].dtype == "int64"
