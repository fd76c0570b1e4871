"""Forms come from what methods declare, texts from one catalogue, and the policy file is the state."""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Annotated, ClassVar

import pytest

import withhold.page
from withhold import registry
from withhold.errors import PolicyError
from withhold.formats.forms import FORMATS, SEPARATOR_NAMES, check_separator
from withhold.method import NoOptions, SearchOptions, Step
from withhold.options import Option
from withhold.page.folder import Folder
from withhold.page.forms import fields_of, filled_in
from withhold.page.project import Project
from withhold.page.words import WORDS
from withhold.registry import all_methods, method_named

PACKAGE = Path(withhold.page.__file__).parent


@dataclass(frozen=True, init=False)
class Toy:
    """A model that nobody has heard of."""

    name: ClassVar[str] = "toy"
    needs: ClassVar[str] = ""
    sensitive: ClassVar[frozenset[str]] = frozenset()
    wheels: int

    def __init__(
        self, wheels: Annotated[int, Option("How many wheels it has.", at_least=3, missing="say")]
    ) -> None:
        object.__setattr__(self, "wheels", wheels)

    def promise(self) -> str:
        return f"It has {self.wheels} wheels."

    def parameters(self) -> dict[str, int | str]:
        return {"model": self.name, "wheels": self.wheels}


@dataclass(frozen=True, kw_only=True)
class ToySearch(SearchOptions):
    squeaks: Annotated[bool, Option("Whether it squeaks.")] = False


def test_method__appears_without_code_of_the_page(client, monkeypatch):
    rho = method_named("rho")
    toy = type(rho)(
        Toy, Step(rho.search, ToySearch), rho.check, Step(rho.audit, NoOptions), rho.words, ()
    )
    module = type(sys)("toy_room")
    module.METHOD = toy
    monkeypatch.setitem(sys.modules, "toy_room", module)
    monkeypatch.setitem(registry.ROOMS, "toy", "toy_room")
    all_methods.cache_clear() if hasattr(all_methods, "cache_clear") else None
    try:
        client.post("/data", file="baskets.dat", kind="records")
        assert '<option value="toy">toy</option>' in client.get("/attack", file="baskets.dat").text
        client.post("/attack/options", file="baskets.dat", model="toy")
        page = client.get("/attack", file="baskets.dat").text
        assert "How many wheels it has." in page
        assert "Whether it squeaks." in page
        assert (
            client.post(
                "/attack/options", file="baskets.dat", model="toy", **{"o-wheels": "2"}
            ).status
            == 422
        )
        form = {"o-wheels": "4", "o-squeaks": "1"}
        assert client.post("/attack/options", file="baskets.dat", model="toy", **form).status == 303
        assert "It has 4 wheels." in client.get("/attack", file="baskets.dat").text
        policy = tomllib.loads((client.page.folder.root / "baskets.dat.page.toml").read_text())
        assert policy["wheels"] == 4
        assert policy["squeaks"] is True
    finally:
        all_methods.cache_clear() if hasattr(all_methods, "cache_clear") else None


@pytest.mark.parametrize("name", list(registry.ROOMS))
def test_forms__what_is_shown_is_what_is_filled_in(name):
    method = method_named(name)
    options = list(method.all_options().values())
    for field in fields_of(options, {}):
        assert field.label
        assert field.help
        assert " --" not in field.help  # options are for terminals
    empty = {
        field.name: str(field.value) for field in fields_of(options, {}) if field.value is not False
    }
    assert not {key: value for key, value in filled_in(options, empty).items() if value is not None}


@pytest.mark.parametrize(("key", "text"), [("k", "many"), ("k", "1"), ("missing", "perhaps")])
def test_forms__mistakes_are_said(key, text):
    options = method_named("k-anonymity").parameters().values()
    with pytest.raises(PolicyError):
        filled_in(options, {f"o-{key}": text})


def used_keys() -> tuple[set[str], set[str]]:
    """The keys that templates and modules name, and how others begin that are put together there."""
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (*PACKAGE.glob("*.py"), *PACKAGE.glob("templates/*.jinja"))
    )
    whole = set(re.findall(r"""["']([a-z_][\w-]*(?:\.[\w-]+)+)["']""", text)) | set(
        re.findall(r'[(\[]"(\w+)"[)\],]', text)
    )
    begun = set(re.findall(r"""["']([a-z_]+\.(?:[\w.]+\.)?)["'] ~""", text))
    begun |= set(re.findall(r'f"([a-z_]+\.(?:[\w.]+\.)?)\{', text))
    return whole, begun


def test_reading__every_choice_has_a_word_and_is_taken(client):
    shown = unescape(client.get("/data", file="baskets.dat").text)
    for format in FORMATS:
        assert WORDS[f"format.{format}"] in shown
    for name in SEPARATOR_NAMES:
        assert f">{name}</option>" in shown
        assert check_separator(name)


def test_words__are_all_there_and_all_used():
    whole, begun = used_keys()
    templates = "\n".join(path.read_text("utf-8") for path in PACKAGE.glob("templates/*.jinja"))
    asked = set(re.findall(r"""\bt\(["']([\w.-]+)["']""", templates))
    code = "\n".join(path.read_text("utf-8") for path in PACKAGE.glob("*.py"))
    asked |= set(re.findall(r"""WORDS\["([\w.-]+)"\]""", code))
    assert {key for key in asked if not key.endswith(".")} <= WORDS.keys()
    unused = {
        key for key in WORDS if key not in whole and not any(key.startswith(each) for each in begun)
    }
    assert unused == set()


def test_words__of_templates_are_in_the_catalogue_alone():
    code = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL)
    for path in PACKAGE.glob("templates/*.jinja"):
        text = path.read_text("utf-8")
        marks = re.sub(r"{% macro marks.*?{% endmacro %}", "", text)  # of attributes
        written = re.sub(r"<[^>]*>", " ", code.sub("", marks))
        assert set(re.findall(r"[^\W\d_]+", written)) <= {"withhold"}, path.name
        said = re.findall(
            r"""(?:aria-label|title|alt|placeholder)=["']([^"']*)""", code.sub("", text)
        )
        assert not any(said), path.name


NASTY = [
    "plain",
    "with, comma",
    '"quoted"',
    "ünï",
    "a'b",
    "tab\tinside".replace("\t", " "),
    "x" * 300,
]


def test_project__lists_come_back_as_they_were(tmp_path):
    (tmp_path / "data.dat").write_text("a b\n")
    folder = Folder(tmp_path)
    project = Project(folder, "data.dat")
    project.change({"model": "rho", "rho": "0.5"})
    project.list_items(NASTY)
    assert project.items() == sorted(NASTY)
    assert project.model().sensitive == frozenset(NASTY)
    # Another model has another name for it, and one has none; the list stays.
    project.change({"model": "coherence"})
    assert "private" in project.read()
    project.change({"model": "km"})
    project.change({"model": "rho", "rho": "0.5"})
    assert project.model().sensitive == frozenset(NASTY)
    project.list_items([])
    assert "sensitive" not in project.read()
    folder.remove_private()


def test_project__texts_come_back_as_they_were(tmp_path):
    (tmp_path / "data.dat").write_text("a b\n")
    folder = Folder(tmp_path)
    project = Project(folder, "data.dat")
    values = {
        "model": "k-anonymity",
        "quasi-identifiers": ['a"b', "c\\d", "e\x7ff", "ü,"],
        "label": "x\ny",
    }
    project.change(values | {"k": 5})
    assert {key: project.read()[key] for key in values} == values
    folder.remove_private()
