"""The map is true: docs/architecture.md names the layers, the rooms and the folders that there are."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from withhold.registry import OF_PEOPLE, ROOMS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "withhold"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def test_layers__are_those_that_are_enforced():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (enforced,) = [
        contract["layers"]
        for contract in config["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    (drawn,) = re.findall(r"```text\n(.*?)```", section("The layers"), flags=re.DOTALL)
    assert drawn.splitlines() == [line.replace("withhold.", "") for line in enforced]


def test_layers__hold_every_module():
    (drawn,) = re.findall(r"```text\n(.*?)```", section("The layers"), flags=re.DOTALL)
    named = set(re.findall(r"\w+", drawn))
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert there - named <= {"__init__", "__main__", "__pycache__"}


def test_rooms__are_those_of_the_registry():
    told = dict(
        re.findall(r"^\| `([\w-]+)` \| `methods/(\w+)`", section("The rooms"), re.MULTILINE)
    )
    assert told == {name: place.rpartition(".")[2] for name, place in ROOMS.items()}
    folders = {path.parent.name for path in (PACKAGE / "methods").glob("*/__init__.py")}
    of_people = {place.rpartition(".")[2] for place in OF_PEOPLE.values()}
    assert folders == {*told.values(), *of_people}
    assert all(f"`methods/{each}`" in section("The rooms") for each in of_people)


def test_folders__are_all_on_the_map():
    told = set(re.findall(r"^\| `(\w+)` \|", section("The folders"), re.MULTILINE))
    assert told == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_folders__say_in_a_few_lines_what_lives_there():
    for path in PACKAGE.rglob("__init__.py"):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert said, path
        assert path.parent == PACKAGE or len(said.splitlines()) <= 8, path
