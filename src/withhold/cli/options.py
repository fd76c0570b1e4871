"""The options that several verbs share, each defined once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from withhold.errors import InputError, PolicyError
from withhold.models import RhoUncertainty

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
Model = Annotated[str, typer.Option(help="What must hold: rho.")]
Rho = Annotated[
    str | None, typer.Option(help="The largest confidence allowed, e.g. 0.7 or 2/3; exact.")
]
Sensitive = Annotated[
    str | None,
    typer.Option(help="A text file with one item a line, or items separated by commas."),
]
MaxKnown = Annotated[
    int | None,
    typer.Option(help="The attacker knows at most so many items; any number if not given."),
]
IgnorePrior = Annotated[
    bool,
    typer.Option("--ignore-prior", help="Leave out what can be said without knowing anything."),
]
Seed = Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Threads; all cores if not given.")]
LimitSeconds = Annotated[
    float | None, typer.Option(min=0.0, help="Give up after so long, with UNDECIDED.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")]


def _load_policy(context: typer.Context, path: Path | None) -> Path | None:
    """Make the file's keys the defaults of the options; an option that is given wins."""
    if path is not None and not context.resilient_parsing:
        context.default_map = {**(context.default_map or {}), **read_policy(path, _keys(context))}
    return path


@dataclass(frozen=True)
class Key:
    """What a key of a policy file stands for."""

    name: str
    """The option's own name."""
    is_switch: bool = False
    turns_off: bool = False


def _keys(context: typer.Context) -> dict[str, Key]:
    """The long names of the verb's options, as they are typed but for the dashes before them."""
    keys = {}
    for option in context.command.params:
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
        help="A TOML file with these options as keys; an option given here wins.",
    ),
]


def read_policy(path: Path, keys: Mapping[str, Key]) -> Mapping[str, Any]:
    """The keys of a policy file under the options' own names."""
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise typer.BadParameter(f"{path} does not exist") from error
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} is not valid TOML: {error}") from error
    policy: dict[str, Any] = {}
    for written, value in content.items():
        key = keys.get(written.replace("_", "-"))
        if key is None:
            near = get_close_matches(written.replace("_", "-"), keys, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise typer.BadParameter(f"{path}: unknown key {written!r}{hint}")
        policy[key.name] = _policy_value(path, written, key, value)
    return policy


def _policy_value(path: Path, written: str, key: Key, value: Any) -> Any:
    """The value as it would have been typed; what could not be typed is refused."""
    if key.is_switch:
        if not isinstance(value, bool):
            raise typer.BadParameter(f"{path}: {written} must be true or false")
        return value is not key.turns_off
    if key.name == "sensitive" and isinstance(value, list):
        items = [str(item) for item in value]
        if any("," in item for item in items):
            raise typer.BadParameter(f"{path}: items with commas need a file, one item a line")
        # The last comma says that this is a list, whatever files are called like its only item.
        return ",".join(items) + ","
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise typer.BadParameter(f"{path}: {written} must be a number or a text")
    if key.name == "sensitive" and os.path.isfile(path.parent / str(value)):
        return str(path.parent / str(value))
    # Through text, so that 0.1 stays one tenth.
    return str(value)


def sensitive_items(given: str) -> frozenset[str]:
    """The items that a file lists, or that were typed with commas between them."""
    path = Path(given)
    # Not Path.is_file: a long list of items is no proper path, and that is no error.
    if os.path.isfile(given):
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            raise InputError(
                "is not UTF-8 text", path=path, remedy="save the list of items as UTF-8"
            ) from error
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from error
        items = {line.strip() for line in lines} - {""}
        if not items:
            raise InputError(
                "lists no sensitive item", path=path, remedy="write one item on each line"
            )
        return frozenset(items)
    if os.path.isdir(given):
        raise InputError("is a directory, not a list of items", path=path)
    if "/" in given or "\\" in given or path.suffix in {".txt", ".csv", ".dat"}:
        raise InputError(
            "does not exist",
            path=path,
            remedy="name an existing file with one item a line, or the items themselves",
        )
    items = {item.strip() for item in given.split(",")} - {""}
    return frozenset(items)


def build_model(
    model: str,
    *,
    rho: str | None,
    sensitive: str | None,
    max_known: int | None,
    ignore_prior: bool,
) -> RhoUncertainty:
    """The model that the options describe."""
    if model != RhoUncertainty.name:
        raise PolicyError(f"unknown model {model!r}; this version knows: rho")
    if rho is None:
        raise PolicyError("ρ is missing: say --rho 0.5, the largest confidence you allow")
    if sensitive is None:
        raise PolicyError("which items are sensitive? Say --sensitive FILE or --sensitive a,b,c")
    return RhoUncertainty(
        rho, sensitive_items(sensitive), max_known=max_known, ignore_prior=ignore_prior
    )
