"""The kernels that read text in obvious Python; see ``plain_counting``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

LONGEST = 8
"""Bytes of an item that fit one word."""


def cut_lines(text: bytes, separator: int) -> list[list[bytes]] | None:
    """The items of each line; nothing if one has more than eight bytes or blanks around it.

    Nothing between two separators is no item.

    >>> cut_lines(b"b,,ale\\n\\n", ord(","))
    [[b'b', b'ale'], []]
    >>> cut_lines(b"b, ale\\n", ord(","))
    """
    lines = [
        [item for item in line.split(bytes([separator])) if item] for line in text.split(b"\n")[:-1]
    ]
    if any(len(item) > LONGEST or item != item.strip(b" \t") for line in lines for item in line):
        return None
    return lines


def count_items(text: bytes, separator: int) -> tuple[int, int]:
    """How many items there are, of any length and with any blanks, and how many lines.

    >>> count_items(b"b, ,ale\\n\\n", ord(","))
    (3, 2)
    """
    items = re.split(b"[\n" + re.escape(bytes([separator])) + b"]", text)
    return sum(item != b"" for item in items), text.count(b"\n")


def number_words(
    words: Iterable[int], distinct: Sequence[int], room: int
) -> tuple[list[int], list[int]]:
    """The number of each word, and the different words in the order in which they are met.

    The words of ``distinct`` have numbers already. It ends before a word for which there is no room.

    >>> number_words([7, 5, 7, 4, 7], [5], 2)
    ([1, 0, 1], [5, 7])
    """
    met = list(distinct)
    codes = []
    for word in words:
        if word not in met:
            if len(met) == room:
                break
            met.append(word)
        codes.append(met.index(word))
    return codes, met


def fill_slots(distinct: Iterable[int]) -> Mapping[int, int]:
    """The number of each word: its place.

    >>> fill_slots([7, 5])
    {7: 0, 5: 1}
    """
    return {word: place for place, word in enumerate(distinct)}


def pack_rows(rows: Iterable[Iterable[int]], ranks: Sequence[int], bits: int) -> list[int]:
    """For each code a number: its row, written before ``bits`` bits for its rank.

    >>> [f"{key:b}" for key in pack_rows([[1, 0], [0]], [3, 1], 4)]
    ['1', '11', '10011']
    """
    return [row * 2**bits + ranks[code] for row, codes in enumerate(rows) for code in codes]


def join_items(rows: Iterable[Iterable[int]], names: Sequence[bytes], separator: int) -> bytes:
    """A line for each row of codes, with the separator between two items.

    >>> join_items([[1, 0], []], [b"ale", b"tea"], ord(","))
    b'tea,ale\\n\\n'
    """
    between = bytes([separator])
    return b"".join(between.join(names[code] for code in row) + b"\n" for row in rows)
