"""Items are strings: what becomes of everything else.

Whole numbers become their digits (also ``3.0``, which is what pandas makes of 3 beside a blank);
other fractions, truth values, dates, blanks and nested lists are refused, because their
spelling would be a guess. So are names that are empty or nothing but whitespace. Other strings are taken
as they are: leading zeros survive. What of them is the name, ``data.names`` says.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.data.names import clean
from withhold.errors import InputError
from withhold.formats.opening import open_bytes, text_of

if TYPE_CHECKING:
    import polars

REMEDY = "turn the items into strings first"
NO_BLANKS = "leave blanks out of the records"


def item_name(
    value: Any,
    *,
    path: str | None = None,
    line: int | None = None,
    column: str | None = None,
    where: str = "",
) -> str:
    """The name of an item given as any Python value."""
    shown: str | None
    if isinstance(value, str):
        if value and not value.isspace():
            return str(value)
        problem = f"{where}an item has no name"
        raise InputError(problem, path=path, line=line, column=column, remedy=NO_BLANKS)
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        kind = "blank" if value is None else type(value).__name__
        problem = f"{where}an item is neither text nor a whole number but a {kind}"
        shown = None if value is None else repr(value)
    elif isinstance(value, int | np.integer):
        return str(int(value))
    elif _is_whole(float(value.real)):
        return str(int(value.real))
    else:
        problem, shown = f"{where}an item is not a whole number", repr(value)
    raise InputError(problem, path=path, line=line, column=column, value=shown, remedy=REMEDY)


def _is_whole(number: float) -> bool:
    """Whether a float stands for one whole number and no other."""
    return math.isfinite(number) and number.is_integer() and abs(number) <= 2**53


def read_item_list(path: Path) -> frozenset[str]:
    """The items that a text file lists, one a line; a line in quotes is taken without them, as in CSV."""
    text = text_of(open_bytes(path))
    items = set()
    for number, line in enumerate(text.lines(), start=1):
        name = clean(line)
        if name.startswith('"') and name.endswith('"') and len(name) > 1:
            inside = name[1:-1].replace('""', "\0")
            if '"' in inside:
                raise InputError(
                    "has quotes that cannot be understood",
                    path=text.path,
                    line=number,
                    remedy='write one item on each line; a quote inside a quoted item is ""',
                )
            name = clean(inside.replace("\0", '"'))
        items.add(name)
    items.discard("")
    if not items:
        raise InputError("lists no item", path=text.path, remedy="write one item on each line")
    return frozenset(items)


def series_names(series: polars.Series, *, path: str | None, column: str) -> polars.Series:
    """The names of a polars column of items; blanks stay blank."""
    import polars as pl

    kind = series.dtype
    if kind == pl.String:
        return series
    if kind in (pl.Categorical, pl.Enum, pl.Null) or kind.is_integer():
        return series.cast(pl.String)
    if kind.is_float():
        values = series.drop_nulls().to_numpy().astype(np.float64)
        odd = ~np.isfinite(values) | (values != np.trunc(values)) | (np.abs(values) > 2**53)
        if odd.any():
            raise InputError(
                "an item is not a whole number",
                path=path,
                column=column,
                value=repr(float(values[odd][0])),
                remedy=REMEDY,
            )
        return series.cast(pl.Int64).cast(pl.String)
    raise InputError(
        "the items are neither text nor whole numbers",
        path=path,
        column=column,
        value=str(kind),
        remedy=REMEDY,
    )


def series_codes(names: polars.Series) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The codes of a polars column of names without blanks, and its sorted vocabulary."""
    import polars as pl

    vocabulary = names.unique().sort()
    codes = names.cast(pl.Enum(vocabulary)).to_physical().to_numpy()
    return codes.astype(np.int32), tuple(vocabulary.to_list())


def check_encodable(vocabulary: tuple[str, ...], *, path: str | None = None) -> None:
    """Refuse names with half a character (a lone surrogate), which no file can hold."""
    try:
        "".join(vocabulary).encode()
    except UnicodeEncodeError as error:
        problem = "an item holds half a character (a lone surrogate)"
        bad = next(name for name in vocabulary if error.object[error.start] in name)
        remedy = "repair the item's name"
        raise InputError(problem, path=path, value=ascii(bad), remedy=remedy) from None
