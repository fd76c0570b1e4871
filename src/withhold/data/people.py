"""People: for each person a row of attributes and a set of items, in the same order.

In: a table and records that are equally long. Out: the same two, side by side. Nothing here reads files or
withholds anything; the model says which attribute plays which role.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.data.records import Records, only_kept
from withhold.data.source import Source
from withhold.data.table import Table
from withhold.data.tidied import Tidied
from withhold.data.unknown import Unknown
from withhold.errors import InputError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


@dataclass(frozen=True, eq=False, slots=True)
class People:
    """Persons, each with attributes and items.

    Examples
    --------
    >>> table = Table.from_columns({"sex": ["f", "m"], "born": ["1980", "1975"]})
    >>> people = People(table, Records.from_lists([["asthma", "flu"], []]))
    >>> len(people), people.without_items, people.items.record(0)
    (2, 1, ('asthma', 'flu'))
    """

    kind: ClassVar[str] = "people"

    attributes: Table
    """One row for each person."""
    items: Records
    """One record for each person, in the order of the rows; it may be empty."""
    ids: tuple[str, ...] | None = None
    """The ids of the persons, if the source has them; published only on request."""
    form: Source | None = None
    """In what form they came: items in files of their own, or in a column of lists."""
    strangers: int = 0
    """How many rows of items were left out because they belong to nobody in the table."""
    without_consent: int | None = None
    """How many persons were left out for lack of consent; None: consent was not used."""
    unknown: tuple[Unknown, ...] = ()
    """Names on accompanying lists, such as the list of consent, that the data does not contain."""
    warnings: tuple[str, ...] = ()
    """What looked wrong when they were read."""

    def __post_init__(self) -> None:
        if len(self.attributes) != len(self.items):
            raise InputError(
                f"{len(self.attributes):,} rows of attributes and {len(self.items):,} sets of items",
                remedy="give one set of items for each person, empty where there are none",
            )
        if self.ids is not None and len(self.ids) != len(self.items):
            raise InputError(f"{len(self.ids):,} ids for {len(self.items):,} persons")

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        """How much it holds, not what.

        >>> People(Table.from_columns({"sex": ["f"]}), Records.from_lists([["flu"]]))
        <People persons=1 columns=sex occurrences=1 items=1 withheld=0>
        """
        table, items = self.attributes, self.items
        return (
            f"<People persons={len(self):,} columns={','.join(table.names)} "
            f"occurrences={items.n_occurrences:,} items={items.n_items:,} withheld={table.n_withheld:,}>"
        )

    def __eq__(self, other: object) -> bool:
        """Same attributes and items of the same persons in the same order."""
        if not isinstance(other, People):
            return NotImplemented
        same = self.ids == other.ids and self.attributes == other.attributes
        return same and self.items == other.items

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    @property
    def source(self) -> Source | None:
        """The files that the persons came from; None if they came from frames."""
        form = self.form
        is_read = form is not None and any(each.sha256 for each in (form, *form.files))
        return form if is_read else None

    @property
    def tidied(self) -> tuple[Tidied, ...]:
        """How attributes and items were tidied on reading."""
        return (*self.attributes.tidied, *self.items.tidied)

    @property
    def record_ids(self) -> tuple[str, ...] | None:
        """The persons' ids, if the source has them."""
        return self.ids

    @property
    def index(self) -> tuple[object, ...] | None:
        """The row labels of a pandas frame, if it has labels of its own."""
        return self.attributes.index

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes, in order."""
        return self.attributes.names

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The names of the items."""
        return self.items.vocabulary

    @property
    def supports(self) -> NDArray[np.int64]:
        """How many persons have each item, by item code."""
        return self.items.supports

    def codes(self, names: Iterable[str]) -> NDArray[np.int32]:
        """The codes of those items that are in the vocabulary, ascending."""
        return self.items.codes(names)

    @property
    def without_items(self) -> int:
        """How many persons have no items; they are kept, because they help to hide everybody else."""
        return int((self.items.lengths == 0).sum())

    def to_polars(self) -> polars.DataFrame:
        """A polars frame: the ids, if there are any, the attributes, and the items in a list column.

        >>> table = Table.from_columns({"sex": ["f", "m"]})
        >>> People(table, Records.from_lists([["flu"], []])).to_polars().rows()
        [('f', ['flu']), ('m', [])]
        """
        id_column, list_column = self.columns_besides
        frame = self.attributes.to_polars()
        frame = frame.with_columns(self.items.to_polars()["items"].alias(list_column))
        return frame if self.ids is None else frame.insert_column(0, _series(id_column, self.ids))

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame of the same columns."""
        id_column, list_column = self.columns_besides
        frame = self.attributes.to_pandas()
        frame[list_column] = self.items.to_lists()
        if self.ids is not None:
            frame.insert(0, id_column, list(self.ids))
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow table of the same columns."""
        return self.to_polars().to_arrow()

    @property
    def columns_besides(self) -> tuple[str, str]:
        """The names of the columns of ids and of items, which differ from those of the attributes."""
        came = self.form
        names = ("id" if came is None else came.id_column, "" if came is None else came.list_column)
        return _free(names[0] or "id", self.names), _free(names[1] or "items", self.names)

    def only_records(self, kept: NDArray[np.bool_]) -> People:
        """The persons that are ``kept``, in their order."""
        return replace(
            self,
            attributes=self.attributes.only_records(kept),
            items=self.items.only_records(kept),
            ids=only_kept(self.ids, kept),
        )


def _free(name: str, taken: Iterable[str]) -> str:
    """The name, followed by as many underscores as it takes to be unique."""
    others = frozenset(taken)
    while name in others:
        name = f"{name}_"
    return name


def _series(name: str, texts: Iterable[str]) -> polars.Series:
    import polars as pl

    return pl.Series(name, texts, dtype=pl.String)
