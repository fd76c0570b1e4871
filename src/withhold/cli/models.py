"""How a verb gets the options of every model, and from them a model.

A verb that is decorated with ``takes_model`` gets, beside its own options, those of every model, and finds
what was typed of them in ``given``. An option of another model is refused, never ignored.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints

import typer

from withhold.cli.model_options import AUDIT_OPTIONS, MODEL_OPTIONS, SEARCH_OPTIONS
from withhold.cli.offers import OFFERS, Given, columns_to_publish
from withhold.data import Transactions
from withhold.errors import PolicyError
from withhold.method import Model
from withhold.methods.rho.model import RhoUncertainty

__all__ = [
    "AUDIT_OPTIONS",
    "SEARCH_OPTIONS",
    "Given",
    "audit_options",
    "build_model",
    "complete_model",
    "search_options",
    "takes_model",
]

DEFAULT_MODEL = RhoUncertainty.name

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", help=f"What must hold: {', '.join(OFFERS)}; {DEFAULT_MODEL} if not given."
    ),
]


def takes_model(*groups: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb ``--model`` and the options of these groups; they reach it together as ``given``."""
    added: dict[str, Any] = {"model": ModelName}
    for group in (MODEL_OPTIONS, *groups):
        added |= {name: _with_owners(name, option) for name, option in group.items()}

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


def _with_owners(name: str, option: Any) -> Any:
    """The option, its help saying which models take it."""
    kind, info = get_args(option)
    info = copy.copy(info)
    info.help = f"[{', '.join(_owners(name))}] {info.help}"
    return Annotated[kind, info]


def _owners(option: str) -> list[str]:
    return [name for name, offer in OFFERS.items() if option in offer.all()]


def build_model(given: Given) -> Model:
    """The model that the options describe."""
    name = given.get("model", DEFAULT_MODEL)
    if name not in OFFERS:
        raise PolicyError(f"unknown model {name!r}; this version knows: {', '.join(OFFERS)}")
    for option in given:
        if option != "model" and option not in OFFERS[name].all():
            raise PolicyError(
                f"--{option.replace('_', '-')} belongs to --model {' or '.join(_owners(option))}, "
                f"not to {name}"
            )
    return OFFERS[name].build(given)


def complete_model(
    model: Model, given: Given, table: Transactions, *, allow_unknown: bool = False
) -> Model:
    """The model with what can be read only when the data is known."""
    return OFFERS[model.name].complete(model, given, table, allow_unknown)


def only(given: Given, names: tuple[str, ...]) -> dict[str, Any]:
    """What was typed of these options."""
    typed = {name: given[name] for name in names if name in given}
    if "publish" in typed:
        typed["publish"] = columns_to_publish(typed["publish"])
    return typed


def search_options(given: Given, model: Model) -> dict[str, Any]:
    """What was typed about how to withhold."""
    return only(given, OFFERS[model.name].searches)


def audit_options(given: Given, model: Model) -> dict[str, Any]:
    """What was typed about how to audit; how to withhold is refused, since nothing is withheld."""
    offer = OFFERS[model.name]
    for option in given:
        if option in offer.searches and option not in offer.takes + offer.audits:
            raise PolicyError(
                f"--{option.replace('_', '-')} says how to withhold, and an audit withholds nothing"
            )
    return only(given, OFFERS[model.name].audits)
