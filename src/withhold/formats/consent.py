"""Consent: which records may be published at all. The others are left out before anything is counted.

In: what the user gave as ``consent`` (a list of records, or a 0/1 column of the data themselves), the data,
and what was read from them. Out: the records of those who agreed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from withhold.data import People, Records, Table
from withhold.data.array_types import Bools
from withhold.data.names import clean, is_missing
from withhold.data.unknown import Unknown, find_unknown, how_to_allow
from withhold.errors import InputError, option
from withhold.formats.cells import BLANKS, open_sheet
from withhold.formats.columns import Columns, Options, find_column, long_columns
from withhold.formats.forms import TRAITS
from withhold.formats.frames import Frame
from withhold.formats.items import id_names
from withhold.formats.opening import STDIN, open_bytes
from withhold.formats.parquet import read_parquet
from withhold.formats.texts import read_clean
from withhold.wording import counted

D = TypeVar("D", Records, Table, People)
YES, NO = {"1", "1.0", "true"}, {"0", "0.0", "false"}
AS_LIST = "list the records that agreed in a text file, one a line"


def only_rows_with_consent(table: Table, consent: Any, *, allow_unknown: bool = False) -> Table:
    """The rows of ``table`` with consent to publication; a column of consent is left out."""
    if not _names_column(consent):
        return _on_the_list(table, consent, allow_unknown)
    agreed = agreed_by_value(table.column(consent).cells().tolist(), _path(table), consent)
    return _only(_without(table, consent), agreed)


def _without(table: Table, consent: str) -> Table:
    """The table without the column of consent."""
    others = tuple(each for each in table.columns if each.name != consent)
    if not others:
        raise InputError("the table has no column but that of consent", path=_path(table))
    return replace(table, columns=others, dropped=(*table.dropped, consent))


def only_people_with_consent(
    people: People, consent: Any, *, allow_unknown: bool = False
) -> People:
    """The persons who consented; they are listed by their ids, or marked in a column of the attributes."""
    if not _names_column(consent):
        return _on_the_list(people, consent, allow_unknown)
    agreed = agreed_by_value(
        people.attributes.column(consent).cells().tolist(), _path(people), consent
    )
    return _only(replace(people, attributes=_without(people.attributes, consent)), agreed)


def only_with_consent(
    records: Records, data: Any, consent: Any, *, allow_unknown: bool = False
) -> Records:
    """The records with consent to publication.

    ``consent`` is the path of a text file that lists row numbers or record ids, one per line; the name of a
    0/1 column of ``data``; an iterable of row numbers (from 1) or record ids; or a truth value for each row.
    """
    if not _names_column(consent):
        return _on_the_list(records, consent, allow_unknown)
    if not _is_one_hot(records, data):
        return _only(records, _column(records, data, consent))
    # In one-hot data, a 0/1 column is an item unless it is named as the column of consent.
    code = records.vocabulary.index(find_column(consent, records.vocabulary, _path(records)))
    agreed = np.zeros(len(records), dtype=bool)
    agreed[np.repeat(np.arange(len(records)), records.lengths)[records.items == code]] = True
    return _only(records.without_items(np.array([code])), agreed)


def _names_column(consent: Any) -> bool:
    return isinstance(consent, str) and not os.path.isfile(consent)


def _path(data: Records | Table | People) -> str | None:
    return None if data.source is None else str(data.source.path)


def _only(data: D, agreed: Bools) -> D:
    """The data of those who consented, with a note of how many did not."""
    if len(agreed) != len(data):
        given = counted(len(agreed), "record")
        raise InputError(f"consent is given for {given}, and the data have {len(data):,}")
    if not agreed.any():
        raise InputError("no record has consent", remedy="check the list or column of consent")
    left_out = int((~agreed).sum()) + (data.without_consent or 0)
    return replace(data.only_records(agreed), without_consent=left_out)


def _on_the_list(data: D, consent: Any, allow_unknown: bool) -> D:
    """The data of those who are listed in a file or among values, or whose truth value is true."""
    if isinstance(consent, np.ndarray) and consent.dtype == np.bool_:
        return _only(data, consent)
    path = None
    if isinstance(consent, str | os.PathLike):
        text = read_clean(consent)
        path, consent = text.path, filter(None, map(clean, text.lines()))
    if not isinstance(consent, Iterable):
        problem = "is neither a file nor a column nor a list of records"
        raise InputError(problem, value=repr(consent), remedy="give consent as one of these")
    # Record ids, or row numbers from 1 where records have no ids.
    listed = {clean(str(name)) for name in consent}
    ids: Sequence[str] = data.record_ids or [str(row + 1) for row in range(len(data))]
    what = "records with consent"
    strangers = find_unknown(listed, frozenset(ids), what=what, allowed=allow_unknown)
    if strangers is not None and not allow_unknown:
        number = f"a row number from 1 to {len(data):,}"
        kind = number if data.record_ids is None else "a record id of the data"
        remedy = f"list the records that agreed, one a line, or {how_to_allow()}"
        raise InputError(f"{strangers}; each line must be {kind}", path=path, remedy=remedy)
    agreed = np.fromiter((name in listed for name in ids), dtype=bool, count=len(ids))
    missing: tuple[Unknown, ...] = () if strangers is None else (strangers,)
    return _only(replace(data, unknown=data.unknown + missing), agreed)


def agreed_by_value(
    values: Sequence[object], path: str | None, column: str, first_line: int | None = None
) -> Bools:
    """Which cells of a 0/1 column are 1; a blank is not an answer, and is refused."""
    agreed = np.zeros(len(values), dtype=bool)
    for row, value in enumerate(values):
        text = str(value).strip().lower()
        if text not in YES | NO:
            raise InputError(
                f"row {row + 1:,} has neither 0 nor 1 as consent",
                path=path,
                line=None if first_line is None else first_line + row,
                column=column,
                value=None if value is None else str(value),
                remedy="write 1 where the person agreed, and 0 where not",
            )
        agreed[row] = text in YES
    return agreed


def _is_one_hot(records: Records, data: Any) -> bool:
    """Whether the items are the names of the data's columns."""
    if records.source is not None:
        return records.source.format == "one-hot"
    names = {str(name) for name in getattr(data, "columns", ())}
    return hasattr(data, "columns") and set(records.vocabulary) <= names


