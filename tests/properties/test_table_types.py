"""Types survive: what comes from a frame or parquet goes back as it was, but for what is withheld."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples
from withhold.errors import ImpossibleError
from withhold.formats.table import read_table_back, table_form, write_table

MOMENTS = st.datetimes(datetime(1950, 1, 1), datetime(2050, 1, 1))
WORDS = st.sampled_from(["", "a", " a", "a ", "007", "b\tc", "-1", "=x", "ü", "'q\"", "1.0"])
POLARS = {
    "int8": (pl.Int8, st.integers(-128, 127)),
    "int64": (pl.Int64, st.integers(-(2**63), 2**63 - 1)),
    "uint16": (pl.UInt16, st.integers(0, 65535)),
    "float32": (pl.Float32, st.floats(width=32, allow_nan=False)),
    "float64": (pl.Float64, st.floats()),
    "boolean": (pl.Boolean, st.booleans()),
    "text": (pl.String, WORDS),
    "date": (pl.Date, st.dates(date(1900, 1, 1), date(2100, 1, 1))),
    "moment": (pl.Datetime("us"), MOMENTS),
    "zoned": (pl.Datetime("ms", "Europe/Berlin"), MOMENTS.map(lambda m: m.replace(microsecond=0))),
    "time": (pl.Time, st.times().map(lambda t: time(t.hour, t.minute, t.second))),
    "duration": (pl.Duration("us"), st.timedeltas(timedelta(0), timedelta(days=9))),
    "category": (pl.Categorical, st.sampled_from(["low", "mid", "high"])),
    "enum": (pl.Enum(["low", "mid", "high"]), st.sampled_from(["low", "mid", "high"])),
    "decimal": (
        pl.Decimal(10, 2),
        st.integers(-999, 999).map(lambda n: Decimal(n) / 100),
    ),
}


@st.composite
def frames(draw):
    """A polars frame of one column of each of some types, and a small whole number to protect."""
    n = draw(st.integers(2, 8))
    columns = [
        pl.Series("known", draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), pl.Int16)
    ]
    for name in draw(st.lists(st.sampled_from(sorted(POLARS)), unique=True, min_size=1)):
        kind, values = POLARS[name]
        cells = draw(st.lists(st.none() | values, min_size=n, max_size=n))
        if name == "zoned":
            columns.append(
                pl.Series(name, cells, pl.Datetime("ms")).dt.replace_time_zone(
                    "Europe/Berlin", ambiguous="earliest", non_existent="null"
                )
            )
        else:
            columns.append(pl.Series(name, cells, kind, strict=False))
    return pl.DataFrame(columns)


def released(frame):
    """The release of a frame whose column ``known`` may lose cells, and which of them it lost."""
    table = wh.read_table(frame)
    release = wh.anonymize(table, wh.KAnonymity(2, ["known"]), publish="all")
    return release, release.data.column("known").withheld


@examples(150)
@given(frame=frames())
def test_polars__types_and_values_survive(frame, tmp_path_factory):
    assert_same = pl.testing.assert_frame_equal
    assert_same(wh.read_table(frame).to_polars(), frame, check_exact=True)
    release, hidden = released(frame)
    expected = frame.with_columns(pl.when(pl.Series(~hidden)).then(pl.col("known")).alias("known"))
    assert_same(release.data.to_polars(), expected, check_exact=True)
    path = tmp_path_factory.mktemp("types") / "out.parquet"
    release.write(path)
    assert_same(pl.read_parquet(path), expected, check_exact=True)
    assert_same(wh.read_table(path).to_polars(), expected, check_exact=True)


@examples(100)
@given(frame=frames())
def test_arrow__types_and_values_survive(frame):
    native = frame.to_arrow()
    schema = pa.schema([field.remove_metadata() for field in native.schema])
    native = pa.table(native.columns, schema=schema)
    assert wh.read_table(native).to_arrow().schema.types == native.schema.types
    release, hidden = released(native)
    found = release.data.to_arrow()
    assert found.schema.types == native.schema.types
    assert found.column_names == native.column_names
    for name in native.column_names[1:]:
        one, other = found[name].to_pylist(), native[name].to_pylist()
        assert repr(one) == repr(other)  # NaN is not equal to itself
    known = native["known"].to_pylist()
    assert found["known"].to_pylist() == [
        None if h else v for v, h in zip(known, hidden, strict=True)
    ]


PANDAS = {
    "int64": st.integers(-(2**63), 2**63 - 1),
    "uint8": st.integers(0, 255),
    "Int32": st.none() | st.integers(-9, 9),
    "float64": st.floats(),
    "Float64": st.none() | st.floats(allow_nan=False),
    "bool": st.booleans(),
    "boolean": st.none() | st.booleans(),
    "object": st.none() | WORDS,
    "string": st.none() | WORDS,
    "category": st.none() | st.sampled_from(["low", "mid", "high"]),
    "datetime64[ns]": st.none() | MOMENTS,
    "datetime64[ns, UTC]": st.none() | MOMENTS.map(lambda m: m.replace(tzinfo=ZoneInfo("UTC"))),
    "timedelta64[ns]": st.none() | st.timedeltas(timedelta(0), timedelta(days=9)),
}


@st.composite
def pandas_frames(draw):
    n = draw(st.integers(2, 8))
    known = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    columns = {"known": pd.Series(known, dtype="int64")}
    for kind in draw(st.lists(st.sampled_from(sorted(PANDAS)), unique=True, min_size=1)):
        cells = draw(st.lists(PANDAS[kind], min_size=n, max_size=n))
        columns[kind] = pd.Series(cells, dtype=kind)
    # An index that must not be published.
    return pd.DataFrame(columns, index=None).set_axis([f"row {i}" for i in range(n)])


@examples(100)
@given(frame=pandas_frames())
def test_pandas__types_and_values_survive(frame):
    plain = frame.reset_index(drop=True)
    pd.testing.assert_frame_equal(wh.read_table(frame).to_pandas(), frame, check_exact=True)
    release, hidden = released(frame)
    found = release.data.to_pandas()
    assert list(found.columns) == list(plain.columns)
    others = plain.drop(columns="known")
    pd.testing.assert_frame_equal(found.drop(columns="known"), others, check_exact=True)
    assert found["known"].dtype == ("Int64" if hidden.any() else "int64")
    assert found["known"].isna().tolist() == hidden.tolist()


def test_pandas__a_frame_that_changes_later_changes_nothing():
    frame = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1.5, 2.5, 1.5, 2.5]})
    release = wh.anonymize(frame, wh.KAnonymity(2, ["a"]), publish="all")
    frame.loc[0, "b"] = 99.0
    assert release.data.to_pandas()["b"].tolist() == [1.5, 2.5, 1.5, 2.5]


def test_pandas__a_column_of_several_kinds_becomes_texts():
    frame = pd.DataFrame({"a": [1, 1], "b": pd.Series([1, "1"], dtype=object)})
    assert wh.read_table(frame).to_pandas()["b"].tolist() == ["1", "1"]


def test_generalised_or_binned__columns_become_texts():
    frame = pl.DataFrame({"age": [31, 32, 47, 48], "n": [1, 2, 3, 4]})
    table = wh.read_table(frame, bins={"age": 10})
    assert table.to_polars().schema == {"age": pl.String, "n": pl.Int64}
    tree = wh.Hierarchy.from_edges(
        [("31", "30s"), ("32", "30s"), ("47", "40s"), ("48", "40s"), ("30s", "*"), ("40s", "*")]
    )
    release = wh.anonymize(frame, wh.KAnonymity(2, ["age"]), hierarchy={"age": tree}, publish="all")
    assert release.data.to_polars()["age"].to_list() == ["30s", "30s", "40s", "40s"]


def test_release__holds_no_value_that_was_withheld():
    frame = pl.DataFrame({"age": [30, 30, 99], "b": [1, 2, 3]})
    release = wh.anonymize(frame, wh.KAnonymity(3, ["age"]), publish="all")
    assert release.data.column("age").native.to_list() == [None] * 3


def test_nothing_to_publish__is_still_an_error():
    with pytest.raises(ImpossibleError):
        wh.anonymize(pl.DataFrame({"a": [1]}), wh.KAnonymity(2, ["a"]))


PADDED = 'q,label,free,note\n1, y ,  x,"a ""b"" "\n 1,y,\ty,007\n1 ,n,z  ,"c,\td"\n'


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.jsonl", "o.parquet"])
def test_csv__cells_published_as_they_are_keep_the_blanks_around_them(tmp_path, name):
    path = tmp_path / "in.csv"
    path.write_text(PADDED)
    release = wh.anonymize(path, wh.KAnonymity(3, ["q"], label="label"), publish="all")
    assert release.data.column("q").values == ("1",)  # blanks do not make another value
    assert release.data.column("label").counts.tolist() == [1, 2]
    release.write(tmp_path / name)
    back = wh.read_table(tmp_path / name).to_polars()
    assert back["q"].cast(pl.String).to_list() == ["1"] * 3
    assert back["label"].to_list() == [" y ", "y", "n"]
    assert back["free"].to_list() == ["  x", "\ty", "z  "]
    assert back["note"].to_list() == ['a "b" ', "007", "c,\td"]


def test_csv__blanks_before_a_quote_do_not_belong_to_the_cell(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('a, b\n1, "x, y"\n2, z\n')
    table = wh.read_table(path)
    assert table.rows() == [("1", "x, y"), ("2", "z")]
    # Before a cell without quotes they may.
    assert table.column("b").padded.to_list() == ["x, y", " z"]


@examples(100)
@given(
    cells=st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=6), mark=st.sampled_from(["", "*"])
)
def test_texts__of_any_frame_come_back_from_every_form(cells, mark, tmp_path_factory):
    table = wh.read_table(pl.DataFrame(cells, schema=["a", "b"], orient="row"))
    folder = tmp_path_factory.mktemp("forms")
    for name in ("o.csv", "o.tsv", "o.jsonl", "o.parquet"):
        form = write_table(table, folder / name, table_form(name, None, mark))
        back = read_table_back(folder / name, form).to_polars()
        assert back.rows() == table.to_polars().rows()
        assert np.array_equal(back.columns, ["a", "b"])
