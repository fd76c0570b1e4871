"""The options that several verbs share, each defined once."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from withhold.errors import InputError, PolicyError
from withhold.models import RhoUncertainty

Data = Annotated[
    str, typer.Argument(help="The file to read; - for standard input.", show_default=False)
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
    int | None, typer.Option(help="The attacker knows at most so many items; any number if not given.")
]
IgnorePrior = Annotated[
    bool,
    typer.Option("--ignore-prior", help="Leave out what can be said without knowing anything."),
]
Seed = Annotated[int, typer.Option(help="Of everything that is drawn at random.")]
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
        known = {
            option.name
            for option in context.command.params
            if option.name and option.param_type_name == "option"
        }
        context.default_map = {**(context.default_map or {}), **read_policy(path, known)}
    return path


Policy = Annotated[
    Path | None,
    typer.Option(
        callback=_load_policy,
        is_eager=True,
        help="A TOML file with these options as keys; an option given here wins.",
    ),
]


def read_policy(path: Path, known: set[str]) -> Mapping[str, Any]:
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
    for key, value in content.items():
        name = key.replace("-", "_")
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0].replace('_', '-')}?" if near else ""
            raise typer.BadParameter(f"{path}: unknown key {key!r}{hint}")
        if name == "sensitive" and isinstance(value, list):
            value = ",".join(str(item) for item in value)
        elif name == "sensitive" and (path.parent / str(value)).is_file():
            value = str(path.parent / str(value))
        # Floats go through text, so that 0.1 stays one tenth.
        policy[name] = str(value) if isinstance(value, float) else value
    return policy


def sensitive_items(given: str) -> frozenset[str]:
    """The items that a file lists, or that were typed with commas between them."""
    path = Path(given)
    if path.is_file():
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
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
    if path.is_dir():
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
