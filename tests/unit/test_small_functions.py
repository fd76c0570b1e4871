"""Small functions of ``formats`` and ``data``, each by an example."""

from __future__ import annotations

import pytest


def test_data_binning__bins_name() -> None:
    from withhold.data.binning import Bins, Decimal

    assert Bins(Decimal(5)).name(Decimal(37), whole=True) == "35-39"
    assert Bins(edges=(Decimal(18), Decimal(65))).name(Decimal(70), whole=True) == "65 or more"
    assert Bins(Decimal("0.5")).name(Decimal("1.7"), whole=False) == "[1.5,2.0)"


def test_data_binning__parse_bins() -> None:
    from withhold.data.preparing import parse_bins

    assert repr(parse_bins(["age=18,65"])["age"].edges) == "(Decimal('18'), Decimal('65'))"


def test_data_column_lists__split_columns() -> None:
    from withhold.data.column_lists import split_columns

    assert split_columns('age, "income, yearly"') == ("age", "income, yearly")


def test_data_column_lists__join_columns() -> None:
    from withhold.data.column_lists import join_columns

    assert join_columns(["age", "income, yearly"]) == 'age,"income, yearly"'


def test_data_column_lists__unquoted() -> None:
    from withhold.data.column_lists import unquoted

    assert (unquoted('"income, yearly"'), unquoted("age")) == ("income, yearly", "age")


def test_data_column_lists__split_pairs() -> None:
    from withhold.data.column_lists import split_pairs

    assert split_pairs('zip=zip.csv,"income, yearly"=income.csv', "hierarchies") == {
        "zip": "zip.csv",
        "income, yearly": "income.csv",
    }


def test_data_column_lists__join_pairs() -> None:
    from withhold.data.column_lists import join_pairs

    assert (
        join_pairs({"zip": "zip.csv", "income, yearly": "a=b.csv"})
        == 'zip=zip.csv,"income, yearly"="a=b.csv"'
    )


def test_data_consent__agreed_by_value() -> None:
    from withhold.formats.consent import agreed_by_value

    assert agreed_by_value(["1", 0, True], None, "consent").tolist() == [True, False, True]


def test_data_demo_files__demo_files() -> None:
    from withhold.data.demo_files import demo_files

    assert demo_files(2000)["constraints.csv"].splitlines()[:3] == [
        "record,item",
        "*,pregnancy-test",
        "*,hiv-self-test",
    ]


def test_data_demo_files__item_hierarchy() -> None:
    from withhold.data.demo_files import item_hierarchy

    assert item_hierarchy().splitlines()[0] == "paracetamol;colds;*"


def test_data_determining__determining_columns() -> None:
    from withhold.data.identifying import Table, determining_columns

    degrees = ["BA", "MA", "BA", "MA"]
    years = {"degree": degrees, "years": ["13", "14", "13", "14"], "sex": ["f", "f", "m", "m"]}
    assert determining_columns(Table.from_columns(years), ["years", "sex"], ["degree"]) == {
        "years": {"degree": 1.0}
    }


def test_data_equal_rows__equal_rows() -> None:
    from withhold.data.equal_rows import Records, equal_rows

    table = Records.from_lists([["a", "b"], ["a"], ["b", "a"], []])
    assert [numbers.tolist() for numbers in equal_rows(table)] == [[0, 1, 0, 2], [0, 1, 3]]


def test_data_grouping__group_rows() -> None:
    import numpy as np

    from withhold.data.grouping import group_rows

    groups = group_rows([np.array([0, 1, 0], np.int32), np.array([-1, 0, -1], np.int32)], 3)
    assert (groups.of_row.tolist(), groups.sizes.tolist()) == ([0, 1, 0], [2, 1])


def test_data_growing__some() -> None:
    from withhold.data.tree_building import some

    assert (some(["a", "b"]), some("abcdefg")) == ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")


def test_data_identifying__looks_identifying() -> None:
    from withhold.data.identifying import Table, looks_identifying

    people = {"mail": ["ann@x.org", "bob@y.org"], "sex": ["f", "m"]}
    assert looks_identifying(Table.from_columns(people), ["mail", "sex"]) == {
        "mail": "holds e-mail addresses"
    }


