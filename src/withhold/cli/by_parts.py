"""Releases by parts on the command line: the options that request one, and the text about it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from withhold.cli import methods, options
from withhold.cli.console import json_of, note, say, working
from withhold.cli.shares import PLANS
from withhold.data.names import nearest
from withhold.errors import InputError, PolicyError
from withhold.escaping import json_text
from withhold.formats.forms import FOR_RECORDS, FOR_TABLES, split_name
from withhold.method import Model
from withhold.registry import method_of, search_call
from withhold.telling.layout import columns, page
from withhold.verdict import Status
from withhold.wording import counted, percent

if TYPE_CHECKING:
    from withhold.comparison import Comparison
    from withhold.parts.failures import Failed
    from withhold.parts.making import Done
    from withhold.parts.proving import FolderRecheck
    from withhold.parts.release import PartsRelease

MEMORY, STREAM, DASK = ENGINES = ("memory", "stream", "dask")
IN_MEMORY_ONLY = ("safe_csv", "consent", "skip_missing_ids", "tidy", *methods.OF_THE_POPULATION)
"""Options that a release by parts does not take."""

MEMORY_PER_BYTE = 10
"""Bytes of memory estimated for each byte of a file that is released as a whole."""


def chosen_engine(
    data: str, scale: options.Scale, model: Model, output: Path, asked: Mapping[str, Any]
) -> str:
    """The requested engine; by default, by parts for folders, patterns and large files, else in memory."""
    from withhold.parts.planning import is_many

    engine = scale.engine
    if engine is not None and engine not in ENGINES:
        near = nearest(engine, ENGINES)
        hint = f"; did you mean {near!r}?" if near else ""
        raise PolicyError(f"--engine is {', '.join(ENGINES)}, not {engine!r}{hint}")
    many = is_many(data)
    if many and engine == MEMORY:
        raise PolicyError(f"{data} names several files; --engine stream or dask releases them")
    if engine is None and not many and _is_too_large(Path(data), model, asked):
        engine = _by_itself(Path(data), output)
    engine = engine or (STREAM if many else MEMORY)
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
    is_name_of_file = split_name(output.name)[0] in (*FOR_RECORDS, *FOR_TABLES)
    if engine != MEMORY and is_name_of_file and not os.path.exists(output):
        raise PolicyError(
            f"{output} looks like a file, and a release by parts is a folder; name a folder, such as "
            f"{output.with_name(output.name.partition('.')[0])}"
        )
    return engine


def _is_too_large(path: Path, model: Model, asked: Mapping[str, Any]) -> bool:
    """Whether a file would not fit in memory, and may be released by parts instead."""
    from withhold.counting.memory import physical_memory

    memory = physical_memory()
    if memory is None or not path.is_file() or split_name(path.name)[1]:
        return False
    if path.stat().st_size * MEMORY_PER_BYTE <= memory:
        return False
    needs_memory = any(asked.get(name) for name in IN_MEMORY_ONLY)
    refused = method_of(model).by_parts.refused(model, search_call(model, {})[0], {})
    return not needs_memory and not refused


def _by_itself(path: Path, output: Path) -> str:
    """Say that a large file is released by parts; its release is a folder."""
    size = f"{path} has {path.stat().st_size / 1e9:.1f} GB, and {MEMORY_PER_BYTE} times that is more memory "
    why = f"{size}than this machine has"
    if output.suffix:
        raise PolicyError(
            f"{why}, so it is released by parts into a folder, and {output} looks like a file; "
            f"name a folder, or say --engine {MEMORY}"
        )
    note(f"{why}; it is released by parts (--engine {STREAM})")
    return STREAM


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

    _refuse_of_memory(asked)
    edition = (asked.get("edition") or "internal") if asked.get("report") else None
    search = methods.search_options(given, model)
    check_report(asked, model)
    reading = _reading(model, given, how)
    with working(PLANS["parts"], silent=shown.quiet) as job:
        made = anonymize_parts(
            data,
            model,
            output,
            engine=engine,
            part_records=scale.part_records,
            workers=scale.workers,
            scheduler=scale.scheduler,
            resume=scale.resume,
            reading=reading,
            progress=job,
            told=_event if shown.as_json else None,
            **search,
            **run,
        )
        if edition is not None:
            _save_report(
                made,
                data,
                edition,
                part_records=scale.part_records,
                reading=reading,
                jobs=run.get("jobs"),
                progress=job,
            )
    for warning in made.warnings:
        note(f"warning: {warning}")
    finished = {"event": "finished", **made.as_dict(), "seconds_waited": job.as_dict()}
    if shown.as_json:
        say(json_text(finished, indent=None))
    else:
        text = parts_text(made, took=job.took(), edition=edition)
        say(f"{Status.HOLDS}  {made.folder}" if shown.quiet else text)
    if not shown.quiet and not shown.as_json:
        note("to prove it again:", command=f"withhold verify {made.folder}")


def _save_report(made: PartsRelease, data: str, edition: str, **how: Any) -> None:
    """Write the report into the folder; only the custodian may read the internal edition."""
    from withhold.parts.folder import REPORT
    from withhold.parts.reporting import report_parts
    from withhold.publish.publishing import save_text
    from withhold.report.html import report_html

    page = report_parts(made, data, edition=edition, **how)
    save_text(made.folder / REPORT, report_html(page), force=True)
    if edition == "internal":
        (made.folder / REPORT).chmod(0o600)


def check_report(asked: Mapping[str, Any], model: Model) -> None:
    """Refuse an edition that does not exist, or one of no report, and a release that has no such report."""
    from withhold.parts.examining import refuse_audit
    from withhold.report.content import check_edition

    # A table that can be released by parts can be reported, and the release says why one cannot.
    if asked.get("report") and method_of(model).by_parts.blocks is None:
        refuse_audit(model)
    if asked.get("edition") is not None:
        if not asked.get("report"):
            raise PolicyError("--edition requires --report")
        check_edition(asked["edition"])


def _refuse_of_memory(asked: Mapping[str, Any]) -> None:
    """Refuse options that need all records in memory."""
    for name in IN_MEMORY_ONLY:
        if asked.get(name):
            raise PolicyError(
                f"--{name.replace('_', '-')} is for data in memory; folders and parts do not take it"
            )


def _reading(model: Model, given: methods.ModelOptions, how: options.Input) -> Mapping[str, Any]:
    """How the files are read; for tables, also how columns are prepared and what marks a withheld cell."""
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


def parts_text(made: PartsRelease, *, took: str, edition: str | None = None) -> str:
    """What was published, as text; ``edition`` is that of the report, if there is one."""
    totals = made.totals
    is_table = method_of(made.model).data == "table"
    what, rows = ("cell", "row") if is_table else ("occurrence", "record")
    share = f"{totals.removed:,} of {counted(totals.total, what)} ({percent(totals.share, 2)})"
    of_these = (
        f"{totals.removed_sensitive:,} of {totals.sensitive:,} ({percent(totals.sensitive_share)})"
    )
    sensitive = f"of the sensitive {of_these}; " if made.model.sensitive else ""
    general = f"{totals.generalised:,} generalised; " if totals.generalised else ""
    emptied = (
        f"{totals.records_emptied:,} {'rows withheld whole' if is_table else 'records emptied'}"
    )
    again = f", {made.resumed:,} of them from an earlier run" if made.resumed else ""
    return page(
        [
            f"{Status.HOLDS}  {made.folder}: {made.model.promise()}",
            f"Proved {made.proved}: {counted(len(made.parts), 'part')} with "
            f"{counted(totals.records, rows)}{again}.",
            f"Withheld {share}; {general}{sensitive}{emptied}.",
            "",
            *columns(made.recipients(edition)),
            "",
            f"{took}.",
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
    """Prove a folder again, print the result, and exit with its exit code."""
    from withhold.parts.proving import verify_parts

    with working(PLANS["verify"], silent=shown.quiet) as job:
        found = verify_parts(
            folder,
            model=model,
            policy_from=policy_from,
            allow_unknown=allow_unknown,
            jobs=jobs,
            progress=job,
        )
    if shown.as_json:
        say(json_text(found.as_dict() | {"seconds_waited": job.as_dict()}))
    else:
        say(folder_text(found, str(folder), took=job.took()))
    raise typer.Exit(found.exit_code)


def folder_text(found: FolderRecheck, name: str, *, took: str) -> str:
    """The policy that was proved for the folder, and what was changed in it."""
    from withhold.report.text import proved_text

    verdict = found.verdict
    lines = [f"CHANGED  {each}." for each in found.changed]
    lines.append(
        f"{verdict.words}  {name}, by {found.policy_from}{proved_text(verdict, found.model)}"
    )
    if verdict.witness is not None:
        lines.append(f"A breach: {verdict.witness}")
    amount = f"{counted(found.parts, 'part')} with {counted(found.records, 'record')}"
    return page([*lines, f"Checked {amount} ({verdict.method}); {took}."])


def audit_by_parts(
    data: str,
    model: Model,
    *,
    given: methods.ModelOptions,
    asked: Mapping[str, Any],
    how: options.Input,
    shown: options.Output,
    **run: Any,
) -> None:
    """Audit the files of a folder or pattern, or a release by parts, and exit with the exit code."""
    from withhold.parts.examining import audit_parts
    from withhold.report.json import audit_as_dict
    from withhold.report.text import audit_text

    if method_of(model).by_parts.blocks is not None:
        # The audit needs only the sizes of groups.
        asked = {**asked, "sampling_fraction": None}
    _refuse_of_memory(asked)
    with working(PLANS["audit"], silent=shown.quiet) as job:
        reading = _reading(model, given, how)
        found = audit_parts(data, model, reading=reading, progress=job, **run)
    for each in found.unknown:
        if not each.allowed:
            note(f"warning: {each}")
    if shown.as_json:
        say(json_of(audit_as_dict(found) | {"seconds_waited": job.as_dict()}))
    else:
        say(audit_text(found, name=data, took=job.took()))
    raise typer.Exit(found.verdict.status.exit_code)


def compare_by_parts(
    original: str,
    published: Sequence[Path],
    *,
    how: options.ReleaseInput,
    quiet: bool,
    **asked: Any,
) -> Comparison:
    """What releases by parts lost, walking over them and the original together."""
    from withhold.parts.examining import compare_parts
    from withhold.parts.folder import MANIFEST

    for each in published:
        if each.is_dir() and not (each / MANIFEST).exists():
            remedy = "name the folder of a release by parts"
            raise InputError(f"is a directory without {MANIFEST}", path=each, remedy=remedy)
    _refuse_of_memory({**vars(how), **asked})
    for name in ("items", "person_column", "dates", "date_column"):
        if asked.pop(name):
            raise PolicyError(
                f"--{name.replace('_', '-')} is for data in memory; folders and parts do not take it"
            )
    with working(PLANS["compare"], silent=quiet) as job:
        return compare_parts(original, *published, reading=how.reading(), progress=job, **asked)
