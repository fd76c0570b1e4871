"""Hierarchies built from the values of a column: what each builds, what it refuses, how it is asked for."""

from __future__ import annotations

import json
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples
from typed import run
from withhold import Hierarchy
from withhold.data.column_lists import split_pairs
from withhold.data.table import Column, Table
from withhold.errors import InputError, PolicyError
from withhold.formats.column_trees import arx_lines, column_tree, suggest

whole_numbers = st.lists(st.integers(-40, 400).map(str), min_size=1, max_size=30)


def path_of(tree: Hierarchy, leaf: str) -> list[str]:
    """The nodes from the leaf up to the root."""
    path = [leaf]
    while (above := tree.parent(path[-1])) is not None:
        path.append(above)
    return path


def span(name: str) -> tuple[int, int]:
    """Both ends of a range of whole numbers."""
    name = name.partition("[")[0]
    if ".." in name:
        low, high = name.split("..")
    elif "-" in name[1:]:
        low, high = name.rsplit("-", 1) if name[0] != "-" else (name, name)
    else:
        low = high = name
    return int(low), int(high)


@examples(100)
@given(whole_numbers, st.integers(1, 30))
def test_by_width__ranges_double_and_hold_their_numbers(cells, width):
    tree = Hierarchy.by_width([*cells, "", None, "?"], width)
    assert set(tree.leaves) == {*cells, "?"}
    assert tree.parent("?") == "*"
    for cell in cells:
        widths = []
        for node in path_of(tree, cell)[1:-1]:
            low, high = span(node)
            assert low <= int(cell) <= high
            assert low % (high - low + 1) == 0
            widths.append(high - low + 1)
        assert widths == [width * 2**level for level in range(len(widths))]
        assert widths[0] == width
    tops = {path_of(tree, cell)[-2] for cell in cells}
    # One range over everything would be the root again.
    assert len(tops) > 1 or tree.height == 2


@examples(150)
@given(whole_numbers, st.integers(2, 9))
def test_by_quantiles__parts_are_ranges_of_about_as_many_cells(cells, parts):
    tree = Hierarchy.by_quantiles(cells, parts)
    assert set(tree.leaves) == set(cells)
    counts = {cell: cells.count(cell) for cell in cells}
    for node in set(tree.names) - set(tree.leaves) - {"*"}:
        inside = sorted(int(leaf) for leaf in tree.leaves_under(node))
        assert span(node) == (inside[0], inside[-1])
        assert [n for n in sorted(map(int, counts)) if inside[0] <= n <= inside[-1]] == inside
        assert len(inside) > 1
    lowest = {path_of(tree, cell)[1] for cell in cells} - {"*"}
    for node in lowest:
        if not any(tree.covers(node, other) for other in lowest - {node}):
            held = sum(counts[leaf] for leaf in tree.leaves_under(node))
            # A part, or two neighbours that were a single value each.
            most = max(counts.values())
            assert held <= max(Fraction(len(cells), parts) + most, 2 * most)


def test_by_quantiles__counts_cells_and_not_values():
    tree = Hierarchy.by_quantiles({"1": 50, "2": 1, "3": 1, "4": 48}, 2)
    assert tree.leaves_under("2-4") == ("2", "3", "4")


def test_by_edges__begin_where_they_are_told():
    tree = Hierarchy.by_edges(["17", "18", "64", "65", "2.5", "na"], [18, "65"])
    assert {leaf: tree.parent(leaf) for leaf in tree.leaves} == {
        "17": "below 18",
        "2.5": "below 18",
        "18": "[18,65)",
        "64": "[18,65)",
        "65": "65 or more",
        "na": "*",
    }


@examples(50)
@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=20))
def test_by_dates__day_month_year_decade(days):
    dates = [date(1950, 1, 1) + timedelta(days=each) for each in days]
    tree = Hierarchy.by_dates([each.isoformat() for each in dates])
    for each in dates:
        decade = each.year // 10 * 10
        assert path_of(tree, each.isoformat()) == [
            each.isoformat(),
            f"{each:%Y-%m}",
            f"{each:%Y}",
            f"{decade}-{decade + 9}",
            "*",
        ]


def test_by_dates__a_moment_is_under_its_day():
    tree = Hierarchy.by_dates(["2026-11-17T23:42:00", "2026-11-17 08:00", "2026-11-18"])
    assert tree.leaves_under("2026-11-17") == ("2026-11-17 08:00", "2026-11-17T23:42:00")
    assert path_of(tree, "2026-11-18")[1] == "2026-11"


