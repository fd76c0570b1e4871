"""Writes docs/api.md, the reference of the Python package, from its docstrings and its options.

A model's parameters, and the options of its search and its audit, are declared once, in the rooms.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import withhold
from withhold.options import Declared, choices
from withhold.registry import all_methods

PAGE = Path(__file__).with_name("api.md")
GROUPS = {
    "Read": ("read", "read_table", "read_people", "read_hierarchy", "read_cell", "pharmacy"),
    "Look and choose": ("inspect", "audit", "advise", "ladder", "trade_off", "sweep"),
    "Publish and prove": ("anonymize", "verify", "compare", "apply"),
    "Part by part": ("anonymize_parts", "verify_parts", "audit_parts", "compare_parts"),
}
"""The functions, in the order in which somebody needs them; models and values follow."""
SECTIONS = ("Parameters", "Returns", "Raises", "Examples")
TYPED = re.compile(r"--([a-z][a-z-]*[a-z])")
"""An option as the command line has it; in Python it is the name of an argument."""
AS_FOR = re.compile(r"As for ``(\w+)``\.")
"""Of a parameter that another function or model has, too; the page shows what is said there."""


def page() -> str:
    """The whole reference."""
    models = {method.model.__name__: method for method in all_methods().values()}
    functions = [name for names in GROUPS.values() for name in names]
    values = [name for name in withhold.__all__ if name not in models and name not in functions]
    unlisted = [name for name in values if inspect.isroutine(getattr(withhold, name))]
    if unlisted:
        raise SystemExit(f"docs/make_api.py: in which group are {', '.join(unlisted)}?")
    parts = [
        "# The Python package",
        "Generated from the docstrings by `make docs`. For an introduction see [Python](guide/python.md). "
        "All names below are available after `import withhold as wh`.",
    ]
    for title, names in GROUPS.items():
        parts += [f"## {title}", *(text for name in names for text in _function(name))]
    parts += [
        "## Models",
        "What a release promises. Each model is a frozen value that rejects invalid parameters.",
    ]
    parts += [text for name, method in models.items() for text in _model(name, method)]
    parts += ["## Values", *(text for name in values for text in _value(name))]
    return "\n\n".join(parts) + "\n"


def _function(name: str) -> Iterator[str]:
    function = getattr(withhold, name)
    yield f"### {name}"
    yield f"```py\n{_signature(name, function)}\n```"
    yield from _docstring(function)


def _signature(name: str, function: Any) -> str:
    """The call as it is written: names and defaults; what they are says the text below."""
    written: list[str] = []
    starred = False
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not starred:
            written.append("*")
            starred = True
        mark = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        starred |= mark == "*"
        default = getattr(each.default, "__name__", None) or repr(each.default).replace("'", '"')
        written.append(mark + each.name + ("" if each.default is each.empty else f"={default}"))
    line = f"wh.{name}({', '.join(written)})"
    if len(line) <= 100:
        return line
    return f"wh.{name}(\n" + "".join(f"    {each},\n" for each in written) + ")"


def _docstring(documented: Any) -> Iterator[str]:
    """The docstring as Markdown: sections in numpydoc's manner become lists and code."""
    for title, block in _blocks(documented):
        text = "\n".join(block).strip()
        if not text:
            continue
        if title in ("Parameters", "Returns", "Raises"):
            yield f"**{title}**"
            yield "\n".join(
                f"- `{named}`" + (f": {_literals(said)}" if said else "")
                for named, said in _entries(block)
            )
        else:
            prose, example = re.match(r"(.*?)((?:^>>> .*)?)\Z", text, re.S | re.M).groups()  # type: ignore[union-attr]
            if prose.strip():
                yield _literals(prose.strip())
            if example:
                yield f"```pycon\n{example.strip()}\n```"


def _blocks(documented: Any) -> list[tuple[str, list[str]]]:
    """The sections of a docstring, each with its title and its lines; what stands before them has none."""
    lines = (inspect.getdoc(documented) or "").splitlines()
    blocks: list[tuple[str, list[str]]] = [("", [])]
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if line in SECTIONS and set(below) == {"-"}:
            blocks.append((line, []))
        elif not (line and set(line) == {"-"}):
            blocks[-1][1].append(line)
    return blocks


def _entries(block: list[str]) -> Iterator[tuple[str, str]]:
    """Names, and the indented text below them."""
    named, text = "", list[str]()
    for line in [*block, "end"]:
        if line and not line.startswith(" "):
            if named:
                yield from _said(named, " ".join(text))
            named, text = line, []
        elif line.strip():
            text.append(line.strip())


def _said(named: str, text: str) -> Iterator[tuple[str, str]]:
    """An entry; if it only points to another docstring, what that says of these names."""
    if (pointer := AS_FOR.fullmatch(text)) is None:
        yield named, text
        return
    names = named.split(", ")
    others = dict(_blocks(getattr(withhold, pointer[1])))["Parameters"]
    for other, said in _entries(others):
        if shared := [name for name in names if name in other.split(", ")]:
            yield ", ".join(shared), said
            names = [name for name in names if name not in shared]
    if names:
        yield ", ".join(names), text


def _literals(text: str) -> str:
    return text.replace("``", "`")


def _model(name: str, method: Any) -> Iterator[str]:
    yield f"### {name}"
    yield f"`--model {method.name}` on the command line."
    yield from _docstring(method.model)  # has the parameters, in the words of Python
    tables = {
        "Options of `anonymize`": method.searches(),
        "Options of `audit`": method.audits(),
    }
    for title, options in tables.items():
        shown = {name: each for name, each in options.items() if each.option.kind != "found"}
        if shown:
            yield f"**{title}**"
            yield _table(shown)


def _table(options: Mapping[str, Declared]) -> str:
    rows = ["| name | default | what it says |", "| --- | --- | --- |"]
    for name, each in options.items():
        default = "must be given" if each.is_required else f"`{each.default!r}`"
        allowed = choices(each.type)
        said = TYPED.sub(lambda found: f"`{found[1].replace('-', '_')}`", each.option.help)
        said += f" One of {', '.join(allowed)}." if allowed else ""
        said = said.replace("|", "\\|").replace("*", "\\*")
        rows.append(f"| `{name}` | {default} | {said} |")
    return "\n".join(rows)


def _value(name: str) -> Iterator[str]:
    value = getattr(withhold, name)
    yield f"### {name}"
    yield from _docstring(value)
    if is_dataclass(value):
        meanings = _meanings(value)
        yield "**Fields**"
        yield "\n".join(
            f"- `{each.name}`" + (f": {meanings[each.name]}" if each.name in meanings else "")
            for each in fields(value)
            if not each.name.startswith("_")
        )
    methods = [
        (key, doc)
        for key, each in vars(value).items()
        if not key.startswith("_")
        and (inspect.isroutine(each) or isinstance(each, (property, classmethod)))
        and (doc := inspect.getdoc(each))
    ]
    if methods:
        yield "**Methods and properties**"
        yield "\n".join(f"- `{key}`: {_first(doc)}" for key, doc in methods)


def _first(documented: str) -> str:
    """The first paragraph on one line."""
    return _literals(" ".join(documented.partition("\n\n")[0].split()))


def _meanings(value: type) -> dict[str, str]:
    """What the source says below each field."""
    (body,) = (each.body for each in ast.parse(inspect.getsource(value)).body)  # type: ignore[attr-defined]
    return {
        declared.target.id: _first(said.value.value)
        for declared, said in zip(body, body[1:], strict=False)
        if isinstance(declared, ast.AnnAssign)
        and isinstance(said, ast.Expr)
        and isinstance(said.value, ast.Constant)
    }


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
