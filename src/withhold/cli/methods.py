"""The options of the methods as they are typed, and the model and options built from them.

A verb finds the typed ones in ``given``. An option of another method is refused, never ignored.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from withhold.cli.completing import completed
from withhold.cli.console import note
from withhold.data import Evidence, Records, Table
from withhold.data.column_lists import split_columns
from withhold.data.names import clean, nearest
from withhold.data.roles import ALL
from withhold.errors import InputError, ListError, PolicyError, WithholdError
from withhold.method import Method, Model
from withhold.options import Declared, choices, options_of
from withhold.registry import ROOMS, all_methods, method_for, method_of, search_call
from withhold.wording import either

DEFAULT_MODEL = next(iter(ROOMS))
SEVERAL = ("publish", "repeated", "files")
"""The kinds of options that can be given several times."""
OF_THE_POPULATION = ("population", "sampling_fraction")
"""Options of audits that a report takes, too."""
GONE = {"truthful": "truthful is the default now; --fill hash gives the paper's variant"}
"""Options that no longer exist, and what to do instead."""

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        help=f"What must hold: one of the models; {DEFAULT_MODEL} if not given.",
        autocompletion=completed(ROOMS),
    ),
]
ModelOptions = Mapping[str, Any]
"""The typed options of the methods, by name."""


def owned(searches: bool = True, audits: bool = True) -> dict[str, dict[str, Declared]]:
    """Every option with the methods that have it: first what must hold, then how to search, or to audit."""
    found: dict[str, dict[str, Declared]] = {}
    groups: list[Callable[[Method], Mapping[str, Declared]]] = [Method.takes]
    groups += [Method.searches] * searches + [Method.audits] * audits
    for group in groups:
        for method in all_methods().values():
            for name, declared in group(method).items():
                if declared.option.kind != "found":
                    found.setdefault(name, {}).setdefault(method.name, declared)
    return found


def offered(searches: bool, audits: bool, reports: bool = False) -> dict[str, Any]:
    """``--model`` and the options of every method, as typer takes them.

    ``reports``: also the options about the population, for the risks in a report.
    """
    found: dict[str, Any] = {"model": ModelName}
    options = owned(searches, audits)
    if reports:
        options |= {name: owners for name, owners in owned().items() if name in OF_THE_POPULATION}
    found |= {name: _offered(owners) for name, owners in options.items()}
    return found | (
        {name: _gone(name, message) for name, message in GONE.items()} if searches else {}
    )


def _offered(owners: Mapping[str, Declared]) -> Any:
    """An option as typer takes it; its help says which methods have it."""
    lowest = [declared.option.at_least for declared in owners.values()]
    highest = [declared.option.at_most for declared in owners.values()]
    differ = len(set(lowest)) > 1 and None not in lowest
    texts: dict[str, list[str]] = {}
    for method, declared in owners.items():
        bound = f" From {declared.option.at_least} on." if differ else ""
        texts.setdefault(declared.option.help + bound, []).append(method)
    several = any(declared.option.kind in SEVERAL for declared in owners.values())
    (kind,) = {declared.plain_type for declared in owners.values()}
    first = next(iter(owners.values()))
    values = dict.fromkeys(text for each in owners.values() for text in choices(each.type))
    info = typer.Option(
        first.option.spelt or f"--{first.spelling}",
        help=" ".join(f"[{', '.join(names)}] {text}" for text, names in texts.items()),
        autocompletion=completed(values),
        # Methods may have different bounds; each checks its own later.
        min=None if None in lowest or differ else min(lowest),  # type: ignore[type-var]
        max=None if None in highest else max(highest),  # type: ignore[type-var]
    )
    return Annotated[list[str] | None, info] if several else Annotated[kind | None, info]


def _gone(name: str, message: str) -> Any:
    def refuse(given: bool | None) -> None:
        if given is not None:
            raise typer.BadParameter(message)

    return Annotated[bool | None, typer.Option(f"--{name}", hidden=True, callback=refuse)]


def method_typed(given: ModelOptions) -> Method:
    """The method that was named; the one for people if an option says that the data are people."""
    return method_for(given.get("model", DEFAULT_MODEL), given.keys() - {"model"})


def build_model(given: ModelOptions) -> Model:
    """The model that the options describe; a wrong option is reported before data is read."""
    method = method_typed(given)
    for name in given:
        if name != "model" and name not in method.all_options():
            owners = owned()[name]
            spelling = next(iter(owners.values())).spelling
            if "model" not in given:
                raise PolicyError(
                    f"--{spelling} belongs to {either(owners)}; add --model"
                    f"{f' {next(iter(owners))}' if len(owners) == 1 else ''} (without it, the model is "
                    f"{method.name})"
                )
            columns = (
                f"; for a column: --sensitive-column {shlex.quote(str(given[name]))} with --l 2"
                if name == "sensitive" and method.data == "table"
                else ""
            )
            raise PolicyError(
                f"--{spelling} belongs to --model {either(owners)}, not to {method.name}{columns}"
            )
    for declared in method.takes().values():
        if declared.is_required and declared.name not in given:
            raise PolicyError(f"--{declared.spelling} is missing: {declared.option.missing}")
    model: Model = method.model(**typed_values(method.parameters(), given))
    search_call(model, typed_values(method.searches(), given))
    return model


def read_evidence(
    model: Model, given: ModelOptions, data: Records | Table, *, allow_unknown: bool
) -> Evidence:
    """What can be read only when the data is known: who wants what protected."""
    method = method_of(model)
    files = typed_values(options_of(method.files), given)
    if "sensitive" in files and data.tidied:
        from withhold.data.tidying import tidied_name

        files["sensitive"] = {tidied_name(item, data.tidied) for item in files["sensitive"]}
    return method.evidence(files, data, allow_unknown)


def search_options(given: ModelOptions, model: Model) -> dict[str, Any]:
    """The typed search options."""
    return typed_values(method_of(model).searches(), given)


def typed_values(declared: Mapping[str, Declared], given: ModelOptions) -> dict[str, Any]:
    """The typed values of these options, each converted for its method."""
    return {
        name: _typed_value(each, given[name]) for name, each in declared.items() if name in given
    }


def _typed_value(declared: Declared, written: Any) -> Any:
    match declared.option.kind:
        case "items":
            return listed_items(written)
        case "columns":
            return split_columns(written, f"--{declared.spelling}")
        case "publish":
            return columns_to_publish(written)
        case "any":
            if written != "any" and not (written.isascii() and written.isdigit()):
                raise PolicyError(
                    f"p must be a whole number of at least 1, or any, not {written!r}"
                )
            return None if written == "any" else int(written)
    return written


def columns_to_publish(given: list[str]) -> str | tuple[str, ...]:
    """The columns that are published as they are, from one or several lists; ``all`` means every one.

    >>> columns_to_publish(["city,job", '"all"']), columns_to_publish(["all"])
    (('city', 'job', 'all'), 'all')
    """
    lists = [text.strip() for text in given]
    if lists == [ALL]:
        return ALL
    if ALL in lists:
        raise PolicyError(
            "--publish all is every column; leave the other --publish out, or write a column of "
            "that name as '\"all\"'"
        )
    return tuple(name for text in given for name in split_columns(text, "--publish"))


def listed_items(given: str) -> frozenset[str]:
    """The items that a file lists, or that were typed with commas between them."""
    path = Path(given)
    # Not Path.is_file: a long list of items is not a valid path, which is not an error.
    if os.path.isfile(given):
        if not path.suffix and path.name == given:
            note(
                f"the items are read from the file {given}; to name the item {given} itself, type "
                f"{given}, (with a comma)"
            )
        from withhold.formats.items import read_item_list

        return read_item_list(path)
    if os.path.isdir(given):
        raise InputError("is a directory, not a list of items", path=path)
    is_list = "," in given
    looks_like_path = "/" in given or "\\" in given or path.suffix in {".txt", ".csv", ".dat"}
    if looks_like_path and not is_list:
        remedy = (
            f"name an existing file{_nearest_file(path)} with one item per line; or, if it is an item, type "
            f"it with a comma behind it, {shlex.quote(given + ',')}"
        )
        raise InputError("there is no file of this name", path=given, remedy=remedy)
    return frozenset({clean(item) for item in given.split(",")} - {""})


def _nearest_file(path: Path) -> str:
    """The file beside it with the nearest name, in brackets; nothing if none is near."""
    folder = path.parent
    there = (
        [each for each in os.listdir(folder) if os.path.isfile(folder / each)]
        if folder.is_dir()
        else []
    )
    near = nearest(path.name, there)
    return f" (did you mean {str(folder / near)!r}?)" if near else ""


def with_line(error: WithholdError, values: Mapping[str, Any]) -> WithholdError:
    """The error with the line of the wrong name in the list, if a file was given."""
    if not isinstance(error, ListError):
        return error
    from withhold.formats.items import item_lines

    lists = (name for name, declared in owned().items() if "items" in _kinds(declared))
    for path in (str(values[name]) for name in lists if values.get(name)):
        if os.path.isfile(path):
            for line, name in item_lines(Path(path)):
                if name == error.name:
                    return error.at(path, line)
    return error


def _kinds(owners: Mapping[str, Declared]) -> set[str]:
    return {declared.option.kind for declared in owners.values()}
