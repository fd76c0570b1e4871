"""What codes mean: read from a file with two columns, or from two columns of the data."""

from __future__ import annotations

import os
from collections import Counter

from withhold.data.column_lists import split_pairs
from withhold.errors import InputError, PolicyError
from withhold.formats.table import read_table


def read_descriptions(wanted: str, data: str | None) -> dict[str, str]:
    """The description of each code; ``wanted`` is a file, or ``CODE=DESCRIPTION``, two columns of ``data``.

    The file has a header, the code in its first column and the description in its second. Of several
    descriptions of a code the most frequent is taken, and of these the first in the alphabet.
    """
    is_file = os.path.isfile(wanted) or "=" not in wanted
    if not is_file and (data is None or data == "-"):
        raise PolicyError(
            "--describe CODE=DESCRIPTION names columns of the data, which cannot be read again here; give "
            "a file with two columns"
        )
    table = read_table(wanted if is_file else data)  # type: ignore[arg-type]  # it is not None
    if is_file:
        if len(table.names) < 2:
            raise InputError(
                "has one column, and descriptions need two",
                path=wanted,
                remedy="write the code in the first column and its description in the second",
            )
        names: tuple[str, ...] = table.names[:2]
    else:
        pairs = split_pairs(wanted, "descriptions")
        if len(pairs) != 1:
            raise PolicyError("--describe names one column of codes and one of descriptions")
        names = next(iter(pairs.items()))
    codes, texts = (table.column(name).cells().tolist() for name in names)
    counts = Counter((code, text.strip()) for code, text in zip(codes, texts, strict=True) if text)
    found: dict[str, str] = {}
    for (code, text), _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0][1])):
        if code and text:
            found.setdefault(code.strip(), text)
    return found
