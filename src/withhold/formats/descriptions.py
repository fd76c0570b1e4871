"""What codes mean: read from a file with two columns, or from two columns of the data."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from withhold.data import Table
from withhold.data.column_lists import split_pairs
from withhold.describing import MARK
from withhold.errors import InputError, PolicyError
from withhold.formats.columns import Options
from withhold.formats.databases import is_query
from withhold.formats.opening import open_bytes
from withhold.formats.people_items import how_said, named_items
from withhold.formats.table import read_opened, read_table


def read_descriptions(
    wanted: str, data: str | None, items: Sequence[str] = (), how: Options | None = None
) -> dict[str, str]:
    """The description of each code; ``wanted`` is a file, or ``CODE=DESCRIPTION``, two columns of ``data``.

    The file has a header, the code in its first column and the description in its second. For people, the
    columns are those of the files of ``items`` that have both; ``how`` says how the data are read. If a code
    has several descriptions, the most frequent is taken, and among equally frequent ones the first in
    alphabetical order.
    """
    if os.path.isfile(wanted) or "=" not in wanted:
        table = read_table(wanted)
        if len(table.names) < 2:
            raise InputError(
                "has one column, and descriptions need two",
                path=wanted,
                remedy="write the code in the first column and its description in the second",
            )
        return _most_frequent(table, *table.names[:2])
    pairs = split_pairs(wanted, "descriptions")
    if len(pairs) != 1:
        raise PolicyError("--describe names one column of codes and one of descriptions")
    if data is None or data == "-":
        raise PolicyError(
            "--describe CODE=DESCRIPTION names columns of the data, which cannot be read again here; give "
            "a file with two columns"
        )
    code, text = next(iter(pairs.items()))
    found: dict[str, str] = {}
    for prefix, table in _tables(data, items, (code, text), how or Options()):
        meaning = _most_frequent(table, code, text)
        found |= {prefix + name: words for name, words in meaning.items()}
    return found


def _tables(
    data: str, items: Sequence[str], columns: Sequence[str], how: Options
) -> Iterator[tuple[str, Table]]:
    """The data; for people, the files of items that have both columns, each with its prefix."""
    if not items:
        yield "", _table(data, how)
        return
    files = named_items(list(items), Path(data))
    tables = {part: _table(file, how) for part, file in files.items()}
    with_both = {p: table for p, table in tables.items() if {*columns} <= {*table.names}}
    for part, table in (with_both or dict(list(tables.items())[:1])).items():
        yield f"{part}{MARK}" if len(files) > 1 else "", table


def _table(source: str | Path, how: Options) -> Table:
    if is_query(source):
        return read_table(source)
    opened = open_bytes(Path(source))
    return read_opened(opened, how.separator, **how_said(opened, how))


def _most_frequent(table: Table, code: str, text: str) -> dict[str, str]:
    codes, texts = (table.column(name).cells().tolist() for name in (code, text))
    counts = Counter((code, text.strip()) for code, text in zip(codes, texts, strict=True) if text)
    found: dict[str, str] = {}
    for (name, words), _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0][1])):
        if name and words:
            found.setdefault(name.strip(), words)
    return found
