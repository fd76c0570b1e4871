"""The nullable types of pandas in parquet files, which only a note for pandas tells from others.

In: the notes in a file that pandas wrote, or a frame that is to be written. Out: the type of each column that
has such a one; and the note. The note that pandas wrote is not copied: it may tell of labels and categories
that are not published.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars

    from withhold.data import Table

NUMBERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
NULLABLE: Mapping[str, str] = {
    **{name: name for name in (*NUMBERS, "Float32", "Float64")},
    "boolean": "Boolean",
    "string": "String",
}
"""The nullable types of pandas, and what polars calls them."""


def pandas_kinds(notes: Mapping[str, str]) -> dict[str, str]:
    """The columns of a parquet file that have a nullable type in pandas; none if the note cannot be read."""
    try:
        noted = json.loads(notes.get("pandas", "{}"))
        columns = [(each["field_name"], each["numpy_type"]) for each in noted["columns"]]
    except (ValueError, TypeError, LookupError, RecursionError):
        return {}  # by somebody else, and nothing depends on it
    return {str(name): kind for name, kind in columns if isinstance(kind, str) and kind in NULLABLE}


def pandas_schema(frame: polars.DataFrame, table: Table) -> Any:
    """The schema with a note for pandas on the columns that still are what they were; None without any.

    Without pyarrow there is no such note, and pandas reads the columns as those of any other file.
    """
    kinds = {
        column.name: column.pandas_kind
        for column in table.columns
        if NULLABLE.get(column.pandas_kind) == str(frame.schema[column.name])
    }
    if not kinds:
        return None
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return None
    columns = [
        {"name": n, "field_name": n, "pandas_type": "", "numpy_type": k, "metadata": None}
        for n, k in kinds.items()
    ]
    note = json.dumps({"index_columns": [], "column_indexes": [], "columns": columns})
    return frame.clear().to_arrow().schema.with_metadata({"pandas": note})
