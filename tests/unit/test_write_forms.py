"""Which form a release takes: by its name, by the input's form, by request."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import withhold
from typed import run
from withhold.data import Source
from withhold.errors import InputError, OutputError, PolicyError
from withhold.formats import FORMATS, FUNCTIONS, output_form
from withhold.formats.forms import OF_ONE_FORMAT, TRAITS
from withhold.formats.table import table_form

DOCS = Path(__file__).parents[2] / "docs"
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
        ("o.gz", LIST, "list", "parquet", " ", "gz"),
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


@pytest.mark.parametrize("extension", OF_ONE_FORMAT)
def test_an_extension_of_one_format_decides_whatever_came_in(extension: str) -> None:
    for like in (None, DAT, COMMA, LONG, LIST, LONG_PARQUET, ONE_HOT, SPMF, JSONL):
        form = output_form(f"o{extension}.gz", like)
        assert extension in TRAITS[form.format].extensions


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


OTHER_EXTENSIONS = {
    "o.xlsx": "write o.csv or o.parquet",
    "o.XLS": "write o.csv or o.parquet",
    "o.ods.gz": "write o.csv.gz or o.parquet.gz",
    "o.json": "name it o.jsonl",
    "o.pq": "name it o.parquet",
    "o.feather": "name it o.parquet",
    "o.data": "name it o.dat",
    "o.cvs": "name it o.csv",
    "o.parqet": "name it o.parquet",
    "o.csv.zip": "name it o.csv.gz or o.csv.zst",
    "o.v2": "name it o.csv",
    "o.qqq.zst": "name it o.csv.zst",
}


@pytest.mark.parametrize("name", OTHER_EXTENSIONS)
def test_an_extension_that_is_not_written_is_refused_with_the_nearest(name: str) -> None:
    for like in (None, DAT, LONG, LIST, JSONL):
        for format in (None, "basket"):
            with pytest.raises(OutputError) as caught:
                output_form(name, like, format)
            assert OTHER_EXTENSIONS[name] in str(caught.value)
    with pytest.raises(OutputError):
        table_form(name)


def test_the_input_s_own_extension_is_fine_if_it_was_text() -> None:
    text = Source(Path("in.data"), "basket")
    assert output_form("o.data", text).format == "basket"
    assert output_form("o.DATA.gz", text).compression == "gz"
    table = Source(Path("in.data"), "table", separator=";")
    assert table_form("o.data", table).separator == ";"
    with pytest.raises(OutputError, match=r"o\.json: files with the extension \.json"):
        output_form("o.json", Source(Path("in.json"), "jsonl", container="jsonl"))
    with pytest.raises(OutputError, match=r"name it o\.parquet"):
        output_form("o.pq", Source(Path("in.pq"), "list", container="parquet"))


def test_traits__say_what_the_functions_of_a_format_can_do() -> None:
    for name, functions in FUNCTIONS.items():
        assert TRAITS[name].has_columns == (functions.columns is not None)
        assert TRAITS[name].in_frames == (functions.read_frame is not None)
        assert TRAITS[name].in_frames == (functions.write_frame is not None)
    assert tuple(FUNCTIONS) == FORMATS


def test_formats__are_all_named_where_they_are_listed_in_words() -> None:
    listed = f"{', '.join(f'`{name}`' for name in FORMATS[:-1])} or `{FORMATS[-1]}`"
    assert listed in (withhold.read.__doc__ or "").replace("``", "`")
    for page in ("glossary.md", "guide/formats.md"):
        assert listed in (DOCS / page).read_text(encoding="utf-8"), page


def test_a_table_is_not_written_as_records_are() -> None:
    for name in ("o.spmf", "o.basket"):
        assert output_form(name).path == Path(name)
        with pytest.raises(OutputError, match="are not written"):
            table_form(name)


def test_nothing_is_read_before_the_name_is_refused(tmp_path: Path) -> None:
    for model in (["--rho", "0.5", "--sensitive", "a"], ["--model", "km", "--k", "2", "--m", "1"]):
        out = str(tmp_path / "o.xlsx")
        result = run("anonymize", "nowhere.dat", *model, "-o", out)
        assert result.exit_code == 3
        assert "spreadsheets (.xlsx) are read, not written" in result.stderr
    table = ["--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "a"]
    out = str(tmp_path / "o.spmf")
    result = run("anonymize", "nowhere.csv", *table, "-o", out)
    assert result.exit_code == 3
    assert ".spmf are not written" in result.stderr


def test_a_release_refuses_such_a_name_and_leaves_nothing(tmp_path: Path) -> None:
    release = withhold.anonymize([["a", "b"], ["a", "b"]], withhold.KmAnonymity(2, 1))
    with pytest.raises(OutputError, match="spreadsheets"):
        release.write(tmp_path / "o.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_frame_with_ids_becomes_a_long_csv_file(tmp_path):
    frame = pl.DataFrame({"bon": ["a", "a", "b", "b"], "item": ["x", "y", "x", "y"]})
    records = withhold.read(frame, record_column="bon", item_column="item")
    withhold.anonymize(records, withhold.KmAnonymity(2, 1)).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "record,item\n1,x\n1,y\n2,x\n2,y\n"
    withhold.anonymize([["x"], ["x"]], withhold.KmAnonymity(2, 1)).write(tmp_path / "sets.csv")
    assert (tmp_path / "sets.csv").read_text() == "x\nx\n"


@pytest.mark.parametrize("name", ["csv", "TSV"])
def test_kinds_of_files__are_no_formats(name):
    with pytest.raises(
        PolicyError, match="is a kind of file, not a format; choose long, list, one-hot"
    ):
        withhold.read("in.csv", format=name)
