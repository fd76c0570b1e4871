"""The notebooks in examples/: text without outputs, and every cell runs."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def cells(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def run_cell(source: str, names: dict) -> object:
    """Run a cell; the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return (
        None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook__runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "__main__"}
    shown = 0
    for cell in cells(path):
        if cell["cell_type"] != "code":
            continue
        value = run_cell("".join(cell["source"]), names)
        show = getattr(value, "_repr_html_", None)
        shown += show is not None and bool(show())
    assert shown, "at least one value shows itself"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook__is_kept_without_outputs(path):
    for cell in cells(path):
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
        assert cell["id"]


def test_notebooks__are_there():
    assert len(NOTEBOOKS) >= 5
