"""Whether a file of items is about other people than the file of persons, or spells their ids differently.

In: for each id of the items the row of its person, or -1. Out: what is wrong if most of the ids, or of the
items, belong to nobody. Items of a few unknown people are usual, and only counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from withhold.data import Records, Source
from withhold.data.array_types import Longs
from withhold.errors import InputError, option
from withhold.wording import counted

FEW = 0.5
"""If a smaller share of the ids or the items of a file belongs to persons, it may be the wrong file."""
BESIDE_LETTERS = re.compile(r"\s|(?<=[^\W\d_])[-_./]|[-_./](?=[^\W\d_])")
"""Characters that ids are often written with or without: blanks, and punctuation beside a letter. Between
digits, punctuation may matter."""
LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


@dataclass(frozen=True)
class FewKnown:
    """A file of items most of which belong to nobody."""

    ids: int
    known: int
    """How many of the ids belong to persons."""
    items: int
    lost: int
    """How many of the items belong to nobody."""
    alike: int
    """How many ids match a person's if blanks, punctuation, zeros and case are ignored."""
    file: Source
    form: Source
    """The file of the persons."""

    def sentence(self) -> str:
        """What is wrong, in words."""
        who, column = self._persons, self.file.columns[0] if self.file.columns else ""
        problem = f"of the {counted(self.ids, 'id')} in column {column!r} of {self._name}"
        if not self.known:
            found = f"none {problem} is in column {self.form.id_column!r} of {who}"
        else:
            verb = "is" if self.known == 1 else "are"
            found = (
                f"only {self.known:,} {problem} {verb} in {who}, so {self.lost:,} of the "
                f"{counted(self.items, 'item')} belong to nobody there"
            )
        if not self.alike:
            return found
        others = (
            f"{self.alike:,}{' more' if self.known else ''} {'is' if self.alike == 1 else 'are'}"
        )
        return f"{found}; {others} there in another spelling (blanks, signs, leading zeros, case)"

    def refuse(self, *, allowed: bool) -> None:
        """Raise if no id is a person's, or if most belong to nobody and that was not allowed."""
        if self.known and allowed:
            return
        remedy = (
            "check that both files are of the same people, and name the columns of the ids: "
            f"{option('record_column')} for the items, {option('person_column')} for the persons"
        )
        if self.alike:
            remedy = "write the ids alike in both files"
        if self.known:
            remedy += f"; or leave these items out with {option('allow_unknown', True)}"
        path = self.file.path if self.file.sha256 else None
        raise InputError(self.sentence(), path=path, remedy=remedy)

    @property
    def _persons(self) -> str:
        return self.form.path.name or "the persons"

    @property
    def _name(self) -> str:
        return self.file.path.name or self.file.part


def few_known(
    owners: Longs, records: Records, ids: Sequence[str], file: Source, form: Source
) -> FewKnown | None:
    """What is wrong with a file of items, if fewer than half of its ids or of its items have a person.

    ``owners`` has the row of each record's person, or -1.
    """
    known, is_lost = int((owners >= 0).sum()), owners < 0
    lost = int(records.lengths[is_lost].sum())
    if known >= FEW * len(owners) and lost <= (1 - FEW) * records.n_occurrences:
        return None
    persons = set(map(same_spelling, ids))
    strangers = [records.record_ids[row] for row in np.flatnonzero(is_lost)]  # type: ignore[index]  # items have ids
    alike = sum(same_spelling(name) in persons for name in strangers)
    return FewKnown(len(owners), known, records.n_occurrences, lost, alike, file, form)


def same_spelling(name: str) -> str:
    """The id without characters that are often written in different ways.

    >>> same_spelling("P-0012"), same_spelling("p12"), same_spelling("1-12"), same_spelling("11-2")
    ('p12', 'p12', '1-12', '11-2')
    """
    return LEADING_ZEROS.sub("", BESIDE_LETTERS.sub("", name.casefold()))
