"""Tables by parts when something breaks: nothing is published, and no original value stays behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from test_blocks import asked, contents, model_of, people, run, write_people

import withhold as wh
from typed import start
from withhold.parts import blocks
from withhold.parts.folder import MANIFEST, WORK
from withhold.parts.release import anonymize_parts

posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits as on POSIX")
PARTS = ("--part-records", 500, "--block-rows", 500)


def command(tmp_path: Path, rows: int) -> tuple[tuple[object, ...], Path]:
    path = write_people(tmp_path / "people.csv", people(rows, 1))
    out = tmp_path / "out"
    first = ("anonymize", path, *asked(), "--publish", "all", "-o", out, "--engine", "stream")
    return (*first, *PARTS, "--seed", 1), out


def fresh_bytes(tmp_path: Path) -> dict[str, bytes]:
    how = {"part_records": 500, "block_rows": 500, "seed": 1, "publish": "all"}
    anonymize_parts(str(tmp_path / "people.csv"), model_of(3, {}), tmp_path / "fresh", **how)
    return contents(tmp_path / "fresh")


def check_made_again(tmp_path: Path, line: tuple[object, ...], out: Path) -> None:
    """Nothing is left of a run that failed, and the next one makes what an undisturbed one makes."""
    assert not (out / WORK).exists()
    assert not (out / MANIFEST).exists()
    assert not list(out.glob("part-*"))
    code, text = run(*line, "--resume")
    assert code == 0, text
    assert contents(out) == fresh_bytes(tmp_path)


def children(pid: int) -> list[int]:
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = each.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and b"spawn_main" in (each.parent / "cmdline").read_bytes():
            found.append(int(each.parent.name))
    return found


@posix
def test_a_worker_that_is_killed(tmp_path):
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    line, out = command(tmp_path, 8_000)
    process = start(*line, "--workers", 2)
    deadline = time.monotonic() + 240
    while not list(out.glob(f"{WORK}/shown-*")) and time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.005)
    os.kill(children(process.pid)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 3, errors
    assert "a worker was killed or ran out of memory" in errors
    assert "Traceback" not in errors
    check_made_again(tmp_path, line, out)


@posix
@pytest.mark.parametrize("workers", [1, 2])
def test_a_disk_that_is_full(tmp_path, workers):
    """No file can grow beyond a size that the codes of a part do not stay below."""
    line, out = command(tmp_path, 2_000)
    process = start(
        *line,
        *("--workers", workers),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000)),
    )
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 3, errors
    assert "Traceback" not in errors
    assert "ublished" in errors
    check_made_again(tmp_path, line, out)


@posix
@pytest.mark.parametrize("room", [2_000, 4_000])
def test_what_is_written_in_part_is_an_error(tmp_path, room):
    """numpy.save and polars would say nothing, or something of their own."""
    program = f"""
        import resource, sys
        from pathlib import Path
        import numpy as np, polars as pl
        from withhold.parts.blocks import _save
        from withhold.parts.group_proof import write_counts
        resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
        frame = pl.DataFrame({{"a": [str(n * n) for n in range(5_000)]}})
        for write, what in ((_save, np.arange(1_000)), (write_counts, frame)):
            args = (what, Path("x")) if write is write_counts else (Path("x"), what)
            try:
                write(*args)
            except OSError:
                print("said")
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(wh.__file__).parents[1])}
    line = [sys.executable, "-c", textwrap.dedent(program)]
    found = subprocess.run(
        line, text=True, env=environment, cwd=tmp_path, capture_output=True, check=True
    )
    assert found.stdout.split() == ["said", "said"]


@pytest.mark.parametrize("step", ["survey", "deal", "search", "count"])
def test_a_step_without_memory_says_so(tmp_path, monkeypatch, step):
    line, out = command(tmp_path, 1_000)

    def too_large(*_: object) -> None:
        raise MemoryError

    real = blocks.Task.blocks.fget

    def limited(task: blocks.Task) -> object:
        from dataclasses import replace

        return replace(real(task), **{step: too_large})

    with monkeypatch.context() as patched:
        patched.setattr(blocks.Task, "blocks", property(limited))
        code, text = run(*line)
    assert (code, "not enough memory" in text) == (3, True), text
    check_made_again(tmp_path, line, out)


def test_what_a_killed_run_left_is_removed_by_any_other(tmp_path):
    """Also by one that releases something else into the folder."""
    out = tmp_path / "out"
    (out / WORK).mkdir(parents=True)
    (out / WORK / "codes-0.npy").write_text("original values")
    shop = tmp_path / "shop.dat"
    shop.write_text("bread pill\nbread\nmilk\nbread milk\n" * 5)
    rho = ("anonymize", shop, "--rho", 0.5, "--sensitive", "pill", "-o", out, "--engine", "stream")
    code, text = run(*rho)
    assert (code, "is not empty" in text) == (2, True)
    code, text = run(*rho, "--force")
    assert code == 0, text
    assert not (out / WORK).exists()
