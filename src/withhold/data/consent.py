"""Consent: which records may be published at all. The others are left out before anything is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.data.names import clean
from withhold.data.unknown import Unknown, find_unknown, how_to_allow
from withhold.errors import InputError
from withhold.wording import counted

YES, NO = {"1", "1.0", "true"}, {"0", "0.0", "false"}


def with_consent(table: Any, agreed: NDArray[np.bool_]) -> Any:
    """The table of the records that agreed, which remembers how many did not.

    ``table`` is anything with ``only_records`` and ``without_consent``.
    """
    if len(agreed) != len(table):
        raise InputError(
            f"consent is given for {counted(len(agreed), 'record')}, and the data have {len(table):,}"
        )
    if not agreed.any():
        raise InputError("no record has consent", remedy="check the list or column of consent")
    left_out = int((~agreed).sum()) + (table.without_consent or 0)
    return replace(table.only_records(agreed), without_consent=left_out)


def agreed_by_name(
    names: Iterable[Any], table: Any, *, path: str | None = None, allow_unknown: bool = False
) -> tuple[NDArray[np.bool_], tuple[Unknown, ...]]:
    """Which records are on a list of record ids, or of row numbers from 1 where records have no ids.

    A name that no record has is an error unless ``allow_unknown``; then it is returned as well.
    """
    listed = {clean(str(name)) for name in names}
    if table.record_ids is None:
        ids: Sequence[str] = [str(number) for number in range(1, len(table) + 1)]
        kind = f"a row number from 1 to {len(table):,}"
    else:
        ids, kind = table.record_ids, "a record id of the data"
    strangers = find_unknown(
        listed, frozenset(ids), what="records with consent", allowed=allow_unknown
    )
    if strangers is not None and not allow_unknown:
        raise InputError(
            f"{strangers}; each line must be {kind}",
            path=path,
            remedy=f"list the records that agreed, one a line, or {how_to_allow()}",
        )
    agreed = np.fromiter((name in listed for name in ids), dtype=bool, count=len(ids))
    return agreed, (() if strangers is None else (strangers,))


def agreed_by_value(
    values: Sequence[Any],
    *,
    path: str | None = None,
    column: str | None = None,
    first_line: int | None = None,
) -> NDArray[np.bool_]:
    """Which cells of a 0/1 column say yes; a blank is no answer, and is refused as such."""
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
