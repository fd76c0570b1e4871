"""The result of a query on a DuckDB file: ``duckdb:shop.db?query=select * from orders``.

In: such an address. Out: a frame, which is read like any other. The file is opened read-only, one SELECT
is run, and nothing is installed or fetched for it. DuckDB itself is optional.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from withhold.errors import InputError, PolicyError

PREFIX, QUERY = "duckdb:", "?query="
HOW = "write 'duckdb:FILE?query=select ...', in quotes"
INSTALL = "pip install 'withhold[duckdb]', or export what you need as parquet or CSV"


def is_query(source: Any) -> bool:
    """Whether the source is the address of a query rather than of a file."""
    return isinstance(source, str) and source.startswith(PREFIX) and not os.path.isfile(source)


def database_of(address: str) -> Path:
    """The database file of a query.

    >>> database_of("duckdb:in/shop.db?query=select 1").as_posix()
    'in/shop.db'
    """
    return Path(address.removeprefix(PREFIX).partition("?")[0])


def queried(source: Any) -> Any:
    """The result of the query as a polars frame; anything that is not an address is returned unchanged."""
    if not is_query(source):
        return source
    file, mark, query = source.removeprefix(PREFIX).partition(QUERY)
    if not mark or not file.strip() or not query.strip() or "?" in file:
        raise PolicyError(f"{source!r} names no database and query; {HOW}")
    path = Path(file)
    if not path.is_file():
        problem = "is a directory" if path.is_dir() else "does not exist"
        raise InputError(problem, path=path, remedy="name a file of DuckDB")
    try:
        import duckdb
        import pyarrow  # noqa: F401  # DuckDB needs it to make polars frames
    except ImportError as error:
        problem = "is asked by a query, and the packages that answer it (duckdb, pyarrow) are not installed"
        raise InputError(problem, path=path, remedy=INSTALL) from error
    import polars as pl

    # No extension that a query names is installed.
    config: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    try:
        opened = duckdb.connect(str(path), read_only=True, config=config)
    except duckdb.Error as error:
        problem = f"DuckDB cannot open it for reading: {_one_line(error)}"
        raise InputError(problem, path=path, remedy="name a file of DuckDB") from error
    try:
        with opened as database:
            statements = database.extract_statements(query)
            if [each.type for each in statements] != [duckdb.StatementType.SELECT]:
                raise PolicyError(f"a query is one SELECT, which changes nothing; {HOW}")
            return database.sql(query).pl()
    except (duckdb.Error, pl.exceptions.PolarsError) as error:
        problem = f"the query cannot be answered: {_one_line(error)}"
        raise InputError(problem, path=path, remedy="correct the query") from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".!")
