"""Codes with descriptions: the one place where an item's name gets its description.

Models, manifests and JSON keep the codes. Code that writes for people calls ``described``, which returns
the name itself if there is no description. The code stays beside its description, so that two codes with
the same description stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

MARK = ": "
"""Separates the name of a file from an item, if items come from several files."""

DATE = re.compile(r"@\d{4}(?:-\d{2}|-\d{4})?\Z", re.ASCII)
"""What follows an item that has a date, as ``withhold.data.dated_items`` says."""

_meaning: ContextVar[Mapping[str, str]] = ContextVar("meaning", default={})  # noqa: B039  # never changed


@contextmanager
def describing(meaning: Mapping[str, str]) -> Iterator[None]:
    """Within this, names that ``meaning`` describes are shown with their description.

    >>> with describing({"E11": "Type 2 diabetes"}):
    ...     described("E11"), described("I10")
    ('Type 2 diabetes (E11)', 'I10')
    """
    before = _meaning.set(meaning)
    try:
        yield
    finally:
        _meaning.reset(before)


def meaning_of(name: str, meaning: Mapping[str, str] | None = None) -> str | None:
    """What a code means, with or without the name of its file before it and a date after it.

    None if it has no description.

    >>> [meaning_of(name, {"E11": "Type 2 diabetes"}) for name in ("conditions: E11", "E11@2015-2019")]
    ['Type 2 diabetes', 'Type 2 diabetes']
    """
    known = _meaning.get() if meaning is None else meaning
    plain = DATE.sub("", name)
    names = (name, name.partition(MARK)[2], plain, plain.partition(MARK)[2])
    return next((known[each] for each in names if each in known), None)


def described(name: str) -> str:
    """The name as people read it."""
    meaning = meaning_of(name)
    return name if meaning is None else f"{meaning} ({name})"


def described_all(names: Iterable[str]) -> str:
    """Names as people read them, with commas between."""
    return ", ".join(map(described, names))


def known_descriptions() -> Mapping[str, str]:
    """The descriptions that were given, by code."""
    return _meaning.get()


def with_descriptions(found: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values, and with them the descriptions of the codes among them.

    >>> with describing({"E11": "Type 2 diabetes", "I10": "Hypertension"}):
    ...     with_descriptions({"worst": ["E11"], "n": 1})["descriptions"]
    {'E11': 'Type 2 diabetes'}
    """
    meaning = _meaning.get()
    named = {text: meaning_of(text) for text in sorted(set(_texts(found)))}
    known = {name: text for name, text in named.items() if text is not None}
    return {**found, **({"descriptions": known} if meaning else {})}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
