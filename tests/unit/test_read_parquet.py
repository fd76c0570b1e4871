"""Damaged parquet files: an error of the input, never a panic of the library that reads them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from withhold.errors import InputError
from withhold.formats import consent, parquet, read, read_table
from withhold.formats.constraints import read_constraints

N_DAMAGED = 600

FUZZ = """
import io, random, sys
from pathlib import Path
import polars as pl
from withhold.errors import InputError
from withhold.formats import read, read_table

def packed(columns, compression):
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer, compression=compression)
    return buffer.getvalue()

originals = [
    packed({"tid": ["a", "a", "b"], "item": ["x", "y", None]}, "uncompressed"),
    packed({"tid": ["a", "a", "b"], "item": ["x", "y", None]}, "zstd"),
    packed({"record": ["p", "q"], "items": [["x", "y"], []]}, "snappy"),
    packed({"a": [1, 0], "b": [True, False]}, "uncompressed"),
]
path = Path(sys.argv[1])
n_read = n_refused = 0
for seed in range(int(sys.argv[2]), int(sys.argv[3])):
    rng = random.Random(seed)
    data = bytearray(rng.choice(originals))
    if rng.random() < 0.2:
        data = data[: rng.randrange(4, len(data))]
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        data[rng.randrange(4, len(data))] = rng.randrange(256)
    path.write_bytes(data)
    print(seed, flush=True)
    for reader in (read, read_table):
        try:
            reader(path)
            n_read += 1
        except InputError:
            n_refused += 1
print("done", n_read, n_refused)
"""


def test_thousands_of_damaged_files_are_read_or_refused(tmp_path):
    """In a process of its own: polars may abort at a size that no machine has, which ends the process."""
    start, aborted = 0, 0
    while start < N_DAMAGED:
        done = subprocess.run(
            [sys.executable, "-c", FUZZ, str(tmp_path / "a.parquet"), str(start), str(N_DAMAGED)],
            capture_output=True,
            text=True,
        )
        *_, last = done.stdout.splitlines()
        assert done.returncode in (0, InputError.exit_code), done.stderr
        if done.returncode == 0:
            assert done.stderr == ""
            n_read, n_refused = map(int, last.split()[1:])
            assert n_read > 0
            assert n_refused > n_read
            break
        assert done.stderr.count("\n") == 1
        assert "a.parquet: is a broken parquet file" in done.stderr
        start, aborted = int(last) + 1, aborted + 1
    assert aborted <= N_DAMAGED // 200


@pytest.fixture
def panicking(monkeypatch, tmp_path):
    """A parquet file at which polars panics, loudly."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"tid": ["a", "b"], "item": ["x", "y"], "ok": [1, 0]}).write_parquet(path)

    def panic(*_):
        import os

        os.write(2, b"thread 'main' panicked at lib.rs\n")
        raise pl.exceptions.PanicException("assertion failed\nstack backtrace:")

    def now():
        monkeypatch.setattr(pl, "read_parquet", panic)
        monkeypatch.setattr(pl, "scan_parquet", panic)
        return path

    return now


def test_a_panic_is_an_input_error_without_a_backtrace(panicking, capfd):
    path = panicking()
    for reader in (read, read_table):
        with pytest.raises(InputError, match="is a broken parquet file: assertion failed"):
            reader(path)
    assert capfd.readouterr().err == ""


def test_a_panic_in_constraints_or_consent_is_one_too(panicking, tmp_path):
    table = read(tmp_path / "a.parquet", record_column="tid", item_column="item")
    path = panicking()
    with pytest.raises(InputError, match="is a broken parquet file"):
        read_constraints(path, table)
    with pytest.raises(InputError, match="is a broken parquet file"):
        consent.only_with_consent(table, path, "ok")


def test_what_is_written_to_stderr_meanwhile_is_not_lost(monkeypatch, capfd):
    import os

    def talk(_):
        os.write(2, b"a warning\n")
        return pl.DataFrame({"a": [1]})

    monkeypatch.setattr(pl, "read_parquet", talk)
    parquet.read_parquet(b"", "a.parquet")
    assert capfd.readouterr().err == "a warning\n"


def test_no_stderr_is_no_obstacle(tmp_path: Path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"items": [["x"], []]}).write_parquet(path)
    code = (
        "import os, sys; os.close(2); sys.stderr = None\n"
        "import withhold\nprint(len(withhold.read(sys.argv[1])))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.stdout == "2\n"


@pytest.mark.skipif(os.name != "posix", reason="a handler in C is installed on POSIX systems only")
def test_an_abort_of_compiled_code_ends_with_a_message_and_the_code_of_bad_input():
    script = (
        "import os; from withhold.formats import parquet; parquet._guarded('a.parquet', os.abort)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == InputError.exit_code
    assert done.stderr.startswith("withhold: a.parquet: is a broken parquet file")
    assert done.stderr.count("\n") == 1
