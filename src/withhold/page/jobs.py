"""Long work: a queue and one process at a time, so that no request ever waits for a kernel.

A job is a command of withhold. It runs in a process of its own, tells its progress as lines of JSON on its
standard error, and prints its result as JSON. A cancelled job gets a signal on which it stops as on Ctrl-C,
so nothing is half published.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from withhold.errors import Interrupted
from withhold.page.notes import as_on_page

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
PROGRESS = "WITHHOLD_PROGRESS"
"""The variable that asks a verb for its progress as lines of JSON."""
# Not the folder of the data: a file there that is called like a module must not be run.
PYTHON = (sys.executable, "-P", "-m")
NOTES = 200
"""How many lines of notes are kept."""
ENDED_IN_SECONDS = 5.0
"""How long a cancelled process has before it is killed."""
NICE = 10
"""How much jobs give way to requests, which are short and have somebody waiting for them."""


@dataclass
class Job:
    """One command: what it is for, how far it is, what came of it."""

    number: int
    what: str
    """Its kind in one word: audit, sweep, ..."""
    about: str
    """The file that it is about, as requests call it."""
    words: tuple[str, ...]
    """The command, ``withhold`` first."""
    output: Path
    key: str = ""
    """Identifies the settings: a result of other settings is stale."""
    made: Path | None = None
    """What it makes beside its output."""
    state: str = WAITING
    step: str = ""
    done: int = 0
    total: int = 0
    began: float = 0.0
    left: float | None = None
    """The seconds left, as the command said at the time ``heard``."""
    heard: float = 0.0
    """When the command said how much is left."""
    ended: float = 0.0
    code: int | None = None
    notes: list[str] = field(default_factory=list)
    version: int = 0
    process: subprocess.Popen[str] | None = None
    _result: dict[str, Any] | None = None

    @property
    def is_over(self) -> bool:
        return self.state in (DONE, FAILED, CANCELLED)

    @property
    def share(self) -> float | None:
        """How much of it is done, if that is known."""
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def seconds(self) -> float:
        """Since it began."""
        return (self.ended or time.monotonic()) - self.began if self.began else 0.0

    @property
    def seconds_left(self) -> float | None:
        """As the command said, which knows what is to come; None if it did not say."""
        if self.left is None or self.state != RUNNING:
            return None
        return max(self.left - (time.monotonic() - self.heard), 1.0)

    @property
    def result(self) -> dict[str, Any] | None:
        """What the command printed; None unless it succeeded. Read once, since pages ask again."""
        if self.state != DONE or self._result is not None:
            return self._result
        text = self.output.read_text(encoding="utf-8")
        if self.what == "parts":  # tells of each part on a line of its own, and then of all
            text = text.splitlines()[-1]
        self._result = json.loads(text)
        return self._result


class Queue:
    """All jobs of this page, in the order in which they were asked for."""

    def __init__(self, folder: Path, private: Path) -> None:
        self.folder = folder
        self.private = private
        self.jobs: dict[int, Job] = {}
        self._lock = threading.Lock()
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        self._worker = threading.Thread(target=self._work, daemon=True)
        self._worker.start()

    def add(
        self,
        what: str,
        about: str,
        words: Sequence[str],
        *,
        key: str = "",
        made: Path | None = None,
    ) -> Job:
        """A new job; one with the same command that is not over is returned instead."""
        with self._lock:
            for job in self.jobs.values():
                if job.words == tuple(words) and job.key == key and not job.is_over:
                    return job
            number = len(self.jobs) + 1
            output = self.private / f"job-{number}.json"
            job = Job(number, what, about, tuple(words), output, key, made)
            self.jobs[number] = job
        self._waiting.put(job)
        return job

    def latest(self, what: str, about: str) -> Job | None:
        """The last job of this kind about this file."""
        found = [job for job in self.jobs.values() if (job.what, job.about) == (what, about)]
        return found[-1] if found else None

    def cancel(self, job: Job) -> None:
        """Ask it to stop, and make sure that it does."""
        with self._lock:
            if job.is_over:
                return
            process = job.process
            job.state, job.version = CANCELLED, job.version + 1
        if process is not None:
            threading.Thread(target=_stop, args=(process,), daemon=True).start()

    def close(self) -> None:
        """Cancel everything; the page is being closed."""
        for job in list(self.jobs.values()):
            self.cancel(job)
        self._waiting.put(None)
        self._worker.join(timeout=2 * ENDED_IN_SECONDS)

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            try:
                self._run(job)
            except OSError as error:
                self._end(job, FAILED, str(error))

    def _run(self, job: Job) -> None:
        module = "withhold" if job.words[0] == "withhold" else job.words[0]
        with open(job.output, "w", encoding="utf-8") as output, self._lock:
            if job.is_over:
                return
            job.process = subprocess.Popen(
                [*PYTHON, module, *job.words[1:]],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=self.folder,
                env={**os.environ, PROGRESS: "json", "PYTHONUTF8": "1"},
                **_apart(),
            )
            _give_way(job.process)
            job.state, job.began = RUNNING, time.monotonic()
        assert job.process.stderr is not None
        with job.process.stderr as lines:
            for line in lines:
                _hear(job, self._without_places(line.rstrip("\n")))
        job.code = job.process.wait()
        # A verb that says BROKEN has done its work.
        done = job.code in (0, 1, 5) and not _ended_in_error(job.output)
        self._end(job, DONE if done else FAILED)

    def _without_places(self, line: str) -> str:
        """The line with the names that the page has for files."""
        for place in (self.private / "uploads", self.folder):
            line = line.replace(f"{place}{os.sep}", "")
        return line

    def _end(self, job: Job, state: str, *notes: str) -> None:
        with self._lock:
            # A job that was done before it noticed the request stays done.
            if job.state != CANCELLED or job.code == 0:
                job.state = CANCELLED if job.code == Interrupted.exit_code else state
            job.notes += notes
            job.ended = time.monotonic()
            job.version += 1


def _ended_in_error(output: Path) -> bool:
    """Whether a command printed no result, or an error after what it had to say before."""
    lines = output.read_text(encoding="utf-8").splitlines()
    return not lines or lines[-1].startswith('{"error": ')


def _hear(job: Job, line: str) -> None:
    """A line of a process: progress, or a note for people."""
    if line.startswith('{"progress"'):
        with suppress(ValueError, TypeError):
            told = json.loads(line)
            job.step, job.done, job.total = told["progress"]
            job.left, job.heard = told.get("left"), time.monotonic()
    elif len(job.notes) < NOTES and (note := as_on_page(line.removeprefix("withhold: "))):
        job.notes.append(note)
    job.version += 1


def _apart() -> dict[str, Any]:
    """Ctrl-C in the page's terminal is for the page, which cancels its jobs itself."""
    if os.name == "posix":
        return {"start_new_session": True}
    apart = subprocess.CREATE_NEW_PROCESS_GROUP  # type: ignore[attr-defined]
    return {"creationflags": apart | subprocess.BELOW_NORMAL_PRIORITY_CLASS}  # type: ignore[attr-defined]


def _give_way(process: subprocess.Popen[str]) -> None:
    """Lower its priority before it has any threads, which inherit that."""
    if os.name == "posix":
        with suppress(OSError):  # it may be over already
            os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + NICE)


def _stop(process: subprocess.Popen[str]) -> None:
    soft: Callable[[], None] = process.terminate
    if os.name != "posix":
        soft = lambda: process.send_signal(signal.CTRL_BREAK_EVENT)  # type: ignore[attr-defined]  # noqa: E731
    with suppress(OSError):
        soft()
    try:
        process.wait(ENDED_IN_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
