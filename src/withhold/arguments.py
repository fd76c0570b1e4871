"""What callers may pass: names, types and smallest values, checked against a function's own signature.

A wrong argument name or type is reported in terms of the function that was called, before any work is done.
The bounds of an ``Option`` are enforced.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import cache, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np

from withhold.errors import PolicyError, option
from withhold.options import Option, function_of, names_of

F = TypeVar("F", bound=Callable[..., Any])

SMALLEST: Mapping[str, int] = {
    "seed": 0,
    "jobs": 1,
    "limit_seconds": 0,
    "baskets": 0,
    "persons": 0,
    "round": 1,
}
"""The smallest values of parameters that are not options of a method and mean the same in every function."""
LARGEST: Mapping[str, int] = {"seed": 2**63 - 1, "jobs": 2**16}
"""The largest values that the kernels or the machine can handle."""
GONE = {"truthful": 'truthful is the default now; fill="hash" gives the paper\'s variant'}
"""Options that no longer exist, and what to do instead."""
WORDS: Mapping[str, str] = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "True or False",
    "NoneType": "None",
    "Path": "a path",
    "PathLike": "a path",
    "Mapping": "a mapping (dict)",
    "Iterable": "a collection, such as a list",
    "Sequence": "a list",
    "Callable": "a function",
    "AnyPlan": "the plan of a release (release.plan)",
    "Model": "a model made with its parameters, such as RhoUncertainty(rho, sensitive), "
    "PersonalRhoUncertainty, Coherence, KmAnonymity, KAnonymity, Buckets, PeopleUncertainty, "
    "SensitiveApart or PeopleApart",
}


def checked(function: F) -> F:
    """The function, refusing arguments that its signature does not have or whose type does not fit.

    >>> @checked
    ... def slice_bread(loaves: int, *, thickness: float = 1.0) -> int:
    ...     return loaves
    >>> slice_bread(2, thicknes=3)
    Traceback (most recent call last):
    ...
    withhold.errors.PolicyError: slice_bread has no option 'thicknes'; did you mean thickness? It takes \
    loaves, thickness
    """
    path = function.__qualname__.removesuffix(".__init__").split(".")
    # A named constructor (a class method) is called with the class as its first argument.
    name = ".".join(path[-2:] if next(iter(_parameters(function)), "") == "cls" else path[-1:])

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        _check_call(function, name, args, named)
        return function(*args, **named)

    return call  # type: ignore[return-value]


def check_options(
    function: Callable[..., Any],
    options: Mapping[str, Any],
    *,
    what: str,
    also: Iterable[str] = (),
) -> None:
    """Refuse options that are to be passed on to a function that does not take them.

    ``also`` are the options that the caller takes itself, which may be what was meant.
    """
    _check_names(options, list(dict.fromkeys((*option_names(function), *also))), what)
    _check_values(function, options)


def option_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The options that a function takes: its keyword-only parameters."""
    parameters = _parameters(function_of(function)).values()
    return tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)


def names_in(given: Iterable[Any], *, name: str) -> tuple[str, ...]:
    """The items or columns that a caller listed, as strings; whole numbers become their digits.

    A single string would be read as its letters and a frame as the names of its columns, so
    both are refused.

    >>> names_in([7, "beer"], name="sensitive")
    ('7', 'beer')
    """
    if not fits(given, Iterable[str]):
        raise PolicyError(
            f"{name} must be {WORDS['Iterable']}, not {_shown(given)}{_lines_of(given)}"
        )
    found = list(given)
    if not _are_names(found):
        odd = next(each for each in found if not _is_name(each))
        raise PolicyError(f"{name} must hold texts, not {_shown(odd)}")
    return tuple(map(str, found))


