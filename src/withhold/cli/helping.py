"""Help that fits a screen: what all models share, or with ``--model NAME`` the options of that model.

Options that many verbs share are only named there; ``--help-all`` describes them, too.
"""

from __future__ import annotations

import re
import textwrap
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
    | {"report", "edition"},
}
"""The options that several verbs share; a verb's other options come first."""
MORE = "More options (--help-all describes them)"
HELP_WIDTH, NAMES_WIDTH = 78, 24
"""Click writes help this wide; an option with a longer name has a line for itself."""
BOUND = re.compile(r"\bx>=([\d.]+?)(?:\.0)?(?=[;\]])")
"""What typer says of a number's lower bound."""
PLACEHOLDERS = {
    "<int>": "N",
    "<int range>": "N",
    "<float>": "X",
    "<float range>": "X",
    "<path>": "FILE",
}
"""The placeholder for an option's value by type, if its kind has no better one."""
OF_KINDS = {"threshold": "X", "columns": "A,B", "publish": "A,B", "items": "FILE", "file": "FILE"}
DATA_NAMES = {"records": "baskets.dat", "table": "table.csv", "people": "patients.csv"}
"""The name of a file with such data in examples."""
OF_A_MODEL = "withhold.model"
"""The key of the context under which the model is stored whose help was requested."""
IN_FULL = "withhold.help_all"
"""The key for whether every option is to be described."""

Row = tuple[str, str]


def write_options(params: Sequence[Any], ctx: Any, formatter: Any) -> None:
    """Write the sections of a verb's help: of one model if it was named, else what all share."""
    rows = {str(each.name): (each, _row(each, ctx)) for each in params if each.get_help_record(ctx)}
    methods, in_full = _asked(ctx), bool(ctx.meta.get(IN_FULL))
    has_models = "model" in rows
    own = _of_models(methods, rows) if methods and has_models else {}
    shared = {} if own and not in_full else _of_all(rows)
    if own:
        shared.pop("Models", None)
    elif has_models and in_full:
        own = _of_every_model(rows)
    if "help_all" in rows and not in_full:
        _name_only(shared)
    for title, listed in (shared | own).items():
        if listed:
            formatter.write(f"\n{title}:\n" + "".join(_shown(listed, formatter.width)))
    if has_models and not in_full:
        more = (
            f"What all models share: {ctx.command_path} --help"
            if own
            else f"A model's own options: {ctx.command_path} --model NAME --help"
        )
        formatter.write(f"\n{more}\n")


def argument_name(argument: Any) -> str:
    """The name of a positional argument in the help.

    >>> from types import SimpleNamespace as Argument
    >>> argument_name(Argument(name="published", nargs=-1))
    'PUBLISHED...'
    """
    return str(argument.name).upper() + ("" if argument.nargs == 1 else "...")


def _shown(listed: Sequence[Row], width: int) -> list[str]:
    """The rows in two columns; no name is broken at a hyphen, so that it can be searched for."""
    names = min(max(len(name) for name, _ in listed), NAMES_WIDTH) + 4
    lines = []
    for name, text in listed:
        told = textwrap.wrap(text, max(width - names, 20), break_on_hyphens=False)
        first = f"  {name}"
        if len(first) + 2 > names:
            lines.append(first)
            first = ""
        lines.append(f"{first:<{names}}{told[0] if told else ''}")
        lines += [" " * names + each for each in told[1:]]
    return [f"{line.rstrip()}\n" for line in lines]


def _name_only(sections: dict[str, list[Row]]) -> None:
    """Put the names of the options that several verbs share into one section."""
    found = {title: [row[0] for row in sections.pop(title, [])] for title in GROUPS}
    sections[MORE] = [
        (title, ", ".join(name.split()[-2 if name.split()[-1].isupper() else -1] for name in names))
        for title, names in found.items()
        if names
    ]


def own_example(ctx: Any) -> str:
    """An example of the verb with the model whose help was requested; empty for other verbs.

    Releases and audits need nothing but the required options of the model.
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
    """An option with the value that its error message suggests if it is missing."""
    found = re.search(rf"--{declared.spelling} [\w.,]*\w", declared.option.missing)
    assert found is not None, declared.name
    suffix = ".txt" if declared.option.kind == "items" else ".csv"
    return found[0].replace("FILE", declared.name.replace("_", "-") + suffix)


def _asked(ctx: Any) -> list[Method]:
    """The methods of the name that was given with ``--help``."""
    return _named(ctx.meta.get(OF_A_MODEL, ""))


def _named(name: str) -> list[Method]:
    return [each for each in all_methods().values() if each.name == name]


def _row(param: Any, ctx: Any) -> Row:
    """The option as the list of options shows it: with a short word for its value.

    A type that several kinds of values share is less specific than the kind that the option declares.
    """
    name, text = param.get_help_record(ctx)
    text = BOUND.sub(r"at least \1", text)
    if param.param_type_name == "argument":
        return argument_name(param), text
    owners = (method.all_options().get(param.name) for method in all_methods().values())
    kinds = {OF_KINDS[each.option.kind] for each in owners if each and each.option.kind in OF_KINDS}
    for written, placeholder in PLACEHOLDERS.items():
        name = name.replace(written, placeholder)
    name = re.sub(r"<(list\[)?str\]?>", kinds.pop() if len(kinds) == 1 else "TEXT", name)
    return name.replace(" / --", "/--"), text


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
    found["How to withhold"] = [row for each in methods for row in section(each.searches())]
    audits = [row for each in methods for row in section(each.audits())]
    # A verb that does not audit has only the options about the population.
    found["How to audit" if "show" in told else "Risks in the report"] = audits
    return found


def _words(declared: Declared) -> str:
    """The help text, and whether it must be given."""
    return declared.option.help + ("  [required]" if declared.is_required else "")


def _of_every_model(rows: Mapping[str, tuple[Any, Row]]) -> dict[str, list[Row]]:
    """The options of all models, one model after the other."""
    names = dict.fromkeys(method.name for method in all_methods().values())
    return {
        title if name in title else f"{title} ({name})": listed
        for name in names
        for title, listed in _of_models(_named(name), rows).items()
    }


def _of_all(rows: Mapping[str, tuple[Any, Row]]) -> dict[str, list[Row]]:
    """The options of a verb that do not depend on the model, and the models."""
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
    """A model, and what it promises."""
    return method.name, (method.model.__doc__ or "").strip().splitlines()[0]
