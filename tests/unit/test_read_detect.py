"""Which format a content is taken for, and when the reader would rather ask."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import withhold
from withhold.data import Records
from withhold.errors import InputError, on_the_command_line
from withhold.formats import FORMATS, read, write
from withhold.formats.forms import OF_ONE_FORMAT
from withhold.publish.recheck import verify_file

CONTENTS = {
    "FIMI": ("1 2 3\n4 5\n", "basket"),
    "zeros and ones only": ("0 1\n1\n0\n", "basket"),
    "bits without a header": ("1,0\n0,1\n1,1\n", "basket"),
    "one item per line": ("beer\nale\n", "basket"),
    "pairs": ("bread,milk\nbeer,chips\nbeer,wine\n", "basket"),
    "pairs of codes": ("a1,x\n17,y\n17,z\n", "basket"),
    "comma baskets": ("citrus fruit,bread\nwhole milk\n", "basket"),
    "brackets that are no JSON": ("[beer] ale\nbeer\n", "basket"),
    "one basket that ends in -2": ("1 -2\n3 4\n", "basket"),
    "a header alone": ("tid,item\n", "long"),
    "usual names": ("tid,item\n1,beer\n2,ale\n", "long"),
    "usual names, other case and order": ("Product Code;Invoice No\nbeer;1\n", "long"),
    "usual names among others": ("order_id,price,product\n1,2.5,beer\n1,3,ale\n", "long"),
    "names in another language": ("PatNr;Diagnose\n7;Asthma\n8;Grippe\n", "long"),
    "names in another language among others": ("BonNr;Preis;Artikel\n1;2;Bier\n1;3;Wein\n", "long"),
    "tabs": ("user\tpage\nu1\thome\nu1\tcart\n", "long"),
    "unusual names over repeated ids": ("gate,badge\n17,x\n17,y\n18,x\n", "long"),
    "items that are bits": ("tid,item\n1,0\n1,1\n2,1\n", "long"),
    "one-hot": ("beer,ale\n1,0\n0,0\n", "one-hot"),
    "one-hot, words": ("beer;ale\ntrue;False\n;TRUE\n", "one-hot"),
    "one-hot with ids": ("id,beer,ale\nx,1,0\ny,0,0\n", "one-hot"),
    "one-hot with a frame's index": (",beer,ale\n0,1,0\n1,0,0\n2,0,1\n", "one-hot"),
    "one-hot with usual names": ("id,item,code\nx,1,0\ny,0,1\n", "one-hot"),
    "lists beside ids": ('order_id,items\n1,"milk,bread"\n2,beer\n', "list"),
    "lists between semicolons": ("Customer;Basket\n1;milk,bread\n2;beer\n", "list"),
    "one column of lists": ('items\n"milk,bread"\nbeer\n', "list"),
    "one column of lists, a blank in its name": ('Item List\n"milk,bread"\nbeer\n', "list"),
    "quoted items between spaces": ('"milk, whole" beer\n"milk, whole"\ntea beer\n', "basket"),
    "baskets under a header": ("Products\nmilk,bread\nbeer\n", "list"),
    "a byte-order mark": ("\ufefforder_id;product\r\n1;milk\r\n1;beer\r\n", "long"),
    "units in the header": ("order (no.)\tproduct (name)\n1\tmilk\n1\tbeer\n", "long"),
    "quotes everywhere": ('"milk","bread"\n"beer"\n', "basket"),
    "a name among items": ("artikel;milch\nbrot\nbier;brot\n", "basket"),
    "names that are items below": ("Artikel Menge\nmilch artikel\nbrot\n", "basket"),
    "a date and a price": ("datum preis\nmilch brot\nbrot\n", "basket"),
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


ASKED = {
    "a table of persons": (
        "id,age,sex,diagnosis\n1,30,f,flu\n2,31,m,hiv\n3,30,f,flu\n",
        ["--table", "--people", "--format long", "no id in column 'id' occurs twice"],
    ),
    "a table of persons in another language": (
        "Kunde;Alter;Diagnose\n7;30;flu\n8;31;hiv\n9;30;flu\n",
        ["--table", "--people", "--format long", "no id in column 'Kunde' occurs twice"],
    ),
    "one item per line under a name": ("item\nmilk\nbeer\n", ["--format list", "--format basket"]),
    "quoted lists without a name": ('"milk,bread"\n"beer"\n', ["--format list", "--format basket"]),
    "quoted lists, a name in another language": (
        'Artikel\n"milk,bread"\nbeer\n',
        ["--format list", "--format basket"],
    ),
    "quoted lists under a name with a blank": (
        'Products bought\n"milk,bread"\n"beer,tea"\n',
        ["--format list", "--format basket"],
    ),
    "quoted lists and a name with a blank, too": (
        'header words here\n"milk,bread"\nwhole milk\n',
        ["--format list", "--format basket"],
    ),
    "quoted lists beside ids under an unusual name": (
        'id,my stuff\n1,"milk,bread"\n2,beer\n',
        [
            "--format list --item-column 'my stuff'",
            "--format long --record-column id",
            "--format basket",
        ],
    ),
    "pairs in another language": (
        "artikel;menge\nmilch;3\nbrot;2\n",
        ["--format long --record-column artikel --item-column menge", "--format basket"],
    ),
    "a name in another language": ("Artikel\nmilch\nbrot\n", ["--format list", "--format basket"]),
    "a name in another language over lists": (
        "Código\npan vino\nvino agua\n",
        ["--format list", "--format basket"],
    ),
    "a name in another language over more cells": (
        "Warenkorb\nmilch;brot;bier\nmilch\n",
        ["--format list", "--format basket"],
    ),
    "names in another language over more cells": (
        "Kunde,Artikel Nr\nmilch,brot,bier\nmilch\n",
        ["delete", "--format basket"],
    ),
    "names with a word between": (
        "Artikel je Bon\nMilch; Brot\nMilch\n",
        ["delete", "--format basket"],
    ),
    "names over baskets with spaces": (
        "item quantity\nmilk beer wine\nmilk\n",
        ["delete", "--format basket"],
    ),
    "a word over lists of numbers": ("x\n1 2 3\n2 3\n", ["--format list", "--format basket"]),
    "pairs under unusual names": (
        "name,item\nAnn,milk\nAnn,beer\n",
        ["--format long --record-column name --item-column item", "--format basket"],
    ),
    "a name over numbers": ("age,sex\n30,m\n31,f\n", ["--format long", "--format basket"]),
    "numbered columns": ("item1,item2\nmilk,bread\nbeer,\n", ["delete", "--format basket"]),
    "numbered columns beside ids": ("id,item1,item2\n1,milk,\n2,tea,\n", ["--format basket"]),
    "no header over ids": ("1\tmilk\n1\tbeer\n2\tmilk\n", ["record,item", "--format basket"]),
    "lists under the name of an item": (
        'order_id,product\n1,"milk,bread"\n2,beer\n',
        ["--format list --item-column product", "--format long"],
    ),
    "lists or names, by spaces": ("id,items\n1,milk bread\n2,beer\n", ["--format long"]),
    "quoted names with spaces": ('items\n"milk bread"\nbeer\n', ["--format long"]),
    "a comment": ("# of May\nmilk bread\nbeer\n", ["delete it", "--format basket"]),
    "names of lines": ("T1: milk, bread\nT2: beer\n", ["--format basket"]),
    "a hint for a spreadsheet": ("sep=;\norder_id;product\n1;milk\n", ["delete it"]),
}


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("name", ["data", "data.txt", "data.csv"])
def test_what_could_be_read_in_two_ways_is_asked(tmp_path: Path, kind: str, name: str) -> None:
    text, commands = ASKED[kind]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with on_the_command_line(), pytest.raises(InputError) as caught:
        read(path)
    for command in commands:
        assert command in str(caught.value)
    if "--format basket" in commands:
        assert len(read(path, format="basket")) == text.count("\n")


@pytest.mark.parametrize(
    "options", [{"format": "list"}, {"item_column": "Products bought"}, {"format": "basket"}]
)
def test_the_commands_offered_for_quoted_lists_work(tmp_path: Path, options) -> None:
    path = tmp_path / "a.csv"
    path.write_text('Products bought\n"milk,bread"\n"beer,tea"\n')
    table = read(path, **options)
    if "format" in options and options["format"] == "basket":
        assert table.to_lists() == [["Products", "bought"], ["milk,bread"], ["beer,tea"]]
    else:
        assert table.to_lists() == [["bread", "milk"], ["beer", "tea"]]
    with pytest.raises(InputError, match="has no column 'Products'"):
        read(path, format="list", item_column="Products")


def test_a_column_of_lists(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('order_id,items,day\n7,"milk, say ""A""",1\n8,,2\n9,beer,3\n')
    table = read(path)
    assert table.to_lists() == [["milk", 'say "A"'], [], ["beer"]]
    assert table.record_ids == ("7", "8", "9")
    assert table.source is not None
    assert (table.source.columns, table.source.separator) == (("order_id", "items"), ",")
    path.write_text('stay,dx\n7,"a;b"\n8,c\n')
    assert read(path, format="list", item_column="dx").to_lists() == [["a", "b"], ["c"]]
    path.write_text('items\n"milk,bread"\n\n"beer"\n')
    assert read(path).to_lists() == [["bread", "milk"], [], ["beer"]]
    release = withhold.anonymize(path, withhold.RhoUncertainty("0.9", {"beer"}))
    for name in ("out.csv", "out", "out.txt"):
        published = release.write(tmp_path / name)
        assert verify_file(published.path).same_bytes


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("id,items\n1,\"['milk', 'rye bread']\"\n2,[]\n3,\n", [["milk", "rye bread"], [], []]),
        ('id,items\n1,"[\'a, b\', ""it\'s""]"\n', [["a, b", "it's"]]),
        ("items\n\"{'tea', 'ale'}\"\n\"('tea',)\"\n", [["ale", "tea"], ["tea"]]),
        ('items\n"[1, 2]"\n"[20]"\n', [["1", "2"], ["20"]]),
    ],
)
def test_lists_as_python_shows_them(tmp_path: Path, text: str, items: list[list[str]]) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert read(path).to_lists() == items


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('id,items\n1,"milk,bread"\n2,"milk;tea"\n', "line 3: both ',' and ';'"),
        # As numpy shows it: Python would make one text of the two.
        ("id,items\n1,['milk' 'bread']\n", "line 2: a cell holds a list as a program shows it"),
        ("id,items\n1,\"['milk', 'bread']\"\n2,tea\n", "line 2: a cell holds a list as a program"),
        ('items\n"[1.5, 2]"\n', "line 2: a cell holds a list as a program shows it"),
        ("items\n\"['']\"\n", "an item has no name"),
        ('id,items\n1,"a\nb,c"\n', "several lines"),
        ('id,items,products\n1,"a,b",c\n', "several columns could hold the lists"),
        ("items\n", "a header but no records"),
    ],
)
def test_lists_that_cannot_be_read(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read(path, format="list")


def test_a_frame_whose_cells_may_be_lists_is_asked_about() -> None:
    frame = pl.DataFrame({"order_id": [1, 2], "product": ["milk,bread", "beer"]})
    with pytest.raises(InputError, match="split them into lists"):
        read(frame)
    assert read(frame, format="long").to_lists() == [["milk,bread"], ["beer"]]


def test_every_text_format_is_in_the_matrix() -> None:
    assert {form for _, form in CONTENTS.values()} == set(FORMATS)


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


@pytest.mark.parametrize("extension", OF_ONE_FORMAT)
@pytest.mark.parametrize("before", ["", *OF_ONE_FORMAT])
def test_what_is_written_is_detected_by_its_extension(
    tmp_path: Path, before: str, extension: str
) -> None:
    path = tmp_path / f"a{before}{extension}"
    written = write(Records.from_lists([["1"], []]), path)
    source = read(path).source
    assert source is not None
    assert source.format == written.format == OF_ONE_FORMAT[extension]


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
    assert "use read_table if it is a table" in str(caught.value)
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
