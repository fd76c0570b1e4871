"""One run of the benchmarks: its files, its measurements, and what went wrong.

The real files are unpacked into a folder that is gone afterwards: what is timed is plain text.
"""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import fresh
from benchmarks.measures import SHORT_SECONDS
from benchmarks.tables import Judged

NAMES = ("bms-webview-1", "bms-webview-2", "retail", "bms-pos-partial")
QUICK_RECORDS = 10_000
REPEATS = 3
MEMORY_PER_BYTE, MEMORY_BASE_MB = 10, 250
QUEST_ITEMS = 1000
SENSITIVE_SHARE = 0.4
NOISE = 0.05
"""Of a real file that is multiplied: the share of its items that are exchanged."""


@dataclass(frozen=True)
class File:
    """A table as plain text, with the list of its sensitive items."""

    name: str
    path: Path
    sensitive: Path

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size

    @property
    def most_memory(self) -> float:
        """MB that working on the file may take."""
        return MEMORY_PER_BYTE * self.bytes / fresh.MB + MEMORY_BASE_MB

    @property
    def records(self) -> int:
        with self.path.open("rb") as lines:
            return sum(1 for _ in lines)


@dataclass
class Bench:
    """The files and the measurements of one run."""

    folder: Path
    """For files that are gone after the run."""
    quick: bool = False
    failures: list[str] = field(default_factory=list)

    def say(self, what: str) -> None:
        """Tell on stderr what is being done."""
        print(f"  … {what}", file=sys.stderr, flush=True)

    def judged(self, value: float, most: float | None) -> Judged:
        """The value with its target, which is for whole files only."""
        return Judged(value, None if self.quick else most)

    def run(
        self, what: str, measure: str, /, *, once: bool = False, **arguments: Any
    ) -> dict[str, Any] | None:
        """A measurement: the median run of a few if it is short. None if it fails."""
        self.say(what)
        try:
            runs = [fresh.measure(measure, **arguments)]
            while not once and len(runs) < REPEATS and runs[0]["seconds"] < SHORT_SECONDS:
                runs.append(fresh.measure(measure, **arguments))
        except fresh.MeasurementError as error:
            self.failures.append(f"{what}: {error}")
            self.say(f"failed: {self.failures[-1]}")
            return None
        if late := max(run.get("loaded", 0) for run in runs):
            self.failures.append(f"{what}: {late} kernels were loaded while the clock ran")
        runs.sort(key=lambda run: run.get("seconds", 0.0))
        peak = max(run["peak_mb"] for run in runs)
        return {**runs[len(runs) // 2], "peak_mb": peak, "runs": len(runs)}

    def run_on(
        self, file: File, what: str, measure: str, /, *, once: bool = True, **arguments: Any
    ) -> dict[str, Any] | None:
        """A measurement of a file and its list of sensitive items."""
        where = {"path": str(file.path), "sensitive": str(file.sensitive)}
        return self.run(what, measure, once=once, **where, **arguments)

    def anonymize(
        self, file: File, rho: str, *, once: bool = False, **options: Any
    ) -> dict[str, Any] | None:
        """The whole road on a file; see ``measures.anonymize``."""
        shown = " ".join(f"{name}={value}" for name, value in options.items())
        what, asked = f"anonymize {file.name} ρ={rho} {shown}".rstrip(), {"rho": rho, **options}
        return self.run_on(
            file, what, "anonymize", once=once, output=str(self.output(file)), **asked
        )

    def output(self, file: File) -> Path:
        """Where a file's release is written, each time in the same place."""
        return self.folder / f"{file.path.stem}.published.dat"

    def has(self, name: str, *paths: Path) -> bool:
        """Whether all these files of the real data are there; says so if not."""
        found = all(path.exists() for path in paths)
        if not found:
            self.say(f"{name} is not in {data_folder()}, skipped; set WITHHOLD_DATA to its folder")
        return found

    def files(self, *names: str) -> Iterator[File]:
        """Those of the real files that are there; says which are not."""
        for name in names:
            file = self.file(name)
            if file is not None:
                yield file

    def file(self, name: str, *, share: float = 1.0) -> File | None:
        """The first ``share`` of a real file's records, unpacked; None if it is absent."""
        packed, sensitive = packed_path(name), data_folder() / f"{name}-sensitive.txt"
        if not self.has(name, packed, sensitive):
            return None
        whole = self.folder / f"{name}.dat"
        if not whole.exists():
            with gzip.open(packed, "rb") as source, whole.open("wb") as target:
                target.writelines(islice(source, QUICK_RECORDS if self.quick else None))
        if share == 1.0:
            return File(name, whole, sensitive)
        path = self.folder / f"{name}-{share}.dat"
        wanted = round(File(name, whole, sensitive).records * share)
        with whole.open("rb") as source, path.open("wb") as target:
            target.writelines(islice(source, wanted))
        return File(name, path, sensitive)

    def quest(self, records: int) -> File:
        """Quest's T10I4 with so many records, 40% of its items sensitive, all from seed 1."""
        path = self.folder / "quest.dat"
        self.say(f"inventing {records:,} records")
        self._invent(path, records).wait()
        return File("quest-T10I4", path, self._quest_sensitive())

    def quest_folder(self, files: int, records: int) -> File:
        """A folder of so many files of Quest's T10I4, each with so many records; made once, two at a time."""
        whole = self.folder / "quest"
        whole.mkdir(exist_ok=True)
        missing = [n for n in range(files) if not (whole / f"{n:04}.dat").exists()]
        self.say(f"inventing {len(missing)} files of {records:,} records")
        while missing:
            some, missing = missing[:2], missing[2:]
            made = [self._invent(whole / f"{n:04}.dat", records, "--part", str(n)) for n in some]
            for each in made:
                each.wait()
        folder = self.folder / f"quest-{files}"
        folder.mkdir(exist_ok=True)
        for n in range(files):
            if not (folder / f"{n:04}.dat").exists():
                (folder / f"{n:04}.dat").symlink_to(whole / f"{n:04}.dat")
        return File("quest-T10I4", folder, self._quest_sensitive())

    def _invent(self, path: Path, records: int, *more: str) -> subprocess.Popen[bytes]:
        options = f"--records {records} --length 10 --pattern 4 --items {QUEST_ITEMS} --seed 1"
        command = [sys.executable, "benchmarks/quest.py", *options.split(), *more]
        with path.open("wb") as target:
            return subprocess.Popen(command, stdout=target, cwd=fresh.ROOT)

    def _quest_sensitive(self) -> Path:
        path = self.folder / "quest-sensitive.txt"
        items = [str(number) for number in range(QUEST_ITEMS)]
        drawn = random.Random(1).sample(items, round(SENSITIVE_SHARE * QUEST_ITEMS))
        path.write_text("\n".join(drawn) + "\n", encoding="utf-8")
        return path

    def multiplied(self, file: File, times: int) -> File:
        """A real file so many times over, with one item in twenty another one, drawn as items are."""
        path, rng = self.folder / f"{file.name}-x{times}.dat", random.Random(1)
        lines = [line.split() for line in file.path.read_text(encoding="utf-8").splitlines()]
        drawn = [item for line in lines for item in line]
        with path.open("w", encoding="utf-8") as target:
            for _ in range(times):
                for line in lines:
                    changed = (rng.choice(drawn) if rng.random() < NOISE else i for i in line)
                    target.write(" ".join(dict.fromkeys(changed)) + "\n")
        return File(f"{file.name} x {times}", path, file.sensitive)


def data_folder() -> Path:
    """Where the real files are, if they are anywhere."""
    return Path(os.environ.get("WITHHOLD_DATA", fresh.ROOT.parent / "shared" / "data")).resolve()


def packed_path(name: str) -> Path:
    """A real file as it is stored."""
    return data_folder() / f"{name}.dat.gz"