def _lines_of(given: object) -> str:
    """How to pass what a file lists, if the name of one was given."""
    is_file = isinstance(given, str) and os.path.isfile(given)
    return (
        f"; for the lines of the file: Path({given!r}).read_text().splitlines()" if is_file else ""
    )


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """The nearest of the known names as the end of a sentence; nothing if none is near."""
    near = get_close_matches(str(wrong), list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _check_call(
    function: Callable[..., Any], name: str, args: Sequence[Any], named: Mapping[str, Any]
) -> None:
    parameters = list(_parameters(function).values())
    in_order = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    kinds = {p.kind for p in parameters}
    taken = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    shown = [each for each in taken if each not in ("self", "cls")]
    if len(args) > len(in_order) and inspect.Parameter.VAR_POSITIONAL not in kinds:
        raise PolicyError(
            f"{name} takes at most {len([p for p in in_order if p.name in shown])} values without "
            f"a name; it takes {', '.join(shown)}"
        )
    given = {p.name: value for p, value in zip(in_order, args, strict=False)}
    if twice := [each for each in named if each in given]:
        raise PolicyError(f"{name} got {twice[0]} twice")
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        _check_names(named, shown, name)
    given.update(named)
    for each in parameters:
        if each.default is each.empty and each.name in taken and each.name not in given:
            raise PolicyError(
                f"{name} needs {each.name}: {words(_hints(function).get(each.name, Any))}"
            )
    _check_values(function, given)


def _check_names(given: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in given:
        if name in known:
            continue
        if name in GONE:
            raise PolicyError(GONE[name])
        hint = did_you_mean(name, known) or ";"
        takes = f"{'It' if hint.endswith('?') else 'it'} takes {', '.join(known)}"
        raise PolicyError(f"{what} has no option {name!r}{hint} {takes}")


def _check_values(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    hints = _hints(function)
    for name, value in given.items():
        if name not in hints:
            continue
        shown_name = option(name) if _option_in(hints[name]) else name
        if not fits(value, hints[name]):
            raise PolicyError(
                f"{shown_name} must be {words(hints[name])}, not {_shown(value)}{_lines_of(value)}"
            )
        if not fits(value, float):
            continue
        least, most = _bounds(name, hints[name])
        if least is not None and value < least:
            raise PolicyError(f"{shown_name} must be {least:,} or more, not {value}")
        if most is not None and value > most:
            raise PolicyError(f"{shown_name} must be at most {most:,}, not {value}")


def _option_in(hint: Any) -> Option | None:
    """The option that an annotation declares, if any."""
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((note for note in notes if isinstance(note, Option)), None)


def _bounds(name: str, hint: Any) -> tuple[float | None, float | None]:
    """The smallest and the largest value of a parameter; None if it has no such bound."""
    if (declared := _option_in(hint)) is not None:
        return declared.at_least, declared.at_most
    return SMALLEST.get(name), LARGEST.get(name)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has the type that an annotation names; True is not a number, a string is not a list.

    >>> fits(3, int | None), fits(True, int), fits("abc", Iterable[str]), fits(None, str)
    (True, False, False, False)
    """
    hint = _without_notes(hint)
    kind = get_origin(hint) or hint
    if isinstance(kind, TypeVar):
        return fits(value, kind.__bound__)
    if kind is Any:
        return True
    if kind is Literal:
        return any(type(value) is type(each) and value == each for each in get_args(hint))
    if kind in (Union, UnionType):
        return any(fits(value, each) for each in get_args(hint))
    if isinstance(value, type) and kind is not type:
        return False  # a class was passed instead of an instance
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if kind is float:
        return isinstance(value, Real) and not isinstance(value, bool) and value == value
    if kind in (Iterable, Sequence, Collection):
        if isinstance(value, str | bytes) or hasattr(value, "columns"):
            return False
        texts = get_args(hint) == (str,) and isinstance(value, list | tuple | set | frozenset)
        return isinstance(value, Iterable if kind is Iterable else kind) and (
            not texts or _are_names(value)
        )
    if kind is Callable:
        return callable(value)
    return isinstance(value, NoneType if kind is None else kind)


def words(hint: Any) -> str:
    """What an annotation asks for, in words.

    >>> words(int | None)
    'a whole number or None'
    """
    hint = _without_notes(hint)
    kind = get_origin(hint) or hint
    if isinstance(kind, TypeVar):
        return words(kind.__bound__)
    if kind is Literal:
        *first, last = map(str, get_args(hint))
        return f"{', '.join(first)} or {last}" if first else last
    if kind in (Union, UnionType):
        args = list(get_args(hint))
        if Fraction in args:
            none = " or None" if NoneType in args else ""
            return f"a number such as 0.7 or 2/3{none}"
        parts = list(dict.fromkeys(words(each) for each in args))
        return f"{', '.join(parts[:-1])} or {parts[-1]}" if parts[1:] else parts[0]
    name = getattr(kind, "__name__", str(kind))
    if kind is Any:
        return "whatever it can read"
    return WORDS.get(name, f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")


def _without_notes(hint: Any) -> Any:
    """The type in an annotation, without its other metadata."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


@cache
def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


@cache
def _hints(declaring: Callable[..., Any]) -> Mapping[str, Any]:
    """The annotations of the parameters; the return type is left out, as only type checkers may know it."""
    function, names = function_of(declaring), names_of(declaring)
    kinds = {p.name: p.kind for p in _parameters(function).values()}
    single = {n for n, kind in kinds.items() if kind not in (2, 4)}  # no *args, no **options
    return {
        name: eval(text, names) if isinstance(text, str) else text
        for name, text in function.__annotations__.items()
        if name in single
    }


def _are_names(values: Iterable[Any]) -> bool:
    return set(map(type, values)) <= {str} or all(map(_is_name, values))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) or fits(value, int)


def _shown(value: Any) -> str:
    """A value that a caller passed, shortened, and never the data itself."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if value is None or isinstance(value, str | bytes | bool | int | float):
        text = repr(value)
        return text if len(text) <= 40 else text[:39] + "…"
    if isinstance(value, list | tuple | set | frozenset):
        odd = next((each for each in value if not _is_name(each)), None)
        if any(not _is_name(each) for each in value):
            return f"a {type(value).__name__} with {_shown(odd)} in it"
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
