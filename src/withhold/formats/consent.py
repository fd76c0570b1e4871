"""Where consent is written down: a list of records, or a 0/1 column of the data themselves.

In: what the user gave as ``consent``, the data, and the table that was read from them. Out: the table of
those who agreed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records, Source, Table
from withhold.data.consent import agreed_by_name, agreed_by_value, with_consent
from withhold.data.names import clean, is_missing
from withhold.data.unknown import Unknown
from withhold.errors import InputError, option
from withhold.formats.cells import BLANKS, open_sheet
from withhold.formats.columns import Options, find_column
from withhold.formats.ids import id_names
from withhold.formats.opening import STDIN, open_bytes, text_of
from withhold.formats.parquet import read_parquet

if TYPE_CHECKING:
    from withhold.formats.frames import Frame

Answers = NDArray[np.bool_]


def only_rows_with_consent(table: Table, consent: Any, *, allow_unknown: bool = False) -> Table:
    """The rows of ``table`` whose publication was agreed to; a column that says so is left out."""
    if isinstance(consent, str) and not os.path.isfile(consent):
        column = table.column(consent)
        path = None if table.source is None else str(table.source.path)
        agreed = agreed_by_value(column.cells().tolist(), path=path, column=consent)
        others = tuple(each for each in table.columns if each.name != consent)
        if not others:
            raise InputError("the table has no column but that of consent", path=path)
        table = replace(table, columns=others, dropped=(*table.dropped, consent))
    else:
        agreed, unknown = _agreed(consent, table, allow_unknown=allow_unknown)
        table = replace(table, unknown=(*table.unknown, *unknown))
    remembered: Table = with_consent(table, agreed)
    return remembered


def only_with_consent(
    table: Records, data: Any, consent: Any, *, allow_unknown: bool = False
) -> Records:
    """The records of ``table`` whose publication was agreed to.

    ``consent`` is the path of a text file that lists row numbers or record ids, one a line; the name of a
    0/1 column of ``data``; an iterable of row numbers (from 1) or record ids; or a truth value for each row.
    """
    if isinstance(consent, str) and not os.path.isfile(consent):
        if _is_one_hot(table, data):
            # A 0/1 column is an item there, until somebody says that it is not.
            return _item_as_consent(table, consent)
        agreed = _column(table, data, consent)
    else:
        agreed, unknown = _agreed(consent, table, allow_unknown=allow_unknown)
        table = replace(table, unknown=(*table.unknown, *unknown))
    remembered: Records = with_consent(table, agreed)
    return remembered


def _agreed(
    consent: Any, table: Records | Table, *, allow_unknown: bool
) -> tuple[Answers, tuple[Unknown, ...]]:
    """Which records are in a list of those that agreed: a file, values, or a truth value for each."""
    if isinstance(consent, np.ndarray) and consent.dtype == np.bool_:
        return consent, ()
    if isinstance(consent, str | os.PathLike):
        return _listed(Path(consent), table, allow_unknown=allow_unknown)
    if isinstance(consent, Iterable):
        return agreed_by_name(consent, table, allow_unknown=allow_unknown)
    raise InputError(
        "is neither a file nor a column nor a list of records",
        value=repr(consent),
        remedy="give consent as one of these",
    )


def _is_one_hot(table: Records, data: Any) -> bool:
    """Whether the items are the names of the data's columns."""
    if table.source is not None:
        return table.source.format == "one-hot"
    return hasattr(data, "columns") and set(table.vocabulary) <= {
        str(name) for name in data.columns
    }


def _listed(
    path: Path, table: Records | Table, *, allow_unknown: bool
) -> tuple[Answers, tuple[Unknown, ...]]:
    text = text_of(open_bytes(path))
    names = [clean(line) for line in text.lines()]
    listed = (name for name in names if name)
    return agreed_by_name(listed, table, path=text.path, allow_unknown=allow_unknown)


def _item_as_consent(table: Records, name: str) -> Records:
    path = None if table.source is None else str(table.source.path)
    code = table.vocabulary.index(find_column(name, table.vocabulary, path))
    rows = np.repeat(np.arange(len(table)), table.lengths)[table.items == code]
    agreed = np.zeros(len(table), dtype=bool)
    agreed[rows] = True
    remembered: Records = with_consent(table.without_items(np.array([code])), agreed)
    return remembered