def test_data_names__clean() -> None:
    from withhold.data.names import clean

    assert clean(" whole milk\u00a0") == "whole milk"


def test_data_names__clean_set() -> None:
    from withhold.data.names import clean_set

    assert sorted(clean_set([" beer", "ale", 7], "sensitive")) == ["7", "ale", "beer"]


def test_data_names__clean_all() -> None:
    from withhold.data.names import InputError, clean_all

    assert clean_all(["beer ", "ale"], "items") == ("beer", "ale")
    with pytest.raises(InputError) as told:
        clean_all(["beer ", "beer"], "items")
    assert (
        str(told.value)
        == "two items differ only by the whitespace around them: 'beer ' and 'beer'. "
        "To fix it: give them one spelling if they are the same, or other names."
    )


def test_data_names__is_missing() -> None:
    from withhold.data.names import is_missing

    assert (is_missing(" NA"), is_missing("none"), is_missing("n17")) == (True, True, False)


def test_data_names__nearest() -> None:
    from withhold.data.names import nearest

    assert (
        nearest("patient", ["age", "PATIENT"]),
        nearest("itm", ["tid", "item"]),
        nearest("x", ["yy"]),
    ) == ("PATIENT", "item", None)


def test_data_native__blanked() -> None:
    import numpy as np
    import polars as pl

    from withhold.data.native import blanked

    assert blanked(pl.Series([1, 2]), np.array([True, False])).to_list() == [None, 2]


def test_data_packing__packed_pairs() -> None:
    import numpy as np

    from withhold.data.packing import packed_pairs

    names, bits, _, _ = packed_pairs(3, ("a", "b", "c"), np.array([2, 0, 2]), np.array([2, 0, 2]))
    assert (names, bits.tolist()) == (("a", "c"), [[1], [0], [2]])


def test_data_profile__profile() -> None:
    from withhold.data.profile import Records, profile

    assert profile(Records.from_lists([["a", "b"], ["a"], []])).top == (("a", 2), ("b", 1))


def test_data_roles__column_roles() -> None:
    from withhold.data.roles import Table, column_roles
    from withhold.methods.cells.model import KAnonymity

    table = Table.from_columns({"age": ["30", "40"], "mail": ["a@x.org", "b@x.org"]})
    assert column_roles(table, KAnonymity(2, ["age"])).undecided == {
        "mail": "holds e-mail addresses"
    }
    assert dict(column_roles(table, KAnonymity(2, ["age"]), publish=["mail"]).undecided) == {}


def test_data_survey__survey() -> None:
    from withhold.data.survey import survey

    table = survey()
    assert (len(table), table.names) == (600, ("name", "age", "sex", "zip", "education", "income"))


def test_data_survey__zip_hierarchy() -> None:
    from withhold.data.survey import zip_hierarchy

    assert zip_hierarchy().splitlines()[0] == "1010;10**;1***;*"


def test_data_table__column() -> None:
    from withhold.data.table import Column

    column = Column.of("sex", ["f", "m", "f"])
    assert (column.values, column.codes.tolist()) == (("f", "m"), [0, 1, 0])


def test_data_table__sorted_values() -> None:
    from withhold.data.table import Column

    assert Column.of("a", ["b", None, "a", "b"]).values == (None, "a", "b")


def test_data_profile__profile_table() -> None:
    from withhold.data.profile import Table, profile_table

    seen = profile_table(Table.from_columns({"sex": ["f", "m", "f"], "age": ["30", "", "41"]}))
    assert [
        (column.name, column.different, column.blank, column.alone) for column in seen.columns
    ] == [("sex", 2, 0, 1), ("age", 3, 1, 3)]


def test_data_wishes__vain_take_backs() -> None:
    import numpy as np

    from withhold.data.wishes import vain_take_backs

    rows, codes = np.array([0, 0, 1]), np.array([0, 0, 1])
    assert (
        repr(
            vain_take_backs(
                rows, codes, np.array([False, True, True]), np.zeros(2, dtype=bool), codes
            )
        )
        == "array([1])"
    )


