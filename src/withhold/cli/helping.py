"""Help that fits a screen: what all models share, or with ``--model NAME`` what is that model's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from withhold.cli.options import CheckRun, Input, Output, ReleaseInput, Scale
from withhold.cli.terminal import fitted
from withhold.method import Method
from withhold.options import Declared
from withhold.registry import all_methods

GROUPS = {
    "Files": {each.name for group in (Input, ReleaseInput) for each in fields(group)},
    "Large data": {each.name for each in fields(Scale)},
    "How results are shown": {each.name for group in (Output, CheckRun) for each in fields(group)}
    | {"help", "report", "edition"},
}
"""What several verbs share; everything else of a verb comes first."""
HELP_WIDTH, NAMES_WIDTH = 78, 24
"""Click writes help this wide; an option with a longer name has a line for itself."""
PLACEHOLDERS = {
    "<int>": "N",
    "<int range>": "N",
    "<float>": "X",
    "<float range>": "X",
    "<path>": "FILE",
}
"""What stands for the value of an option of a type, where its kind says nothing better."""
OF_KINDS = {"threshold": "X", "columns": "A,B", "publish": "A,B", "items": "FILE", "file": "FILE"}
DATA_NAMES = {"records": "baskets.dat", "table": "table.csv", "people": "patients.csv"}
"""What the examples call a file of such data."""
OF_A_MODEL = "withhold.model"
"""Where a command that is being read keeps the model whose help was asked for."""

Row = tuple[str, str]


def write_options(params: Sequence[Any], ctx: Any, formatter: Any) -> None:
    """Write the sections of a verb's help: of one model if it was named, else what all share."""
    rows = {
        str(each.name): (each, (_short(each, row[0]), row[1]))
        for each in params
        if (row := each.get_help_record(ctx))
    }
    methods = _asked(ctx)
    if methods and "model" in rows:
        sections = _of_models(methods, rows)
        more = f"What all models share, with input and output: {ctx.command_path} --help"
    else:
        sections = _of_all(rows)
        more = f"The options of a model: {ctx.command_path} --model NAME --help"
    for title, listed in sections.items():
        if listed:
            with formatter.section(title):
                formatter.write_dl(listed, col_max=NAMES_WIDTH)
    if "model" in rows:
        formatter.write_paragraph()
        formatter.write_text(more)


def own_example(ctx: Any) -> str:
    """How the verb is called with the model whose help was asked for; nothing of other verbs.

    Releases and audits need nothing else than what the model must be told.
    """
    methods = _asked(ctx)
    verb = str(ctx.info_name)
    if not methods or verb not in ("anonymize", "audit"):
        return ""
    (method, *_) = methods
    name = DATA_NAMES[method.data]
    needed = [_typed(each) for each in method.takes().values() if each.is_required]
    out = [f"-o published{name[name.index('.') :]}"] if verb == "anonymize" else []
    words = [f"  {ctx.command_path} {name} --model {method.name}", *needed, *out]
    return "\b\nExample:\n" + fitted(" ".join(words), HELP_WIDTH)


def _typed(declared: Declared) -> str:
    """An option with the value that its message proposes where it is missing."""
    found = re.search(rf"--{declared.spelling} [\w.,]*\w", declared.option.missing)
    assert found is not None, declared.name
    suffix = ".txt" if declared.option.kind == "items" else ".csv"
    return found[0].replace("FILE", declared.name.replace("_", "-") + suffix)


def _asked(ctx: Any) -> list[Method]:
    """The methods of the name that was given with ``--help``."""
    asked = ctx.meta.get(OF_A_MODEL, "")
    return [each for each in all_methods().values() if each.name == asked]


def _short(param: Any, name: str) -> str:
    """The option as the list of options names it: with a short word for its value.

    A type that several kinds of values share tells less than the kind that the option declares.
    """
    owners = (method.all_options().get(param.name) for method in all_methods().values())
    kinds = {OF_KINDS[each.option.kind] for each in owners if each and each.option.kind in OF_KINDS}
    for written, placeholder in PLACEHOLDERS.items():
        name = name.replace(written, placeholder)
    name = re.sub(r"<(list\[)?str\]?>", kinds.pop() if len(kinds) == 1 else "TEXT", name)
    return name.replace(" / --", "/--")


def _of_models(
    methods: Sequence[Method], rows: Mapping[str, tuple[Any, Row]]
) -> dict[str, list[Row]]:
    """The options of the methods of one name, in their own words: of records, and of people."""
    told: set[str] = set()

    def section(options: Mapping[str, Declared]) -> list[Row]:
        new = {name: each for name, each in options.items() if name in rows and name not in told}
        told.update(new)
        return [(rows[name][1][0], _words(each)) for name, each in new.items()]

    found: dict[str, list[Row]] = {}
    for number, method in enumerate(methods):
        of = method.name if number == 0 else f"{method.name} of {method.data}, also"
        found[f"What must hold ({of})"] = section(method.takes())
    found["Output"] = [
        row for name, (param, row) in rows.items() if name == "output" and param.required
    ]
    found["How to withhold"] = [row for each in methods for row in section(each.searches())]
    found["How to audit"] = [row for each in methods for row in section(each.audits())]
    return found


def _words(declared: Declared) -> str:
    """The help text, and whether it must be given."""
    return declared.option.help + ("  [required]" if declared.is_required else "")


def _of_all(rows: Mapping[str, tuple[Any, Row]]) -> dict[str, list[Row]]:
    """What a verb's options are whatever the model is, and what each model needs."""
    of_methods = {name for method in all_methods().values() for name in method.all_options()}
    found: dict[str, list[Row]] = {"Arguments": [], "Models": [], "Options": []}
    found |= {title: [] for title in GROUPS}
    if "model" in rows:
        found["Models"] = [_model_row(method) for method in all_methods().values()]
    for name, (param, row) in rows.items():
        if param.param_type_name == "argument":
            found["Arguments"].append(row)
        elif "model" not in rows or name not in of_methods:
            title = next((title for title, names in GROUPS.items() if name in names), "Options")
            found[title].append(row)
    return found


def _model_row(method: Method) -> Row:
    """A model, what it promises, and what it must be told."""
    said = (method.model.__doc__ or "").strip().splitlines()[0]
    needed = [f"--{each.spelling}" for each in method.takes().values() if each.is_required]
    return method.name, f"{said} Needs {', '.join(needed)}."