def _column(table: Records, data: Any, name: str) -> Answers:
    """What a column of the data says of each record."""
    source = table.source
    if source is None:
        from withhold.formats.frames import Frame

        if not hasattr(data, "columns"):
            raise InputError(
                f"consent {name!r} is neither a file nor a column, as the data have no columns",
                remedy="list the records that agreed in a text file, one a line",
            )
        return _of_frame(Frame(data), table, name)
    if str(source.path) == STDIN or source.format in ("basket", "spmf"):
        what = "standard input" if str(source.path) == STDIN else f"a {source.format} file"
        raise InputError(
            f"is no file that exists, and {what} has no column of consent",
            path=name,
            remedy="list the records that agreed in a text file, one a line",
        )
    if source.container == "parquet":
        from withhold.formats.frames import Frame

        opened = open_bytes(source.path)
        frame = read_parquet(opened.data, opened.label)
        record = source.columns[0] if source.format == "long" else None
        return _of_frame(Frame(frame, opened.label), table, name, record)
    return _of_lines(source, name) if source.format == "jsonl" else _of_sheet(source, table, name)


def _of_frame(frame: Frame, table: Records, name: str, record: str | None = None) -> Answers:
    find_column(name, frame.columns, frame.path)
    agreed = agreed_by_value(frame.column(name).to_list(), path=frame.path, column=name)
    if len(frame) == len(table):
        return agreed
    from withhold.formats.columns import long_columns

    if table.skipped_rows and table.source is not None and table.source.format != "long":
        raise _skipped_too(frame.path, name)

    others = [each for each in frame.columns if each != name]
    record = record or long_columns(others, Options(), frame.path)[0]
    ids = id_names(frame.column(record), path=frame.path, column=record)
    return _by_record(ids.to_list(), agreed, table, frame.path, name)


def _of_sheet(source: Source, table: Records, name: str) -> Answers:
    text = text_of(open_bytes(source.path))
    sheet = open_sheet(text, Options(separator=source.separator))
    place = sheet.header.index(find_column(name, sheet.header, text.path))
    rows = [row for _, row in sheet.rows()]
    agreed = agreed_by_value(
        [row[place] for row in rows], path=text.path, column=name, first_line=2
    )
    if source.format != "long":
        if table.skipped_rows:
            raise _skipped_too(text.path, name)
        return agreed
    record = sheet.header.index(source.columns[0])
    return _by_record([row[record] for row in rows], agreed, table, text.path, name)


def _of_lines(source: Source, name: str) -> Answers:
    text = text_of(open_bytes(source.path))
    values = []
    for number, line in enumerate(text.lines(), start=1):
        if not line.strip(BLANKS):
            continue
        record = json.loads(line)
        if not isinstance(record, dict) or name not in record:
            raise InputError(
                f"has no {name!r}",
                path=text.path,
                line=number,
                remedy="give every record its consent, 0 or 1",
            )
        values.append(record[name])
    return agreed_by_value(values, path=text.path, column=name, first_line=1)


def _skipped_too(path: str | None, name: str) -> InputError:
    return InputError(
        f"rows were skipped with {option('skip_missing_ids', True)}, so that a column does not say whose "
        "consent is whose",
        path=path,
        column=name,
        remedy="list the records that agreed in a text file, one a line",
    )


def _by_record(
    ids: Sequence[str | None], agreed: Answers, table: Records, path: str | None, name: str
) -> Answers:
    """The rows' answers as the records'; a record whose rows differ has not answered."""
    said: dict[str, bool] = {}
    for written, answer in zip(ids, agreed.tolist(), strict=True):
        if written is None or is_missing(written):
            continue  # rows that were skipped
        record = clean(written)
        if said.setdefault(record, answer) != answer:
            raise InputError(
                "the rows of a record differ in their consent",
                path=path,
                column=name,
                value=record,
                remedy="give all rows of a record the same answer",
            )
    if table.record_ids is None or not said.keys() >= set(table.record_ids):
        raise InputError(
            "the rows of this column cannot be told apart by record",
            path=path,
            column=name,
            remedy="list the records that agreed in a text file, one a line",
        )
    return np.array([said[record] for record in table.record_ids], dtype=bool)
