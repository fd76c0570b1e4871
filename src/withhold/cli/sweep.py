"""``withhold sweep``: what would each choice cost? ``--vary`` names an option and values of its own type."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.cli import methods, options
from withhold.cli.app import verb
from withhold.cli.console import note, say, working
from withhold.cli.interrupts import saying
from withhold.cli.reading import read_data, warn_about_unknown
from withhold.cli.shares import PLANS
from withhold.errors import PolicyError
from withhold.escaping import json_text
from withhold.given import tidied_model
from withhold.method import Method
from withhold.options import Declared, choices, options_of
from withhold.registry import method_of

if TYPE_CHECKING:
    from withhold.sweep_state import Case

SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@verb(
    "sweep",
    example="withhold sweep baskets.dat --sensitive sensitive.txt --vary rho=0.3,0.5,0.7 -o sweep",
    searches=True,
)
def sweep(
    *,
    data: str,
    vary: list[str],
    given: methods.ModelOptions,
    output: Path | None = None,
    force: bool = False,
    min_support: str | None = None,
    min_confidence: str = "0.3",
    policy: Path | None = None,
    how: options.Input,
    allow_unknown: bool = False,
    seed: int | None = None,
    jobs: int | None = None,
    shown: options.Output,
) -> None:
    """Measure what each choice would cost, without publishing."""
    known = {"allow_unknown": allow_unknown}
    grid = cases(given, varied(vary, given), {"seed": seed, **known})
    from withhold import sweeping
    from withhold.atomic import settle
    from withhold.report import trade_off
    from withhold.telling.facts import MeasureRequest

    kept = "nothing was kept (a folder, -o, keeps what is finished)"
    if output is not None:
        settle(trade_off.sweep_files(output))
        trade_off.check_files(output, [Path(data)])
        kept = f"what is finished is in {output}; the same command resumes from there"
    with saying(f"interrupted; {kept}"), working(PLANS["sweep"], silent=shown.quiet) as job:
        original = read_data(data, grid[0].model, given, how, **known, silent=shown.quiet)
        evidence = methods.read_evidence(grid[0].model, given, original, **known)
        warn_about_unknown(
            tidied_model(grid[0].model, original.tidied), original, evidence, allowed=allow_unknown
        )
        request = MeasureRequest(
            min_support=min_support, min_confidence=min_confidence, jobs=jobs, progress=job
        )
        found = sweeping.run_cases(original, evidence, grid, request, folder=output, force=force)
    if output is not None:
        first = grid[0].model
        promise = method_of(first).about(first, original).promise()
        trade_off.write_files(found, output, name=data, promise=promise)
        note(
            f"the table, the plot and a page, which says what each column means, are in {output}",
            silent=shown.quiet,
        )
    if shown.as_json:
        say(json_text(trade_off.sweep_as_dict(found)))
    else:
        say(trade_off.sweep_text(found))


def _of_reading(method: Method, spelling: str) -> bool:
    """Whether the option says how the data are read."""
    return any(each.spelling == spelling for each in options_of(method.reading_options).values())


def varied(written: Sequence[str], given: methods.ModelOptions) -> dict[str, list[Any]]:
    """The options to vary, under their own names, with their values.

    >>> varied(["rho=0.3,0.5", "max-known=1,none"], {})
    {'rho': ['0.3', '0.5'], 'max_known': [1, None]}
    """
    method = methods.method_typed(given)
    offered = {
        declared.spelling: declared
        for declared in {**method.takes(), **method.searches()}.values()
        if declared.option.varies
    }
    found: dict[str, list[Any]] = {}
    for each in written:
        spelling, equals, values = each.partition("=")
        declared = offered.get(spelling.strip().lstrip("-").replace("_", "-"))
        if declared is None and _of_reading(method, spelling):
            raise PolicyError(
                f"--vary {each}: the data are read once, so {spelling} cannot be varied; run a sweep for each"
            )
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
            raise PolicyError(
                f"--vary {each}: duplicate value. Commas separate values; decimals have a point, as in "
                f"{spelling}=0.3,0.5"
            )
    return found


def cases(
    given: methods.ModelOptions, vary: dict[str, list[Any]], common: dict[str, Any]
) -> list[Case]:
    """Every combination, each with its model and its options."""
    from withhold.sweep_state import Case

    found = []
    for values in product(*vary.values()):
        chosen = dict(zip(vary, values, strict=True))
        typed = {**given, **{name: value for name, value in chosen.items() if value is not None}}
        model = methods.build_model(typed)
        found.append(Case(chosen, model, {**methods.search_options(typed, model), **common}))
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
