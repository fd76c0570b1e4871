"""Forms from the options that methods declare: fields to show, and what was filled in as keys of a policy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from withhold.data.column_lists import join_columns, split_columns
from withhold.errors import PolicyError
from withhold.exact import exact_number
from withhold.options import Declared, choices
from withhold.page.notes import as_on_page
from withhold.page.problem import Mistake, about
from withhold.page.project import IncompleteError, Project, label_of
from withhold.page.words import WORDS
from withhold.registry import method_named

PREFIX = "o-"
"""Before the names of fields, so that no option is taken for something else of the form."""


@dataclass(frozen=True)
class Field:
    """One field of a form."""

    name: str
    label: str
    help: str
    kind: str
    """checkbox, select, number, text or lines."""
    value: Any
    choices: tuple[str, ...] = ()
    required: bool = False
    least: float | None = None
    most: float | None = None


def field_of(declared: Declared, policy: Mapping[str, Any]) -> Field:
    """The field for an option, filled in with what was chosen."""
    option, given = declared.option, policy.get(declared.spelling)
    allowed = choices(declared.type)
    plain = declared.plain_type
    value: Any = "" if given is None else given
    if plain is bool:
        kind = "checkbox"
        value = bool(declared.default) if given is None else given
    elif allowed:
        kind = "select"
    elif option.kind in ("repeated", "files"):
        kind = "lines"
        value = "\n".join(value if isinstance(value, list) else [value] if value else [])
    elif plain in (int, float) and option.kind == "plain":
        kind = "number"
    else:
        kind = "text"
        value = join_columns(value) if isinstance(value, list) else value
    required = declared.is_required
    label = label_of(declared)
    return Field(
        f"{PREFIX}{declared.spelling}",
        label[:1].upper() + label[1:],
        as_on_page(option.help),
        kind,
        value,
        allowed,
        required,
        option.at_least,
        option.at_most,
    )


def fields_of(options: Iterable[Declared], policy: Mapping[str, Any]) -> list[Field]:
    """The fields for options that people choose, without lists of items, which have a page of their own."""
    shown = (each for each in options if each.option.kind not in ("found", "items"))
    return [field_of(each, policy) for each in shown]


def filled_in(options: Iterable[Declared], form: Mapping[str, str]) -> dict[str, Any]:
    """What a form says of these options, as a policy file has it; None for what was left empty."""
    found: dict[str, Any] = {}
    for declared in options:
        field = field_of(declared, {})
        given = form.get(field.name)
        if declared.option.kind in ("found", "items"):
            continue
        if field.kind == "checkbox":
            on = given is not None
            found[declared.spelling] = None if on is bool(declared.default) else on
        elif given is None or not given.strip():
            found[declared.spelling] = None
        else:
            with about(field.name):
                found[declared.spelling] = _typed(declared, field, given.strip())
    return found


def _typed(declared: Declared, field: Field, given: str) -> Any:
    if field.kind == "lines":
        return [line.strip() for line in given.splitlines() if line.strip()]
    if declared.option.kind in ("columns", "publish"):
        if declared.option.kind == "publish" and given == "all":
            return given
        return list(split_columns(given, field.label))
    if field.kind == "select" and given not in field.choices:
        raise PolicyError(WORDS["form.choice"].format(option=field.label))
    if declared.option.kind == "any" and given != "any" and not given.isdecimal():
        raise PolicyError(WORDS["form.any"].format(option=field.label))
    if declared.option.kind == "threshold":
        exact_number(given, name=field.label)
    if field.kind != "number":
        return given
    try:
        number = declared.plain_type(given)
    except ValueError:
        raise PolicyError(WORDS["form.number"].format(option=field.label)) from None
    if field.least is not None and number < field.least:
        raise PolicyError(WORDS["form.least"].format(option=field.label, number=f"{field.least:g}"))
    if field.most is not None and number > field.most:
        raise PolicyError(WORDS["form.most"].format(option=field.label, number=f"{field.most:g}"))
    return number


def check_model(project: Project, changes: Mapping[str, Any]) -> None:
    """Refuse values that the model refuses, each beside its field; what is missing may come later."""
    try:
        project.model(changes)
    except IncompleteError:
        return
    except PolicyError as error:
        method = method_named(str(changes.get("model") or project.read()["model"]))
        labels = {each.spelling: label_of(each) for each in method.all_options().values()}
        for spelling in changes:
            # The models' messages begin with the name of what is wrong.
            start = rf"(--)?{re.escape(spelling)}\b"
            if found := re.match(start, error.lines[0].replace("_", "-")):
                label = labels.get(spelling, spelling)
                first = f"“{label[:1].upper()}{label[1:]}”{error.lines[0][found.end() :]}"
                raise Mistake(first, *error.lines[1:], field=f"{PREFIX}{spelling}") from error
