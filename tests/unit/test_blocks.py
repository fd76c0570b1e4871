"""Tables in blocks of rows that are alike: in memory, by parts, the proof over all parts, and mistakes."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import withhold as wh
from typed import start
from withhold.cli import anonymize, app, verify  # noqa: F401
from withhold.errors import ImpossibleError, InputError, NotVerifiedError, PolicyError
from withhold.formats.table_slices import cut_table, table_form_of
from withhold.parts import blocks as block_steps
from withhold.parts import group_proof
from withhold.parts.folder import MANIFEST, WORK, read_folder
from withhold.parts.proving import verify_parts
from withhold.parts.release import anonymize_parts

KNOWN = ("age", "sex", "town")
REQUIRED = (
    {},
    {"l": 2},
    {"l": "entropy:1.5"},
    {"l": "recursive:3:2"},
    {"t": "0.5"},
    {"beta": "1.5"},
    {"l": 2, "t": "0.6"},
)


def people(n: int, seed: int) -> dict[str, list[str]]:
    """A table with common and rare values, and a column that nobody asks about."""
    rng = random.Random(seed)
    return {
        "age": [str(min(int(rng.expovariate(0.15)), 30)) for _ in range(n)],
        "sex": [rng.choice("fm") for _ in range(n)],
        "town": [rng.choice(["Ulm", "Bonn", "Köln", "a, b"]) for _ in range(n)],
        "pay": [rng.choice(["low", "mid", "mid", "high"]) for _ in range(n)],
        "note": [f"n{i % 7}" for i in range(n)],
    }


def model_of(k: int, required: dict[str, object]) -> wh.KAnonymity:
    sensitive = {"sensitive_column": "pay"} if required else {}
    return wh.KAnonymity(k, KNOWN, **sensitive, **required)


def write_people(path: Path, columns: dict[str, list[str]]) -> Path:
    frame = pl.DataFrame(columns)
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path)
    return path


def joined(folder: Path) -> pl.DataFrame:
    """All parts of a release as one frame; a withheld cell is null or empty."""
    _, parts = read_folder(folder)
    read = {".csv": pl.read_csv, ".jsonl": pl.read_ndjson, ".parquet": pl.read_parquet}
    how = {".csv": {"infer_schema": False}, ".jsonl": {"infer_schema_length": None}}
    suffix = Path(parts[0].name).suffix
    return pl.concat(
        [read[suffix](folder / part.name, **how.get(suffix, {})) for part in parts],
        how="vertical_relaxed",
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("part-*")}


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app.app, [str(each) for each in arguments])
    return result.exit_code, " ".join(result.output.split())


def asked(k: int = 3) -> tuple[object, ...]:
    return ("--model", "k-anonymity", "--k", k, "--quasi-identifiers", ",".join(KNOWN))


def check_rows(original: dict[str, list[str]], found: pl.DataFrame, k: int) -> None:
    """By brute force: every group has k rows, rows came back in their order, and nothing was added."""
    rows = [tuple(row) for row in found.select(KNOWN).iter_rows()]
    assert min(Counter(rows).values()) >= k
    for name, cells in original.items():
        pairs = zip(cells, found[name].to_list(), strict=True)
        if name in KNOWN:
            assert all(after in (before, None, "") for before, after in pairs)
        else:
            assert all(after == before for before, after in pairs)


@pytest.mark.parametrize("seed", range(21))
def test_blocks_in_memory_keep_the_model(seed):
    rng = random.Random(seed)
    required = REQUIRED[seed % len(REQUIRED)]
    columns = people(rng.randint(60, 200), seed)
    model = model_of(rng.choice([2, 3, 5]), required)
    release = wh.anonymize(
        wh.Table.from_columns(columns),
        model,
        block_rows=rng.choice([1, 10, 30]),
        cost=rng.choice(["ham", "info"]),
        seed=seed,
        publish="all",
    )
    assert release.verdict
    check_rows(columns, release.data.to_polars(), model.k)


def test_blocks_as_large_as_the_table_are_the_table():
    table = wh.Table.from_columns(people(300, 1))
    model = model_of(3, {})
    plain = wh.anonymize(table, model, seed=1)
    assert wh.anonymize(table, model, seed=1, block_rows=300).data == plain.data
    assert "blocks" not in plain.options
    assert wh.anonymize(table, model, seed=1, block_rows=100).options["blocks"] > 1


def test_large_tables_are_searched_in_blocks():
    n = 400_000
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.integers(0, 9, n).astype(str) for name in KNOWN})
    found = wh.anonymize(frame, wh.KAnonymity(5, KNOWN), seed=1, bound=False)
    assert found.options["already_held"]
    frame = frame.with_columns(age=pl.Series(rng.geometric(0.02, n).astype(str)))
    found = wh.anonymize(frame, wh.KAnonymity(5, KNOWN), seed=1, bound=False)
    assert found.options["blocks"] == 8
    small = wh.anonymize(frame[:-1], wh.KAnonymity(5, KNOWN), seed=1, bound=False)
    assert "blocks" not in small.options


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("required", REQUIRED)
def test_parts_keep_the_model_together(tmp_path, extension, required):
    seed = len(str(required))
    columns = people(400, seed)
    path = write_people(tmp_path / f"people.{extension}", columns)
    model = model_of(4, required)
    out = tmp_path / "out"
    made = anonymize_parts(
        str(path), model, out, part_records=90, block_rows=60, seed=seed, publish="all"
    )
    assert len(made.parts) >= 4
    found = joined(out)
    check_rows(columns, found, model.k)
    whole = wh.read_table(found.select(list(columns)))
    assert wh.verify(whole, model)
    blank = sum((found[name].fill_null("") == "").sum() for name in KNOWN)
    assert made.totals.removed == blank
    assert (made.totals.records, made.totals.total) == (400, 1200)
    assert verify_parts(out).verdict
    assert not (out / WORK).exists()


@pytest.mark.parametrize("seed", range(12))
def test_random_tables_by_parts(tmp_path, seed):
    rng = random.Random(seed)
    columns = people(rng.randint(20, 120), seed)
    k = rng.choice([2, 3, 5])
    path = write_people(tmp_path / "people.csv", columns)
    anonymize_parts(
        str(path),
        model_of(k, {}),
        tmp_path / "out",
        part_records=rng.randint(3, 50),
        block_rows=rng.randint(1, 50),
        seed=seed,
        publish="all",
    )
    check_rows(columns, joined(tmp_path / "out"), k)


def test_the_proof_adds_up_shelf_by_shelf(tmp_path, monkeypatch):
    path = write_people(tmp_path / "people.csv", people(400, 1))
    out = tmp_path / "out"
    anonymize_parts(str(path), model_of(3, {"l": 2}), out, part_records=90, publish="all")
    whole = verify_parts(out)
    monkeypatch.setattr(group_proof, "AT_ONCE", 5)
    shelved = verify_parts(out)
    assert (shelved.verdict.checked, shelved.verdict.status) == (whole.verdict.checked, "HOLDS")
    stricter = verify_parts(out, model=model_of(400, {}))
    smallest = min(Counter(joined(out).select(KNOWN).iter_rows()).values())
    assert stricter.verdict.status == "BROKEN"
    assert stricter.verdict.witness.rows == smallest
    assert not verify_parts(out, model=model_of(3, {"l": 4})).verdict


def test_a_proof_that_fails_publishes_nothing(tmp_path, monkeypatch):
    from withhold.methods.cells import by_blocks

    path = write_people(tmp_path / "people.csv", people(200, 1))
    search = by_blocks.search_block
    monkeypatch.setattr(by_blocks, "search_block", lambda *a: np.ones_like(search(*a)))
    with pytest.raises(NotVerifiedError, match="did not pass"):
        anonymize_parts(str(path), model_of(5, {}), tmp_path / "out", publish="all")
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["parts.jsonl"]


def test_a_folder_on_the_command_line(tmp_path):
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for number in range(3):
        write_people(folder / f"people-{number}.csv", people(100, number))
    code, text = run("anonymize", folder, *asked(), "--drop", "note", "--publish", "all", "-o", out)
    assert code == 0, text
    assert "Proved by counts of all parts: 3 parts with 300 rows" in text
    assert "note" not in joined(out).columns
    assert run("verify", out)[0] == 0
    assert run("verify", out, *asked(2))[0] == 0
    code, text = run("verify", out, *asked(300))
    assert (code, text[:6]) == (1, "BROKEN")
    manifest = json.loads((out / MANIFEST).read_text())
    assert "seed" not in str(manifest)
    assert not list(out.glob("*.csv.manifest.json"))
    code, text = run("anonymize", folder, *asked(), "--publish", "all", "-o", out)
    assert (code, "--force replaces" in text) == (2, True)


def test_a_changed_lost_or_added_part_is_found(tmp_path):
    path = write_people(tmp_path / "people.csv", people(200, 1))
    out = tmp_path / "out"
    anonymize_parts(str(path), model_of(3, {}), out, part_records=60, publish="all", seed=1)
    first = out / "part-0001.csv"
    kept = first.read_bytes()
    first.write_bytes(kept + b"99,f,Ulm,low,n1\n")
    code, text = run("verify", out)
    assert (code, "CHANGED part-0001.csv" in text, "BROKEN" in text) == (1, True, True)
    first.write_bytes(kept)
    (out / "part-0099.csv").write_bytes(kept)
    code, text = run("verify", out)
    assert (code, text[:7], "UNDECIDED" in text) == (1, "CHANGED", True)
    (out / "part-0099.csv").unlink()
    first.unlink()
    assert run("verify", out)[0] == 3
    first.write_bytes(kept)
    record = json.loads((out / MANIFEST).read_text())
    for change in (
        lambda r: r.pop("output"),
        lambda r: r["output"].update(columns=3, separator=[]),
        lambda r: r["parts"].pop(),
    ):
        forged = json.loads(json.dumps(record))
        change(forged)
        (out / MANIFEST).write_text(json.dumps(forged))
        assert run("verify", out)[0] in (1, 3, 5)


def test_blanks_that_look_withheld_in_another_part_are_refused(tmp_path):
    columns = people(200, 1)
    columns["age"][:5] = [""] * 5
    path = write_people(tmp_path / "people.csv", columns)
    how = {"part_records": 60, "publish": "all", "seed": 1}
    with pytest.raises(PolicyError, match="blanks of its own"):
        anonymize_parts(str(path), model_of(3, {}), tmp_path / "out", **how)
    anonymize_parts(
        str(path), model_of(3, {}), tmp_path / "out", reading={"mark": "*"}, force=True, **how
    )
    found = joined(tmp_path / "out")
    assert min(Counter(found.select(KNOWN).iter_rows()).values()) >= 3
    assert "*" in found["age"].to_list()
    assert verify_parts(tmp_path / "out").verdict


def test_ranges_by_parts(tmp_path):
    columns = people(200, 1)
    path = write_people(tmp_path / "people.csv", columns)
    out = tmp_path / "out"
    parts = ("--engine", "stream", "--part-records", 60, "--publish", "all", "-o", out)
    code, text = run("anonymize", path, *asked(), "--bin", "age=10", *parts)
    assert code == 0, text
    assert {each for each in joined(out)["age"].to_list() if each} <= {
        "0-9",
        "10-19",
        "20-29",
        "30-39",
    }
    for how in ("quantiles:3", "year"):
        code, text = run("anonymize", path, *asked(), "--bin", f"age={how}", *parts, "--force")
        assert (code, "looks at the whole column" in text) == (2, True), text
    columns["age"][-1] = "3.5"
    write_people(path, columns)
    code, text = run("anonymize", path, *asked(), "--bin", "age=10", *parts, "--force")
    assert (code, "whole numbers in some files" in text) == (3, True), text


def test_line_breaks_inside_quotes_are_not_cut(tmp_path):
    columns = people(200, 1)
    columns["note"][50] = 'a\n"b",c'
    path = write_people(tmp_path / "people.csv", columns)
    assert len(cut_table(path, table_form_of(path), 20)) == 1
    anonymize_parts(str(path), model_of(3, {}), tmp_path / "out", part_records=20, publish="all")
    check_rows(columns, joined(tmp_path / "out"), 3)
    plain = write_people(tmp_path / "plain.csv", people(200, 1))
    assert '"a, b"' in plain.read_text()
    assert len(cut_table(plain, table_form_of(plain), 20)) > 5


def test_the_same_bytes_from_every_engine(tmp_path):
    path = write_people(tmp_path / "people.csv", people(600, 1))
    how = {"seed": 5, "part_records": 100, "block_rows": 150, "publish": "all"}
    engines = {"one": {}, "two": {"workers": 2}}
    try:
        import distributed  # noqa: F401

        engines["dask"] = {"engine": "dask", "workers": 2}
    except ImportError:
        pass
    for name, engine in engines.items():
        anonymize_parts(str(path), model_of(4, {"l": 2}), tmp_path / name, **how, **engine)
    found = [contents(tmp_path / name) for name in engines]
    assert len(found[0]) >= 5
    assert all(each == found[0] for each in found)


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_was_killed_publishes_nothing_and_is_made_again(tmp_path, sent):
    path = write_people(tmp_path / "people.csv", people(8_000, 1))
    out = tmp_path / "out"
    command = ("anonymize", path, *asked(), "--publish", "all", "-o", out, "--engine", "stream")
    parts = ("--part-records", 500, "--block-rows", 500, "--seed", 1)
    process = start(*command, *parts)
    deadline = time.monotonic() + 120
    while not list(out.glob(f"{WORK}/shown-*")) and time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.005)
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (-9, 130)
    assert "Traceback" not in errors
    assert not list(out.glob("part-*"))
    assert not (out / MANIFEST).exists()
    assert run("verify", out)[0] == 3
    if (out / WORK).exists():
        assert sent == signal.SIGKILL
        assert oct((out / WORK).stat().st_mode & 0o777) == "0o700"
    code, text = run(*command, *parts[:4], "--resume")
    assert code == 0, text
    assert not (out / WORK).exists()
    anonymize_parts(
        str(path),
        model_of(3, {}),
        tmp_path / "fresh",
        part_records=500,
        block_rows=500,
        seed=1,
        publish="all",
    )
    assert contents(out) == contents(tmp_path / "fresh")


def test_a_full_disk(tmp_path, monkeypatch):
    path = write_people(tmp_path / "people.csv", people(200, 1))
    out = tmp_path / "out"
    command = ("anonymize", path, *asked(), "--publish", "all", "-o", out, "--engine", "stream")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(block_steps, "_save", full)
        code, text = run(*command)
    assert (code, "No space left" in text) == (3, True)
    assert not (out / WORK).exists()
    assert not (out / MANIFEST).exists()
    assert run(*command, "--resume")[0] == 0


def test_an_input_that_changes_meanwhile_is_refused(tmp_path, monkeypatch):
    path = write_people(tmp_path / "people.csv", people(200, 1))
    deal = block_steps.deal_part

    def changed(job: object) -> object:
        write_people(path, people(200, 2))
        return deal(job)

    monkeypatch.setattr("withhold.parts.blocks_release.deal_part", changed)
    with pytest.raises(wh.WithholdError, match="was changed while it was released"):
        anonymize_parts(str(path), model_of(3, {}), tmp_path / "out", publish="all")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--missing", "wildcard"), "--missing wildcard"),
        (("--cost", "hybrid"), "weigh each cell against all others"),
        (("--cells", "sets"), "a search of its own"),
        (("--polish-moves", 5), "polishing improves"),
        (("--hierarchy", "age=width:5"), "trees are built from the whole table"),
        (("--bound",), "do not add up"),
        (("--consent", "yes.txt"), "--consent is for"),
        (("--block-rows", 0), "must be at least 1"),
        (("--decimal", "comma"), "looks at the whole column"),
    ],
)
def test_mistakes_by_parts(tmp_path, arguments, said):
    path = write_people(tmp_path / "people.csv", people(60, 1))
    command = ("anonymize", path, *asked(), "--publish", "all", "-o", tmp_path / "out")
    code, text = run(*command, "--engine", "stream", *arguments)
    assert code == 2, text
    assert said in text


@pytest.mark.parametrize(
    "options",
    [{"cost": "mar"}, {"search": "paper"}, {"cells": "sets"}, {"polish_moves": 5}],
)
def test_blocks_that_do_not_fit_are_refused(options):
    table = wh.Table.from_columns(people(60, 1))
    with pytest.raises(PolicyError, match=r"block.rows"):
        wh.anonymize(table, model_of(3, {}), block_rows=10, publish="all", **options)


def test_tables_that_cannot_be_released(tmp_path):
    path = write_people(tmp_path / "people.csv", people(60, 1))
    with pytest.raises(ImpossibleError, match="choose a smaller k"):
        anonymize_parts(str(path), model_of(61, {}), tmp_path / "out", publish="all")
    model = model_of(2, {"l": 9})
    with pytest.raises(ImpossibleError, match="choose a smaller l"):
        anonymize_parts(str(path), model, tmp_path / "out", publish="all", force=True)
    write_people(tmp_path / "other.csv", {"age": ["1"], "sex": ["f"]})
    with pytest.raises(InputError, match="columns"):
        anonymize_parts(str(tmp_path / "*.csv"), model_of(2, {}), tmp_path / "out", force=True)
    numbers = tmp_path / "numbers"
    numbers.mkdir()
    columns = people(60, 1)
    write_people(numbers / "a.parquet", columns)
    pl.DataFrame(columns).with_columns(pl.col("age").cast(pl.Int64)).write_parquet(
        numbers / "b.parquet"
    )
    with pytest.raises(InputError, match="in some files and"):
        anonymize_parts(str(numbers), model_of(2, {}), tmp_path / "out", publish="all", force=True)


def test_columns_that_may_identify_people_are_asked_about(tmp_path):
    columns = people(200, 1) | {"name": [f"person {n}" for n in range(200)]}
    path = write_people(tmp_path / "people.csv", columns)
    code, text = run("anonymize", path, *asked(), "--engine", "stream", "-o", tmp_path / "out")
    assert code == 2
    assert "name" in text
    assert text.count("may identify") <= 2
