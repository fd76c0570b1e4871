"""The kernels that read and write text return what their plain twins return."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from twins import plain_formats
from withhold.formats.joining import join_items
from withhold.formats.tokens import (
    NOT_SHORT,
    count_items,
    cut_lines,
    fill_slots,
    number_words,
    pack_rows,
)

separators = st.sampled_from(list(b", \t;"))
letters = st.sampled_from([b"a", b"b", b"\xc3\xa4", b",", b" ", b"\t", b"\n", b"\xff"])
short = st.lists(letters, max_size=40).map(b"".join)
long = st.lists(st.sampled_from([b"abcdefgh", b"abcdefghi", b",", b"\n"])).map(b"".join)
texts = st.one_of(short, long).map(lambda text: text + b"\n")


def as_bytes(words: np.ndarray) -> list[bytes]:
    return [int(word).to_bytes(8, "little").rstrip(b"\0") for word in words]


@examples(400)
@given(texts, separators)
def test_cut_lines(text, separator):
    reference = plain_formats.cut_lines(text, separator)
    words, lengths = np.empty(len(text), dtype=np.uint64), np.empty(len(text), dtype=np.int64)
    n_items, n_lines = cut_lines(np.frombuffer(text, np.uint8), separator, words, lengths)
    if n_items == NOT_SHORT:
        result = None
    else:
        items = iter(as_bytes(words[:n_items]))
        result = [[next(items) for _ in range(length)] for length in lengths[:n_lines]]
        assert next(items, None) is None
    assert result == reference


@examples(400)
@given(texts, separators)
def test_count_items(text, separator):
    reference = plain_formats.count_items(text, separator)
    result = count_items(np.frombuffer(text, np.uint8), separator)
    assert tuple(result) == reference


@st.composite
def some_words(draw: st.DrawFn):
    """Different words that are there already, and more that may be any."""
    word = st.one_of(st.integers(1, 12), st.integers(1, 2**64 - 1))
    return draw(st.lists(word, unique=True, max_size=8)), draw(st.lists(word, max_size=30))


@examples(300)
@given(some_words(), st.sampled_from([8, 16, 32]), st.integers(0, 3))
def test_number_words(problem, room, start):
    already, words = problem
    start = min(start, len(words))
    reference = plain_formats.number_words(words[start:], already, room)
    distinct = np.zeros(room, dtype=np.uint64)
    distinct[: len(already)] = already
    slots = np.zeros(2 * room, dtype=np.int32)
    fill_slots(distinct[: len(already)], slots)
    codes = np.full(len(words), -1, dtype=np.int32)
    done, n_distinct = number_words(
        np.array(words, dtype=np.uint64), codes, slots, distinct, len(already), start
    )
    assert (codes[start:done].tolist(), distinct[:n_distinct].tolist()) == reference
    assert (codes[:start] == -1).all()
    assert (codes[done:] == -1).all()


@examples(200)
@given(some_words())
def test_fill_slots(problem):
    distinct = np.array(problem[0], dtype=np.uint64)
    reference = plain_formats.fill_slots(problem[0])
    slots = np.zeros(16, dtype=np.int32)
    fill_slots(distinct, slots)
    assert sorted(slots[slots > 0].tolist()) == [place + 1 for place in reference.values()]
    codes = np.empty(len(distinct), dtype=np.int32)
    number_words(distinct, codes, slots, distinct, len(distinct), 0)
    assert dict(zip(problem[0], codes.tolist(), strict=True)) == reference


@examples(200)
@given(
    st.lists(st.lists(st.integers(0, 5), max_size=5), max_size=8),
    st.permutations([0, 1, 2, 5, 9, 15]),
    st.integers(4, 28),
)
def test_pack_rows(rows, ranks, bits):
    reference = plain_formats.pack_rows(rows, ranks, bits)
    codes = np.array([code for row in rows for code in row], dtype=np.int32)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    keys = np.empty(len(codes), dtype=np.uint32)
    pack_rows(lengths, codes, np.array(ranks, dtype=np.int32), bits, keys)
    assert keys.tolist() == reference


@examples(200)
@given(
    st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=8),
    st.lists(st.binary(min_size=1, max_size=9), min_size=4, max_size=4),
    separators,
    st.integers(0, 2),
)
def test_join_items(rows, names, separator, first):
    reference = plain_formats.join_items(rows[first:], names, separator)
    offsets = np.cumsum([0, *map(len, rows)])[first:]
    items = np.array([code for row in rows[first:] for code in row], dtype=np.int32)
    starts = np.cumsum([0, *map(len, names)])
    text = np.zeros(len(reference) + 8, dtype=np.uint8)
    letters = np.frombuffer(b"".join(names), dtype=np.uint8)
    end = join_items(
        offsets if len(offsets) else np.zeros(1, int), items, letters, starts, separator, text
    )
    assert text[:end].tobytes() == reference
