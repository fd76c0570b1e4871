"""The house keeps its own rules: start-up, public names, documentation."""

from __future__ import annotations

import inspect
import re
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import typed
import withhold
from withhold.registry import all_methods

ROOT = Path(__file__).parents[2]
LOADED = "import sys; print('numba' in sys.modules, 'polars' in sys.modules)"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@cache
def help_of(*verb: str, option: str = "--help") -> str:
    return typed.run(*verb, option, prog_name="withhold").stdout


def verbs() -> list[str]:
    listing = help_of().split("Commands:")[1].split("Exit codes")[0]
    return re.findall(r"^  (\w[\w-]*)", listing, flags=re.MULTILINE)


def test_import__loads_neither_numba_nor_polars():
    assert run(sys.executable, "-c", f"import withhold; {LOADED}").stdout.split() == [
        "False",
        "False",
    ]


def test_help__loads_neither_numba_nor_polars():
    code = (
        "import sys; sys.argv = ['withhold', 'audit', '--help']\n"
        "from withhold.cli import main\n"
        f"try:\n    main()\nexcept SystemExit:\n    {LOADED}"
    )
    assert run(sys.executable, "-c", code).stdout.splitlines()[-1] == "False False"


@pytest.mark.parametrize("name", withhold.__all__)
def test_public_names__exist_and_speak_for_themselves(name):
    assert getattr(withhold, name).__doc__


@pytest.mark.parametrize(
    "name", [name for name in withhold.__all__ if inspect.isroutine(getattr(withhold, name))]
)
def test_public_functions__say_what_they_take_and_return_with_an_example(name):
    said = inspect.getdoc(getattr(withhold, name)) or ""
    for section in ("Parameters", "Returns", "Examples"):
        assert re.search(rf"^{section}\n-+$", said, re.MULTILINE), section
    taken = said.split("Parameters\n")[1].split("Returns\n")[0]
    for parameter in inspect.signature(getattr(withhold, name)).parameters:
        assert re.search(rf"^(.*, )?\*{{0,2}}{parameter}(,.*)?$", taken, re.MULTILINE), parameter


@pytest.mark.parametrize("name", withhold.__all__)
def test_public_names__have_an_example(name):
    said = inspect.getdoc(getattr(withhold, name)) or ""
    assert re.search(r"^Examples\n-+\n>>> ", said, re.MULTILINE)


@pytest.mark.parametrize("method", all_methods().values(), ids=lambda method: method.model.__name__)
def test_models__document_every_parameter_and_what_they_refuse(method):
    said = inspect.getdoc(method.model) or ""
    assert re.search(r"^Raises\n-+\nPolicyError\n", said, re.MULTILINE)
    parameters = said.split("Parameters\n")[1].split("\nRaises\n")[0]
    documented = re.findall(r"^\w+(?:, \w+)*$", parameters, re.M)
    names = [name for line in documented for name in line.split(", ")]
    assert sorted(names) == sorted(inspect.signature(method.model).parameters)


@pytest.mark.parametrize("maker", ["make_api", "make_decisions"])
def test_generated_page__is_current(maker):
    made = runpy.run_path(str(ROOT / "docs" / f"{maker}.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run make docs"


def test_diagrams__are_those_of_the_worked_examples():
    made = runpy.run_path(str(ROOT / "docs" / "make_diagrams.py"))["pictures"]()
    assert {path.stem for path in made} == {
        path.stem for path in (ROOT / "docs" / "methods").glob("*.md")
    }
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, "run make docs"
        page = ROOT / "docs" / "methods" / f"{path.stem}.md"
        assert f"(../pictures/{path.name})" in page.read_text(encoding="utf-8")


def test_cli_reference__is_what_help_prints():
    reference = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for verb in verbs():
        assert f"\n## withhold {verb}\n" in reference
        in_full = "--help-all" if "--help-all" in help_of(verb) else "--help"
        for option in re.findall(r"--[a-z][a-z-]+", help_of(verb, option=in_full)):
            assert option in reference.split(f"\n## withhold {verb}\n")[1].split("\n## ")[0]


def test_readme__names_every_verb_and_model():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for verb in verbs():
        assert f"withhold {verb}" in readme


def test_verbs__are_the_ones_documented_in_the_design():
    assert {"audit", "demo", "inspect"} <= set(verbs())


def test_examples__run(tmp_path):
    for script in sorted((ROOT / "examples").glob("*.py")):
        done = subprocess.run(
            [sys.executable, str(script)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "HOLDS" in done.stdout
