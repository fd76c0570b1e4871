"""The options that several verbs share, each defined once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from withhold.cli.methods import owned
from withhold.data.column_lists import join_columns, join_pairs, split_pairs
from withhold.data.names import nearest
from withhold.errors import PolicyError

Data = Annotated[
    str,
    typer.Argument(
        help="The file to read; - for standard input.", metavar="DATA", show_default=False
    ),
]
Format = Annotated[
    str | None,
    typer.Option(help="basket, long, spmf, one-hot, list or jsonl; detected if not given."),
]
Separator = Annotated[
    str | None, typer.Option(help="What stands between the items of a basket file.")
]
RecordColumn = Annotated[
    str | None, typer.Option(help="The column that names the record (long files).")
]
ItemColumn = Annotated[str | None, typer.Option(help="The column that holds the item or items.")]
SafeCsv = Annotated[
    bool | None,
    typer.Option(
        "--safe-csv/--no-safe-csv",
        help="Whether the release was written with --safe-csv, so that a quote before a formula is no part "
        "of a name; if not given, what both ways of reading agree on.",
        show_default=False,
    ),
]
Consent = Annotated[
    str | None,
    typer.Option(
        help="Who agreed: a text file of row numbers or record ids, one a line, or the name of a 0/1 "
        "column. The other records are left out before anything is counted."
    ),
]
SkipMissingIds = Annotated[
    bool,
    typer.Option(
        "--skip-missing-ids",
        help="Leave out rows without a record id (blank, NA, NULL, nan, ...), and count them. If not "
        "given, they are an error.",
    ),
]
MinSupport = Annotated[
    str | None,
    typer.Option(
        help="Count itemsets and rules from so many records on, e.g. 20 or 0.05%. If not given: "
        "0.05%, in small files 5."
    ),
]
MinConfidence = Annotated[str, typer.Option(help="Count rules from this confidence on.")]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Random seed; drawn from the system if not given. It stands in OUTPUT.internal.json, in the "
        "internal edition of the report and in the output of --json, never in what may go out.",
    ),
]
SweepSeed = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Random seed of all points; drawn from the system if not given, and kept in the folder "
        "(points.jsonl), where a sweep goes on with it.",
    ),
]
FixedSeed = Annotated[int, typer.Option(min=0, help="Random seed.")]
Ids = Annotated[
    str,
    typer.Option(
        help="Record ids in the release: renumber (from 1), or keep, which may identify people."
    ),
]
AllowUnknown = Annotated[
    bool,
    typer.Option(
        "--allow-unknown",
        help="Accept lists (sensitive items, constraints, consent) with names that the data do not have.",
    ),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Threads; all cores if not given.")]
LimitSeconds = Annotated[
    float | None, typer.Option(min=0.0, help="Give up after so long, with UNDECIDED.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")]


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
FILES = _named("items", "file") | {"consent"}
"""Options that may name a file; a policy file names it from where it stands itself."""
REPEATED = _named("repeated", "publish")
"""Options that may be given several times; a policy file may hold a list."""


def _load_policy(context: typer.Context, path: Path | None) -> Path | None:
    """Make the file's keys the defaults of the options; an option that is given wins."""
    if path is not None and not context.resilient_parsing:
        elsewhere = frozenset().union(*(_keys(verb) for verb in _all_verbs(context)))
        policy = read_policy(path, _keys(context.command), elsewhere)
        context.default_map = {**(context.default_map or {}), **policy}
    return path


def _all_verbs(context: typer.Context) -> list[Any]:
    """Every verb of the program: one policy file serves them all."""
    verbs = getattr(context.find_root().command, "commands", {})
    return list(verbs.values())


@dataclass(frozen=True)
class Key:
    """What a key of a policy file stands for."""

    name: str
    """The option's own name."""
    is_switch: bool = False
    turns_off: bool = False