def test_by_frequency__merges_what_is_rare():
    cells = ["a"] * 50 + ["b"] * 48 + ["c", "d", "", None]
    tree = Hierarchy.by_frequency(cells, "0.02")
    assert tree.leaves_under("other") == ("c", "d")
    assert tree.parent("a") == tree.parent("b") == "*"
    # Exactly the share is not below it; a single rare value has nobody to be merged with.
    assert "other" not in Hierarchy.by_frequency(["a"] * 98 + ["b", "b"], "0.02")
    assert "other" not in Hierarchy.by_frequency(["a"] * 99 + ["b"], "0.02")


def test_prefix__of_a_column_cuts_one_character_after_the_other():
    column = Column.of("zip", ["81667", "81675", "81925", ""])
    assert path_of(column_tree(column, "prefix"), "81667") == [
        "81667",
        "8166",
        "816",
        "81",
        "8",
        "*",
    ]
    assert path_of(column_tree(column, "prefix:2"), "81667") == ["81667", "81", "*"]
    codes = Column.of("icd", ["E11.9", "E10.1"])
    assert path_of(column_tree(codes, "prefix"), "E11.9") == ["E11.9", "E11", "E", "*"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("widht:5", "did you mean 'width'"),
        ("width", "is neither"),
        ("width:", "is neither"),
        ("edges", "is neither"),
        ("quantile:4", "did you mean 'quantiles'"),
        ("width:0", "must be a number above 0"),
        ("width:-5", "must be a number above 0"),
        ("width:x", "must be a number above 0"),
        ("quantiles:1", "whole number of at least 2"),
        ("quantiles:two", "must be whole numbers"),
        ("edges:40,18", "must be ascending"),
        ("edges:18,x", "must be ascending"),
        ("dates:3", "takes nothing after it"),
        ("prefix:3,1", "ascending"),
        ("frequency:2", "strictly between 0 and 1"),
        ("none.csv", "none.csv"),
    ],
)
def test_column_tree__says_what_is_wrong(spec, said):
    with pytest.raises(wh.WithholdError, match=said):
        column_tree(Column.of("age", ["17", "18"]), spec)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("width:5", "2 values are not a number: 'old', 'young'"),
        ("dates", "3 values are not a date: '17', 'old', 'young'"),
    ],
)
def test_column_tree__names_the_values_that_do_not_fit(spec, said):
    with pytest.raises(InputError, match=said) as caught:
        column_tree(Column.of("age", ["17", "old", "young", "?", ""]), spec)
    assert "column 'age'" in str(caught.value)


def test_column_tree__of_blanks_alone_has_nothing_to_build():
    with pytest.raises(InputError, match="no hierarchy can be built"):
        column_tree(Column.of("age", ["", None, "?"]), "width:5")


