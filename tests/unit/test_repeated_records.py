"""Files that hold records twice: they stop a release until somebody says that this is right."""

from __future__ import annotations

import json
import random
from pathlib import Path

import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.data import Records
from withhold.data.repeated_records import copied_records
from withhold.errors import PolicyError

LINES = [[f"a{n % 11}", f"b{n % 13}"] for n in range(60)]
LONG = [[f"a{n % 7}", f"b{n % 11}", f"c{n % 5}", f"d{n % 13}", f"e{n % 3}"] for n in range(300)]
KM = ("--model", "km", "--k", "2", "--m", "1")


def found(rows: list[list[str]]) -> str | None:
    """Why these records may be there several times."""
    return copied_records(Records.from_lists(rows))


@pytest.mark.parametrize(("copies", "times"), [(2, "twice"), (3, "3 times")])
def test_all_of_it__in_any_order(copies, times):
    rows = LINES * copies
    assert f"each of its 60 different records is there {times}" in (found(rows) or "")
    assert found(random.Random(1).sample(rows, len(rows)))
    assert found(rows[:-1]) is None


def test_long_records__in_any_order_and_not_all():
    assert found(LONG) is None
    twice = LONG + LONG[:200]
    assert "200 of the 300" in (found(twice) or "")
    assert "exactly twice" in (found(random.Random(1).sample(twice, 500)) or "")
    assert found(LONG + LONG[:100]) is None


def test_categories__are_equal_by_chance():
    draw = random.Random(1)
    for most in (2, 3, 4, 6):
        rows = [[f"{c}={draw.randrange(most)}" for c in "abcdef"] for _ in range(1000)]
        assert found(rows) is None
    assert found([["a", "b"], ["c"]] * 100) is None


def test_every_way_in__stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    twice = "".join(" ".join(row) + "\n" for row in LINES * 2)
    Path("twice.dat").write_text(twice)
    frame = pl.DataFrame({"items": LINES * 2})
    model = wh.KmAnonymity(k=2, m=1)
    for source in ("twice.dat", frame, LINES * 2):
        with pytest.raises(PolicyError, match="each of its 60 different records is there twice"):
            wh.anonymize(source, model)
        assert wh.anonymize(source, model, publish=["repeats"]).verdict
        for misspelt in ("repeat", ["repeat"], ""):
            with pytest.raises(
                PolicyError, match="publish='repeats' records that may be there twice"
            ):
                wh.anonymize(source, model, publish=misspelt)
    done = run("anonymize", "twice.dat", *KM, "-o", "out.dat")
    assert (done.exit_code, "--publish repeats" in done.stderr) == (2, True)
    assert run("anonymize", "twice.dat", *KM, "-o", "o.dat", "--publish", "repeats").exit_code == 0
    parts = run("anonymize", "twice.dat", *KM, "--engine", "stream", "-o", "parts")
    assert (parts.exit_code, "different records is there twice" in parts.stderr) == (2, True)


def test_folder__with_the_same_file_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("shop").mkdir()
    for name in ("a.dat", "b.dat"):
        Path("shop", name).write_text("".join(" ".join(row) + "\n" for row in LINES))
    done = run("anonymize", "shop", *KM, "-o", "out")
    assert done.exit_code == 3
    assert "b.dat: is the same file as shop/a.dat" in done.stderr
    assert not Path("out").exists()
    assert run("anonymize", "shop", *KM, "-o", "out", "--publish", "repeats").exit_code == 0


@pytest.mark.parametrize("name", ["retail", "bms-webview-1", "bms-webview-2", "bms-pos-partial"])
def test_real_data__say_nothing(real_data, name):
    records = wh.read(real_data / f"{name}.dat.gz")
    assert copied_records(records) is None
    rows = records.to_lists()
    for n in (1000, 10_000):
        assert found(random.Random(n).sample(rows, n)) is None


def test_release_as_input__is_warned_of_and_a_folder_stops(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.dat").write_text("".join(" ".join(row) + "\n" for row in LINES))
    assert run("anonymize", "a.dat", *KM, "-o", "r.dat").exit_code == 0
    said = "is itself a release; start from the original, and publish only one"
    done = run("anonymize", "r.dat", *KM, "-o", "again.dat", "--json")
    assert (done.exit_code, f"warning: r.dat {said}" in done.stderr) == (0, True)
    assert f"r.dat {said}" in json.loads(done.stdout)["warnings"]
    assert f"r.dat {said}" in json.loads(Path("again.dat.internal.json").read_text())["warnings"]
    assert said not in Path("again.dat.manifest.json").read_text()
    model = wh.KmAnonymity(k=2, m=1)
    assert f"r.dat {said}" in wh.anonymize("r.dat", model).write("third.dat").warnings
    # What was changed since, or has no manifest beside it, is no release.
    Path("r.dat").write_text(Path("a.dat").read_text() + "a1 b1\n")
    assert said not in run("anonymize", "r.dat", *KM, "-o", "changed.dat").stderr
    assert run("anonymize", "a.dat", *KM, "--engine", "stream", "-o", "parts").exit_code == 0
    done = run("anonymize", "parts", *KM, "-o", "parts-2")
    assert (done.exit_code, said in done.stderr) == (3, True)
    done = run("anonymize", "parts/part-*.dat", *KM, "-o", "parts-2")
    assert (done.exit_code, said in done.stderr) == (0, True)


def test_table_that_is_a_release__is_warned_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("age,sex\n" + "".join(f"{n % 3},{'fm'[n % 2]}\n" for n in range(13)))
    asked = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age,sex", "-o")
    assert run("anonymize", "t.csv", *asked, "r.csv").exit_code == 0
    assert "r.csv is itself a release" in run("anonymize", "r.csv", *asked, "s.csv").stderr
