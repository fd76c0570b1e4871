"""The suite of the page: how long requests take while a job runs on a million records, and the memory."""

from __future__ import annotations

import http.client
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode

from benchmarks.bench import QUICK_RECORDS, Bench, File
from benchmarks.fresh import BYTES_PER_MAXRSS, MB, MeasurementError
from benchmarks.tables import Table

MILLION = 1_000_000
MOST_MS = 100.0
RHO = "0.7"
OUTPUT = "published.dat"
PREVIEW, PUBLISHING = "previewing", "publishing"
"""Both anonymise; a preview is then laid beside the original, by another job."""
PAUSE_SECONDS = 0.05
"""Between two requests, as between two clicks of an impatient reader."""
MOST_JOB_SECONDS = 900.0
"""After which a job is said to hang: the suite ends in any case."""
QUIET = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
STEPS = ("data", "protect", "attack", "trade-off", "publish")
WITHHOLD = (sys.executable, "-m", "withhold")


@dataclass
class Desk:
    """A page that is being served by a process of its own, and one reader of it."""

    process: subprocess.Popen[str]
    port: int
    file: str
    cookie: str = ""
    taken: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Milliseconds on the clock and of the server's processor, by what was asked."""
    peaks: dict[str, float] = field(default_factory=dict)
    """MB, the most that each job had."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each took."""

    def ask(self, path: str, form: dict[str, str] | None = None) -> tuple[str, float]:
        """What is answered, and the milliseconds until all of it was there."""
        headers = {"Cookie": self.cookie, "Host": f"127.0.0.1:{self.port}"}
        body = None
        if form is not None:
            headers |= {"Origin": f"http://127.0.0.1:{self.port}"}
            headers |= {"Content-Type": "application/x-www-form-urlencoded"}
            body = urlencode({"file": self.file, **form})
        began = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET" if form is None else "POST", path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        took = (time.perf_counter() - began) * 1000
        connection.close()
        if answer.status not in (200, 303):
            raise MeasurementError(f"{path}: {answer.status} {text[:500]}")
        self.cookie = self.cookie or (answer.getheader("set-cookie") or "").partition(";")[0]
        return text, took

    @property
    def is_busy(self) -> bool:
        """Whether a job runs or waits, as the page's own head says."""
        return re.search(r'href="/jobs"[^>]*>Jobs \(\d', self.ask("/jobs")[0]) is not None

    def read_while_busy(self, when: str, paths: dict[str, str]) -> None:
        """Ask for every page, one after the other, as long as a job runs."""
        began = time.perf_counter() - self.seconds.get(when, 0.0)
        while self.is_busy:
            self.seconds[when] = time.perf_counter() - began
            if self.seconds[when] > MOST_JOB_SECONDS:
                raise MeasurementError(f"{when} did not end in {MOST_JOB_SECONDS:.0f} s")
            for name, path in paths.items():
                used = self._cpu()
                _, took = self.ask(path)
                times = took, max(self._cpu() - used, 0.0)
                self.taken.setdefault(f"{when}|{name}", []).append(times)
                peaks = (_peak(each) for each in self._children())
                self.peaks[when] = max(self.peaks.get(when, 0.0), *peaks)
                time.sleep(PAUSE_SECONDS)

    def _cpu(self) -> float:
        """The milliseconds that the server's threads have run."""
        found = 0
        for entry in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            with suppress(OSError):
                found += int(entry.read_text().split()[0])
        return found / 1e6

    def _children(self) -> Iterator[int]:
        yield 0
        for entry in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = entry.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid:
                yield int(entry.parent.name)


