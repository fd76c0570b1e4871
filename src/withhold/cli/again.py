"""How to do it again: the policy as it was typed, and the command that proves the release."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from withhold.cli.offers import Given, columns_to_publish
from withhold.cli.options import FILES, LISTS, with_paths
from withhold.data.roles import ALL

if TYPE_CHECKING:
    from withhold.publish import Published
    from withhold.release import Release

NOT_POLICY = frozenset(
    ("data", "output", "policy", "force", "report", "edition", "jobs", "as_json", "quiet", "seed")
)
"""What does not change the release, or is said elsewhere."""


def typed_policy(context: typer.Context, *, seed: int) -> dict[str, Any]:
    """The options in force as a policy file has them, files by absolute path, with the seed in use."""
    spelling = {
        str(option.name): next(name[2:] for name in option.opts if name.startswith("--"))
        for option in context.command.params
        if any(name.startswith("--") for name in option.opts)
    }
    policy = {
        spelling[name]: _anywhere(name, value)
        for name, value in context.params.items()
        if name in spelling and name not in NOT_POLICY and value not in (None, [], ())
    }
    return policy | {"seed": seed}


def _anywhere(name: str, value: Any) -> Any:
    """The value so that it means the same in a policy file, from whichever folder that is used."""
    if name == "publish":
        columns = columns_to_publish(list(value))
        return columns if columns == ALL else list(columns)
    if name in FILES and isinstance(value, str):
        found = with_paths(name, value, Path.cwd())
        is_item = name in LISTS and found == value and "," not in value
        # A comma says that this is an item, whatever files are called like it.
        return f"{value}," if is_item and not os.path.isabs(value) else found
    return list(value) if isinstance(value, tuple) else value


def verify_command(
    release: Release, published: Published, data: str, given: Given, *, named: bool
) -> str:
    """The command that proves the release again; ``named`` says that columns had to be named."""
    from withhold.formats import reading_of

    words = ["withhold", "verify", str(published.path)]
    options = reading_of(published.form) if named else {}
    for name in ("record_column", "item_column"):
        if name in options:
            words += [f"--{name.replace('_', '-')}", options[name]]
    if release.model.needs:
        words += ["--original", data]
        for name in ("constraints", "sensitive", "hierarchy"):
            if name in given:
                words += [f"--{name}", str(given[name])]
    return shlex.join(words)
