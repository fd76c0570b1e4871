"""What ``--vary`` means: an option of the chosen model, and values of that option's own type."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, get_args

from withhold.cli.model_options import MODEL_OPTIONS, SEARCH_OPTIONS
from withhold.cli.models import DEFAULT_MODEL, build_model, search_options
from withhold.cli.offers import OFFERS, Given
from withhold.errors import PolicyError

READ_ONCE = frozenset(("drop", "publish", "bin", "mark"))
"""Options about the table that is read, which is the same for all cases."""
SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


NONE_IS_A_VALUE = {"fill"}
"""Options that can be given as ``none``, which elsewhere stands for not giving the option."""


def varied(written: Sequence[str], given: Given) -> dict[str, list[Any]]:
    """The options to vary, under their own names, with their values.

    >>> varied(["rho=0.3,0.5", "max-known=1,none"], {})
    {'rho': ['0.3', '0.5'], 'max_known': [1, None]}
    """
    name = given.get("model", DEFAULT_MODEL)
    if name not in OFFERS:
        raise PolicyError(f"unknown model {name!r}; this version knows: {', '.join(OFFERS)}")
    offered = {
        _spelling(option): option
        for option in OFFERS[name].takes + OFFERS[name].searches
        if option not in READ_ONCE
    }
    found: dict[str, list[Any]] = {}
    for each in written:
        spelling, equals, values = each.partition("=")
        option = offered.get(spelling.strip().lstrip("-").replace("_", "-"))
        if option is None:
            raise PolicyError(
                f"--vary {each}: {name} has no option {spelling!r}; it can vary {', '.join(offered)}"
            )
        if not equals or not values.strip(", "):
            raise PolicyError(f"--vary {each}: say the values too, as in {spelling}=A,B,C")
        if option in found:
            raise PolicyError(f"--vary {each}: {spelling} is varied already")
        if option in given:
            raise PolicyError(f"--{spelling} is given and varied; leave one of them out")
        found[option] = [_value(option, value.strip(), each) for value in values.split(",")]
        if len(set(found[option])) < len(found[option]):
            raise PolicyError(f"--vary {each}: a value stands there twice")
    return found


def cases(given: Given, vary: dict[str, list[Any]], common: dict[str, Any]) -> list[Any]:
    """Every combination, each with its model and its options."""
    from withhold.sweeping import Case

    found = []
    for values in product(*vary.values()):
        chosen = dict(zip(vary, values, strict=True))
        typed = {**given, **{name: value for name, value in chosen.items() if value is not None}}
        model = build_model(typed)
        found.append(Case(chosen, model, {**search_options(typed, model), **common}))
    return found


def _spelling(option: str) -> str:
    """The option as it is typed, without the dashes before it."""
    info = get_args(_declared(option))[1]
    # Inside Annotated, typer takes the first declaration for a default.
    declared = [str(name) for name in (info.default, *(info.param_decls or ()))]
    long = [name for name in declared if name.startswith("--")]
    return long[0].split("/")[0][2:] if long else option.replace("_", "-")


def _declared(option: str) -> Any:
    return MODEL_OPTIONS[option] if option in MODEL_OPTIONS else SEARCH_OPTIONS[option]


def _value(option: str, text: str, written: str) -> Any:
    """The text as the option's own type; ``none`` stands for not giving the option."""
    kind, info = get_args(_declared(option))
    if text.lower() == "none" and option not in NONE_IS_A_VALUE:
        return None
    types = [each for each in get_args(kind) if each is not type(None)] or [kind]
    try:
        value = SWITCH[text.lower()] if types[0] is bool else types[0](text)
    except (ValueError, KeyError):
        expected = {int: "a whole number", float: "a number", bool: "true or false"}.get(types[0])
        raise PolicyError(f"--vary {written}: {text!r} is not {expected}") from None
    for bound, wrong, word in ((info.min, -1, "at least"), (info.max, 1, "at most")):
        if bound is not None and (value - bound) * wrong > 0:
            raise PolicyError(f"--vary {written}: {text} must be {word} {bound:g}")
    return value
