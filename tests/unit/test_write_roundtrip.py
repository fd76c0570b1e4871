"""What is written is what is read: every form, with the nastiest names each can hold."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import normalize

import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from withhold.data import Records, Source
from withhold.data.names import is_missing
from withhold.errors import OutputError
from withhold.formats import FORMATS, as_written, output_form, read, read_back, write
from withhold.formats.forms import TRAITS

FORMS = {
    "space": Source(Path("a.dat"), "basket", separator=" "),
    "comma": Source(Path("a.csv"), "basket", separator=","),
    "semicolon": Source(Path("a.csv"), "basket", separator=";"),
    "tab": Source(Path("a.tsv"), "basket", separator="\t"),
    "bar": Source(Path("a.txt"), "basket", separator="|"),
    "quoted space": Source(Path("a.txt"), "basket", separator=" ", variant="quoted"),
    "long": Source(Path("a.csv"), "long", separator=","),
    "long tabs": Source(Path("a.tsv"), "long", separator="\t", columns=("who is", "what")),
    "long parquet": Source(Path("a.parquet"), "long", container="parquet"),
    "one-hot": Source(Path("a.csv"), "one-hot", separator=","),
    "one-hot parquet": Source(Path("a.parquet"), "one-hot", container="parquet"),
    "list": Source(Path("a.parquet"), "list", container="parquet"),
    "jsonl objects": Source(Path("a.jsonl"), "jsonl", container="jsonl", columns=("things",)),
    "spmf sequences": Source(Path("a.spmf"), "spmf", variant="sequences"),
    "spmf transactions": Source(Path("a.spmf"), "spmf", variant="transactions"),
    **{name: output_form("a" + own[0]) for name in FORMATS if (own := TRAITS[name].extensions)},
    "packed": Source(Path("a.dat.gz"), "basket", compression="gz"),
    "packed long": Source(Path("a.csv.zst"), "long", separator=",", compression="zst"),
    "packed parquet": Source(Path("a.parquet.gz"), "list", "gz", container="parquet"),
}


def test_forms__has_every_format():
    assert {form.format for form in FORMS.values()} == set(FORMATS)


EVERYTHING = ("list", "jsonl", "jsonl objects", "packed parquet")
"""The forms that can hold any name at all."""

NASTY = (
    "007", "7", "0", "1", "-1", "-2", "1 2", "true", "whole milk", "milk, whole", "a;b", "a|b",
    'say "ah"', '"', "'", "two\nlines", "a\u2028b", "a\x85b", "a\x1cb", "é", "e\u0301\u0301",
    "\ufeffbom", "@ITEM=1=x", "#", "[", "id", "record", "item", "items", "tid",
)  # fmt: skip
nasty = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
    .map(lambda name: normalize("NFC", name.strip()))
    .filter(lambda name: not is_missing(name)),
)
"""Any names that a table can have, whatever the format."""
plain = st.text("abcdefgh0123456789", min_size=1, max_size=10)


@st.composite
def tables(draw: st.DrawFn, names: st.SearchStrategy[str]) -> Records:
    items = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    rows = draw(st.lists(st.lists(st.sampled_from(items), max_size=5), min_size=1, max_size=6))
    ids = None
    if draw(st.booleans()):
        ids = draw(st.lists(names, min_size=len(rows), max_size=len(rows), unique=True))
    return Records.from_lists(rows, record_ids=ids)


def written(table: Records, folder: str, form: Source) -> tuple[Path, Source]:
    path = Path(folder) / "out.part"
    return path, write(table, path, form)


def said_of(found: Records | Source) -> Source:
    """The source; whether a basket file happens to need quotes is not part of its form."""
    source = found.source if isinstance(found, Records) else found
    assert source is not None
    return replace(source, variant="") if source.format == "basket" else source


@pytest.mark.parametrize("kind", FORMS)
@settings(max_examples=40)
@given(table=tables(plain))
@example(table=Records.from_lists([["a"], [], ["a", "b"]]))
@example(table=Records.from_lists([["1"], [], ["01", "2"]], record_ids=["r3", "r1", "r2"]))
def test_plain_names_survive_every_form(kind: str, table: Records) -> None:
    form = FORMS[kind]
    if form.format == "one-hot" and (not table.n_occurrences or table.record_ids is not None):
        return  # see the tests of one-hot files below
    with TemporaryDirectory() as folder:
        path, source = written(table, folder, form)
        back = read_back(path, source)
        assert back == as_written(table, form)
        assert said_of(back) == said_of(source)
        assert back.repeated == 0


@pytest.mark.parametrize("kind", FORMS)
@settings(max_examples=40)
@given(table=tables(nasty))
def test_nasty_names_survive_or_are_refused(kind: str, table: Records) -> None:
    form = FORMS[kind]
    with TemporaryDirectory() as folder:
        try:
            path, source = written(table, folder, form)
        except OutputError as error:
            refusal = str(error)
        else:
            refusal = ""
        if refusal:
            assert kind not in EVERYTHING
            assert "To fix it: write .jsonl" in refusal
            return
        back = read_back(path, source)
        assert back == as_written(table, form)
        assert said_of(back) == said_of(source)


@pytest.mark.parametrize("kind", ["comma", "semicolon", "tab", "bar", "list", "jsonl"])
@settings(max_examples=40)
@given(table=tables(st.one_of(plain, st.sampled_from(["whole milk", "a b c", "1 2", "a,b", 'x"']))))
@example(table=Records.from_lists([["whole milk"], ["beer"]]))
@example(table=Records.from_lists([["whole milk"], ["low fat milk"], ["beer", "ale"]]))
@example(table=Records.from_lists([["1 2", "3"]]))
@example(table=Records.from_lists([["a,b"], ["c"]]))
def test_a_reader_finds_the_separator_by_itself(kind: str, table: Records) -> None:
    form = FORMS[kind]
    with TemporaryDirectory() as folder:
        path, _ = written(table, folder, form)
        assert read(path, format=form.format) == as_written(table, form)


@pytest.mark.parametrize("kind", FORMS)
def test_the_same_table_gives_the_same_bytes(kind: str, tmp_path: Path) -> None:
    table = Records.from_lists([["1", "2"], [], ["2"]], record_ids=["r1", "r2", "r3"])
    first, second = tmp_path / "first", tmp_path / "second.other"
    source, again = write(table, first, FORMS[kind]), write(table, second, FORMS[kind])
    assert first.read_bytes() == second.read_bytes()
    assert source.sha256 == again.sha256 == hashlib.sha256(first.read_bytes()).hexdigest()


def test_archives_carry_neither_time_nor_name(tmp_path: Path) -> None:
    table = Records.from_lists([["a"]])
    path = tmp_path / "secret-name.dat.gz"
    write(table, path)
    assert path.read_bytes()[3:8] == b"\0" * 5  # no flags, so no name; time 0
    assert gzip.decompress(path.read_bytes()) == b"a\n"
    path = tmp_path / "a.dat.zst"
    write(table, path)
    assert zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes()) == b"a\n"


def test_what_each_form_looks_like(tmp_path: Path) -> None:
    table = Records.from_lists([["b", "milk, whole"], [], ["b"]], record_ids=["x", "y", "z"])
    expected = {
        "comma": 'b,"milk, whole"\n\nb\n',
        # Quoted for the reader's sake, who would find two separators in this file.
        "tab": 'b\t"milk, whole"\n\nb\n',
        "long": 'record,item\nx,b\nx,"milk, whole"\ny,\nz,b\n',
        "one-hot": 'record,b,"milk, whole"\nx,1,1\ny,0,0\nz,1,0\n',
        "jsonl": '{"record": "x", "items": ["b", "milk, whole"]}\n{"record": "y", "items": []}\n'
        '{"record": "z", "items": ["b"]}\n',
        "spmf": "@CONVERTED_FROM_TEXT\n@ITEM=1=b\n@ITEM=2=milk, whole\n1 2\n\n1\n",
    }
    for kind, text in expected.items():
        write(table, tmp_path / "out", FORMS[kind])
        assert (tmp_path / "out").read_text() == text, kind


REFUSED = {
    "a separator where nobody quotes": ("space", ["whole milk"], "whole milk"),
    "a quote where nobody quotes": ("space", ['say"ah"'], 'say"ah"'),
    "a newline": ("comma", ["two\nlines"], "two\\nlines"),
    "a carriage return": ("long", ["a\rb"], "a\\rb"),
    "a NUL": ("comma", ["a\0b"], "a\\x00b"),
    "a byte-order mark": ("comma", ["\ufeffa"], "\\ufeffa"),
    "a newline in SPMF": ("spmf", ["two\nlines"], "two\\nlines"),
    "a newline in a header": ("one-hot", ["two\nlines"], "two\\nlines"),
    "no item at all in one-hot": ("one-hot", [], "without any item"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_a_form_cannot_hold_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    form, row, shown = REFUSED[kind]
    with pytest.raises(OutputError) as caught:
        write(Records.from_lists([row]), tmp_path / "out", FORMS[form])
    assert shown in str(caught.value)
    assert ".jsonl" in str(caught.value)
    assert "parquet" in str(caught.value)


@pytest.mark.parametrize("name", ["", " a", "a\t", "\u00a0"])
@pytest.mark.parametrize("kind", FORMS)
def test_what_is_no_name_is_written_nowhere(kind: str, name: str, tmp_path: Path) -> None:
    odd = replace(Records.from_lists([["x"]]), vocabulary=(name,))
    with pytest.raises(OutputError, match="cannot be written"):
        write(odd, tmp_path / "out", FORMS[kind])
    odd = replace(Records.from_lists([["x"]]), record_ids=(name or "NA",))
    if TRAITS[FORMS[kind].format].has_columns:
        with pytest.raises(OutputError, match="the record id"):
            write(odd, tmp_path / "out", FORMS[kind])


def test_withheld_items_leave_no_trace(tmp_path: Path) -> None:
    kept = Records.from_lists([["a"], ["a", "b"]])
    table = replace(kept, vocabulary=("a", "b", "secret, \n"))
    for kind, form in FORMS.items():
        write(table, tmp_path / kind, form)
        packed = (tmp_path / kind).read_bytes()
        assert b"secret" not in packed
        assert read_back(tmp_path / kind, form).vocabulary == ("a", "b")


def test_records_without_names_are_numbered_in_a_long_file(tmp_path: Path) -> None:
    table = Records.from_lists([["a"], []])
    for kind in ("long", "long parquet"):
        source = write(table, tmp_path / kind, FORMS[kind])
        assert read_back(tmp_path / kind, source).record_ids == ("1", "2")
        assert as_written(table, source).record_ids == ("1", "2")


def test_two_records_of_one_name_are_not_united(tmp_path: Path) -> None:
    table = Records.from_lists([["a"], ["b"]], record_ids=["x", "x"])
    for kind in ("long", "long parquet", "one-hot", "one-hot parquet"):
        with pytest.raises(OutputError, match=r"same id|ids such"):
            write(table, tmp_path / "out", FORMS[kind])


def test_one_hot_ids_survive_unless_they_look_like_cells(tmp_path: Path) -> None:
    for kind in ("one-hot", "one-hot parquet"):
        table = Records.from_lists([["b"], ["a", "b"], []], record_ids=["x", "1", "0"])
        source = write(table, tmp_path / kind, FORMS[kind])
        assert read(tmp_path / kind, format="one-hot") == table
        assert read_back(tmp_path / kind, source) == table
        bits = Records.from_lists([["b"], ["a"]], record_ids=["0", "1"])
        with pytest.raises(OutputError, match="ids such as these"):
            write(bits, tmp_path / "out", FORMS[kind])
        named = Records.from_lists([["record"]], record_ids=["x"])
        with pytest.raises(OutputError, match="id column's name"):
            write(named, tmp_path / "out", FORMS[kind])


def test_a_table_without_records_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="without records"):
        write(Records.from_lists([]), tmp_path / "a.dat")


def test_a_place_that_cannot_be_written_is_our_error(tmp_path: Path) -> None:
    table = Records.from_lists([["a"]])
    for path in (tmp_path / "nowhere" / "a.dat", tmp_path):
        with pytest.raises(OutputError, match="could not be written"):
            write(table, path, FORMS["space"])
        with pytest.raises(OutputError, match="could not be written"):
            write(table, path, FORMS["list"])


def test_a_file_is_written_back_in_its_own_form(tmp_path: Path) -> None:
    contents = {
        "a.txt": "beer; whole milk\nale\n",
        "b.csv": '"milk, whole",beer\nale,beer\n',
        "c.csv": "who,what\n7,beer\n8,\n",
        "d.tsv": "Order\tProduct\n7\tbeer\n8\tale\n",
        "e.txt": "1 -1 2 -1 -2\n3 -1 -2\n",
        "f.txt": "@ITEM=1=beer\n1\n\n",
        "g.jsonl": '{"who": "x", "bought": ["beer"]}\n',
        "h.csv": "id|beer|ale\nx|1|0\n",
        "i": '"whole milk" beer\n',
    }
    named = {"c.csv": ("who", "what"), "g.jsonl": ("who", "bought")}
    for name, text in contents.items():
        path, out = tmp_path / name, tmp_path / ("out-" + name)
        path.write_text(text)
        record, item = named.get(name, (None, None))
        table = read(path, record_column=record, item_column=item)
        assert table.source is not None
        source = write(table, out)
        assert read_back(out, source) == table, name
        for field in ("format", "separator", "container", "columns", "variant"):
            assert getattr(source, field) == getattr(table.source, field), (name, field)


def test_the_form_follows_the_name_not_the_path(tmp_path: Path) -> None:
    table = Records.from_lists([["a"]])
    form = output_form("published.jsonl.gz")
    source = write(table, tmp_path / ".published.tmp-17", form)
    assert source.path == tmp_path / ".published.tmp-17"
    assert gzip.decompress(source.path.read_bytes()) == b'["a"]\n'
