"""How a published record says which group it is in, and what the list of its group is.

The item ``group=7`` names the group. Items such as ``condom=1/3`` are its list, the same in every record of
the group: one of its three records holds the condom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from withhold.methods.apart.secrets import Secrets

GROUP = re.compile(r"([^:]+: )?group=[1-9][0-9]*")
"""The prefix of items that come from several files: the name of a file."""
SHARE = re.compile(r"([1-9][0-9]*)/([1-9][0-9]*)")


class Entry(NamedTuple):
    """One line of a group's list."""

    item: str
    held: int
    """How many of the group's records hold it."""
    size: int
    """How many records the group has."""


def group_name(number: int, prefix: str = "") -> str:
    """The item that names a group.

    >>> group_name(7), group_name(7, "drugs: ")
    ('group=7', 'drugs: group=7')
    """
    return f"{prefix}group={number}"


def entry_name(entry: Entry) -> str:
    """The item that says how many of a group hold a sensitive item.

    >>> entry_name(Entry("condom", 1, 3))
    'condom=1/3'
    """
    return f"{entry.item}={entry.held}/{entry.size}"


def entry_of(name: str, sensitive: Secrets) -> Entry | None:
    """What an item says about a group; None for items that are not part of a list.

    >>> entry_of("condom=1/3", Secrets(frozenset({"condom"})))
    Entry(item='condom', held=1, size=3)
    >>> entry_of("condom=1/3", Secrets(frozenset({"pill"})))
    """
    item, _, share = name.rpartition("=")
    found = SHARE.fullmatch(share) if item in sensitive else None
    return None if found is None else Entry(item, int(found[1]), int(found[2]))


def is_unclear(name: str, sensitive: Secrets) -> bool:
    """Whether an item could be misread as a variant spelling of a group's name or of a line of its list.

    >>> pill = Secrets(frozenset({"pill"}))
    >>> [is_unclear(name, pill) for name in ("pill=02/2", "group=01", "pill=1/2", "a=1")]
    [True, True, False, False]
    """
    if name in sensitive or GROUP.fullmatch(name) or entry_of(name, sensitive):
        return False
    if re.fullmatch(r"([^:]+: )?\s*group\s*=.*\d.*", name, re.IGNORECASE):
        return True
    places = [place for place, mark in enumerate(name) if mark == "="]
    return any(name[:place].strip() in sensitive for place in places)


def reserved(names: Iterable[str], sensitive: Secrets) -> list[str]:
    """The names that would be taken for the name of a group, or for a line of its list."""
    return [
        name
        for name in names
        if GROUP.fullmatch(name) or entry_of(name, sensitive) or is_unclear(name, sensitive)
    ]
