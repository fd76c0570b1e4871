"""What a release by parts is asked to be, and what was made of it; the same for records and for tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.by_parts import Choice
from withhold.counting.threads import Progress
from withhold.data.repeated_records import publishes_repeats
from withhold.data.unknown import Unknown
from withhold.method import Model
from withhold.parts import folder as folders
from withhold.parts.failures import Failed
from withhold.parts.making import Done
from withhold.parts.planning import Data, refuse_equal_files
from withhold.parts.running import Engine, engine_for


@dataclass(frozen=True)
class PartsRequest:
    """The arguments of ``anonymize_parts``, checked."""

    data: Data
    model: Model
    folder: Path
    options: Mapping[str, Any]
    """How to withhold."""
    reading: Mapping[str, Any]
    part_records: int | None
    engine: str
    workers: int | None
    scheduler: str | None
    ids: str
    seed: int | None
    force: bool
    resume: bool
    allow_unknown: bool
    jobs: int | None
    progress: Progress
    told: Callable[[Done | Failed], None]

    def check_files(self, files: Sequence[Path]) -> None:
        """Stop if one of the files is there twice, unless the user chose to publish them so."""
        if not publishes_repeats(self.options.get("publish", ())):
            refuse_equal_files(files)

    def begin(self, files: Sequence[Path]) -> tuple[int, dict[str, Done]]:
        """Make the folder; the seed of the release, and the parts that an earlier run proved."""
        return folders.begin(self.folder, files, self.seed, force=self.force, resume=self.resume)

    def running(self) -> AbstractContextManager[Engine]:
        """The engine that does the work."""
        return engine_for(self.engine, self.workers, self.scheduler)


@dataclass(frozen=True)
class MadeParts:
    """Parts that were proved and have their names; there is no manifest yet."""

    parts: Sequence[Done]
    sources: Sequence[Path]
    seed: int
    model: Model
    """What all parts keep: the model that was asked for, or the same under the groups of all parts."""
    how: str = folders.BY_PARTS
    """How they were proved, in words."""
    output: Mapping[str, Any] | None = None
    """How the parts are read, if they have no manifests."""
    unknown: Unknown | None = None
    warnings: tuple[str, ...] = ()
    choice: Choice | None = None
    """What all parts have in common, if that was chosen for all of them."""