def _peak(process: int) -> float:
    """The most memory that a process had so far, in MB; 0 if it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) * 1024 / MB if found else 0.0


@contextmanager
def served(file: File) -> Iterator[Desk]:
    """The page in the folder of the file, until the end."""
    words = [*WITHHOLD, "page", str(file.path), "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            port = int(address.split(":")[2].partition("/")[0])
            desk = Desk(process, port, file.path.name)
            desk.ask(address.partition(str(port))[2])
            yield desk
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def page(bench: Bench) -> list[Table]:
    """Every page of the five steps while a file is read, and while it is anonymised."""
    file = bench.quest(QUICK_RECORDS if bench.quick else MILLION)
    bench.say("walking the five steps")
    with served(file) as desk:
        query = f"?file={quote(desk.file)}"
        pages = {step: f"/{step}{query}" for step in STEPS}
        pages |= {"releases": "/releases", "jobs": "/jobs"}
        desk.ask("/data", {"kind": "records"})
        desk.ask(pages["data"])
        bench.say("reading")
        desk.read_while_busy("reading", pages)
        desk.ask("/protect/list", {"do": "paste", "list": file.sensitive.read_text()})
        desk.ask("/attack/questions", {"learn": "item", "amount": "any", "sure": RHO})
        looked_up = pages | {"search of items": f"/protect/items{query}&q=12"}
        bench.say("previewing")
        desk.ask("/publish/preview", {})
        desk.read_while_busy(PREVIEW, looked_up)
        rows = {"search of records": f"/publish{query}&q=123&only=all", "rows": pages["publish"]}
        desk.ask(rows["rows"])  # starts laying it beside the original, if no other request did
        desk.read_while_busy(PREVIEW, looked_up)
        bench.say("publishing")
        desk.ask("/publish/release", {"output": OUTPUT})
        desk.read_while_busy(PUBLISHING, looked_up | rows)
        if not file.path.with_name(OUTPUT).exists():
            raise MeasurementError("the page did not publish")
        server = _peak(desk.process.pid)
    return [_times(bench, desk.taken), _memory(bench, file, server, desk)]


def _times(bench: Bench, taken: dict[str, list[tuple[float, float]]]) -> Table:
    table = Table(
        "Page: milliseconds until a request is answered while a job runs",
        {
            "job": "",
            "page": "",
            "requests": ",d",
            "median": ".1f",
            "worst": ".1f",
            "cpu": ".1f",
            "worst cpu": ".1f",
        },
        notes=[
            "One request after the other; Quest T10I4, 40% of the items sensitive. On the clock, which runs",
            "on while others have the machine; cpu: of the server's own threads.",
        ],
    )
    for name, times in taken.items():
        job, asked = name.split("|")
        clock, cpu = zip(*times, strict=True)
        table.add(
            job=job,
            page=asked,
            requests=len(times),
            median=statistics.median(clock),
            worst=bench.judged(max(clock), MOST_MS),
            cpu=statistics.median(cpu),
            **{"worst cpu": max(cpu)},
        )
    return table


def _memory(bench: Bench, file: File, server: float, desk: Desk) -> Table:
    """The server and its jobs against the same command without the page."""
    policy = file.path.with_name(f"{file.path.name}.page.toml")
    output = file.path.with_name("typed.dat")
    words = [*WITHHOLD, "anonymize", str(file.path), "--policy", str(policy), "-o", str(output)]
    bench.say("the same on the command line")
    began = time.perf_counter()
    process = os.posix_spawn(sys.executable, [*words, "-q"], os.environ, file_actions=QUIET)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise MeasurementError("the command line did not make the release")
    took = time.perf_counter() - began
    same = output.read_bytes() == output.with_name(OUTPUT).read_bytes()
    table = Table(
        "Page: memory in MB, and seconds on the clock",
        {"what": "", "peak": ".0f", "seconds": ".1f"},
        notes=["The same bytes by both." if same else "NOT the same bytes by both."],
    )
    typed = usage.ru_maxrss * BYTES_PER_MAXRSS / MB
    table.add(what="the server", peak=server)
    for name, peak in desk.peaks.items():
        most = typed * 1.1 if name in (PREVIEW, PUBLISHING) else None
        table.add(what=name, peak=bench.judged(peak, most), seconds=desk.seconds[name])
    table.add(what="the command line", peak=typed, seconds=took)
    return table
