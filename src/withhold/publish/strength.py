"""Whether one model promises less than another of its kind, parameter by parameter, in words."""

from __future__ import annotations

from typing import Any

from withhold.method import Model
from withhold.registry import method_of
from withhold.wording import counted


def promises_less(offered: Model, asked: Model) -> tuple[str, ...]:
    """In which respects ``offered`` promises less than ``asked``; none if it promises as much or more.

    >>> from withhold.methods.rho.model import RhoUncertainty
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
        for name, declared in method_of(asked).parameters().items()
        if (weaker := declared.option.weaker) is not None and weaker(mine[name], theirs[name])
    ]
    if "private" in mine and (more := len(set(mine["private"]) - set(theirs["private"]))):
        less.append(
            f"private names {counted(more, 'other item')}, so that it promises nothing about those who "
            f"know {'it' if more == 1 else 'them'}"
        )
    if None not in (them := (mine.get("constraints_sha256"), theirs.get("constraints_sha256"))):
        less += ["its constraints are others"] * (them[0] != them[1])
    return tuple(less)


def _difference(name: str, offered: Any, asked: Any) -> str:
    if isinstance(asked, list):
        return f"{name} lacks {len(set(asked) - set(offered)):,} of {len(asked):,}"
    return f"{name} is {_shown(offered)} instead of {_shown(asked)}"


def _shown(value: Any) -> str:
    return "not set" if value is None else str(value)
