"""What ``--vary`` means: an option of the chosen method, and values of that option's own type."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from withhold.cli.methods import DEFAULT_MODEL, build_model, search_options
from withhold.cli.typed import Given
from withhold.errors import PolicyError
from withhold.options import Declared, choices
from withhold.registry import method_named

SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def varied(written: Sequence[str], given: Given) -> dict[str, list[Any]]:
    """The options to vary, under their own names, with their values.

    >>> varied(["rho=0.3,0.5", "max-known=1,none"], {})
    {'rho': ['0.3', '0.5'], 'max_known': [1, None]}
    """
    method = method_named(given.get("model", DEFAULT_MODEL))
    offered = {
        declared.spelling: declared
        for declared in {**method.takes(), **method.searches()}.values()
        if declared.option.varies
    }
    found: dict[str, list[Any]] = {}
    for each in written:
        spelling, equals, values = each.partition("=")
        declared = offered.get(spelling.strip().lstrip("-").replace("_", "-"))
        if declared is None:
            raise PolicyError(
                f"--vary {each}: {method.name} has no option {spelling!r}; it can vary "
                f"{', '.join(offered)}"
            )
        name = declared.name
        if not equals or not values.strip(", "):
            raise PolicyError(f"--vary {each}: say the values too, as in {spelling}=A,B,C")
        if name in found:
            raise PolicyError(f"--vary {each}: {spelling} is varied already")
        if name in given:
            raise PolicyError(f"--{spelling} is given and varied; leave one of them out")
        found[name] = [_value(declared, value.strip(), each) for value in values.split(",")]
        if len(set(found[name])) < len(found[name]):
            raise PolicyError(f"--vary {each}: duplicate value")
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


def _value(declared: Declared, text: str, written: str) -> Any:
    """The text as the option's own type; ``none`` stands for not giving the option, unless it is a choice."""
    if text.lower() == "none" and "none" not in choices(declared.type):
        return None
    kind = declared.plain_type
    try:
        value = SWITCH[text.lower()] if kind is bool else kind(text)
    except (ValueError, KeyError):
        expected = {int: "a whole number", float: "a number", bool: "true or false"}[kind]
        raise PolicyError(f"--vary {written}: {text!r} is not {expected}") from None
    least, most = declared.option.at_least, declared.option.at_most
    if least is not None and value < least:
        raise PolicyError(f"--vary {written}: {text} must be at least {least:g}")
    if most is not None and value > most:
        raise PolicyError(f"--vary {written}: {text} must be at most {most:g}")
    return value
