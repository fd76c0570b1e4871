"""The proof of a table in parts: the rows of every group are counted over all parts, exactly.

In: each part as it was read back. Out: one verdict on all of them together. Imports nothing of the search. A
part is counted on its own first; the counts of its groups are then summed, group by group. Groups are
compared by their texts. A shelf number, the same for the same texts, says which groups are summed together,
so that only a share of them is in memory at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.data import Table
from withhold.data.breach import SmallGroup
from withhold.data.table import WITHHELD, Column, Value
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.sensitive import Sensitive, sensitive_values
from withhold.verdict import Status, Verdict

if TYPE_CHECKING:
    import polars

ROWS, SHELF = "rows", "shelf"
SHELVES = 1 << 16
ODD = np.uint64(0x9E3779B97F4A7C15)
Group = tuple[str | None, ...]
"""The quasi-identifiers of a group, as texts."""
METHOD = "the rows of every group counted over all parts, a withheld cell being a value of its own"
"""How the verdict was reached."""


@dataclass(frozen=True)
class Judged:
    """The judgement of some groups: how many there are, and the smallest one that breaks the model."""

    groups: int
    witness: SmallGroup | None


def count_groups(table: Table, model: KAnonymity, also: Sequence[str] = ()) -> polars.DataFrame:
    """By group and sensitive values: how many rows of a part. Texts follow a ``=``; blanks do not.

    ``also`` names columns whose values are distinguished, too, as ``a0`` and so on.

    >>> table = Table((Column("age", [0, 0, -1], ("30",)), Column.of("pay", ["1", "2", None])))
    >>> found = count_groups(table, KAnonymity(2, ["age"], sensitive_column="pay", l=2))
    >>> sorted(found.select("q0", "s0", "rows").rows(), key=str)
    [('=30', '=1', 1), ('=30', '=2', 1), (None, '', 1)]
    """
    import polars as pl

    # Blanks around a cell are visible to everybody, although they are not part of the value.
    columns = {
        f"q{n}": table.column(name).exact() for n, name in enumerate(model.quasi_identifiers)
    }
    columns |= {f"s{n}": table.column(name) for n, name in enumerate(model.sensitive_column)}
    columns |= {f"a{n}": table.column(name) for n, name in enumerate(also)}
    codes = pl.DataFrame({name: column.codes for name, column in columns.items()})
    counted = codes.group_by(list(columns)).len(ROWS)
    shelves = np.zeros(len(counted), dtype=np.uint64)
    found = pl.DataFrame(
        [_texts(column, counted[name].to_numpy()).alias(name) for name, column in columns.items()]
    ).with_columns(counted[ROWS].cast(pl.Int64))
    for name, column in columns.items():
        if name.startswith("q"):
            # From the texts alone, so that a group has the same number in every part.
            shelves = (shelves ^ _numbers(column)[counted[name].to_numpy()]) * ODD
    shelf = (shelves >> np.uint64(64 - SHELVES.bit_length() + 1)).astype(np.uint16)
    return found.with_columns(pl.Series(SHELF, shelf)).sort(SHELF)


def count_values(counts: polars.DataFrame, model: KAnonymity) -> tuple[dict[Value, int], ...]:
    """By sensitive column: how many rows of a part have each value."""
    found = []
    for n in range(len(model.sensitive_column)):
        rows = counts.group_by(f"s{n}").agg(_rows_together())
        found.append({_value(text): int(number) for text, number in rows.iter_rows()})
    return tuple(found)


def judge_groups(
    counts: polars.DataFrame, model: KAnonymity, totals: Sequence[Mapping[Value, int]]
) -> Judged:
    """Whether groups keep the model: those of one shelf or several, with the counts of all parts.

    ``totals`` has by sensitive column how often each value occurs in the whole table.
    """
    sizes = group_sizes(counts, model)
    known = sizes.columns[:-1]
    if sizes.is_empty():
        return Judged(0, None)
    least = int(sizes[ROWS].min())  # type: ignore[arg-type]  # numbers of rows
    if least < model.k:
        smallest = min(sizes.filter(sizes[ROWS] == least).select(known).iter_rows(), key=repr)
        return Judged(len(sizes), small_group(model, smallest, least))
    lacking = lacking_groups(sensitive_by_group(counts, model, totals), model)
    if not lacking:
        return Judged(len(sizes), None)
    rows = {tuple(group): number for *group, number in sizes.iter_rows()}
    worst = min(lacking, key=lambda group: (rows[group], repr(group)))
    return Judged(len(sizes), small_group(model, worst, rows[worst], lacking[worst]))


def group_sizes(counts: polars.DataFrame, model: KAnonymity) -> polars.DataFrame:
    """The quasi-identifiers of every group, and last its rows, in all parts together."""
    known = [f"q{n}" for n in range(len(model.quasi_identifiers))]
    return counts.group_by(known).agg(_rows_together())


def sensitive_by_group(
    counts: polars.DataFrame, model: KAnonymity, totals: Sequence[Mapping[Value, int]]
) -> Iterator[tuple[Sensitive, dict[Group, Counter[int]]]]:
    """Each sensitive column of the whole table, and by group how many rows have each of its values."""
    known = [f"q{n}" for n in range(len(model.quasi_identifiers))]
    for n, name in enumerate(model.sensitive_column):
        values = list(totals[n])
        column = sensitive_values(name, values, np.array(list(totals[n].values())), model)
        numbers = dict(zip(values, column.values.tolist(), strict=True))
        groups: dict[Group, Counter[int]] = {}
        for row in counts.select(*known, f"s{n}", ROWS).iter_rows():
            groups.setdefault(row[:-2], Counter())[numbers[_value(row[-2])]] += row[-1]
        yield column, groups


def lacking_groups(
    columns: Iterable[tuple[Sensitive, Mapping[Group, Mapping[int, int]]]], model: KAnonymity
) -> dict[Group, str]:
    """What is wrong with the sensitive columns, for each group where something is."""
    found: dict[Group, str] = {}
    for column, groups in columns:
        for requirement in model.requirements:
            for group, own in groups.items():
                if lacks := requirement.lacks(own, column.whole):
                    found.setdefault(group, f"{column.name} has {lacks}")
    return found


def verdict_of(judged: Iterable[Judged], model: KAnonymity, seconds: float) -> Verdict:
    """The verdict on all groups."""
    groups, witnesses = 0, []
    for each in judged:
        groups += each.groups
        witnesses += [] if each.witness is None else [each.witness]
    if not witnesses:
        return Verdict(Status.HOLDS, METHOD, groups, seconds, unit="groups")
    worst = min(witnesses, key=lambda each: (each.rows >= model.k, each.rows, str(each)))
    return Verdict(Status.BROKEN, METHOD, groups, seconds, worst, True, unit="groups")


def _texts(column: Column, codes: np.ndarray) -> polars.Series:
    """The cells of these codes: null where withheld, ``=`` and the text, nothing for a null of the source."""
    import polars as pl

    words = ["" if value is None else f"={value}" for value in column.values]
    shown = np.where(codes == WITHHELD, len(words), codes).astype(np.uint32)
    return pl.Series([*words, None], dtype=pl.String).gather(shown)


def _numbers(column: Column) -> NDArray[np.uint64]:
    """A number for each value, by its text, and the last for a withheld cell."""
    texts = ("" if value is None else f"={value}" for value in column.values)
    data = (text.encode("utf-8", "surrogatepass") for text in texts)
    made = b"".join(blake2b(each, digest_size=8).digest() for each in data)
    return np.append(np.frombuffer(made, dtype="<u8").astype(np.uint64), np.uint64(0))


def _value(text: str | None) -> Value:
    """A sensitive value, of which a withheld cell and a blank are one."""
    return text[1:] if text else None


def _rows_together() -> polars.Expr:
    import polars as pl

    return pl.col(ROWS).sum()


def small_group(model: KAnonymity, group: Group, rows: int, lacks: str = "") -> SmallGroup:
    """A group that breaks the model."""
    named = tuple(
        (name, None if text is None else text[1:])
        for name, text in zip(model.quasi_identifiers, group, strict=True)
    )
    return SmallGroup(named, rows, model.k, *([lacks] if lacks else []))
