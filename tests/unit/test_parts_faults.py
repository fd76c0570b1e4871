"""Releases by parts when something breaks: nothing wrong is published, and the run ends or resumes."""

from __future__ import annotations

import json
import os
import resource
import signal
import textwrap
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.test_parts import MODEL, cluster, contents, folder, run, shop, write_shop

import withhold as wh
from typed import python, start
from withhold.parts import making, running
from withhold.parts.failures import attempt
from withhold.parts.folder import MANIFEST
from withhold.parts.release import anonymize_parts

__all__ = ["cluster", "folder"]
posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits as on POSIX")
ASKED = ("--rho", 0.5, "--sensitive", "pill,test,wine", "--seed", 1)


def fresh_bytes(tmp_path: Path, data: Path, part_records: int | None = None) -> dict[str, bytes]:
    anonymize_parts(str(data), MODEL, tmp_path / "fresh", part_records=part_records, seed=1)
    return contents(tmp_path / "fresh")


@posix
@pytest.mark.parametrize("workers", [1, 2])
def test_a_disk_that_is_full(tmp_path, workers):
    """No file can grow beyond a size that the notes stay below and a part does not."""
    path, out = write_shop(tmp_path / "shop.dat", shop(12_000, 1)), tmp_path / "out"
    asked = ("anonymize", path, *ASKED, "-o", out, "--engine", "stream", "--part-records", 6_000)
    limit = (40_000, 40_000)
    process = start(
        *asked,
        "--workers",
        workers,
        "--json",
        env={"NUMBA_DISABLE_JIT": "0"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    shown, errors = process.communicate(timeout=300)
    assert process.returncode == 3, errors
    assert "Traceback" not in errors
    assert "nothing was published" in errors.lower()
    *events, last = [json.loads(line) for line in shown.splitlines()]
    assert [each["event"] for each in events] == ["failed", "failed"]
    assert last["error"]["exit_code"] == 3
    assert not (out / MANIFEST).exists()
    assert not list(out.glob("part-*.dat"))
    assert run(*asked, "--resume")[0] == 0
    assert contents(out) == fresh_bytes(tmp_path, path, 6_000)


def test_a_worker_without_memory_says_so(tmp_path, folder, monkeypatch):
    """One part is too large, the others are not."""
    make, out = making._make, tmp_path / "out"

    def too_large(job):
        if job.number == 1:
            raise MemoryError
        return make(job)

    monkeypatch.setattr(making, "_make", too_large)
    code, text = run("anonymize", folder, *ASKED, "-o", out)
    assert code == 3
    assert "1 part of 3 could not be made; nothing was published" in text
    assert "not enough memory" in text
    assert not (out / MANIFEST).exists()
    monkeypatch.undo()
    code, text = run("anonymize", folder, *ASKED, "-o", out, "--resume")
    assert (code, "2 of them from an earlier run" in text) == (0, True)
    assert contents(out) == fresh_bytes(tmp_path, folder)


@posix
def test_a_process_that_may_not_have_more_memory_publishes_nothing(tmp_path):
    """What cannot be allocated ends the run with a reason; the same command goes on later."""
    (path := tmp_path / "shops").mkdir()
    # What the first part gave back may still belong to the process, but is too little for the second.
    write_shop(path / "a.dat", shop(50_000, 1))
    write_shop(path / "b.dat", shop(250_000, 2))
    out = tmp_path / "out"
    asked = ("anonymize", path, *ASKED, "-o", out, "--engine", "stream", "--part-records", 250_000)
    # In the second part all kernels are loaded; loading one without memory would end the process at once.
    program = f"""
        import resource, sys
        from withhold.parts import making
        make = making._make
        def limited(job):
            if job.number == 0:
                return make(job)
            size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (size + 4 * 2**20, resource.RLIM_INFINITY))
            return make(job)
        making._make = limited
        from withhold.cli import main
        sys.argv = ["withhold", *{[str(each) for each in asked]!r}]
        sys.exit(main())
    """
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs /proc")
    # glibc keeps no room of its own for what comes later.
    env = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536"}
    process = python("-c", textwrap.dedent(program), env=env)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 3, errors
    assert "not enough memory" in errors
    assert not (out / MANIFEST).exists()
    assert run("verify", out)[0] == 3
    assert run(*asked, "--resume")[0] == 0
    assert contents(out) == fresh_bytes(tmp_path, path, 250_000)


@posix
def test_a_worker_is_gone_at_once_though_it_is_in_a_kernel():
    """The main thread of the worker is in compiled code that never looks up."""
    program = """
        import os, time
        import numba
        from withhold.parts.running import _begin

        @numba.njit(nogil=True)
        def forever(n):
            total = 0
            for i in range(n):
                total ^= i * total + i
            return total

        forever(10)
        _begin(os.getppid())
        print("in", flush=True)
        forever(1 << 62)
    """
    with python("-c", textwrap.dedent(program)) as process:
        assert process.stdout.readline() == "in\n", process.stderr.read()
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(10) == 1
        finally:
            process.kill()


@posix
def test_a_worker_of_a_cluster_ends_soon_when_it_is_told_to(tmp_path, cluster):
    """A part that would take minutes is left; the other worker makes it."""
    scheduler, workers = cluster
    path, out = write_shop(tmp_path / "shop.dat", shop(20_000, 1)), tmp_path / "out"
    asked = ("anonymize", path, *ASKED, "-o", out, "--part-records", 1_000)
    process = start(*asked, "--engine", "dask", "--scheduler", scheduler)
    while len(list(out.glob("part-*.dat"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    workers[0].send_signal(signal.SIGTERM)
    workers[0].wait(30)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert contents(out) == fresh_bytes(tmp_path, path, 1_000)


def test_kernels_stop_when_their_worker_is_shut_down(monkeypatch):
    distributed = pytest.importorskip("distributed")
    from distributed.core import Status

    from withhold.interruption import forget_request, stop_if_asked

    class Worker:
        status = Status.running

    def part(job):
        Worker.status = Status.closing
        for _ in range(100):
            stop_if_asked()
            time.sleep(0.1)
        raise AssertionError("nobody asked to stop")

    monkeypatch.setattr(distributed, "get_worker", lambda: Worker)
    try:
        with pytest.raises(KeyboardInterrupt):
            running.on_worker(part, None)
    finally:
        forget_request()
    assert threading.active_count() < 20


@posix
def test_one_worker_of_a_cluster_has_a_full_disk(tmp_path, cluster):
    """Its parts fail and are named, those of the other one stay; the run is resumed where there is room."""
    scheduler, workers = cluster
    path, out = write_shop(tmp_path / "shop.dat", shop(40_000, 1)), tmp_path / "out"
    if not hasattr(resource, "prlimit"):
        pytest.skip("needs prlimit")
    resource.prlimit(workers[0].pid, resource.RLIMIT_FSIZE, (40_000, 40_000))
    asked = ("anonymize", path, *ASKED, "-o", out, "--part-records", 4_000)
    process = start(*asked, "--engine", "dask", "--scheduler", scheduler, "--json")
    shown, errors = process.communicate(timeout=300)
    assert process.returncode == 3, errors
    *events, last = [json.loads(line) for line in shown.splitlines()]
    assert {each["event"] for each in events} == {"part", "failed"}
    assert last["error"]["exit_code"] == 3
    assert not (out / MANIFEST).exists()
    code, text = run(*asked, "--engine", "stream", "--resume")
    assert (code, "from an earlier run" in text) == (0, True)
    assert contents(out) == fresh_bytes(tmp_path, path, 4_000)


def test_a_thread_that_cannot_start_is_a_lack_of_memory():
    def without_room():
        raise RuntimeError("can't start new thread")

    failed = attempt(3, "shop.dat", without_room)
    assert (failed.number, failed.exit_code) == (3, 3)
    assert "not enough memory" in failed.lines[0]
    with pytest.raises(RuntimeError, match="another"):
        attempt(3, "shop.dat", lambda: (_ for _ in ()).throw(RuntimeError("another")))


@posix
def test_a_pool_whose_manager_is_gone_ends(monkeypatch):
    """Without memory the thread that hands out work may die, and no result would ever come."""
    never = threading.Thread()  # is not alive, as one that died
    monkeypatch.setattr(running, "wait", lambda futures, **_: (set(), futures))
    monkeypatch.setattr(ProcessPoolExecutor, "submit", lambda *_: Future())
    assert not running._is_headless(SimpleNamespace(_executor_manager_thread=None))
    assert running._is_headless(SimpleNamespace(_executor_manager_thread=never))
    monkeypatch.setattr(running, "_is_headless", lambda _: True)
    job = making.Job(0, None, None, None, None, {}, 1, "keep")
    with running.engine_for("stream", 2, None) as engine:
        results = engine(making.make_part, [job])
        with pytest.raises(wh.WithholdError, match="ran out of memory"):
            next(results)
