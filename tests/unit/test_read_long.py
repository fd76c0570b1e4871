"""Long tables in text: order, empty records, columns by name, quotes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading import in_file
from withhold.data import Records
from withhold.formats.columns import Options
from withhold.formats.long import read_text
from withhold.formats.opening import Text
from withhold.formats.rows import with_clean_names

table_of, refused = in_file("a.csv")


def test_records_stand_in_order_of_appearance(tmp_path: Path) -> None:
    table = table_of(tmp_path, "tid,item\n9,b\n10,a\n9,a\n007,c\n10,a\n")
    assert table.record_ids == ("9", "10", "007")
    assert table.to_lists() == [["a", "b"], ["a"], ["c"]]
    assert table.repeated == 1
    assert table.source is not None
    assert (table.source.columns, table.source.separator) == (("tid", "item"), ",")


def test_leading_zeros_survive(tmp_path: Path) -> None:
    table = table_of(tmp_path, "tid,item\n01,007\n1,7\n1,7.0\n")
    assert table.record_ids == ("01", "1")
    assert table.to_lists() == [["007"], ["7", "7.0"]]


def test_a_row_without_an_item_keeps_the_record(tmp_path: Path) -> None:
    table = table_of(tmp_path, "tid,item\n1,\n2,a\n2,\n3,  \n")
    assert table.record_ids == ("1", "2", "3")
    assert table.to_lists() == [[], ["a"], []]


def test_other_columns_are_ignored_and_blanks_cut(tmp_path: Path) -> None:
    text = "qty ; Product ; Order ID \n3; beer ; 1\n2;ale;1\n\n"
    table = table_of(tmp_path, text)
    assert table.to_lists() == [["ale", "beer"]]
    assert table.record_ids == ("1",)
    assert table.source is not None
    assert table.source.columns == ("Order ID", "Product")


def test_quoted_cells(tmp_path: Path) -> None:
    text = 'tid,item\n1,"milk, whole"\n"1","say ""ah"""\n2,"two\nlines"\n\n\n'
    table = table_of(tmp_path, text)
    assert table.to_lists() == [["milk, whole", 'say "ah"'], ["two\nlines"]]


def test_cells_without_quotes_take_the_fast_road(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*args: object) -> None:
        raise AssertionError("read cell by cell")

    monkeypatch.setattr("withhold.formats.cells._parsed_cells", slow)
    table = table_of(tmp_path, "tid,item\n\ufeff1,a\n2, b c \n2,\n")
    assert (table.record_ids, table.to_lists()) == (("\ufeff1", "2"), [["a"], ["b c"]])
    with pytest.raises(AssertionError, match="cell by cell"):
        table_of(tmp_path, 'tid,item\n1,"a"\n')


@given(
    st.lists(
        st.tuples(st.sampled_from(["1", "2", "x y"]), st.sampled_from(["a", "b", "", " é "])),
        min_size=1,
    )
)
def test_cells_with_and_without_quotes_read_alike(rows: list[tuple[str, str]]) -> None:
    bare = "tid,item\n" + "".join(f"{record},{item}\n" for record, item in rows)
    quoted = "tid,item\n" + "".join(f'"{record}","{item}"\n' for record, item in rows)
    plain, parsed = (read_text(Text(text.encode(), "a"), Options()) for text in (bare, quoted))
    order = list(dict.fromkeys(record for record, _ in rows))
    expected = [sorted({i.strip() for r, i in rows if r == name and i.strip()}) for name in order]
    # Blanks inside quotes are still there; the rule of names takes them off.
    for found in (plain, with_clean_names(parsed, path=None)):
        table = Records(found.offsets, found.items, found.vocabulary, found.record_ids)
        assert (list(table.record_ids or ()), table.to_lists()) == (order, expected)
        assert found.repeated == sum(bool(i.strip()) for _, i in rows) - table.n_occurrences


def test_wrong_column_lists_the_columns_and_the_nearest(tmp_path: Path) -> None:
    error = refused(tmp_path, "tid,item\n1,a\n", record_column="tidd")
    assert "no column 'tidd'; its columns are 'tid', 'item'" in str(error)
    assert "name 'tid', if that is what you mean" in str(error)
    assert "name one of these" in str(refused(tmp_path, "tid,item\n1,a\n", item_column="zzz"))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("tid,item\n1,a\n2;b\n", 3, "1 cell where the header has 2"),
        ("tid,item\n1,a,b\n2\n", 2, "3 cells"),
        ("tid,item\n1,a\n\n2,b\n", 3, "is blank. To fix it: delete it"),
        ("tid,item\n1,a\n \n2,b\n", 3, "is blank. To fix it: delete it"),
        ("tid,item\n1,a\n,b\n", 3, "which record"),
        ('tid,item\n1,"a\n2,b\n', None, "not proper CSV"),
        ('tid,item\n1,"a"b\n2,b\n', 2, "not proper CSV"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    error = refused(tmp_path, text)
    assert words in str(error)
    assert line is None or error.line == line


def test_two_candidates_are_for_the_user_to_decide(tmp_path: Path) -> None:
    text = "order_id,user_id,product\n1,7,a\n2,7,b\n"
    error = refused(tmp_path, text)
    assert "'order_id', 'user_id'" in str(error)
    assert "with record_column" in str(error)
    table = table_of(tmp_path, text, record_column="user_id")
    assert table.to_lists() == [["a", "b"]]


def test_a_file_without_a_header_loses_no_row(tmp_path: Path) -> None:
    for text in ("1,a\n1,b\n2,c\n", "p,a\np,b\nq,c\n"):
        error = refused(tmp_path, text, format="long")
        assert error.line == 1
        assert "looks like a row" in str(error)


def test_columns_that_cannot_be_told_apart(tmp_path: Path) -> None:
    text = "a,b,c\n1,2,3\n"
    assert "no column looks like the record column" in str(refused(tmp_path, text, format="long"))
    assert "no column looks like the item" in str(refused(tmp_path, text, record_column="a"))
    both = refused(tmp_path, text, record_column="a", item_column="a")
    assert "cannot be both" in str(both)
    twice = refused(tmp_path, "tid,item,item\n1,a,b\n", record_column="tid", item_column="item")
    assert "2 columns 'item'" in str(twice)
