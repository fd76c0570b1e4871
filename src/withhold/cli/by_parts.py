"""Releases by parts on the command line: which options ask for one, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from withhold.cli import methods, options
from withhold.cli.console import note, say, working
from withhold.data.names import nearest
from withhold.errors import PolicyError
from withhold.escaping import json_text
from withhold.method import Model
from withhold.registry import method_of
from withhold.telling.layout import page
from withhold.wording import counted

if TYPE_CHECKING:
    from withhold.parts.making import Done, Failed
    from withhold.parts.proving import FolderRecheck
    from withhold.parts.release import PartsRelease

MEMORY, STREAM, DASK = ENGINES = ("memory", "stream", "dask")
IN_MEMORY_ONLY = ("report", "safe_csv", "consent", "skip_missing_ids", "tidy")
"""Options that a release by parts does not take."""


def chosen_engine(data: str, scale: options.Scale) -> str:
    """The engine that was asked for; by parts for folders and patterns, else in memory."""
    from withhold.parts.planning import is_many

    engine = scale.engine
    if engine is not None and engine not in ENGINES:
        near = nearest(engine, ENGINES)
        hint = f"; did you mean {near!r}?" if near else ""
        raise PolicyError(f"--engine is {', '.join(ENGINES)}, not {engine!r}{hint}")
    many = is_many(data)
    if many and engine == MEMORY:
        raise PolicyError(f"{data} names several files; --engine stream or dask releases them")
    engine = engine or (STREAM if many or scale.resume else MEMORY)
    if engine == MEMORY and (
        unused := [n for n, value in vars(scale).items() if value and n != "engine"]
    ):
        raise PolicyError(
            f"--{unused[0].replace('_', '-')} is for releases by parts; add --engine stream or dask"
        )
    if scale.scheduler is not None and engine != DASK:
        raise PolicyError("--scheduler is for --engine dask")
    if engine != MEMORY and data == "-":
        raise PolicyError("a release by parts reads files, not standard input")
    return engine


def anonymize_by_parts(
    data: str,
    model: Model,
    output: Path,
    *,
    given: methods.ModelOptions,
    engine: str,
    scale: options.Scale,
    how: options.Input,
    asked: Mapping[str, Any],
    shown: options.Output,
    **run: Any,
) -> None:
    """The whole road, part by part, into a folder."""
    from withhold.parts.release import anonymize_parts

    for name in IN_MEMORY_ONLY:
        if asked.get(name):
            raise PolicyError(
                f"--{name.replace('_', '-')} is for releases in memory; a release by parts does not take it"
            )
    with working(silent=shown.quiet) as progress:
        made = anonymize_parts(
            data,
            model,
            output,
            engine=engine,
            part_records=scale.part_records,
            workers=scale.workers,
            scheduler=scale.scheduler,
            resume=scale.resume,
            reading=_reading(model, given, how),
            progress=progress,
            told=_event if shown.as_json else lambda _: None,
            **methods.search_options(given, model),
            **run,
        )
    for warning in made.warnings:
        note(f"warning: {warning}")
    say(json_text(made.as_dict(), indent=None) if shown.as_json else parts_text(made))
    if not shown.quiet and not shown.as_json:
        note(f"to prove it again: withhold verify {made.folder}")


def _reading(model: Model, given: methods.ModelOptions, how: options.Input) -> Mapping[str, Any]:
    """How the files are read; of tables also how their columns are prepared, and what marks a cell."""
    if method_of(model).data != "table":
        return how.reading()
    from withhold.cli.reading import options_of_table
    from withhold.data.column_lists import split_columns

    drop = tuple(split_columns(given["drop"], "--drop")) if "drop" in given else ()
    prepared = {"drop": drop, "bins": given.get("bin", ()), "mark": given.get("mark")}
    return {**options_of_table(how, how.skip_missing_ids), **prepared}


def _event(part: Done | Failed) -> None:
    """A part as a line of JSON, for pipelines."""
    values = (
        vars(part) if hasattr(part, "exit_code") else part.as_dict() | {"resumed": part.resumed}
    )
    shown = {name: value for name, value in values.items() if name not in ("key", "found")}
    event = "failed" if hasattr(part, "exit_code") else "part"
    say(json_text({"event": event, **shown}, indent=None))


def parts_text(made: PartsRelease) -> str:
    """What was published, as text."""
    totals = made.totals
    is_table = method_of(made.model).data == "table"
    what, rows = ("cell", "row") if is_table else ("occurrence", "record")
    share = f"{totals.removed:,} of {counted(totals.total, what)} ({totals.share:.2%})"
    sensitive = (
        f"{totals.removed_sensitive:,} of {totals.sensitive:,} ({totals.sensitive_share:.1%})"
    )
    emptied = f"of the sensitive {sensitive}; {totals.records_emptied:,} records emptied."
    if is_table:
        emptied = f"{totals.records_emptied:,} rows withheld whole."
    again = f", {made.resumed:,} of them from an earlier run" if made.resumed else ""
    return page(
        [
            f"PUBLISHED  {made.folder}: {made.model.promise()}",
            f"Proved {'over all' if is_table else 'by'} parts: {counted(len(made.parts), 'part')} with "
            f"{counted(totals.records, rows)}{again}.",
            f"Withheld {share}; {emptied}",
            f"{made.seconds:.1f} s.",
        ]
    )


def verify_by_parts(
    folder: Path,
    model: Model | None,
    *,
    policy_from: str,
    allow_unknown: bool,
    jobs: int | None,
    shown: options.Output,
) -> None:
    """Prove a folder again, say what was found, and leave with the exit code."""
    from withhold.parts.proving import verify_folder

    with working(silent=shown.quiet) as progress:
        found = verify_folder(
            folder,
            model=model,
            policy_from=policy_from,
            allow_unknown=allow_unknown,
            jobs=jobs,
            progress=progress,
        )
    say(json_text(found.as_dict()) if shown.as_json else folder_text(found, str(folder)))
    raise typer.Exit(found.exit_code)


def folder_text(found: FolderRecheck, name: str) -> str:
    """Which policy was proved of the folder, and what was changed in it."""
    verdict = found.verdict
    asked = "" if verdict.status.may_be_published else "Asked: "
    lines = [f"{verdict.words}  {name}, by {found.policy_from}: {asked}{found.model.promise()}"]
    lines += [f"CHANGED  {each}." for each in found.changed]
    if verdict.witness is not None:
        lines.append(f"A breach: {verdict.witness}")
    amount = f"{counted(found.parts, 'part')} with {counted(found.records, 'record')}"
    return page([*lines, f"Checked {amount} ({verdict.method}); {found.seconds:.2f} s."])
