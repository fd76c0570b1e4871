"""Policy files: options as keys, read from TOML or from the internal manifest of a release; and back."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from withhold.cli.empty import refuse_empty
from withhold.cli.methods import columns_to_publish, owned
from withhold.data.column_lists import join_columns, join_pairs, split_pairs
from withhold.data.names import nearest
from withhold.data.roles import ALL
from withhold.errors import PolicyError
from withhold.registry import method_of

if TYPE_CHECKING:
    from withhold.release import AnyRelease


def _named(*kinds: str) -> frozenset[str]:
    """The options of methods that are written in one of these ways."""
    return frozenset(
        name
        for name, owners in owned().items()
        if any(declared.option.kind in kinds for declared in owners.values())
    )


LISTS = _named("items")
"""Options that take items with commas between them; a policy file may hold a list."""
COLUMNS = _named("columns", "publish")
"""Options that take columns with commas between them; a policy file may hold a list."""
FILES = _named("items", "file", "files") | {"consent", "describe"}
"""Options that may name a file; a policy file names it relative to its own folder."""
REPEATED = _named("repeated", "publish", "files") | {"tidy"}
"""Options that may be given several times; a policy file may hold a list."""
NAMED_FILES = _named("files")
"""Options that take NAME=FILE."""
NOT_POLICY = frozenset(
    (
        "data",
        "output",
        "policy",
        "force",
        "report",
        "edition",
        "jobs",
        "as_json",
        "quiet",
        "seed",
        "describe",
    )
)
"""Options that do not change the release, or are stored elsewhere."""


DECIMAL_COMMA = re.compile(r"^[\w-]+\s*=\s*\d+,\d", re.MULTILINE)
"""A number that is not valid TOML."""


class Key(NamedTuple):
    """What a key of a policy file stands for."""

    name: str
    """The option's own name."""
    is_switch: bool = False
    turns_off: bool = False


def load_policy(context: typer.Context, path: Path | None) -> Path | None:
    """Make the file's keys the defaults of the options; an option that is given wins."""
    if path is not None and not context.resilient_parsing:
        # One policy file serves every verb: keys of other verbs are ignored.
        verbs = getattr(context.find_root().command, "commands", {}).values()
        elsewhere = frozenset().union(*map(_keys, verbs))
        keys = _keys(context.command)
        policy: dict[str, Any] = {}
        first: dict[str, str] = {}
        for written, value in _content(path).items():
            spelling = written.replace("_", "-")
            if spelling in keys:
                name = keys[spelling].name
                if (other := first.setdefault(name, written)) != written:
                    raise typer.BadParameter(
                        f"{path}: {other} and {written} say the same option twice; keep one of them"
                    )
                policy[name] = _typed(path, written, keys[spelling], value)
                refuse_empty(name, policy[name], f"{path}: --{spelling}", _refuse)
            elif spelling not in elsewhere:
                near = nearest(spelling, sorted({*keys, *elsewhere}))
                hint = f"; did you mean {near}?" if near else ""
                raise typer.BadParameter(f"{path}: unknown key {written!r}{hint}")
        context.default_map = {**(context.default_map or {}), **policy}
    return path


def _keys(verb: Any) -> dict[str, Key]:
    """The long names of the verb's options, as they are typed, without the leading dashes."""
    keys = {}
    for option in verb.params:
        if option.param_type_name != "option" or option.name in (None, "policy", "help"):
            continue
        is_switch = bool(getattr(option, "is_flag", False))
        for turns_off, spellings in ((False, option.opts), (True, option.secondary_opts)):
            for spelling in spellings:
                keys[spelling] = Key(str(option.name), is_switch, turns_off)
    return {spelling[2:]: key for spelling, key in keys.items() if spelling.startswith("--")}


def _content(path: Path) -> Mapping[str, Any]:
    """What a TOML file says, or the policy in the internal manifest of a release."""
    import json
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        if not text.lstrip().startswith("{"):
            return tomllib.loads(text)
        record = json.loads(text, object_pairs_hook=_once)
    except FileNotFoundError as error:
        raise typer.BadParameter(f"{path} does not exist") from error
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        twice = "; each key may be given once" if "overwrite" in str(error) else ""
        comma = "; decimals have a point, as in 0.5" if DECIMAL_COMMA.search(text) else ""
        raise typer.BadParameter(
            f"{path} is not valid TOML or JSON: {error}{twice}{comma}"
        ) from error
    if not isinstance(record, dict) or not isinstance(record.get("policy"), dict):
        raise typer.BadParameter(
            f"{path} holds no policy; of a release, the one that does is OUTPUT.internal.json"
        )
    return dict(record["policy"])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose last key of a name would win otherwise."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name!r} is given twice")
        found[name] = value
    return found


