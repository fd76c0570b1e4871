"""Files before their format matters: packing, encodings, and everything that can be wrong."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from withhold.errors import InputError
from withhold.formats import opening, read

BASKETS = b"beer bread\n\nbeer\n"
ROWS = [["beer", "bread"], [], ["beer"]]


def refused(path: Path | str, **options: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    return caught.value


def put(folder: Path, data: bytes, name: str = "a.dat") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


PACKED = {
    "plain": (BASKETS, ""),
    "gzip": (gzip.compress(BASKETS), "gz"),
    "two gzip members": (gzip.compress(BASKETS[:7]) + gzip.compress(BASKETS[7:]), "gz"),
    "padded gzip": (gzip.compress(BASKETS) + b"\0" * 512, "gz"),
    "zstd": (zstandard.compress(BASKETS), "zst"),
    "two zstd frames": (zstandard.compress(BASKETS[:7]) + zstandard.compress(BASKETS[7:]), "zst"),
}


@pytest.mark.parametrize("kind", PACKED)
def test_packing_is_found_by_content_not_by_name(tmp_path: Path, kind: str) -> None:
    data, compression = PACKED[kind]
    table = read(put(tmp_path, data, "misnamed.dat"))
    assert table.to_lists() == ROWS
    assert table.source is not None
    assert table.source.compression == compression
    assert table.source.sha256 == hashlib.sha256(data).hexdigest()


def test_large_archives_are_unpacked_whole(tmp_path: Path) -> None:
    data = b"".join(b"%d %d\n" % (n, n % 97) for n in range(200_000))
    for packed in (gzip.compress(data, 1), zstandard.compress(data)):
        assert opening.open_bytes(put(tmp_path, packed)).data == data


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"\xef\xbb\xbfbeer\n", [["beer"]]),
        (b"beer\r\nbread\r\n", [["beer"], ["bread"]]),
        (b"beer\r\n\r\nbread", [["beer"], [], ["bread"]]),
        (b"beer\r\nbread\r", [["beer"], ["bread"]]),
        (b"beer", [["beer"]]),
        (b"\n", [[]]),
        (b"beer\n\n", [["beer"], []]),
        ("ñandú Ärger\n".encode(), [["ñandú", "Ärger"]]),
    ],
)
def test_marks_and_line_ends_do_not_matter(
    tmp_path: Path, data: bytes, rows: list[list[str]]
) -> None:
    assert read(put(tmp_path, data)).to_lists() == [sorted(row) for row in rows]


def test_standard_input_is_read_as_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(gzip.compress(BASKETS)))
    monkeypatch.setattr(sys, "stdin", stdin)
    table = read("-")
    assert table.to_lists() == ROWS
    assert table.source is not None
    assert (str(table.source.path), table.source.format) == ("-", "basket")
    assert not stdin.closed


def test_standard_input_names_itself_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert str(refused("-")).startswith("standard input: is empty")


def test_a_pipe_is_read_to_its_end() -> None:
    reading, writing = os.pipe()
    os.write(writing, BASKETS)
    os.close(writing)
    try:
        assert read(f"/dev/fd/{reading}").to_lists() == ROWS
    finally:
        os.close(reading)


def test_missing_file(tmp_path: Path) -> None:
    error = refused(tmp_path / "nowhere.dat")
    assert "nowhere.dat: does not exist" in str(error)
    assert error.exit_code == 3


def test_directory(tmp_path: Path) -> None:
    assert "is a directory" in str(refused(tmp_path))


def test_a_path_no_system_accepts() -> None:
    assert "cannot be read" in str(refused("a\0b"))


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, BASKETS)

    def forbid(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbid)
    assert "permission denied" in str(refused(path))


def test_device_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, BASKETS)

    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("builtins.open", fail)
    assert "cannot be read: Input/output error" in str(refused(path))


BROKEN = {
    "empty": (b"", "is empty", None),
    "only a byte-order mark": (b"\xef\xbb\xbf", "is empty", None),
    "empty archive": (gzip.compress(b""), "holds nothing once unpacked", None),
    "truncated gzip": (gzip.compress(BASKETS * 999)[:-20], "ends too early", None),
    "gzip cut in its header": (gzip.compress(BASKETS)[:5], "ends too early", None),
    "broken gzip": (gzip.compress(BASKETS)[:-8] + b"x" * 8, "broken gzip", None),
    "gzip and something else": (gzip.compress(BASKETS) + b"junk", "broken gzip", None),
    "truncated zstd": (zstandard.compress(BASKETS * 999)[:-5], "ends too early", None),
    "broken zstd": (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "broken zstd", None),
    "NUL": (b"beer\nbr\0ead\n", "NUL byte", 2),
    "Cyrillic": ("beer\nbread\nпиво\n".encode("cp1251"), "is not UTF-8", 3),
    "cut inside a character": ("beer\ncafé".encode()[:-1], "is not UTF-8", 2),
    "half of UTF-16": ("beer\n".encode("utf-16")[:-1], "is not utf-16 text", None),
    "spreadsheet": (b"PK\x03\x04rest", "spreadsheet", None),
    "bzip2": (b"BZh91AY&SY", "bzip2", None),
    "xz": (b"\xfd7zXZ\x00", "xz", None),
    "two kinds of line ends": (b"beer\nbread\rale\n", "carriage return", 2),
    "binary garbage": (bytes(range(128, 256)) * 40, "is not UTF-8", 1),
    "parquet in name only": (b"PAR1 and then nothing of the kind", "broken parquet", None),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_files_are_one_clear_error(tmp_path: Path, kind: str) -> None:
    data, words, line = BROKEN[kind]
    error = refused(put(tmp_path, data))
    assert words in str(error)
    assert str(error).startswith(str(tmp_path))
    assert error.line == line


def test_every_broken_file_comes_with_a_remedy(tmp_path: Path) -> None:
    for data, _, _ in BROKEN.values():
        assert "To fix it: " in str(refused(put(tmp_path, data)))


@pytest.mark.parametrize("start", [b"", b"x"])
def test_invalid_utf8_is_found_across_blocks(tmp_path: Path, start: bytes) -> None:
    # One of the two starts makes the edge of a block cut a character in half.
    data = start + ("é".encode() * 50 + b"\n") * 40_000
    error = refused(put(tmp_path, data + b"\xe9\n"))
    assert (error.line, error.value) == (40_001, "byte 0xe9")
    assert len(read(put(tmp_path, data))) == 40_000


def test_an_endless_line_fails_fast_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    with path.open("wb") as file:
        file.write(b"beer\nbread\n")
        for _ in range(100):
            file.write(b"x" * 2**20)
    tracemalloc.start()
    error = refused(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "line longer than 16 MiB" in str(error)
    assert error.line == 3
    assert peak < 60 * 2**20


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_an_endless_line_in_an_archive_is_not_unpacked(tmp_path: Path, kind: str) -> None:
    data = b"beer\n" + b"x" * (64 * 2**20)
    packed = gzip.compress(data, 1) if kind == "gz" else zstandard.compress(data)
    path = put(tmp_path, packed)
    del data
    tracemalloc.start()
    error = refused(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (error.line, "16 MiB" in str(error)) == (2, True)
    assert peak < 60 * 2**20


def test_a_line_of_just_the_limit_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "LONGEST_LINE", 20)
    monkeypatch.setattr(opening, "BLOCK", 8)
    fine = b"beer\n" + b"x" * 20 + b"\nale\n"
    assert len(read(put(tmp_path, fine))) == 3
    assert refused(put(tmp_path, b"beer\n" + b"x" * 21 + b"\nale\n")).line == 2


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "EXPANSION_FROM", 2**20)
    path = put(tmp_path, gzip.compress(b"\n" * 2**23))
    assert "250-fold" in str(refused(path))


def test_unknown_format_names_the_nearest(tmp_path: Path) -> None:
    error = refused(put(tmp_path, BASKETS), format="bascet")
    assert "there is no format 'bascet'" in str(error)
    assert "'basket'" in str(error)


@pytest.mark.parametrize("separator", ["", ",,", "a", "7", "\n", '"', "é"])
def test_impossible_separators(tmp_path: Path, separator: str) -> None:
    assert "one ASCII character" in str(refused(put(tmp_path, BASKETS), separator=separator))


@pytest.mark.parametrize(
    ("format", "words"),
    [
        ("jsonl", "is not a line of JSON"),
        ("spmf", "number from 0 up"),
        ("long", "a long table needs a record and an item column"),
        ("one-hot", "neither 0 nor 1"),
    ],
)
def test_a_format_that_does_not_fit(tmp_path: Path, format: str, words: str) -> None:
    path = put(tmp_path, b"beer\nbread\n")
    assert words in str(refused(path, format=format))


def test_parquet_is_no_text_whatever_is_said(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "a.parquet"
    pl.DataFrame({"items": [["a"]]}).write_parquet(path)
    assert "cannot be read as 'basket'" in str(refused(path, format="basket"))
