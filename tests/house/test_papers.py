"""The pages about the papers say what was measured."""

from __future__ import annotations

import doctest
import json
import sys
from pathlib import Path

import pytest
from benchmarks.papers import store
from benchmarks.tables import Judged, Table

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import make_papers


def test_pages__are_what_their_texts_and_results_make():
    made = make_papers.pages()
    for name, text in made.items():
        written = make_papers.FOLDER / name
        assert written.exists(), f"{name} is missing: make docs"
        assert written.read_text(encoding="utf-8") == text, f"{name} is out of date: make docs"
    plots = {f"plots/{path.name}" for path in (make_papers.FOLDER / "plots").glob("*")}
    assert plots == {name for name in made if name.endswith(".svg")}


def test_pages__change_with_a_number(tmp_path, monkeypatch):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "page.md.in").write_text(
        "# Page\n\n{{table suite: Losses}}\n\n{{plot suite: Losses | rho | loss | file}}\n"
    )
    monkeypatch.setattr(make_papers, "FOLDER", tmp_path)
    assert "Not measured yet; `python -m benchmarks suite` does" in make_papers.pages()["page.md"]
    table = Table("Losses", {"file": "", "rho": "", "loss": ".4f", "more": ""}, notes=["Quiet."])
    table.add(file="a", rho="0.3", loss=0.123456)
    table.add(file="a", rho="0.7", loss=Judged(0.1, 0.2))
    store("suite", [table], quick=False, folder=tmp_path / "results")
    first = make_papers.pages()
    assert "| a | 0.3 | 0.1235 |\n| a | 0.7 | 0.1 |\n\nQuiet." in first["page.md"]
    assert first == make_papers.pages()
    table.rows[0]["loss"] = 0.2
    store("suite", [table], quick=False, folder=tmp_path / "results")
    second = make_papers.pages()
    assert {name for name in first if first[name] != second[name]} == {*first}


def test_pages__leave_nothing_unmeasured():
    assert [name for name, text in make_papers.pages().items() if "Not measured yet" in text] == []


def test_plots__are_of_the_rows_that_are_asked_for():
    assert doctest.testmod(make_papers).failed == 0
    rows = [{"k": "2"}, {"k": "3"}]
    assert make_papers.rows_where(rows, "") == rows


def test_pages__refuse_a_line_that_they_do_not_know(tmp_path, monkeypatch):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "page.md.in").write_text("{{tabel suite: Losses}}\n")
    monkeypatch.setattr(make_papers, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"page\.md\.in has a line"):
        make_papers.pages()


def test_store__keeps_the_order_of_columns_and_leaves_out_times(tmp_path):
    rows = [{"seconds": 3.0, "loss": 0.5, "k": "2"}]
    notes = ["seconds: on the clock.", "Quiet."]
    table = Table("one", {"k": "", "loss": "", "seconds": ""}, rows, notes)
    for name in ("tables", "paper-partial"):
        store(name, [table], quick=False, folder=tmp_path)
    (shown,), (whole,) = (
        json.loads((tmp_path / f"{name}.json").read_text()) for name in ("tables", "paper-partial")
    )
    assert list(shown["rows"][0]) == ["k", "loss"]
    assert list(whole["rows"][0]) == ["k", "loss", "seconds"]
    assert (shown["notes"], whole["notes"]) == (["Quiet."], notes)


def test_store__replaces_by_title_and_ignores_quick_runs(tmp_path):
    for number, title in enumerate(["one", "two", "one"]):
        table = Table(title, {"n": ""})
        table.add(n=number)
        store("suite", [table, Table("empty", {})], quick=False, folder=tmp_path)
        store("suite", [Table("three", {"n": ""}, [{"n": 9}])], quick=True, folder=tmp_path)
    stored = json.loads((tmp_path / "suite.json").read_text())
    assert [(table["title"], table["rows"]) for table in stored] == [
        ("one", [{"n": 2}]),
        ("two", [{"n": 1}]),
    ]