def test_column_tree__a_file_wins_over_a_way_to_build(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("prefix").write_text("17;young;*\n18;young;*\n")
    assert column_tree(Column.of("age", ["17", "18"]), "prefix").parent("17") == "young"


def test_split_pairs__keeps_the_numbers_of_a_list_together():
    assert split_pairs("age=edges:18,40, 65,zip=prefix:1,3,sex=sex.csv", "hierarchies") == {
        "age": "edges:18,40,65",
        "zip": "prefix:1,3",
        "sex": "sex.csv",
    }


@examples(50)
@given(whole_numbers, st.sampled_from(("width:5", "quantiles:4", "prefix", "frequency:0.1")))
def test_arx_lines__read_back_generalise_alike(cells, way):
    tree = column_tree(Column.of("age", [*cells, "?"]), way)
    rows = [line.split(";") for line in arx_lines(tree).splitlines()]
    again = Hierarchy.from_paths(rows)
    assert set(again.leaves) == set(tree.leaves)

    def sets(of: Hierarchy, leaf: str) -> list[tuple[str, ...]]:
        spans = [tuple(sorted(of.leaves_under(node))) for node in path_of(of, leaf)]
        return sorted(set(spans))

    for leaf in tree.leaves:
        assert sets(again, leaf) == sets(tree, leaf)


@pytest.mark.parametrize(
    ("cells", "way"),
    [
        ([str(n) for n in range(20, 60)], "quantiles:8"),
        ([f"{n:05}" for n in range(1000, 1040)], "prefix"),
        ([f"AB{n}" for n in range(10, 40)], "prefix"),
        (["2026-11-17", "2026-11-18", "NA"], "dates"),
        (["red", "blue", "red"], "frequency:0.05"),
        (["1", "2", "3"], "frequency:0.05"),
    ],
)
def test_suggest__what_fits_the_values(cells, way):
    assert suggest(Column.of("x", [*cells, ""]))[0] == way


SPECS = (
    "age=width:10",
    "age=quantiles:4",
    "age=edges:30,50",
    "zip=prefix",
    "birth=dates",
    "job=frequency:0.1",
)


def people() -> Table:
    """Forty people; some cells are blank, some say that they are missing."""
    numbers = range(40)
    return Table.from_columns(
        {
            "age": ["" if n == 3 else "?" if n == 4 else str(20 + n) for n in numbers],
            "zip": [None if n == 5 else f"{10100 + 7 * (n % 17)}" for n in numbers],
            "birth": [(date(1960, 1, 1) + timedelta(days=97 * n)).isoformat() for n in numbers],
            "job": ["baker" if n % 3 else f"job{n}" for n in numbers],
        }
    )


@pytest.mark.parametrize("spec", [*SPECS, ",".join(SPECS[2:])])
def test_anonymize__with_hierarchies_that_are_built(spec):
    table = people()
    model = wh.KAnonymity(4, split_pairs(spec, "hierarchies"))
    release = wh.anonymize(table, model, hierarchy=spec, cost="ham", publish="all", seed=1)
    assert release.verdict.status.value == "HOLDS"
    assert release.loss.generalised > 0
    for row in (3, 4):  # blanks and what is missing stay or are withheld, and become nothing else
        cell = release.data.column("age").cells()[row]
        assert cell in (None, table.column("age").cells()[row])


def test_anonymize__names_the_missing_leaves_of_a_file(tmp_path):
    (tmp_path / "age.csv").write_text("20;young;*\n21;young;*\n")
    table = Table.from_columns({"age": ["20", "21", "", "33", "34"]})
    with pytest.raises(InputError, match=r"lacks 2 of the values of the column: '33', '34'"):
        wh.anonymize(
            table, wh.KAnonymity(2, ["age"]), hierarchy={"age": tmp_path / "age.csv"}, publish="all"
        )


def test_anonymize__refuses_a_hierarchy_for_an_unknown_column():
    with pytest.raises(PolicyError, match="did you mean 'age'"):
        wh.anonymize(people(), wh.KAnonymity(2, ["age"]), hierarchy="agee=width:5", publish="all")


def test_policy__has_hierarchies_that_are_built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_polars().write_csv("people.csv")
    Path("policy.toml").write_text(
        'model = "k-anonymity"\nk = 3\nquasi-identifiers = ["age", "zip"]\n'
        'hierarchy = "age=edges:30,50,zip=prefix"\npublish = "all"\nmark = "*"\n'
    )
    done = run("anonymize", "people.csv", "--policy", "policy.toml", "-o", "out.csv", "-q")
    assert done.exit_code == 0, done.stderr
    again = run(
        "anonymize", "people.csv", "--policy", "out.csv.internal.json", "-o", "two.csv", "-q"
    )
    assert again.exit_code == 0, again.stderr
    assert Path("out.csv").read_bytes() == Path("two.csv").read_bytes()


def test_suggest_verb__draws_checks_and_writes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_polars().write_csv("people.csv")
    done = run("hierarchy", "suggest", "people.csv", "age", "-o", "age.csv")
    assert done.exit_code == 0, done.stderr
    assert "Use it: --hierarchy age=quantiles:8, or --hierarchy age=age.csv" in done.stdout
    assert "It has every value of the column" in done.stdout
    assert "Blank cells, 1," in done.stdout
    # What was written is what the option builds.
    built = column_tree(wh.read_table("people.csv").column("age"), "quantiles:8")
    written = wh.read_hierarchy("age.csv")
    # A file repeats what is not a number at every height, where the option has it under the root.
    numbers = [name for name in built.names if name != "?"]
    assert [written.parent(name) for name in numbers] == [built.parent(name) for name in numbers]
    assert {*written.names} - {*built.names} == {"?[1]", "?[2]", "?[3]"}
    assert set(built.leaves) == {*map(str, range(20, 60)), "?"} - {"23", "24"}
    refused = run("hierarchy", "suggest", "people.csv", "age", "-o", "age.csv")
    assert refused.exit_code == 2
    forced = ("hierarchy", "suggest", "people.csv", "age", "--force", "-o")
    assert run(*forced, "age.csv").exit_code == 0
    # The last two could be read as hierarchies.
    for text in ("the only copy\n", "child,parent\nRome,IT\n", "1;Rome;IT\n2;Rome;IT\n"):
        Path("notes.txt").write_text(text)
        theirs = run(*forced, "notes.txt")
        assert (theirs.exit_code, "is never replaced" in theirs.stderr) == (2, True)
        assert Path("notes.txt").read_text() == text
    found = json.loads(run("hierarchy", "suggest", "people.csv", "zip", "--json").stdout)
    assert (found["by"], found["blank"]) == ("prefix", 1)
    wrong = run("hierarchy", "suggest", "people.csv", "agee")
    assert (wrong.exit_code, "name 'age'" in wrong.stderr) == (3, True)
