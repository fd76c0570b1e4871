"""Whether one model promises less than another of its kind, parameter by parameter, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from withhold.models.model import Model
from withhold.wording import counted


def _larger(offered: Any, asked: Any) -> bool:
    return Fraction(offered) > Fraction(asked)


def _fewer(offered: Any, asked: Any) -> bool:
    """Fewer than asked for; None is any number, the most there is."""
    return offered is not None and (asked is None or offered < asked)


def _smaller(offered: Any, asked: Any) -> bool:
    """Smaller than asked for; None asks for nothing."""
    return asked is not None and (offered is None or offered < asked)


def _allows_more(offered: Any, asked: Any) -> bool:
    """Allows a larger share than asked for; None allows none."""
    return offered is not None and (asked is None or Fraction(offered) > Fraction(asked))


def _lacks(offered: Any, asked: Any) -> bool:
    return not set(asked) <= set(offered)


def _differs(offered: Any, asked: Any) -> bool:
    return bool(asked is not None and offered != asked)


def _is_another(offered: Any, asked: Any) -> bool:
    """Both are known, and they differ."""
    return None not in (offered, asked) and bool(offered != asked)


LESS: Mapping[str, Callable[[Any, Any], bool]] = {
    "rho": _larger,
    "h": _larger,
    "k": _smaller,
    "m": _smaller,
    "l": _smaller,
    "p": _fewer,
    "max_known": _fewer,
    "ignore_prior": lambda offered, asked: bool(offered and not asked),
    "epsilon": _allows_more,
    "delta": _allows_more,
    "sensitive": _lacks,
    "private": _lacks,
    "quasi_identifiers": _lacks,
    "sensitive_column": _differs,
    "constraints_sha256": _is_another,
}
"""For each parameter whether the first value promises less than the second."""


def promises_less(offered: Model, asked: Model) -> tuple[str, ...]:
    """In which respects ``offered`` promises less than ``asked``; none if it promises as much or more.

    >>> from withhold.models import RhoUncertainty
    >>> promises_less(RhoUncertainty("0.9", {"a"}), RhoUncertainty("0.5", {"a", "b"}))
    ('rho is 0.9 instead of 0.5', 'sensitive lacks 1 of 2')

    In coherence, what is private is not among the public items that somebody may know, so a longer list of
    private items promises something else.
    """
    if offered.name != asked.name:
        return (f"its model is {offered.name} instead of {asked.name}",)
    mine, theirs = offered.parameters(), asked.parameters()
    less = [
        _difference(name, mine[name], theirs[name])
        for name, is_less in LESS.items()
        if name in mine and is_less(mine[name], theirs[name])
    ]
    if "private" in mine and (more := len(set(mine["private"]) - set(theirs["private"]))):
        less.append(
            f"private names {counted(more, 'other item')}, so that it promises nothing about those who "
            f"know {'it' if more == 1 else 'them'}"
        )
    return tuple(less)


def _difference(name: str, offered: Any, asked: Any) -> str:
    if isinstance(asked, list):
        return f"{name} lacks {len(set(asked) - set(offered)):,} of {len(asked):,}"
    if name.endswith("sha256"):
        return "its constraints are others"
    return f"{name} is {_shown(offered)} instead of {_shown(asked)}"


def _shown(value: Any) -> str:
    return "not set" if value is None else str(value)
