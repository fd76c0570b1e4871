"""Rounds of counts over all parts: every part is read and counted, wherever, and the sums are added up here.

One part at a time is in the memory of a worker; whoever asks for counts bounds the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from withhold.atomic.files import sha256_of
from withhold.by_parts import FoundT, Round, Rounds, Sums
from withhold.counting.threads import Progress, quiet
from withhold.data import Records, Source
from withhold.errors import InputError
from withhold.formats import read_back
from withhold.formats.slices import Piece, read_slice
from withhold.method import Model
from withhold.parts.failures import Failed, attempt
from withhold.parts.running import Engine
from withhold.publish.manifest import read_manifest
from withhold.publish.publishing import manifest_of
from withhold.publish.rereading import read_published


@dataclass(frozen=True)
class Readable:
    """A part that can be read wherever it is counted."""

    name: str
    read: Callable[[], Records]


@dataclass(frozen=True)
class CountTask:
    """What is counted of one part."""

    number: int
    part: Readable
    asked: Round
    threads: int | None = None


@dataclass(frozen=True)
class Counted:
    """What was counted of one part."""

    sums: Sums


def of_slice(piece: Piece, form: Source) -> Readable:
    """A part of the input."""
    return Readable(str(piece), partial(read_slice, piece, form))


def of_written(path: Path, form: Source, sha256: str) -> Readable:
    """A part that was just written."""
    return Readable(path.name, partial(_read_written, path, form, sha256))


def of_listed(path: Path, model: Model, form: Mapping[str, Any] | None, same: bool) -> Readable:
    """A part of a folder, of which a manifest only proposes how it is read; ``same``: it is as listed."""
    sha256, record = sha256_of(path), None if form is None else {"output": form}
    if record is None and (where := manifest_of(path)).exists():
        record = read_manifest(where)
    return Readable(path.name, partial(_read_listed, path, model, record, sha256, same))


def _read_written(path: Path, form: Source, sha256: str) -> Records:
    found = read_back(path, form)
    return _unchanged(found, path, sha256)


def _read_listed(
    path: Path, model: Model, record: Mapping[str, Any] | None, sha256: str, same: bool
) -> Records:
    found = read_published(path, model, record, {}, same_bytes=same).named
    return _unchanged(found, path, sha256)


def _unchanged(found: Any, path: Path, sha256: str) -> Records:
    """Refuse a part that was changed while it was counted: its counts would be of different files."""
    assert isinstance(found, Records)
    if sha256_of(path) != sha256:
        remedy = "find out who writes there, and start again"
        raise InputError("was changed while it was counted", path=path, remedy=remedy)
    return found


def count_part(task: CountTask) -> Counted | Failed:
    """Count one part; errors that users can fix are returned, not raised."""
    return attempt(task.number, task.part.name, lambda: Counted(task.asked.count(task.part.read())))


def over_parts(
    rounds: Rounds[FoundT],
    parts: Sequence[Readable],
    engine: Engine,
    refuse: Callable[[Sequence[Failed]], Any],
    *,
    what: str = "counting",
    progress: Progress = quiet,
) -> FoundT:
    """What the rounds find; ``refuse`` raises for the parts that could not be counted."""
    number = 1
    try:
        asked = next(rounds)
        while True:
            tasks = [CountTask(place, part, asked) for place, part in enumerate(parts)]
            total: Sums | None = None
            failed: list[Failed] = []
            for done, outcome in enumerate(engine(count_part, tasks), start=1):
                if isinstance(outcome, Failed):
                    failed.append(outcome)
                else:
                    total = outcome.sums if total is None else total.plus(outcome.sums)
                progress(f"{what}: round {number}, part {done} of {len(parts)}", done, len(parts))
            if failed:
                refuse(failed)
            assert total is not None  # there is no release without parts
            asked, number = rounds.send(total), number + 1
    except StopIteration as found:
        value: FoundT = found.value
        return value