def test_data_unknown__unknown___str() -> None:
    from withhold.data.unknown import find_unknown

    assert (
        str(find_unknown(["condon", "beer"], ["beer", "condom"], what="sensitive items"))
        == "1 of 2 sensitive items never occurs: 'condon' (did you mean 'condom'?)"
    )


def test_data_unknown__did_you_mean() -> None:
    from withhold.data.unknown import did_you_mean

    assert (
        did_you_mean("condon", "condom"),
        did_you_mean("!x", "\\!x"),
        did_you_mean("x", None),
    ) == (" (did you mean 'condom'?)", " (write \\!x for the item !x)", "")


def test_data_wishes__parse_wish() -> None:
    from withhold.data.wishes import parse_wish

    assert (
        parse_wish("beer"),
        parse_wish("! beer"),
        parse_wish("\\!beer"),
        parse_wish("!\\!beer"),
    ) == (("beer", False), ("beer", True), ("!beer", False), ("!beer", True))


def test_data_wishes__write_wish() -> None:
    from withhold.data.wishes import write_wish

    assert (write_wish("beer", back=True), write_wish("!beer")) == ("!beer", "\\!beer")


def test_formats_basket__read_text() -> None:
    from withhold.formats.basket import Options, Text, read_text

    rows = read_text(Text(b"beer, whole milk,\n\nbeer\n", "a.csv"), Options())
    assert (rows.vocabulary, rows.lengths.tolist(), rows.separator) == (
        ("beer", "whole milk"),
        [2, 0, 1],
        ",",
    )


def test_formats_basket__read_rows() -> None:
    from withhold.formats.basket import Text, read_rows

    assert list(read_rows(Text(b'"milk, whole",beer\n\n', "a.csv"), ",")) == [
        ["milk, whole", "beer"],
        [],
    ]


def test_formats_basket__find_separator() -> None:
    from withhold.formats.basket import find_separator

    assert (
        find_separator(b"whole milk,beer"),
        find_separator(b"1 2 3"),
        find_separator(b"beer"),
    ) == (",", " ", " ")


def test_formats_basket__write_text() -> None:
    from withhold.formats.basket import Records, Source, write_text

    table = Records.from_lists([["milk, whole", "beer"], []])
    from pathlib import Path

    assert list(write_text(table, Source(Path("a.csv"), "basket", separator=","))) == [
        'beer,"milk, whole"\n',
        "\n",
    ]


def test_formats_cells__open_sheet() -> None:
    from withhold.formats.cells import Options, Text, open_sheet

    sheet = open_sheet(Text(b"tid; item\n1;beer\n", "a.csv"), Options())
    assert (sheet.separator, sheet.columns, list(sheet.rows())) == (
        ";",
        ["tid", "item"],
        [(2, ["1", "beer"])],
    )


def test_formats_cells__guard_blanks() -> None:
    from withhold.formats.cells import guard_blanks

    assert guard_blanks(b'a, " b",c \n', ",") == b'a, "\x1fb",c \n'


def test_formats_cells__holds_list() -> None:
    from withhold.formats.cells import holds_list

    assert (
        holds_list('"milk,bread"'),
        holds_list('"whole milk"'),
        holds_list('"milk, whole" beer'),
    ) == (True, False, False)


def test_formats_cells__csv_lines() -> None:
    from withhold.formats.cells import csv_lines

    assert list(csv_lines([("tid", "item"), ("1", "milk, whole")], ",")) == [
        "tid,item\n",
        '1,"milk, whole"\n',
    ]


def test_formats_basket__code_lines() -> None:
    from withhold.formats.basket import code_lines

    lengths, codes, vocabulary, repeated = code_lines(b"b, whole milk,\n\nb,b\n", ord(","))
    assert (lengths.tolist(), codes.tolist(), vocabulary, repeated) == (
        [2, 0, 1],
        [0, 1, 0],
        ("b", "whole milk"),
        1,
    )


def test_formats_coding__distinct_keys() -> None:
    import numpy as np

    from withhold.formats.coding import distinct_keys

    distinct, codes = distinct_keys(np.array([7, 5, 7], dtype=np.uint64))
    assert (distinct[codes].tolist(), len(distinct)) == ([7, 5, 7], 2)


