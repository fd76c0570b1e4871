"""Which form a release takes: by its name, by the input's form, by request."""

from __future__ import annotations

from pathlib import Path

import pytest

from withhold.data import Source
from withhold.errors import InputError, OutputError
from withhold.formats import output_form

DAT = Source(Path("in.dat"), "basket")
COMMA = Source(Path("in.csv.gz"), "basket", "gz", separator=",", variant="quoted")
LONG = Source(Path("in.csv"), "long", separator=";", columns=("tid", "item"))
TEXT_LONG = Source(Path("in.txt"), "long", separator="\t", columns=("tid", "item"))
LIST = Source(Path("in.parquet"), "list", container="parquet", columns=("things",))
LONG_PARQUET = Source(Path("in.parquet"), "long", container="parquet", columns=("t", "i"))
ONE_HOT = Source(Path("in.csv"), "one-hot", separator="|", columns=("id",))
SPMF = Source(Path("in.txt"), "spmf", variant="sequences")
JSONL = Source(Path("in.jsonl"), "jsonl", container="jsonl", columns=("who", "what"))


@pytest.mark.parametrize(
    ("name", "like", "format", "container", "separator", "compression"),
    [
        ("o.dat", None, "basket", "text", " ", ""),
        ("o.txt", None, "basket", "text", " ", ""),
        ("o.basket", None, "basket", "text", ",", ""),
        ("o.csv", None, "basket", "text", ",", ""),
        ("o.tsv", None, "basket", "text", "\t", ""),
        ("o.parquet", None, "list", "parquet", " ", ""),
        ("o.jsonl", None, "jsonl", "jsonl", " ", ""),
        ("o.spmf", None, "spmf", "text", " ", ""),
        ("o", None, "basket", "text", " ", ""),
        ("O.DAT.GZ", None, "basket", "text", " ", "gz"),
        ("o.csv.zst", None, "basket", "text", ",", "zst"),
        ("o.gz", None, "basket", "text", " ", "gz"),
        ("o.dat", COMMA, "basket", "text", ",", ""),
        ("o.csv", DAT, "basket", "text", ",", ""),
        ("o.csv", COMMA, "basket", "text", ",", ""),
        ("o.csv", LONG, "long", "text", ";", ""),
        ("o.tsv", LONG, "long", "text", "\t", ""),
        ("o.dat", LONG, "basket", "text", " ", ""),
        ("o.txt", TEXT_LONG, "long", "text", "\t", ""),
        ("o.csv", TEXT_LONG, "long", "text", ",", ""),
        ("o.txt", SPMF, "spmf", "text", " ", ""),
        ("o.dat", SPMF, "basket", "text", " ", ""),
        ("o.csv", LIST, "basket", "text", ",", ""),
        ("o.parquet", DAT, "list", "parquet", " ", ""),
        ("o.parquet", LONG, "long", "parquet", ";", ""),
        ("o.parquet", ONE_HOT, "one-hot", "parquet", "|", ""),
        ("o.csv", LONG_PARQUET, "long", "text", ",", ""),
        ("o.jsonl", LIST, "jsonl", "jsonl", " ", ""),
        ("o.csv", JSONL, "basket", "text", ",", ""),
        ("o", COMMA, "basket", "text", ",", ""),
        ("o", LONG, "long", "text", ";", ""),
        ("o", LIST, "list", "parquet", " ", ""),
        ("o", LONG_PARQUET, "long", "parquet", " ", ""),
        ("o", JSONL, "jsonl", "jsonl", " ", ""),
        ("o.out.gz", LIST, "list", "parquet", " ", "gz"),
    ],
)
def test_the_name_decides_and_the_input_fills_in(
    name: str,
    like: Source | None,
    format: str,
    container: str,
    separator: str,
    compression: str,
) -> None:
    form = output_form(name, like, None)
    assert (form.format, form.container, form.compression) == (format, container, compression)
    if container == "text":
        assert form.separator == separator


def test_details_are_kept_only_within_a_format() -> None:
    assert output_form("o.csv", LONG, None).columns == ("tid", "item")
    assert output_form("o.parquet", LIST, None).columns == ("things",)
    assert output_form("o.jsonl", JSONL, None).columns == ("who", "what")
    assert output_form("o.jsonl", LIST, None).columns == ()
    assert output_form("o.txt", SPMF, None).variant == "sequences"
    assert output_form("o.dat", SPMF, None).variant == ""


def test_a_format_that_is_asked_for_wins() -> None:
    form = output_form("o.csv", DAT, "long")
    assert (form.format, form.container, form.separator) == ("long", "text", ",")
    assert output_form("o.parquet", DAT, "one-hot").container == "parquet"
    assert output_form("o.txt", LONG, "jsonl").container == "jsonl"
    assert output_form("o", None, "list").container == "parquet"
    assert output_form("o", LONG_PARQUET, "one-hot").container == "text"


def test_formats_that_do_not_fit_the_name() -> None:
    with pytest.raises(OutputError, match="a parquet file cannot be in the format 'basket'"):
        output_form("o.parquet", None, "basket")
    with pytest.raises(OutputError, match=r"needs a parquet file.*name it \.parquet"):
        output_form("o.csv", None, "list")
    with pytest.raises(InputError, match="there is no format 'xml'"):
        output_form("o.csv", None, "xml")
