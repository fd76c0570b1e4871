"""Whatever is in a file, reading it ends in data or in a message, never in a traceback.

A hundred files of each format here; ``make fuzz`` reads ten thousand.
"""

from __future__ import annotations

import os
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import withhold as wh
from fuzzed import GOOD, mutants
from withhold.errors import AssumedWarning, InternalError
from withhold.formats import FORMATS
from withhold.formats.constraints import read_constraints
from withhold.formats.hierarchy import read_hierarchy
from withhold.formats.items import read_item_list

COUNT = int(os.environ.get("WITHHOLD_FUZZ", "100"))
RECORDS = wh.read([["asthma", "flu"], ["flu"]])
PERSONS = pl.DataFrame({"record": [1, 2, 3], "sex": ["f", "m", "f"]})
READERS = {
    "records": wh.read,
    "table": wh.read_table,
    "consent": lambda path: wh.read(path, consent="ok"),
    "long": lambda path: wh.read(path, format="long"),
    "bins": lambda path: wh.read_table(path, decimal="comma", bins={"cost": 2}),
    "basket": lambda path: wh.read(path, format="basket", separator=";"),
    "western": lambda path: wh.read_table(path, encoding="cp1252"),
    "people": wh.read_people,
    "items": lambda path: wh.read_people(PERSONS, path),
    "list": read_item_list,
    "tree": read_hierarchy,
    "constraints": lambda path: read_constraints(path, RECORDS, allow_unknown=True),
}


def test_every_format_is_damaged() -> None:
    assert set(FORMATS) <= set(GOOD)


@pytest.mark.parametrize("format", GOOD)
def test_good_files_are_read(format: str, tmp_path: Path) -> None:
    (path := tmp_path / "data").write_bytes(GOOD[format])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumedWarning)
        data: Any = wh.read_table(path) if format in ("table", "western") else wh.read(path)
    assert len(data) >= 2


@pytest.mark.parametrize("format", GOOD)
def test_no_file_ends_in_a_traceback(format: str, tmp_path: Path) -> None:
    path = tmp_path / "data"
    for number, data in enumerate(mutants(format, COUNT)):
        path.write_bytes(data)
        name = random.Random(number).choice(("records", "table", "records", "table", *READERS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumedWarning)
            try:
                READERS[name](path)
            except InternalError:
                raise
            except wh.WithholdError:
                pass
            except BaseException as error:
                (kept := Path(tempfile.gettempdir()) / f"fuzz-{format}-{number}").write_bytes(data)
                raise AssertionError(
                    f"{name} of {kept}: {type(error).__name__}: {error}"
                ) from error