def test_formats_coding__distinct_words() -> None:
    import numpy as np

    from withhold.formats.coding import distinct_words

    words = [np.array([1, 1, 1], np.uint64), np.array([2, 3, 2], np.uint64)]
    distinct, codes = distinct_words(words)
    assert ([word[codes].tolist() for word in distinct], len(distinct[0])) == (
        [[1, 1, 1], [2, 3, 2]],
        2,
    )


def test_formats_coding__piece_bounds() -> None:
    from withhold.formats.coding import piece_bounds

    assert list(piece_bounds(b"ab\ncd\ne\n", 4)) == [(0, 6), (6, 8)]


def test_formats_columns__plain() -> None:
    from withhold.formats.columns import plain

    assert plain(" Invoice_No ") == "invoiceno"


def test_formats_columns__find_column() -> None:
    from withhold.formats.columns import InputError, find_column

    with pytest.raises(InputError) as told:
        find_column("itm", ["tid", "item"], "a.csv")
    assert (
        str(told.value) == "a.csv: has no column 'itm'; its columns are 'tid', 'item'. "
        "To fix it: name 'item', if that is what you mean."
    )


def test_formats_columns__long_columns() -> None:
    from withhold.formats.columns import Options, long_columns

    assert long_columns(["qty", "StockCode", "InvoiceNo"], Options(), None) == (
        "InvoiceNo",
        "StockCode",
    )


def test_formats_compiled__code_short_items() -> None:
    from withhold.formats.compiled import code_short_items

    lengths, codes, vocabulary, repeated = code_short_items(b"b,ale\n\nb,b\n", ord(","))
    assert (lengths.tolist(), codes.tolist(), vocabulary, repeated) == (
        [2, 0, 1],
        [0, 1, 1],
        ("ale", "b"),
        1,
    )


def test_formats_compiled__rank_rows() -> None:
    import numpy as np

    from withhold.formats.compiled import rank_rows

    lengths, codes = np.array([2, 3]), np.array([1, 0, 1, 0, 1], dtype=np.int32)
    assert (
        rank_rows(lengths, codes, np.array([5, 3], dtype=np.int32), np.empty(9, dtype=np.uint32))
        == 4
    )
    assert (lengths.tolist(), codes[:4].tolist()) == ([2, 2], [3, 5, 3, 5])


def test_formats_detect__text_format() -> None:
    from withhold.formats.detect import Options, Text, text_format

    assert text_format(Text(b"1 2 3\n", "a.dat"), Options()) == "basket"
    assert text_format(Text(b"order_id,product\n1,beer\n", "a.csv"), Options()) == "long"


def test_formats_extensions__split_name() -> None:
    from withhold.formats.forms import split_name

    assert (split_name("Out.CSV.gz"), split_name("out")) == ((".csv", "gz"), ("", ""))


def test_formats_extensions__check_extension() -> None:
    from withhold.formats.forms import OutputError, check_extension

    check_extension("published.data", "original.data")
    with pytest.raises(OutputError) as told:
        check_extension("out.xlsx")
    assert (
        str(told.value)
        == "out.xlsx: spreadsheets (.xlsx) are read, not written. To fix it: write out.csv or out.parquet."
    )


def test_formats_forms__output_form() -> None:
    from withhold.formats.forms import Path, Source, output_form

    form = output_form("out.csv.gz", Source(Path("in.csv"), "long", separator=";"))
    assert (form.format, form.separator, form.compression) == ("long", ";", "gz")


def test_formats_forms__check_separator() -> None:
    from withhold.formats.forms import check_separator

    assert (check_separator("tab"), check_separator(";")) == ("\t", ";")


def test_formats_formulas__is_formula() -> None:
    from withhold.formats.formulas import is_formula

    assert [
        is_formula(cell) for cell in ("=1+1", "+49 30 123", "@x", "-x", "-1.5", "-", "a=b")
    ] == [True, True, True, True, False, False, False]


def test_formats_formulas__escape() -> None:
    from withhold.formats.formulas import escape, unescape

    assert (escape("=1+1"), escape("'=1+1"), escape("'tis"), unescape("''=1+1")) == (
        "'=1+1",
        "''=1+1",
        "'tis",
        "'=1+1",
    )


