"""Promises about people that are worth measuring: attributes and items together, or sensitive items apart."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from withhold.advising.candidates import (
    Candidate,
    Candidates,
    CommandWords,
    Sensitive,
    sensitive_items,
)
from withhold.advising.tables import Columns, columns_of
from withhold.data.column_lists import join_columns
from withhold.data.people import People
from withhold.errors import InputError, option
from withhold.formats import read_people
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.people_apart.model import PeopleApart
from withhold.wording import listing, percent, so_many

RHO = "0.5"
K = 5
KNOWN_ITEMS = (0, 1, 2, None)
"""How many items attackers know besides the attributes; None: any number."""


def candidates_of_people(
    sample: People,
    named: Iterable[str] | None,
    given: Iterable[str] | None,
    words: CommandWords,
) -> tuple[People, Candidates]:
    """The people with their columns prepared, and what may be promised about them."""
    in_lists = sample.form is not None and not sample.form.files
    inspect = f"{words.inspect} --people" if in_lists else words.inspect
    secrets = sensitive_items(sample.items, named, words.listed, inspect)
    if not secrets.items:
        raise InputError(
            "no sensitive items were given, and the starter list of health terms contains none of the items",
            remedy=f"name the items that nobody should be able to infer: {option('sensitive')}",
        )
    columns = columns_of(sample.attributes, given, words)
    offer = _Offer(sample.names, columns, secrets)
    asked = [*offer.groups(columns.known, columns.words)]
    if columns.few:
        asked += offer.groups(columns.few, listing(columns.few))
    asked.append(offer.apart())
    assumed, others = [*secrets.warnings, *columns.assumed], offer.others(columns.known)
    if columns.are_named and others:
        assumed.append(f"dropped, because they are not named as known to others: {listing(others)}")
    prepared = read_people(sample, drop=others, bins=columns.bins)
    return prepared, Candidates(asked, assumed, secrets.first)


@dataclass(frozen=True)
class _Offer:
    """The promises to be measured; columns that nobody is assumed to know are left out of the release."""

    names: tuple[str, ...]
    columns: Columns
    secrets: Sensitive

    def groups(self, names: Sequence[str], knows: str) -> Iterator[Candidate]:
        for most in KNOWN_ITEMS:
            known = f"{knows}, no item" if most == 0 else f"{knows} and {so_many(most, 'item')}"
            limit = "" if most is None else f" --max-known {most}"
            yield Candidate(
                known,
                f"no sensitive item above {percent(float(RHO), 0)}, and {K} persons share their attributes",
                PeopleUncertainty(
                    RHO, self.secrets.items, k=K, quasi_identifiers=names, max_known=most
                ),
                f"--model people --rho {RHO} --k {K}{limit} {self._common(names)}",
            )

    def apart(self) -> Candidate:
        known = self.columns.known
        model = PeopleApart(RHO, self.secrets.items, quasi_identifiers=known)
        return Candidate(
            f"{self.columns.words} and all items that are not sensitive",
            f"no sensitive item above {percent(float(RHO), 0)}, if all of a group are equally likely",
            model,
            f"--model {model.name} --rho {RHO} {self._common(known)}",
        )

    def others(self, names: Sequence[str]) -> list[str]:
        return [name for name in self.names if name not in names]

    def _common(self, names: Sequence[str]) -> str:
        known = shlex.quote(join_columns(names))
        prepared = self.columns.options(self.others(names))
        return f"--quasi-identifiers {known} --sensitive {self.secrets.listed}{prepared}"
