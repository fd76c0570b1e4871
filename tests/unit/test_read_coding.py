"""The vectorised and the compiled reader against their plain twin, and hash tables against bad luck."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from withhold.formats import basket, coding, compiled
from withhold.formats.basket import read_rows
from withhold.formats.coding import SPREAD, Coded, code_with_numpy, distinct_keys, distinct_words
from withhold.formats.compiled import Numbering, code_short_items, rank_rows
from withhold.formats.opening import Text
from withhold.formats.rows import sort_rows
from withhold.formats.tokens import slot_of

SEPARATORS = [" ", ",", ";", "\t", "|"]


def plain(data: bytes, separator: str) -> list[list[str]]:
    return [sorted(set(row)) for row in read_rows(Text(data, "a"), separator)]


def fast(
    data: bytes, separator: str, code: Callable[[bytes, int], Coded | None] = code_with_numpy
) -> list[list[str]] | None:
    coded = code(data, ord(separator))
    if coded is None:
        return None
    lengths, codes, vocabulary, repeated = coded
    assert list(vocabulary) == sorted(set(vocabulary))
    assert set(codes.tolist()) == set(range(len(vocabulary)))
    tokens = sum(len(row) for row in read_rows(Text(data, "a"), separator))
    assert repeated == tokens - len(codes)
    names = [vocabulary[code] for code in codes.tolist()]
    ends = np.cumsum(lengths).tolist()
    return [names[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]


alphabet = st.sampled_from("ab0 1\t,;|é\u20ac\U0001f600'\x0b\x1c\x85\u2028\u3000")
lines = st.lists(st.text(alphabet, max_size=30), min_size=1, max_size=12)


@given(lines=lines, separator=st.sampled_from(SEPARATORS))
def test_fast_reading_equals_plain_reading(lines: list[str], separator: str) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    assert fast(data, separator) == plain(data, separator)


@given(lines=lines, separator=st.sampled_from(SEPARATORS), size=st.integers(1, 40))
def test_pieces_of_any_size_give_the_same(lines: list[str], separator: str, size: int) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "PIECE", size)
        assert fast(data, separator) == plain(data, separator)


short_items = st.text(st.sampled_from("ab01é\x0b"), max_size=9)
short_lines = st.lists(st.lists(short_items, max_size=9), min_size=1, max_size=30)


@examples(300)
@given(lines=short_lines, separator=st.sampled_from(SEPARATORS), size=st.integers(1, 60))
def test_compiled_reading_equals_plain_reading(
    lines: list[list[str]], separator: str, size: int
) -> None:
    data = "".join(separator.join(line) + "\n" for line in lines).encode()
    are_short = all(len(item.encode()) <= 8 for line in lines for item in line)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "PIECE", size)
        patch.setattr(compiled, "FEWEST_BYTES", size)
        patch.setattr(compiled, "FEWEST_SLOTS", 4)
        found = fast(data, separator, code_short_items)
    assert found == (plain(data, separator) if are_short else None)


@examples(200)
@given(lines=lines, separator=st.sampled_from(SEPARATORS))
def test_compiled_reading_gives_way_to_long_items_and_blanks(
    lines: list[str], separator: str
) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    assert fast(data, separator, code_short_items) in (None, plain(data, separator))
    assert fast(data, separator, basket.code_lines) == plain(data, separator)


def test_compiled_reading_of_many_items_equals_that_with_numpy() -> None:
    data = b"".join(b"%d %d %d \n" % (n * 7919 % 100_003, n, n % 10) for n in range(90_000))
    compiled_way, numpy_way = code_short_items(data, 32), code_with_numpy(data, 32)
    assert compiled_way is not None
    assert numpy_way is not None
    for ours, theirs in zip(compiled_way, numpy_way, strict=True):
        assert np.array_equal(ours, theirs)


def test_numbering_when_words_meet_in_one_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FEWEST_SLOTS", 256)
    slots = np.array([slot_of(np.uint64(word), 255) for word in range(9999)])
    meeting = np.flatnonzero(slots == 255).astype(np.uint64)
    numbering = Numbering()
    words = np.concatenate([meeting, meeting])
    codes = np.empty(len(words), dtype=np.int32)
    numbering.number(words, codes)
    assert len(meeting) > 30
    assert codes.tolist() == [*range(len(meeting)), *range(len(meeting))]
    assert numbering.items.tolist() == meeting.tolist()


@given(st.lists(st.lists(st.integers(0, 9), max_size=40), max_size=40), st.integers(1, 50))
def test_rank_rows_sorts_and_merges_within_rows(rows: list[list[int]], room: int) -> None:
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    codes = np.array([code for row in rows for code in row], dtype=np.int32)
    ranks = np.array([3, 1, 4, 9, 5, 2**20, 6, 2**31 - 1, 0, 7], dtype=np.int32)
    n_kept = rank_rows(lengths, codes, ranks, np.empty(room, dtype=np.uint32))
    expected = [sorted({int(ranks[code]) for code in row}) for row in rows]
    assert lengths.tolist() == [len(row) for row in expected]
    assert codes[:n_kept].tolist() == [rank for row in expected for rank in row]


@given(sizes=st.lists(st.integers(1, 70), min_size=1, max_size=8))
def test_items_of_every_length(sizes: list[int]) -> None:
    # Items that agree in all but their last byte, so that every word of them counts.
    items = ["x" * (size - 1) + last for size in sizes for last in "yz"]
    data = ",".join(items).encode() + b"\n"
    expected = plain(data, ",") if max(sizes) <= coding.LONGEST else None
    assert fast(data, ",") == expected


def test_blanks_at_every_edge() -> None:
    for data in (b" \n", b",\n", b" , a\t,,b ,\n", b"\t a b\t\n ,\n", b"a\n\n\n", b", ,\n,a\n"):
        assert fast(data, ",") == plain(data, ",")


def test_many_items_survive_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "PIECE", 1 << 14)
    data = b"".join(b"%d %d %d\n" % (n * 7919 % 100_003, n, n % 10) for n in range(40_000))
    assert fast(data, " ") == plain(data, " ")


@given(st.lists(st.integers(0, 2**64 - 1), max_size=200))
def test_distinct_keys_finds_each_key_once(values: list[int]) -> None:
    keys = np.array(values, dtype=np.uint64)
    distinct, codes = distinct_keys(keys)
    assert sorted(distinct.tolist()) == sorted(set(values))
    assert distinct[codes].tolist() == values


def colliding(multiplier: int, n: int) -> list[int]:
    """Keys that all fall into one slot under this multiplier."""
    inverse = pow(multiplier, -1, 2**64)
    return [(5 << 60 | value) * inverse % 2**64 for value in range(1, n + 1)]


@pytest.mark.parametrize("which", [0, 1])
def test_distinct_keys_when_all_keys_collide(which: int) -> None:
    values = colliding(int(SPREAD[which]), 300) * 3
    distinct, codes = distinct_keys(np.array(values, dtype=np.uint64))
    assert sorted(distinct.tolist()) == sorted(set(values))
    assert distinct[codes].tolist() == values


def test_distinct_keys_when_the_first_key_is_overwritten() -> None:
    # The first key also marks empty slots; a later key in its slot must not hide it.
    first, other = colliding(int(SPREAD[0]), 2)
    for values in ([first, other], [first, other, first], [other, first, other, 0]):
        distinct, codes = distinct_keys(np.array(values, dtype=np.uint64))
        assert sorted(distinct.tolist()) == sorted(set(values))
        assert distinct[codes].tolist() == values


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=40))
def test_distinct_words_compares_all_words(items: list[tuple[int, int, int]]) -> None:
    columns = [np.array([item[j] for item in items], dtype=np.uint64) for j in range(3)]
    distinct, codes = distinct_words(columns)
    found = list(zip(*(word.tolist() for word in distinct), strict=True))
    assert sorted(found) == sorted(set(items))
    assert [found[code] for code in codes] == items


@given(st.lists(st.lists(st.integers(0, 9), max_size=40), max_size=40))
def test_sort_rows_sorts_and_merges_within_rows(rows: list[list[int]]) -> None:
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    codes = np.array([code for row in rows for code in row], dtype=np.int32)
    kept, items = sort_rows(lengths, codes, 10)
    expected = [sorted(set(row)) for row in rows]
    assert kept.tolist() == [len(row) for row in expected]
    assert items.tolist() == [code for row in expected for code in row]


def test_sort_rows_beyond_32_bits() -> None:
    n_items = 2**31 - 1
    codes = np.array([n_items - 1, 3, 7, 7, n_items - 2, 0], dtype=np.int32)
    kept, items = sort_rows(np.array([2, 0, 4]), codes, n_items)
    assert kept.tolist() == [2, 0, 3]
    assert items.tolist() == [3, n_items - 1, 0, 7, n_items - 2]