def test_formats_frames__read_frame() -> None:
    import polars as pl

    from withhold.formats import Frame, Options, _read_frame

    form, rows = _read_frame(Frame(pl.DataFrame({"items": [["b", "a"], []]})), Options())
    assert (form, rows.vocabulary, rows.lengths.tolist()) == ("list", ("a", "b"), [2, 0])


def test_formats_frames__own_index() -> None:
    import pandas as pd

    from withhold.formats.frames import own_index

    assert own_index(pd.DataFrame({"a": [1, 2]}, index=["Ann", "Bob"]), 2) == ("Ann", "Bob")


def test_formats_hierarchy__hierarchy_format() -> None:
    from withhold.formats.hierarchy import Text, hierarchy_format

    assert hierarchy_format(Text(b"beer;drinks;*\nsoap;care;*\n", "a.csv")) == "arx"


def test_formats_items__item_name() -> None:
    from withhold.formats.items import item_name

    assert (item_name("007"), item_name(7), item_name(7.0)) == ("007", "7", "7")


def test_formats_items__series_codes() -> None:
    import polars as pl

    from withhold.formats.items import series_codes

    codes, vocabulary = series_codes(pl.Series(["b", "a", "b"]))
    assert (codes.tolist(), vocabulary) == ([1, 0, 1], ("a", "b"))


def test_formats_jsonl__read_text() -> None:
    from withhold.formats.jsonl import Options, Text, read_text

    rows = read_text(Text(b'["b", "a"]\n[]\n', "a.jsonl"), Options())
    assert (rows.vocabulary, rows.lengths.tolist(), rows.record_ids) == (("a", "b"), [2, 0], None)


def test_formats_jsonl__write_text() -> None:
    from pathlib import Path

    from withhold.formats.jsonl import Records, Source, write_text

    table = Records.from_lists([["beer"], []], record_ids=["x", "y"])
    assert list(write_text(table, Source(Path("a.jsonl"), "jsonl"))) == [
        '{"record": "x", "items": ["beer"]}\n',
        '{"record": "y", "items": []}\n',
    ]


def test_formats_jsonl__looks_like_jsonl() -> None:
    from withhold.formats.jsonl import looks_like_jsonl

    assert (looks_like_jsonl('["a"]'), looks_like_jsonl("[a] b")) == (True, False)


def test_formats_lists__text_read_text() -> None:
    from withhold.formats.lists import Options, Text, read_text

    rows = read_text(Text(b'tid,items\n7,"ale,beer"\n8,\n', "a.csv"), Options())
    assert (rows.record_ids, rows.vocabulary, rows.lengths.tolist(), rows.columns) == (
        ("7", "8"),
        ("ale", "beer"),
        [2, 0],
        ("tid", "items"),
    )


def test_formats_long__read_text() -> None:
    from withhold.formats.long import Options, Text, read_text

    rows = read_text(Text(b"tid,item\n7,beer\n8,\n7,ale\n", "a.csv"), Options())
    assert (rows.record_ids, rows.vocabulary, rows.lengths.tolist(), rows.columns) == (
        ("7", "8"),
        ("ale", "beer"),
        [2, 0],
        ("tid", "item"),
    )


def test_formats_long__write_text() -> None:
    from pathlib import Path

    from withhold.formats.long import Records, Source, write_text

    table = Records.from_lists([["beer"], []])
    assert list(write_text(table, Source(Path("a.csv"), "long", separator=","))) == [
        "record,item\n",
        "1,beer\n",
        "2,\n",
    ]


def test_formats_onehot__read_text() -> None:
    from withhold.formats.onehot import Options, Text, read_text

    rows = read_text(Text(b"id,beer,ale\na,1,0\nb,0,0\n", "a.csv"), Options())
    assert (rows.vocabulary, rows.lengths.tolist(), rows.record_ids) == (
        ("ale", "beer"),
        [1, 0],
        ("a", "b"),
    )


def test_formats_onehot__looks_one_hot_text() -> None:
    from withhold.formats.onehot import Options, looks_one_hot_text

    assert looks_one_hot_text(["beer", "ale"], [["1", "0"], ["0", "0"]], Options())


