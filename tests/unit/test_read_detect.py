"""Which format a content is taken for, and when the reader would rather ask."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from withhold.errors import InputError
from withhold.formats import FORMATS, read

CONTENTS = {
    "FIMI": ("1 2 3\n4 5\n", "basket"),
    "zeros and ones only": ("0 1\n1\n0\n", "basket"),
    "bits without a header": ("1,0\n0,1\n1,1\n", "basket"),
    "one item a line": ("beer\nale\n", "basket"),
    "pairs": ("bread,milk\nbeer,chips\nbeer,wine\n", "basket"),
    "pairs of codes": ("a1,x\n17,y\n17,z\n", "basket"),
    "comma baskets": ("citrus fruit,bread\nwhole milk\n", "basket"),
    "brackets that are no JSON": ("[beer] ale\nbeer\n", "basket"),
    "one basket that ends in -2": ("1 -2\n3 4\n", "basket"),
    "a header alone": ("tid,item\n", "long"),
    "usual names": ("tid,item\n1,beer\n2,ale\n", "long"),
    "usual names, other case and order": ("Product Code;Invoice No\nbeer;1\n", "long"),
    "usual names among others": ("order_id,price,product\n1,2.5,beer\n1,3,ale\n", "long"),
    "tabs": ("user\tpage\nu1\thome\nu1\tcart\n", "long"),
    "unusual names over repeated ids": ("gate,badge\n17,x\n17,y\n18,x\n", "long"),
    "items that are bits": ("tid,item\n1,0\n1,1\n2,1\n", "long"),
    "one-hot": ("beer,ale\n1,0\n0,0\n", "one-hot"),
    "one-hot, words": ("beer;ale\ntrue;False\n;TRUE\n", "one-hot"),
    "one-hot with ids": ("id,beer,ale\nx,1,0\ny,0,0\n", "one-hot"),
    "one-hot with a frame's index": (",beer,ale\n0,1,0\n1,0,0\n2,0,1\n", "one-hot"),
    "one-hot with usual names": ("id,item,code\nx,1,0\ny,0,1\n", "one-hot"),
    "arrays": ('["beer", "ale"]\n[]\n', "jsonl"),
    "objects": ('{"items": ["beer"]}\n', "jsonl"),
    "sequences": ("1 2 -1 3 -1 -2\n4 -1 -2\n", "spmf"),
    "sequences under a comment": ("# mine\n1 -1 -2\n", "spmf"),
    "converted text": ("@CONVERTED_FROM_TEXT\n@ITEM=1=beer\n1\n\n", "spmf"),
}


@pytest.mark.parametrize("kind", [kind for kind in CONTENTS if kind != "a header alone"])
@pytest.mark.parametrize("name", ["data", "data.txt", "data.csv"])
def test_content_decides(tmp_path: Path, kind: str, name: str) -> None:
    text, expected = CONTENTS[kind]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    source = read(path).source
    assert source is not None
    assert source.format == expected


def test_every_text_format_is_in_the_matrix() -> None:
    assert {form for _, form in CONTENTS.values()} == set(FORMATS) - {"list"}


def test_a_header_alone_holds_no_records(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CONTENTS["a header alone"][0])
    with pytest.raises(InputError, match="a header but no records"):
        read(path)


def test_the_name_settles_what_content_leaves_open(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("beer\n")
    with pytest.raises(InputError, match="is not a line of JSON"):
        read(path)
    path = tmp_path / "a.spmf"
    path.write_text("beer\n")
    with pytest.raises(InputError, match="an SPMF item is a number"):
        read(path)


def test_the_format_that_is_given_wins(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("tid,item\n1,beer\n")
    assert read(path, format="basket").to_lists() == [["item", "tid"], ["1", "beer"]]
    path.write_text("x,y\na,b\na,c\n")
    assert read(path, format="long").to_lists() == [["b", "c"]]


def test_named_columns_make_a_table_long(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("who,what,when\nann,beer,1\nbob,ale,2\nann,ale,3\n")
    table = read(path, record_column="who", item_column="what")
    assert table.to_lists() == [["ale", "beer"], ["ale"]]
    assert table.record_ids == ("ann", "bob")


def test_a_table_of_another_kind_is_not_taken_for_baskets(tmp_path: Path) -> None:
    path = tmp_path / "adult.csv"
    path.write_text("age,job,city\n" + "".join(f"{n},j{n % 3},c{n % 4}\n" for n in range(60)))
    with pytest.raises(InputError, match="looks like a table") as caught:
        read(path)
    assert "'age', 'job', 'city'" in str(caught.value)
    assert len(read(path, format="basket")) == 61


FRAMES = {
    "list": ({"items": [["a"], []]}, "list"),
    "list beside other columns": ({"n": [3, 4], "items": [["a"], []]}, "list"),
    "long by name": ({"tid": [1, 1], "item": ["a", "b"]}, "long"),
    "long by repetition": ({"x": ["p", "p", "q"], "y": ["a", "b", "a"]}, "long"),
    "one-hot": ({"a": [True, False], "b": [False, False]}, "one-hot"),
    "one-hot numbers": ({"a": [1, 0], "b": [1, 1]}, "one-hot"),
    "one-hot with ids": ({"id": [7, 9], "a": [1, 0], "b": [1, 1]}, "one-hot"),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_decide_in_parquet(tmp_path: Path, kind: str) -> None:
    columns, expected = FRAMES[kind]
    path = tmp_path / "a.parquet"
    pl.DataFrame(columns).write_parquet(path)
    source = read(path).source
    assert source is not None
    assert (source.format, source.container) == (expected, "parquet")


def test_a_parquet_file_of_another_kind_says_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"age": [1, 2], "name": ["x", "y"], "city": ["u", "v"]}).write_parquet(path)
    with pytest.raises(InputError, match=r"'age' \(Int64\), 'name' \(String\)"):
        read(path)