def _refuse(message: str) -> None:
    raise typer.BadParameter(message)


def _typed(path: Path, written: str, key: Key, value: Any) -> Any:
    """The value as it would have been typed; what could not be typed is refused."""
    name = key.name
    if key.is_switch:
        if not isinstance(value, bool):
            raise typer.BadParameter(f"{path}: {written} must be true or false")
        return value is not key.turns_off
    if isinstance(value, list) and name in LISTS | COLUMNS | REPEATED:
        texts = [str(each) for each in value]
        if name in LISTS:
            if any("," in item for item in texts):
                raise typer.BadParameter(
                    f"{path}: items with commas need a file, one item per line"
                )
            # The trailing comma marks a list, even if a file has the name of its only item.
            return ",".join(texts) + ","
        if name in COLUMNS:
            # A column whose name is the option's word for all columns is put in quotes.
            line = join_columns(texts)
            texts = ['"all"' if name == "publish" and line == ALL else line]
        if name in FILES:
            texts = [_with_paths(name, text, path.parent) for text in texts]
        return texts if name in REPEATED else texts[0]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise typer.BadParameter(f"{path}: {written} must be a number or a text")
    if name in FILES:
        found = _with_paths(name, str(value), path.parent)
        return [found] if name in REPEATED else found
    # Through text, so that 0.1 stays one tenth.
    return [str(value)] if name in REPEATED else str(value)


def _with_paths(name: str, text: str, folder: Path) -> str:
    """The value of an option, with paths of files relative to ``folder`` if they exist there."""
    if os.path.isfile(folder / text):
        return str(folder / text)
    if name in NAMED_FILES:
        label, _, file = text.rpartition("=")
        return f"{label}={folder / file}" if label and os.path.isfile(folder / file) else text
    if name != "hierarchy" or "=" not in text:
        return text
    try:
        pairs = split_pairs(text, "hierarchies")
    except PolicyError:
        return text  # the reader of hierarchies reports what is wrong
    found = {column: folder / file for column, file in pairs.items()}
    return join_pairs({c: str(f) if os.path.isfile(f) else pairs[c] for c, f in found.items()})


def files_read(params: Mapping[str, Any]) -> list[Path]:
    """The files that options name, beside the data: lists, hierarchies, consent, the policy itself."""
    from withhold.formats.databases import database_of, is_query

    found = [] if params.get("policy") is None else [Path(params["policy"])]
    addresses = [
        params.get("data"),
        *(each.partition("=")[2] for each in params.get("items") or ()),
    ]
    addresses += params.get("items") or ()
    found += [database_of(each) for each in addresses if is_query(each)]
    for name in FILES:
        given = params.get(name)
        for text in given if isinstance(given, list | tuple) else [given] if given else []:
            paths = [str(text), str(text).rpartition("=")[2]]
            with suppress(PolicyError):  # a list of items, or an error that is reported elsewhere
                paths += split_pairs(text, name).values() if "=" in text else []
            found += [Path(path) for path in paths if os.path.isfile(path)]
    return found


def typed_policy(context: typer.Context, release: AnyRelease) -> dict[str, Any]:
    """The options in force as a policy file has them, files by absolute path, with the seed in use.

    A time limit is replaced by the amount of work done in it, so that the policy reproduces the release.
    """
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
    for declared in method_of(release.model).searches().values():
        again = declared.option.repeated_by
        if again and policy.pop(declared.spelling, None) is not None:
            policy[spelling[again]] = release.options[again]
    return policy | {"seed": release.seed}


def _anywhere(name: str, value: Any) -> Any:
    """The value in a form that means the same in a policy file, whatever folder that is in."""
    if name == "publish":
        columns = columns_to_publish(list(value))
        return columns if columns == ALL else list(columns)
    if name in NAMED_FILES:
        return [_with_paths(name, str(each), Path.cwd()) for each in value]
    if name in FILES and isinstance(value, str):
        found = _with_paths(name, value, Path.cwd())
        is_item = name in LISTS and found == value and "," not in value
        # A comma marks an item, even if a file has its name.
        return f"{value}," if is_item and not os.path.isabs(value) else found
    return list(value) if isinstance(value, tuple) else value