def test_formats_onehot__write_text() -> None:
    from pathlib import Path

    from withhold.formats.onehot import Records, Source, write_text

    table = Records.from_lists([["beer"], []])
    assert list(write_text(table, Source(Path("a.csv"), "one-hot", separator=","))) == [
        "beer\n",
        "1\n",
        "0\n",
    ]


def test_formats_rows__parsed_from_codes() -> None:
    import numpy as np

    from withhold.formats.rows import parsed_from_codes

    codes = np.array([1, 0, 1, 1], dtype=np.int32)
    rows = parsed_from_codes(np.array([3, 0, 1]), codes, ("beer", "bread"))
    assert (rows.items.tolist(), rows.lengths.tolist(), rows.repeated) == ([0, 1, 1], [2, 0, 1], 1)


def test_formats_rows__parsed_from_names() -> None:
    from withhold.formats.rows import parsed_from_names

    assert parsed_from_names([["beer", "ale"], []]).vocabulary == ("ale", "beer")


def test_formats_rows__with_clean_names() -> None:
    from withhold.formats.rows import parsed_from_names, with_clean_names

    assert with_clean_names(parsed_from_names([["b", " c"], ["a "]]), path=None).vocabulary == (
        "a",
        "b",
        "c",
    )


def test_formats_rows__sort_rows() -> None:
    import numpy as np

    from withhold.formats.rows import sort_rows

    lengths, codes = sort_rows(np.array([2, 3]), np.array([7, 3, 5, 5, 1], dtype=np.int32), 8)
    assert (lengths.tolist(), codes.tolist()) == ([2, 2], [3, 7, 1, 5])


def test_formats_spmf__read_text() -> None:
    from withhold.formats.spmf import Options, Text, read_text

    rows = read_text(Text(b"1 -1 3 2 -1 -2\n4 -1 -2\n", "a.txt"), Options())
    assert (rows.vocabulary, rows.lengths.tolist(), rows.variant) == (
        ("1", "2", "3", "4"),
        [3, 1],
        "sequences",
    )


def test_formats_spmf__looks_like_spmf() -> None:
    from withhold.formats.spmf import looks_like_spmf

    assert (looks_like_spmf(["1 -1 2 -1 -2"]), looks_like_spmf(["1 2"])) == (True, False)


def test_formats_spmf__write_text() -> None:
    from pathlib import Path

    from withhold.formats.spmf import Records, Source, write_text

    form = Source(Path("a.spmf"), "spmf")
    assert list(write_text(Records.from_lists([["2", "1"], []]), form)) == ["1 2 -1 -2\n", "-2\n"]
    assert list(write_text(Records.from_lists([["beer"], []]), form)) == [
        "@CONVERTED_FROM_TEXT\n",
        "@ITEM=1=beer\n",
        "1\n",
        "\n",
    ]


def test_formats_table__table_form() -> None:
    from withhold.formats.table import table_form

    assert table_form("out.tsv.gz", None, "*").separator == "\t"


def test_formats_jsonl__table_read_text() -> None:
    from withhold.formats.jsonl import Text, read_table_text

    table = read_table_text(Text(b'{"age": 30, "zip": "007"}\n{"age": null}\n', "a.jsonl"))
    assert (table.rows(), table.columns[0].kind) == ([("30", "007"), (None, None)], "Int64")


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [[], {}, ()],
        {"a": 1, "é": None},
        {"a": {"b": [1, 2.5, "\n"], "c": {}}, "d": (True, ["x"])},
        {1: ["a"], None: {}, False: {"x": 1}, 2.5: []},
        "text",
    ],
)
def test_escaping__json_text_is_as_json_writes_it(value: object) -> None:
    import json

    from withhold.escaping import json_text

    assert json_text(value) == json.dumps(value, ensure_ascii=False, indent=2)


def test_formats_basket__records_without_items_are_empty_lines() -> None:
    from pathlib import Path

    from withhold.data import Records, Source
    from withhold.formats.basket import write_text

    rows = [[], ["a", "b"], [], [], ["b"], []]
    form = Source(Path("x.dat"), format="basket", separator=" ")
    assert "".join(write_text(Records.from_lists(rows), form)) == "\na b\n\n\nb\n\n"
