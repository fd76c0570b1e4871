"""What was typed, as the values that a method takes: lists of items and columns, numbers or ``any``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from withhold.cli.console import note
from withhold.data.column_lists import split_columns
from withhold.data.names import clean
from withhold.data.roles import ALL
from withhold.errors import InputError, PolicyError
from withhold.options import Declared

Given = Mapping[str, Any]
"""What was typed of the methods' options, under their names."""


def typed_values(declared: Mapping[str, Declared], given: Given) -> dict[str, Any]:
    """What was typed of these options, each as its method takes it."""
    return {
        name: typed_value(each, given[name]) for name, each in declared.items() if name in given
    }


def typed_value(declared: Declared, written: Any) -> Any:
    """A value as the method takes it."""
    match declared.option.kind:
        case "items":
            return listed_items(written)
        case "columns":
            return split_columns(written, f"--{declared.spelling}")
        case "publish":
            return columns_to_publish(written)
        case "any":
            return known_items(written)
    return written


def known_items(given: str) -> int | None:
    """How many items somebody may know: a whole number, or ``any``."""
    if given == "any":
        return None
    if not given.isascii() or not given.isdigit():
        raise PolicyError(f"p must be a whole number from 1 on, or any, not {given!r}")
    return int(given)


def columns_to_publish(given: list[str]) -> str | tuple[str, ...]:
    """The columns that are published as they are, from one or several lists; ``all`` means every one.

    >>> columns_to_publish(["city,job", '"all"']), columns_to_publish(["all"])
    (('city', 'job', 'all'), 'all')
    """
    if [text.strip() for text in given] == [ALL]:
        return ALL
    if ALL in (text.strip() for text in given):
        raise PolicyError(
            "--publish all is every column; leave the other --publish out, or write a column of "
            "that name as '\"all\"'"
        )
    return tuple(name for text in given for name in split_columns(text, "--publish"))


def listed_items(given: str) -> frozenset[str]:
    """The items that a file lists, or that were typed with commas between them."""
    path = Path(given)
    # Not Path.is_file: a long list of items is no proper path, and that is no error.
    if os.path.isfile(given):
        if not path.suffix and path.name == given:
            note(
                f"the items are read from the file {given}; to name the item {given} itself, type "
                f"{given}, (with a comma)"
            )
        from withhold.formats.items import read_item_list

        return read_item_list(path)
    if os.path.isdir(given):
        raise InputError("is a directory, not a list of items", path=path)
    if "/" in given or "\\" in given or path.suffix in {".txt", ".csv", ".dat"}:
        raise InputError(
            "does not exist",
            path=path,
            remedy="name an existing file with one item a line, or the items themselves",
        )
    return frozenset({clean(item) for item in given.split(",")} - {""})
