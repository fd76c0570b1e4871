"""Options, each defined once, where a parameter is declared, with its help text and bounds.

A model's parameters, and the options of a search or an audit, are annotated with an ``Option``:

    rho: Annotated[Threshold, Option("The largest confidence allowed, e.g. 0.7 or 2/3; exact.")]

The command line, policy files, ``--vary``, manifests, the reference and the checks of Python's keyword
arguments all come from there.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Plain = str | int | float | bool | None | Sequence["Plain"] | Mapping[str, "Plain"]
"""A value as JSON and policy files hold it."""
Threshold = str | Fraction | Decimal | float | int
"""A share, exactly as the user wrote it."""
K_MISSING = "use --k 5, the fewest records or rows among which people hide"
K_HELP = "Fewest records or rows to hide among."
ITEMS_HELP = "A file with one item per line, or items separated by commas."
Kind = Literal[
    "plain", "threshold", "items", "columns", "any", "file", "files", "publish", "repeated", "found"
]
"""How the value of an option is written: as it is, an exact share, a list of items or a file with one, a list
of columns, a whole number or ``any``, the name of a file, names of files (also ``NAME=FILE``), columns or
``all``, or a value that can be given several times. A value ``found`` by a search is only in manifests."""


@dataclass(frozen=True)
class Option:
    """The help text of a parameter, and its allowed values."""

    help: str
    kind: Kind = "plain"
    at_least: float | None = None
    at_most: float | None = None
    missing: str = ""
    """What to do if it is required but missing."""
    spelt: str = ""
    """How it is typed, if that is not its name."""
    weaker: Callable[[Any, Any], bool] | None = None
    """Of a model's parameter: whether the first value promises less than the second."""
    varies: bool = True
    """Whether a sweep can vary it."""
    repeated_by: str = ""
    """For a time limit: the option that reproduces the result, and the release's field with its value."""


@dataclass(frozen=True)
class Declared:
    """An option together with what its declaration says."""

    name: str
    type: Any
    default: Any
    """``inspect.Parameter.empty`` if it must be given."""
    option: Option

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is inspect.Parameter.empty

    @property
    def spelling(self) -> str:
        """How it is typed on the command line, without the leading dashes.

        >>> Declared("max_known", int, None, Option("")).spelling
        'max-known'
        """
        spelt = self.option.spelt or f"--{self.name.replace('_', '-')}"
        return spelt.split("/")[0][2:]

    @property
    def plain_type(self) -> type:
        """The type of a typed value: text, whole number, number or switch.

        >>> Declared("cost", Literal["ham", "info"] | None, None, Option("")).plain_type
        <class 'str'>
        """
        if self.option.kind != "plain":
            return str
        parts = [each for each in alternatives(self.type) if each is not NoneType]
        if parts and get_origin(parts[0]) is Literal:
            return str
        return parts[0] if parts and parts[0] in (bool, int, float) else str


def alternatives(hint: Any) -> tuple[Any, ...]:
    """The types of a union, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def choices(hint: Any) -> tuple[str, ...]:
    """The texts that a type allows, if it allows only some.

    >>> choices(Literal["longest", "random"] | None)
    ('longest', 'random')
    """
    literals = [each for each in alternatives(hint) if get_origin(each) is Literal]
    return tuple(text for each in literals for text in get_args(each))


def options_of(declaring: Callable[..., Any]) -> Mapping[str, Declared]:
    """The options that a class or a function declares, by name, in order."""
    if declaring not in _FOUND:
        _FOUND[declaring] = _options_of(declaring)
    return _FOUND[declaring]


_FOUND: dict[Callable[..., Any], Mapping[str, Declared]] = {}


def function_of(declaring: Callable[..., Any]) -> Callable[..., Any]:
    """The function whose signature says what may be passed; for a class, its ``__init__``."""
    named: Any = declaring.__init__ if isinstance(declaring, type) else declaring  # type: ignore[misc]
    found: Callable[..., Any] = inspect.unwrap(named)
    return found


def names_of(declaring: Callable[..., Any]) -> dict[str, Any]:
    """The namespace in which its annotations are resolved."""
    if not isinstance(declaring, type):
        names: dict[str, Any] = inspect.unwrap(declaring).__globals__
        return names
    # Inherited annotations use the names of the module that declares them.
    modules = [vars(sys.modules[each.__module__]) for each in reversed(declaring.__mro__)]
    return {name: value for module in modules for name, value in module.items()}


def _options_of(declaring: Callable[..., Any]) -> Mapping[str, Declared]:
    function = function_of(declaring)
    hints = get_type_hints(function, globalns=names_of(declaring), include_extras=True)
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name)
        if get_origin(hint) is not Annotated:
            continue
        kind, *notes = get_args(hint)
        for note in notes:
            if isinstance(note, Option):
                found[name] = Declared(name, kind, parameter.default, note)
    return found


def larger(offered: Any, asked: Any) -> bool:
    """A larger share than asked for."""
    return Fraction(offered) > Fraction(asked)


def fewer(offered: Any, asked: Any) -> bool:
    """Fewer than asked for; None is any number, the most there is."""
    return offered is not None and (asked is None or offered < asked)


def smaller(offered: Any, asked: Any) -> bool:
    """Smaller than asked for; None asks for nothing."""
    return asked is not None and (offered is None or offered < asked)


def allows_more(offered: Any, asked: Any) -> bool:
    """A larger share than asked for; None allows none."""
    return offered is not None and (asked is None or Fraction(offered) > Fraction(asked))


def looser(offered: Any, asked: Any) -> bool:
    """A larger share than asked for; None asks for nothing."""
    return asked is not None and (offered is None or Fraction(offered) > Fraction(asked))


def lacks(offered: Any, asked: Any) -> bool:
    """A list without some of what was asked for."""
    return not set(asked) <= set(offered)


def adds(offered: Any, asked: Any) -> bool:
    """A list with more in it than what was asked for."""
    return lacks(asked, offered)


def said_only_by_offered(offered: Any, asked: Any) -> bool:
    """Something is left out that was asked for."""
    return bool(offered and not asked)


# Options that several methods share.
RhoOption = Annotated[
    Threshold,
    Option(
        "Largest confidence allowed, e.g. 0.7 or 2/3; exact.",
        kind="threshold",
        missing="use --rho 0.5, the largest confidence you allow",
        weaker=larger,
    ),
]
SensitiveOption = Annotated[
    Iterable[str],
    Option(
        ITEMS_HELP,
        kind="items",
        missing="use --sensitive FILE or --sensitive a,b,c",
        weaker=lacks,
    ),
]
