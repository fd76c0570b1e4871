"""Releases by parts: slices of files, the folder, engines, resuming, and what mistakes do."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import withhold as wh
from typed import start
from withhold.cli import anonymize, app, verify  # noqa: F401
from withhold.formats.slices import cut, form_of, read_slice
from withhold.parts.folder import DEALT, INTERNAL, MANIFEST, read_folder
from withhold.parts.planning import find_files, plan_parts
from withhold.parts.proving import verify_parts
from withhold.parts.release import anonymize_parts

SENSITIVE = ("pill", "test", "wine")
PUBLIC = ("bread", "milk", "salt", "soap", "tea")
MODEL = wh.RhoUncertainty("0.5", SENSITIVE)


def shop(n: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [
        rng.sample(PUBLIC, rng.randint(1, 3)) + rng.sample(SENSITIVE, rng.randint(0, 2))
        for _ in range(n)
    ]


def write_shop(path: Path, rows: list[list[str]]) -> Path:
    path.write_text("".join(" ".join(row) + "\n" for row in rows))
    return path


def write_shops(folder: Path, rows_of: Callable[[int], list[list[str]]]) -> Path:
    """A folder with three files of baskets."""
    folder.mkdir()
    for number in range(3):
        write_shop(folder / f"shop-{number}.dat", rows_of(number))
    return folder


@pytest.fixture
def folder(tmp_path):
    return write_shops(tmp_path / "shops", lambda number: shop(200, number))


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app.app, [str(each) for each in arguments])
    return result.exit_code, " ".join(result.output.split())


def joined(folder: Path) -> wh.Records:
    """All parts of a release as one."""
    _, parts = read_folder(folder)
    return wh.read([row for part in parts for row in wh.read(folder / part.name).to_lists()])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("part-*.dat")}


@given(
    st.lists(st.lists(st.sampled_from(PUBLIC), min_size=1, max_size=4), min_size=1, max_size=30),
    st.integers(1, 40),
    st.booleans(),
)
def test_pieces_are_the_whole_file(tmp_path_factory, rows, n_parts, closed):
    path = tmp_path_factory.mktemp("slices") / "shop.dat"
    text = "\n".join(" ".join(row) for row in rows)
    path.write_text(text + ("\n" if closed else ""))
    form = form_of(path)
    pieces = cut(path, form, n_parts)
    found = [row for piece in pieces for row in read_slice(piece, form).to_lists()]
    assert found == wh.read(path, format=form.format, separator=form.separator).to_lists()


@pytest.mark.parametrize("extension", ["dat", "jsonl", "csv", "parquet"])
def test_every_form_can_be_released_by_parts(tmp_path, extension):
    path = tmp_path / f"shop.{extension}"
    original = wh.read(shop(300, 1))
    if extension == "parquet":
        original.to_polars().write_parquet(path)
    elif extension == "csv":
        rows = [[str(int(item in row)) for item in (*PUBLIC, *SENSITIVE)] for row in original]
        lines = [",".join((*PUBLIC, *SENSITIVE)), *(",".join(row) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    elif extension == "jsonl":
        path.write_text("".join(json.dumps({"items": list(row)}) + "\n" for row in original))
    else:
        write_shop(path, original.to_lists())
    made = anonymize_parts(str(path), MODEL, tmp_path / "out", part_records=60, seed=1)
    assert len(made.parts) >= 4
    assert made.totals.records == 300
    release = joined(tmp_path / "out")
    assert wh.verify(release, MODEL)
    assert original.n_occurrences - release.n_occurrences == made.totals.removed
    for before, after in zip(original, release, strict=True):
        assert set(after) <= set(before)


def test_a_file_that_names_its_numbers_is_one_part(tmp_path):
    """Else the items of later parts would be numbers, and those that are sensitive not known as such."""
    path = tmp_path / "shop.spmf"
    numbers = "".join(f"{1 + row % 2} -1 {3 if row % 3 else 2} -1 -2\n" for row in range(90))
    path.write_text("@ITEM=1=bread\n@ITEM=2=milk\n@ITEM=3=pill\n" + numbers)
    made = anonymize_parts(
        str(path), wh.RhoUncertainty("0.7", ["pill"]), tmp_path / "out", part_records=10, seed=1
    )
    assert len(made.parts) == 1
    assert made.totals.sensitive == 60
    path.write_text(numbers)
    model = wh.RhoUncertainty("0.7", ["3"])
    made = anonymize_parts(str(path), model, tmp_path / "cut", part_records=10, seed=1)
    assert (len(made.parts) > 5, made.totals.sensitive) == (True, 60)


@pytest.mark.parametrize("seed", range(20))
def test_parts_that_hold_hold_together(tmp_path, seed):
    rng = random.Random(seed)
    rho = rng.choice(["0.3", "0.5", "0.7"])
    max_known = rng.choice([None, 1, 2])
    model = wh.RhoUncertainty(rho, SENSITIVE, max_known=max_known)
    path = write_shop(tmp_path / "shop.dat", shop(rng.randint(30, 120), seed))
    anonymize_parts(str(path), model, tmp_path / "out", part_records=rng.randint(5, 40), seed=seed)
    assert wh.verify(joined(tmp_path / "out"), model, allow_unknown=True)


def said_of_files(text: str) -> list[str]:
    """Which files may go out, and which stay, as the last words of a run."""
    return text.partition("may go out")[2].split("stays with you")


@pytest.mark.parametrize(
    ("asked", "of_parts"),
    [
        pytest.param(("--rho", 0.5, "--sensitive", "pill,test,wine"), True, id="each-part-proved"),
        pytest.param(("--model", "km", "--k", 3, "--m", 2), False, id="proved-by-counts"),
    ],
)
def test_a_release_says_which_of_its_files_stay(tmp_path, folder, asked, of_parts):
    out = tmp_path / "out"
    code, text = run("anonymize", folder, *asked, "-o", out, "--report")
    assert code == 0, text
    go, stay = said_of_files(text)
    assert "manifest.json, part-0001.dat to part-0003.dat" in go
    assert all(name in stay for name in ("internal.json", "parts.jsonl", "report.html"))
    assert ("the .manifest.json of each part" in go) == of_parts
    assert ("the .internal.json of each part" in stay) == of_parts
    others = {path.name for path in out.iterdir() if not path.name.startswith("part-")}
    assert others <= set(f"{go} {stay}".replace(",", "").split())


def test_an_external_report_may_go_out(tmp_path, folder):
    asked = ("--rho", 0.5, "--sensitive", "pill,test,wine", "--report", "--edition", "external")
    _, text = run("anonymize", folder, *asked, "-o", tmp_path / "out")
    assert "report.html" in said_of_files(text)[0]


@pytest.mark.parametrize("name", ["out.dat", "out.jsonl", "out.csv.gz"])
def test_a_new_folder_with_the_name_of_a_file_is_refused(tmp_path, folder, name):
    asked = ("anonymize", folder, "--rho", 0.5, "--sensitive", "pill,test,wine", "-q", "-o")
    code, text = run(*asked, tmp_path / name)
    assert (code, "looks like a file" in text) == (2, True), text
    assert not (tmp_path / name).exists()
    (tmp_path / name).mkdir()
    assert run(*asked, tmp_path / name)[0] == 0
    assert run(*asked, tmp_path / "release-2026.01")[0] == 0


def test_a_folder_is_released_proved_and_verified(tmp_path, folder):
    out = tmp_path / "out"
    asked = ("--rho", 0.5, "--sensitive", "pill,test,wine", "--seed", 1)
    code, text = run("anonymize", folder, *asked, "-o", out)
    assert code == 0, text
    assert text.startswith(f"HOLDS {out}: ")
    assert "Proved by parts: 3 parts with 600 records" in text
    code, text = run("verify", out)
    assert (code, "HOLDS" in text) == (0, True), text
    code, text = run("verify", out, "--rho", 0.5, "--sensitive", "pill,test,wine")
    assert code == 0, text
    code, text = run("verify", out, "--rho", 0.05, "--sensitive", "pill,test,wine")
    assert (code, "BROKEN" in text) == (1, True), text
    assert "a breach of a part, counted over all 3 parts" in text
    assert oct((out / "internal.json").stat().st_mode & 0o777) == "0o600"


@pytest.mark.parametrize("seed", range(12))
def test_a_stated_policy_is_broken_only_by_all_parts_together(tmp_path, seed):
    """As one table by brute force; what single parts break says nothing."""
    rng = random.Random(seed)
    path = write_shop(tmp_path / "shop.dat", shop(rng.randint(20, 60), seed))
    anonymize_parts(
        str(path),
        wh.RhoUncertainty("0.6", SENSITIVE),
        tmp_path / "out",
        part_records=rng.randint(6, 20),
        seed=seed,
        allow_unknown=True,
    )
    rows = [set(row) for row in joined(tmp_path / "out").to_lists()]
    found = []
    for rho in ("0.02", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"):
        asked = wh.RhoUncertainty(rho, SENSITIVE, max_known=rng.choice([None, 1, 2]))
        verdict = verify_parts(tmp_path / "out", model=asked, allow_unknown=True).verdict
        found.append(verdict.status.value)
        # So few rules are all listed, so only what the whole keeps can be open.
        as_one = wh.verify([sorted(row) for row in rows], asked, allow_unknown=True).status.value
        assert found[-1] == as_one or (found[-1], as_one) == ("UNDECIDED", "HOLDS")
        if (rule := verdict.witness) is not None:
            known = [row for row in rows if row >= set(rule.antecedent)]
            assert rule.support == len(known)
            assert rule.joint == sum(rule.consequent in row for row in known)
            assert rule.joint > asked.rho * rule.support
    assert found[0] == "BROKEN"
    assert found[-1] == "HOLDS"


def test_a_part_alone_may_break_what_all_keep(tmp_path):
    path = write_shop(tmp_path / "shop.dat", [["tea"], ["milk"]] * 30 + [["tea", "pill"], ["tea"]])
    kept = wh.RhoUncertainty("0.6", ["pill"])
    anonymize_parts(str(path), kept, tmp_path / "out", part_records=31, seed=1)
    asked = wh.RhoUncertainty("0.04", ["pill"])
    verdict = verify_parts(tmp_path / "out", model=asked).verdict
    assert verdict.status.value == "UNDECIDED", verdict
    assert "none is one of all records together" in verdict.method
    assert wh.verify(joined(tmp_path / "out"), asked)
    verdict = verify_parts(tmp_path / "out", model=wh.RhoUncertainty("0.03", ["pill"])).verdict
    assert (verdict.status.value, verdict.witness.joint, verdict.witness.support) == (
        "BROKEN",
        1,
        32,
    )


def test_a_changed_lost_or_added_part_is_found(tmp_path, folder):
    out = tmp_path / "out"
    anonymize_parts(str(folder), MODEL, out, seed=1)
    first = out / "part-0001.dat"
    kept = first.read_bytes()
    first.write_bytes(kept + b"bread pill\n" * 400)
    code, text = run("verify", out)
    assert code == 1
    assert "CHANGED part-0001.dat is not the file that was published" in text
    assert "BROKEN" in text
    first.write_bytes(kept)
    (out / "part-0009.dat").write_text("bread pill\n")
    code, text = run("verify", out)
    assert (code, text[:7], "UNDECIDED" in text) == (1, "CHANGED", True)
    (out / "part-0009.dat").unlink()
    assert run("verify", out)[0] == 0
    first.unlink()
    code, text = run("verify", out)
    assert (code, "is not there" in text) == (3, True)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["parts"].pop(),
        lambda record: record.update(parts=[]),
        lambda record: record["parts"][0].update(name="../shops/shop-0.dat"),
        lambda record: record["parts"].append(record["parts"][0]),
        lambda record: record.update(model={"model": "unknown"}),
        lambda record: record.update(parts=3),
        lambda record: record.pop("model"),
    ],
)
def test_a_forged_manifest_is_not_believed(tmp_path, folder, change):
    out = tmp_path / "out"
    anonymize_parts(str(folder), MODEL, out, seed=1)
    record = json.loads((out / MANIFEST).read_text())
    change(record)
    (out / MANIFEST).write_text(json.dumps(record))
    assert run("verify", out)[0] in (1, 3)


def test_the_same_bytes_from_every_engine(tmp_path, folder):
    for name, options in {
        "one": {},
        "two": {"workers": 2},
        "threads": {"jobs": 2},
    }.items():
        anonymize_parts(str(folder), MODEL, tmp_path / name, seed=5, part_records=80, **options)
    assert len(contents(tmp_path / "one")) >= 6
    assert (
        contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "threads")
    )


def test_a_broken_file_stops_its_part_only_and_resume_mends(tmp_path, folder):
    out, mended = tmp_path / "out", tmp_path / "mended"
    good = (folder / "shop-1.dat").read_bytes()
    (folder / "shop-1.dat").write_bytes(good[:-20] + b"\0" + good[-20:])
    asked = ("--rho", 0.5, "--sensitive", "pill,test,wine", "--seed", 3)
    code, text = run("anonymize", folder, *asked, "-o", out)
    assert code == 3
    assert "1 part of 3 could not be made; nothing was published" in text
    assert "part 2" in text
    assert "shop-1.dat" in text
    assert not (out / MANIFEST).exists()
    assert run("verify", out)[0] == 3
    (folder / "shop-1.dat").write_bytes(good)
    code, text = run("anonymize", folder, *asked, "-o", out, "--resume")
    assert code == 0, text
    assert "2 of them from an earlier run" in text
    run("anonymize", folder, *asked, "-o", mended)
    assert contents(out) == contents(mended)


def test_a_part_that_somebody_changed_is_not_kept_whatever_the_notes_say(tmp_path, folder):
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    anonymize_parts(str(folder), MODEL, out, seed=1)
    part, notes = out / "part-0001.dat", out / "parts.jsonl"
    before = hashlib.sha256(part.read_bytes()).hexdigest()
    part.write_text("".join(f"{line} pill\n" for line in part.read_text().splitlines()))
    after = hashlib.sha256(part.read_bytes()).hexdigest()
    notes.write_text(notes.read_text().replace(before, after))
    assert anonymize_parts(str(folder), MODEL, out, seed=1, resume=True).resumed == 2
    notes.write_bytes(b"\xff\n")
    assert anonymize_parts(str(folder), MODEL, out, seed=1, resume=True).resumed == 0
    anonymize_parts(str(folder), MODEL, fresh, seed=1)
    assert contents(out) == contents(fresh)


@pytest.mark.parametrize("what", ["input", "model", "seed", "part"])
def test_nothing_stale_is_kept(tmp_path, folder, what):
    out = tmp_path / "out"
    anonymize_parts(str(folder), MODEL, out, seed=1)
    model, seed = MODEL, 1
    if what == "input":
        write_shop(folder / "shop-0.dat", shop(200, 99))
    elif what == "model":
        model = wh.RhoUncertainty("0.4", SENSITIVE)
    elif what == "seed":
        seed = 2
    else:
        (out / "part-0001.dat").write_text("bread pill\n")
    made = anonymize_parts(str(folder), model, out, seed=seed, resume=True)
    assert made.resumed == (2 if what in ("input", "part") else 0)
    assert wh.verify(joined(out), model)
    fresh = tmp_path / "fresh"
    anonymize_parts(str(folder), model, fresh, seed=seed)
    assert contents(out) == contents(fresh)


def test_a_resumed_run_goes_on_with_its_own_seed(tmp_path, folder):
    out = tmp_path / "out"
    anonymize_parts(str(folder), MODEL, out)
    assert anonymize_parts(str(folder), MODEL, out, resume=True).resumed == 3


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize("victim", ["driver", "worker", "asked"])
def test_whoever_is_killed_the_run_can_be_resumed(tmp_path, victim):
    path = write_shop(tmp_path / "shop.dat", shop(40_000, 1))
    out = tmp_path / "out"
    asked = ("anonymize", path, "--rho", 0.5, "--sensitive", "pill,test,wine", "-o", out)
    parts = ("--engine", "stream", "--part-records", 2_000, "--workers", 2, "--seed", 1)
    process = start(*asked, *parts)
    deadline = time.monotonic() + 120
    while len(list(out.glob("part-*.dat"))) < 2 and time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True
    ).stdout.split()
    if victim == "worker":
        assert len(children) >= 2
        os.kill(int(children[-1]), signal.SIGKILL)
    else:
        process.send_signal(signal.SIGKILL if victim == "driver" else signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert process.returncode == {"driver": -9, "worker": 3, "asked": 130}[victim]
    assert not (out / MANIFEST).exists()
    # Nobody goes on without the driver.
    for child in children:
        for _ in range(100):
            if not Path(f"/proc/{child}").exists():
                break
            time.sleep(0.1)
        else:
            raise AssertionError("a worker outlived its driver")
    code, text = run(*asked, *parts[:4], "--seed", 1, "--resume")
    assert code == 0, text
    assert "from an earlier run" in text
    fresh = tmp_path / "fresh"
    anonymize_parts(str(path), MODEL, fresh, part_records=2_000, seed=1)
    assert contents(out) == contents(fresh)
    assert not [each.name for each in out.iterdir() if each.name.startswith(".")]


def test_listed_items_that_no_part_has(tmp_path, folder):
    out = tmp_path / "out"
    asked = ("anonymize", folder, "--rho", 0.5, "-o", out, "--force", "--sensitive")
    code, text = run(*asked, "pill,beer")
    assert code == 0
    assert "1 of 2 sensitive items never occurs: 'beer'" in text
    code, text = run(*asked, "pil")
    assert (code, "nothing would be protected" in text) == (3, True)
    assert not (out / MANIFEST).exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--engine", "strem"), "did you mean 'stream'"),
        (("--engine", "memory"), "names several files"),
        (("--scheduler", "tcp://localhost:1"), "--scheduler is for --engine dask"),
        (("--edition", "external"), "--edition requires --report"),
        (("--report", "--edition", "extern"), "the edition must be"),
        (("--report", "--sampling-fraction", "0.1"), "--sampling-fraction is for data in memory"),
        (("--consent", "yes.txt"), "--consent is for data in memory"),
        (("--tidy", "items=case"), "--tidy is for data in memory"),
        (("--bound",), "do not add up"),
        (("--part-records", "0"), "must be at least 1"),
    ],
)
def test_mistakes(tmp_path, folder, arguments, said):
    asked = ("anonymize", folder, "--rho", 0.5, "--sensitive", "pill", "-o", tmp_path / "out")
    code, text = run(*asked, *arguments)
    assert code == 2, text
    assert said in text


def test_mistakes_about_where(tmp_path, folder):
    asked = ("anonymize", folder, "--rho", 0.5, "--sensitive", "pill", "-o")
    assert "would be input" in run(*asked, folder)[1]
    assert "would be input" in run(*asked, folder / "pub")[1]
    assert not (folder / "pub").exists()
    assert run(*asked, tmp_path / "not" / "there")[0] == 3
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.doc").write_text("")
    assert "holds other files" in run(*asked, full, "--force")[1]
    (full / "thesis.doc").unlink()
    for name in ("part-00000.csv", "manifest.json"):  # as other programs write them
        (full / name).write_text("{}")
        code, text = run(*asked, full, "--force")
        assert (code, "is not the folder of a release by parts" in text) == (2, True), text
        assert (full / name).read_text() == "{}"
    out = tmp_path / "out"
    assert run(*asked, out)[0] == 0
    code, text = run(*asked, out)
    assert (code, "--resume" in text) == (2, True)
    file = write_shop(tmp_path / "a.dat", shop(5, 1))
    code, text = run(
        "anonymize", file, "--rho", 0.5, "--sensitive", "pill", "-o", out, "--workers", 2
    )
    assert (code, "add --engine stream" in text) == (2, True)
    code, text = run(
        "anonymize", tmp_path / "*.csv", "--rho", 0.5, "--sensitive", "pill", "-o", out
    )
    assert (code, "names no file" in text) == (3, True)


def test_a_file_that_does_not_fit_goes_by_parts_and_says_so(tmp_path, monkeypatch):
    path = write_shop(tmp_path / "shop.dat", shop(300, 1))
    asked = ("anonymize", path, "--rho", 0.5, "--sensitive", "pill", "--seed", 1, "-o")
    assert "by parts" not in run(*asked, tmp_path / "whole.dat")[1]
    monkeypatch.setattr("withhold.counting.memory.physical_memory", lambda: 1_000)
    code, text = run(*asked, tmp_path / "out")
    assert code == 0, text
    assert "more memory than this machine has; it is released by parts (--engine stream)" in text
    assert (tmp_path / "out" / MANIFEST).exists()
    code, text = run(*asked, tmp_path / "other.dat")
    assert (code, "name a folder, or say --engine memory" in text) == (2, True)
    assert not (tmp_path / "other.dat").exists()
    code, text = run(*asked, tmp_path / "other.dat", "--engine", "memory")
    assert (code, "by parts" in text) == (0, False)
    # What must be one choice for all records, or is packed, is released whole, as before.
    apart = (*asked[:2], "--model", "apart", *asked[2:], tmp_path / "apart.dat")
    assert "released by parts" not in run(*apart)[1]
    monkeypatch.setattr("withhold.counting.memory.physical_memory", lambda: None)
    assert run(*asked, tmp_path / "unknown.dat")[0] == 0


def test_models_about_all_records_are_refused(tmp_path, folder):
    asked = ("--rho", 0.5, "--sensitive", "pill", "-o", tmp_path / "out")
    code, text = run("anonymize", folder, "--model", "apart", *asked)
    assert (code, "apart cannot be released by parts" in text) == (2, True)


def test_files_that_are_not_alike_are_refused(tmp_path, folder):
    (folder / "shop-9.csv").write_text("bread,pill\n1,0\n0,1\n")
    with pytest.raises(wh.WithholdError, match="must be alike"):
        plan_parts(find_files(str(folder)))


def test_ids_of_parts_do_not_meet(tmp_path):
    for number in range(2):
        lines = [
            "record,item",
            *(f"{row},{item}" for row in range(30 + number) for item in ("tea", "milk")),
        ]
        (tmp_path / f"long-{number}.csv").write_text("\n".join(lines) + "\n")
    model = wh.RhoUncertainty("0.5", ["milk"])
    anonymize_parts(str(tmp_path / "long-*.csv"), model, tmp_path / "out", seed=1)
    found = [wh.read(path).record_ids for path in sorted((tmp_path / "out").glob("part-*.csv"))]
    assert found[0] is not None
    assert found[1] is not None
    assert not set(found[0]) & set(found[1])
    manifest = json.loads((tmp_path / "out" / "part-0001.csv.manifest.json").read_text())
    assert manifest["ids"] == "renumber"
    for wrong in ({"ids": "renumbr"}, {"engine": "strem"}):
        with pytest.raises(wh.WithholdError, match=next(iter(wrong.values()))):
            anonymize_parts(str(tmp_path / "long-*.csv"), model, tmp_path / "other", **wrong)
    kept = anonymize_parts(str(tmp_path / "long-*.csv"), model, tmp_path / "kept", ids="keep")
    assert "own ids" in kept.warnings[0]


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers of Dask, each a process of its own, as its command line starts them."""
    distributed = pytest.importorskip("distributed")
    environment = {**os.environ, "PYTHONPATH": str(Path(wh.__file__).parents[1])}
    environment |= {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    where = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    common = ["--no-dashboard", "--scheduler-file", str(where)]
    commands = [
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *common],
        *[[*dask, "worker", "--no-nanny", "--nthreads", "1", *common]] * 2,
    ]
    null = subprocess.DEVNULL
    processes = [
        subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=null, stderr=null)
        for command in commands
    ]
    deadline = time.monotonic() + 60
    while not where.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    address = json.loads(where.read_text())["address"]
    with distributed.Client(address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)
    yield address, processes[1:]
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(tmp_path, cluster):
    scheduler, workers = cluster
    path = write_shop(tmp_path / "shop.dat", shop(20_000, 1))
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    asked = (
        "anonymize",
        path,
        "--rho",
        0.5,
        "--sensitive",
        "pill,test,wine",
        "-o",
        out,
        "--seed",
        1,
    )
    process = start(
        *asked, "--engine", "dask", "--scheduler", scheduler, "--part-records", 1_000, "--json"
    )
    while len(list(out.glob("part-*.dat"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    workers[0].kill()
    shown, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    events = [json.loads(line) for line in shown.splitlines()]
    assert [event.get("event") for event in events] == ["part"] * 20 + ["finished"]
    anonymize_parts(str(path), MODEL, fresh, part_records=1_000, seed=1)
    assert contents(out) == contents(fresh)
    assert run("verify", out)[0] == 0


def test_a_scheduler_that_is_not_there(tmp_path, folder, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("withhold.parts.running.CONNECTS_WITHIN", 1)
    asked = ("anonymize", folder, "--rho", 0.5, "--sensitive", "pill", "-o", tmp_path / "out")
    code, text = run(*asked, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9")
    assert (code, "cannot be reached" in text) == (3, True)


class Partitions:
    """What is needed of a Dask DataFrame."""

    def __init__(self, frames):
        self.frames = frames

    @property
    def npartitions(self):
        return len(self.frames)

    def get_partition(self, n):
        return Partition(self.frames[n])


class Partition:
    def __init__(self, frame):
        self.frame = frame

    def compute(self, **_):
        return self.frame


def frame_of(kind, path, rows):
    """The rows of a parquet file as a frame that is not in memory."""
    if kind == "scanned":
        return pl.scan_parquet(path)
    if kind == "query":
        return pl.LazyFrame({"items": rows}).filter(pl.col("items").list.len() > 0)
    if kind == "stand-in":
        halves = rows[: len(rows) // 2], rows[len(rows) // 2 :]
        return Partitions([pd.DataFrame({"items": list(half)}) for half in halves])
    dataframe = pytest.importorskip("dask.dataframe")
    pl.read_parquet(path).write_parquet(path, row_group_size=100)
    found = dataframe.read_parquet(path, split_row_groups=True)
    assert found.npartitions > 1
    return found


@pytest.mark.parametrize(
    ("kind", "workers"),
    [("scanned", 1), ("query", 1), ("stand-in", 1), ("dask", 1), ("scanned", 2), ("stand-in", 2)],
)
def test_frames_that_are_not_in_memory(tmp_path, kind, workers):
    rows, path = shop(300, 1), tmp_path / "shop.parquet"
    pl.DataFrame({"items": rows}).write_parquet(path)
    frame, out = frame_of(kind, path, rows), tmp_path / "out"
    made = wh.anonymize_parts(frame, MODEL, out, part_records=70, seed=1, workers=workers)
    assert len(made.parts) >= 2
    assert {part.name[-8:] for part in made.parts} == {".parquet"}
    assert wh.verify_parts(out, model=MODEL).verdict
    for before, after in zip(rows, joined(out), strict=True):
        assert set(after) <= set(before)
    again = wh.anonymize_parts(frame, MODEL, out, part_records=70, seed=1, resume=True)
    assert again.resumed == len(made.parts)
    found = wh.compare_parts(frame, out).releases[0].measured
    assert found.fact("occurrences.all.removed").value == made.totals.removed
    whole = wh.audit(rows, MODEL, samples=10).verdict.status
    assert wh.audit_parts(frame, MODEL, samples=10).verdict.status is whole


def test_frames_that_cannot_be_cut(tmp_path):
    long = pl.LazyFrame({"record": [1, 1, 2, 3], "item": ["tea", "pill", "tea", "milk"]})
    with pytest.raises(wh.WithholdError, match="would cut records apart"):
        wh.anonymize_parts(long, MODEL, tmp_path / "out")
    with pytest.raises(wh.WithholdError, match="no partition"):
        wh.anonymize_parts(Partitions([]), MODEL, tmp_path / "out")
    broken = pl.LazyFrame({"items": [["tea"]]}).with_columns(pl.col("nothing"))
    with pytest.raises(wh.WithholdError, match="the frame cannot be used"):
        wh.anonymize_parts(broken, MODEL, tmp_path / "out")
    texts = Partitions([pd.DataFrame({"items": ["['tea', 'pill']"] * 9})])
    with pytest.raises(wh.WithholdError):
        wh.anonymize_parts(texts, MODEL, tmp_path / "out")


@pytest.mark.parametrize("how", [{"workers": 2}, {"jobs": 1}, {"engine": "dask", "workers": 1}])
def test_a_part_that_is_searched_in_pieces(tmp_path, folder, how):
    """Its records are dealt to them by public items, and are written in the order in which they came."""
    if "engine" in how:
        pytest.importorskip("distributed")
    one, two = tmp_path / "one", tmp_path / "two"
    anonymize_parts(str(folder), MODEL, one, parts=3, part_records=200, seed=1)
    anonymize_parts(str(folder), MODEL, two, parts=3, part_records=200, seed=1, **how)
    assert contents(one) == contents(two)
    before = [row for path in sorted(folder.glob("*.dat")) for row in wh.read(path).to_lists()]
    after = joined(one).to_lists()
    assert all(set(new) <= set(old) for old, new in zip(before, after, strict=True))
    public = [[set(row) - MODEL.sensitive for row in rows] for rows in (before, after)]
    assert public[0] == public[1]
    manifest = json.loads((one / MANIFEST).read_text())
    assert manifest["dealt"] == DEALT
    # How many pieces there were is for the custodian alone.
    assert "pieces" not in json.dumps(manifest["parts"])
    internal = json.loads((one / INTERNAL).read_text())
    assert [part["pieces"] for part in internal["parts"]] == [3, 3, 3]
    whole = tmp_path / "whole"
    anonymize_parts(str(folder), MODEL, whole, part_records=200, seed=1)
    internal = json.loads((whole / INTERNAL).read_text())
    assert [part["pieces"] for part in internal["parts"]] == [1, 1, 1]
