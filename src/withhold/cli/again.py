"""How to do it again: the policy as it was typed, and the command that proves the release."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from withhold.cli.options import FILES, LISTS, with_paths
from withhold.cli.typed import columns_to_publish
from withhold.data.roles import ALL
from withhold.errors import UndecidedError

if TYPE_CHECKING:
    from withhold.formats import Data
    from withhold.method import Model
    from withhold.publish.publishing import Published
    from withhold.release import Release

NOT_POLICY = frozenset(
    ("data", "output", "policy", "force", "report", "edition", "jobs", "as_json", "quiet", "seed")
)
"""What does not change the release, or is said elsewhere."""
READING = ("format", "separator", "record_column", "item_column")
"""What somebody types whose file could be read in several ways."""


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


def verify_command(release: Release, published: Published, params: Mapping[str, Any]) -> str:
    """The command that proves the release again; ``params`` are the options in force when it was made."""
    from withhold.formats import reading_of
    from withhold.formats.forms import SEPARATOR_NAMES

    separators = {mark: name for name, mark in SEPARATOR_NAMES.items()}
    words = ["withhold", "verify", str(published.path)]
    typed = any(params.get(name) is not None for name in READING)
    found = _as_detected(release.model, published)
    if typed or found is None:
        for name, value in reading_of(published.form).items():
            words += [_spelt(name), separators.get(value, value)]
    if published.form.safe_csv:
        words.append(_spelt("safe_csv"))
    needs_original = bool(release.model.needs)
    if needs_original:
        words += ["--original", str(params["data"])]
        for name in ("constraints", "sensitive", "hierarchy", "consent"):
            if params.get(name) is not None:
                words += [_spelt(name), str(params[name])]
        if params.get("skip_missing_ids"):
            words.append(_spelt("skip_missing_ids"))
    strangers = needs_original and bool(release.unknown) and params.get("allow_unknown")
    if strangers or _is_doubtful(release, published, found):
        words.append(_spelt("allow_unknown"))
    return shlex.join(words)


def _as_detected(model: Model, published: Published) -> Data | None:
    """The published file as ``verify`` reads it without further options; None if it would ask for some."""
    from withhold.publish.manifest import form_as_dict
    from withhold.publish.rereading import read_published

    record = {"output": form_as_dict(published.form)}
    try:
        readings = read_published(
            published.path, model, record, {}, same_bytes=True, safe_csv=published.form.safe_csv
        )
        return readings.named
    except UndecidedError:
        return None


def _is_doubtful(release: Release, published: Published, found: Data | None) -> bool:
    """Whether ``verify`` would say UNDECIDED, since there is nothing of what was listed in the file."""
    from withhold.formats import read_back
    from withhold.publish.recheck import doubted
    from withhold.verdict import Status

    table = read_back(published.path, published.form) if found is None else found
    return doubted(published.verdict, release.model, table).status is Status.UNDECIDED


def _spelt(name: str) -> str:
    return "--" + name.replace("_", "-")
