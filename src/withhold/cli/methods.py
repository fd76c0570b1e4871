"""How a verb gets the options of every method, and from them a model.

A verb that is decorated with ``takes_method`` gets, beside its own options, those of every method, and finds
what was typed of them in ``given``. An option of another method is refused, never ignored.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from withhold.cli.typed import Given, typed_values
from withhold.data import Records, Table
from withhold.errors import PolicyError
from withhold.method import Method, Model
from withhold.options import Declared, options_of
from withhold.registry import ROOMS, all_methods, check_search, method_named, method_of

DEFAULT_MODEL = next(iter(ROOMS))
SEVERAL = ("publish", "repeated")
"""The kinds of options that can be given several times."""
GONE = {"truthful": "truthful is the default now; --fill hash gives the paper's variant"}
"""Options that there were once, and what to do instead."""

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", help=f"What must hold: {', '.join(ROOMS)}; {DEFAULT_MODEL} if not given."
    ),
]

Decorated = Callable[[Callable[..., None]], Callable[..., None]]


def takes_method(*, searches: bool = False, audits: bool = False) -> Decorated:
    """Give a verb ``--model`` and the options of the methods; they reach it together as ``given``."""
    added: dict[str, Any] = {"model": ModelName}
    added |= {name: _offered(name, owners) for name, owners in owned(searches, audits).items()}
    if searches:
        added |= {name: _gone(name, message) for name, message in GONE.items()}

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(verb)
        hints = get_type_hints(verb, include_extras=True)
        parameters: list[inspect.Parameter] = []
        for parameter in own.parameters.values():
            if parameter.name != "given":
                parameters.append(parameter.replace(annotation=hints[parameter.name]))
                continue
            parameters += [
                inspect.Parameter(
                    name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=kind
                )
                for name, kind in added.items()
            ]

        @wraps(verb)
        def call(**values: Any) -> None:
            typed = {name: values.pop(name) for name in added}
            verb(given={name: v for name, v in typed.items() if v not in (None, [])}, **values)

        call.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {each.name: each.annotation for each in parameters}
        return call

    return decorate


def owned(searches: bool = True, audits: bool = True) -> dict[str, dict[str, Declared]]:
    """Every option with the methods that have it: first what must hold, then how to search, or to audit."""
    found: dict[str, dict[str, Declared]] = {}
    groups: list[Callable[[Method], Mapping[str, Declared]]] = [Method.takes]
    groups += [Method.searches] * searches + [Method.audits] * audits
    for group in groups:
        for method in all_methods().values():
            for name, declared in group(method).items():
                found.setdefault(name, {}).setdefault(method.name, declared)
    return found


def _offered(name: str, owners: Mapping[str, Declared]) -> Any:
    """The option as typer takes it; its help says which methods have it."""
    texts: dict[str, list[str]] = {}
    for method, declared in owners.items():
        texts.setdefault(declared.option.help, []).append(method)
    several = any(declared.option.kind in SEVERAL for declared in owners.values())
    (kind,) = {declared.plain_type for declared in owners.values()}
    lowest = [declared.option.at_least for declared in owners.values()]
    highest = [declared.option.at_most for declared in owners.values()]
    first = next(iter(owners.values()))
    info = typer.Option(
        first.option.spelt or f"--{first.spelling}",
        help=" ".join(f"[{', '.join(names)}] {text}" for text, names in texts.items()),
        # Several methods may draw the line elsewhere; each draws its own later.
        min=None if None in lowest else min(lowest),  # type: ignore[type-var]
        max=None if None in highest else max(highest),  # type: ignore[type-var]
    )
    return Annotated[list[str] | None, info] if several else Annotated[kind | None, info]


def _gone(name: str, message: str) -> Any:
    def refuse(given: bool | None) -> None:
        if given is not None:
            raise typer.BadParameter(message)

    return Annotated[bool | None, typer.Option(f"--{name}", hidden=True, callback=refuse)]


def chosen_method(given: Given) -> Method:
    """The method that the options are for; an option of another one is refused."""
    method = method_named(given.get("model", DEFAULT_MODEL))
    for name in given:
        if name != "model" and name not in method.all_options():
            owners = owned()[name]
            raise PolicyError(
                f"--{_spelling(owners)} belongs to --model {' or '.join(owners)}, not to {method.name}"
            )
    return method


def build_model(given: Given) -> Model:
    """The model that the options describe; what is wrong with any option is told before data is read."""
    method = chosen_method(given)
    for declared in method.takes().values():
        if declared.is_required and declared.name not in given:
            raise PolicyError(f"--{declared.spelling} is missing: {declared.option.missing}")
    model: Model = method.model(**typed_values(method.parameters(), given))
    check_search(model, typed_values(method.searches(), given))
    return model


def complete_model(
    model: Model, given: Given, data: Records | Table, *, allow_unknown: bool = False
) -> Model:
    """The model with what can be read only when the data is known."""
    method = method_of(model)
    files = typed_values(options_of(method.files), given)
    complete: Model = method.complete(model, files, data, allow_unknown)
    return complete


def search_options(given: Given, model: Model) -> dict[str, Any]:
    """What was typed about how to withhold."""
    return typed_values(method_of(model).searches(), given)


def audit_options(given: Given, model: Model) -> dict[str, Any]:
    """What was typed about how to audit; how to withhold is refused, since nothing is withheld."""
    method = method_of(model)
    for name, declared in method.searches().items():
        if name in given and name not in {**method.takes(), **method.audits()}:
            raise PolicyError(
                f"--{declared.spelling} says how to withhold, and an audit withholds nothing"
            )
    return typed_values(method.audits(), given)


def complete_released(
    model: Model,
    given: Given,
    original: Callable[[], Records] | None,
    *,
    stated: bool,
    allow_unknown: bool,
) -> Model:
    """The model of a release with what is not published, as far as it was given.

    ``original`` reads the originals; ``stated`` says that the model came from the options themselves.
    """
    method = method_of(model)
    files = options_of(method.files)
    if not model.needs:
        private = {name for each in all_methods().values() for name in options_of(each.files)}
        named = [name for name in given if name in private and not stated]
        if original is not None or named:
            raise PolicyError(
                f"--{named[0] if named else 'original'} is for personal-rho releases; this one is "
                f"{model.name}. To prove a policy of your own, state it whole (--rho, --sensitive and so "
                "on, or --policy)"
            )
        return model
    required = [declared for declared in files.values() if declared.is_required]
    if original is None:
        if any(declared.name in given for declared in required):
            raise PolicyError(
                f"the {required[0].name} are of the originals; give --original FILE too"
            )
        return model
    data = original()
    bound: Model = method.released(model, data, None)
    if any(declared.name not in given for declared in required):
        return bound
    complete: Model = method.complete(bound, typed_values(files, given), data, allow_unknown)
    return complete


def _spelling(owners: Mapping[str, Declared]) -> str:
    return next(iter(owners.values())).spelling