def _column(records: Records, data: Any, name: str) -> Bools:
    """What a column of the data says about each record."""
    source = records.source
    if source is None:
        if not hasattr(data, "columns"):
            nothing = "is neither a file nor a column, as the data have no columns"
            raise InputError(f"consent {name!r} {nothing}", remedy=AS_LIST)
        return _of_columns(Frame(data), records, name)
    if str(source.path) == STDIN or not TRAITS[source.format].has_columns:
        what = "standard input" if str(source.path) == STDIN else f"a {source.format} file"
        problem = f"no such file, and {what} has no column of consent"
        raise InputError(problem, path=name, remedy=AS_LIST)
    if source.container == "parquet":
        opened = open_bytes(source.path)
        frame = Frame(read_parquet(opened.data, opened.label), opened.label)
        return _of_columns(frame, records, name)
    text = read_clean(source.path, source.encoding or None, source.sheet or None)
    if source.format != "jsonl":
        sheet = open_sheet(text, Options(separator=source.separator))
        return _of_columns(sheet, records, name, first_line=2)
    values = []
    for number, line in enumerate(text.lines(), start=1):
        if not line.strip(BLANKS):
            continue
        found = json.loads(line)
        if not isinstance(found, dict) or name not in found:
            remedy = "give every record its consent, 0 or 1"
            raise text.error(f"has no {name!r}", remedy, line=number)
        values.append(found[name])
    return agreed_by_value(values, text.path, name, 1)


def _of_columns(
    source: Columns, records: Records, name: str, first_line: int | None = None
) -> Bools:
    """What a column of a frame or a CSV file says; in a long one, all rows of a record must say the same."""
    find_column(name, source.columns, source.path)
    agreed = agreed_by_value(source.column(name).to_list(), source.path, name, first_line)
    if len(agreed) == len(records):
        return agreed
    form = records.source
    if form is not None and form.format == "long":
        record = form.columns[0]
    elif form is not None and records.skipped_rows:
        skipped = f"rows were skipped with {option('skip_missing_ids', True)}"
        problem = f"{skipped}, so a column does not say whose consent it is"
        raise source.error(problem, AS_LIST, column=name)
    else:
        others = [each for each in source.columns if each != name]
        record = long_columns(others, Options(), source.path)[0]
    said: dict[str, bool] = {}
    for written, answer in zip(id_names(source, record).to_list(), agreed.tolist(), strict=True):
        if written is None or is_missing(written):
            continue  # rows that were skipped
        who = clean(written)
        if said.setdefault(who, answer) != answer:
            problem = "the rows of a record differ in their consent"
            remedy = "give all rows of a record the same answer"
            raise source.error(problem, remedy, column=name, value=who)
    if records.record_ids is None or not said.keys() >= set(records.record_ids):
        problem = "the rows of this column cannot be assigned to records"
        raise source.error(problem, AS_LIST, column=name)
    return np.array([said[who] for who in records.record_ids], dtype=bool)
