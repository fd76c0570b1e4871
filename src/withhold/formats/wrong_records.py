"""Whether the record column of a long file is the wrong one: records are rows, or heaps of many persons.

In: the columns of a file, and the rows as read. Out: what is warned of, and stops a release. A record with
one item protects nothing else of the person, and one of everybody has every item.
"""

from __future__ import annotations

import re

from withhold.data.identifying import DATE, FEWEST
from withhold.errors import option
from withhold.formats.columns import Columns
from withhold.formats.repeated_persons import ROWS_OF_A_PERSON, warn
from withhold.formats.rows import Parsed

ROWS_OF_A_HEAP = 100
"""Records of more rows than this on average, most of which repeat an item, are not persons."""
AN_ID = re.compile(r"(?=.*\d)[\w-]{4,}")


def doubtful_records(source: Columns, record: str, item: str, parsed: Parsed) -> list[str]:
    """What is warned of if the record column is probably another one."""
    n_records, kept = len(parsed.lengths), int(parsed.lengths.sum())
    place = f"{source.path}: " if source.path else ""
    n_rows = kept + parsed.repeated
    found = []
    if parsed.repeated > kept and n_rows > ROWS_OF_A_HEAP * n_records:
        found.append(
            f"{place}column {record!r} makes {n_records:,} records of {n_rows:,} rows, and "
            f"{parsed.repeated:,} repeated items were merged, so that it hardly names persons; name the "
            f"column that does: {option('record_column')}"
        )
    elif n_records >= FEWEST and n_rows == kept == n_records:
        for name in source.columns:
            if name not in (record, item) and (n_ids := _ids(source, name, n_rows)):
                found.append(
                    f"{place}every record has one item, since no value of column {record!r} repeats, while "
                    f"column {name!r} names {n_ids:,} persons or the like; if so, make one record of each: "
                    f"{option('record_column', name)}"
                )
    for problem in found:
        warn(problem)
    return found


def _ids(source: Columns, name: str, n_rows: int) -> int:
    """How many ids a column holds, of two to ten rows each on average; 0 if it holds something else."""
    column = source.column(name).cast(str).drop_nulls()
    different = column.unique()
    n_ids = len(different)
    if n_ids < FEWEST or not 2 * n_ids <= n_rows <= ROWS_OF_A_PERSON * n_ids:
        return 0
    fits = sum(
        AN_ID.fullmatch(value) is not None and DATE.fullmatch(value) is None
        for value in different.head(FEWEST * FEWEST).to_list()
    )
    return n_ids if 10 * fits >= 9 * min(n_ids, FEWEST * FEWEST) else 0