def _keys(verb: Any) -> dict[str, Key]:
    """The long names of the verb's options, as they are typed but for the dashes before them."""
    keys = {}
    for option in verb.params:
        if option.param_type_name != "option" or option.name in (None, "policy", "help"):
            continue
        is_switch = bool(getattr(option, "is_flag", False))
        for spelling in option.opts:
            keys[spelling] = Key(str(option.name), is_switch)
        for spelling in option.secondary_opts:
            keys[spelling] = Key(str(option.name), is_switch, turns_off=True)
    return {spelling[2:]: key for spelling, key in keys.items() if spelling.startswith("--")}


Policy = Annotated[
    Path | None,
    typer.Option(
        callback=_load_policy,
        is_eager=True,
        help="A TOML file with these options as keys, or the internal manifest of a release; an option given "
        "here wins.",
    ),
]


def read_policy(
    path: Path, keys: Mapping[str, Key], elsewhere: Iterable[str] = ()
) -> Mapping[str, Any]:
    """The keys of a policy file under the options' own names; those of other verbs are passed over."""
    others = frozenset(elsewhere)
    policy: dict[str, Any] = {}
    for written, value in _policy_content(path).items():
        spelling = written.replace("_", "-")
        key = keys.get(spelling)
        if key is None and spelling in others:
            continue
        if key is None:
            near = nearest(spelling, sorted({*keys, *others}))
            hint = f"; did you mean {near}?" if near else ""
            raise typer.BadParameter(f"{path}: unknown key {written!r}{hint}")
        policy[key.name] = _policy_value(path, written, key, value)
    return policy


def _policy_content(path: Path) -> Mapping[str, Any]:
    """What a TOML file says, or the policy in the internal manifest of a release."""
    import json
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        if not text.lstrip().startswith("{"):
            return tomllib.loads(text)
        record = json.loads(text)
    except FileNotFoundError as error:
        raise typer.BadParameter(f"{path} does not exist") from error
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"{path} is not valid TOML: {error}") from error
    if not isinstance(record, dict) or not isinstance(record.get("policy"), dict):
        raise typer.BadParameter(
            f"{path} holds no policy; of a release, the one that does is OUTPUT.internal.json"
        )
    return dict(record["policy"])


def _policy_value(path: Path, written: str, key: Key, value: Any) -> Any:
    """The value as it would have been typed; what could not be typed is refused."""
    if key.is_switch:
        if not isinstance(value, bool):
            raise typer.BadParameter(f"{path}: {written} must be true or false")
        return value is not key.turns_off
    if key.name in LISTS and isinstance(value, list):
        items = [str(item) for item in value]
        if any("," in item for item in items):
            raise typer.BadParameter(f"{path}: items with commas need a file, one item a line")
        # The last comma says that this is a list, whatever files are called like its only item.
        return ",".join(items) + ","
    if key.name in COLUMNS and isinstance(value, list):
        # A column that is called what the option takes for every column stands in quotes.
        line = join_columns([str(each) for each in value])
        line = '"all"' if key.name == "publish" and line == "all" else line
        return [line] if key.name in REPEATED else line
    if key.name in REPEATED and isinstance(value, list):
        return [str(each) for each in value]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise typer.BadParameter(f"{path}: {written} must be a number or a text")
    if key.name in FILES:
        return with_paths(key.name, str(value), path.parent)
    # Through text, so that 0.1 stays one tenth.
    return [str(value)] if key.name in REPEATED else str(value)


def with_paths(name: str, text: str, folder: Path) -> str:
    """What was given for an option, the files in it named from ``folder`` where that has them."""
    if os.path.isfile(folder / text):
        return str(folder / text)
    if name != "hierarchy" or "=" not in text:
        return text
    try:
        pairs = split_pairs(text, "hierarchies")
    except PolicyError:
        return text  # whoever reads the hierarchies says what is wrong
    return join_pairs(
        {
            column: str(folder / file) if os.path.isfile(folder / file) else file
            for column, file in pairs.items()
        }
    )
