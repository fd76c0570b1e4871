"""Cells with the types of the source, so that numbers, dates and categories are written back as such.

In: a column of a polars, pandas or pyarrow frame. Out: the same column with some cells blanked or some rows
left out, and as any of the three. Privacy is decided on texts elsewhere; nothing here is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from withhold.data.array_types import Bools

if TYPE_CHECKING:
    import polars

Native = Any
"""A ``polars.Series``, a ``pandas.Series`` or a ``pyarrow.ChunkedArray``; null where a cell is withheld."""
RESTORED = frozenset(
    ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64",
     "Boolean", "Date")
)  # fmt: skip
"""The types that texts are converted back to if only texts are left (JSON lines)."""
TRUTH = {"true": True, "false": False}


def make_of(native: Native) -> str:
    """The library that made it: ``polars``, ``pandas``, ``pyarrow`` or another."""
    return type(native).__module__.partition(".")[0]


def blanked(native: Native, hidden: Bools) -> Native:
    """The column with these cells null; whole numbers and truth values stay what they are."""
    if native is None or not hidden.any():
        return native
    make = make_of(native)
    if make == "polars":
        import polars as pl

        shown = pl.when(pl.Series(~hidden)).then(native)
        return pl.select(shown.alias(native.name)).to_series()
    if make == "pyarrow":
        import pyarrow as pa

        return native.take(pa.array(np.arange(len(native)), mask=hidden))
    kind, name = native.dtype, native.dtype.name
    if name == "bool":
        native = native.astype("boolean")
    elif isinstance(kind, np.dtype) and kind.kind in "iu":
        # The nullable type holds blanks without turning into floats.
        native = native.astype(name.replace("int", "Int").replace("uI", "UI"))
    return native.mask(hidden)


def only_rows(native: Native, kept: Bools) -> Native:
    """The column with these rows."""
    if native is None:
        return None
    if make_of(native) == "pandas":
        return native[kept].reset_index(drop=True)
    return native.filter(kept)


def as_polars(native: Native) -> polars.Series:
    """The column as a polars series; the NaN of pandas becomes null."""
    import polars as pl

    make = make_of(native)
    if make == "polars":
        return native  # type: ignore[no-any-return]
    if make == "pyarrow":
        return pl.Series(pl.from_arrow(native))
    return pl.Series(pl.from_pandas(native, nan_to_null=True))


def as_pandas(native: Native) -> Any:
    """The column as a pandas series; whole numbers and truth values with blanks get nullable types."""
    if make_of(native) == "pandas":
        return native.copy()
    import pandas as pd

    series = as_polars(native)
    kind = str(series.dtype)
    if series.null_count() and (series.dtype.is_integer() or kind == "Boolean"):
        cells = pd.array(series.to_list(), dtype="boolean" if kind == "Boolean" else kind)
        return pd.Series(cells, name=series.name)
    return series.to_pandas()


def as_arrow(native: Native) -> Any:
    """The column as a pyarrow array."""
    make = make_of(native)
    if make == "pyarrow":
        return native
    if make == "polars":
        return native.to_arrow()
    import pyarrow as pa

    return pa.Array.from_pandas(native.reset_index(drop=True))


def n_different(native: Native) -> int:
    """How many different values a column has, blanks left out."""
    is_pandas = make_of(native) == "pandas"
    return int(native.nunique() if is_pandas else as_polars(native).drop_nulls().n_unique())


def restored(texts: polars.Series, kind: str) -> polars.Series:
    """The texts in their original type, or as they are if some no longer fit it (ranges)."""
    import polars as pl

    if kind not in RESTORED:
        return texts
    try:
        if kind == "Boolean":
            return pl.Series(texts.name, [v and TRUTH[v] for v in texts], dtype=pl.Boolean)
        return texts.cast(getattr(pl, kind))
    except (KeyError, pl.exceptions.PolarsError):
        return texts
