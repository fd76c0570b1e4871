"""Promises about records of items that are worth measuring, and which items they protect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from withhold.arguments import names_in
from withhold.data.names import clean_set
from withhold.data.records import Records
from withhold.data.suggesting import suggest_sensitive
from withhold.data.unknown import (
    find_unknown,
    refuse_if_nothing_known,
    refuse_misspelt,
    refuse_several,
)
from withhold.methods.coherence.model import Coherence
from withhold.methods.km.model import KmAnonymity
from withhold.methods.rho.model import RhoUncertainty
from withhold.wording import counted, percent

RHO = (("0.5", None), ("0.5", 2), ("0.5", 1), ("0.3", None), ("0.2", None))
"""The largest confidence allowed, and how many items attackers know; None: any."""
KM = ((2, 2), (5, 1), (5, 2), (10, 2))
"""k and m."""
COHERENCE = (("0.5", 5, 2),)
LIST_FILE = "suggested.txt"


@dataclass(frozen=True)
class Candidate:
    """One promise to be measured."""

    knows: str
    promise: str
    model: Any
    options: str
    """What the command has besides the file."""
    turn: int = 0
    """When it is measured: what comes last is left out first when the time is up."""


@dataclass(frozen=True)
class Candidates:
    """What is worth measuring, and what that rests on."""

    asked: list[Candidate]
    assumed: list[str]
    """What nobody said and was taken for granted."""
    first: str = ""
    """A command to run before the others; mostly none."""


@dataclass(frozen=True)
class Sensitive:
    """The items to protect: those that were named, or that a starter list proposes."""

    items: frozenset[str]
    listed: str
    """How a command names them."""
    first: str = ""
    """The command that writes the proposal to a file."""

    @property
    def warnings(self) -> list[str]:
        """Warnings about items that nobody named."""
        if not self.first:
            return []
        return [
            f"WARNING: no sensitive items were given; {counted(len(self.items), 'item')} that a starter "
            f"list of health terms proposes {'stands' if len(self.items) == 1 else 'stand'} in for it. Read "
            "the list, and change it, before you rely on any number"
        ]


def sensitive_items(
    records: Records, named: Iterable[str] | None, listed: str, inspect: str
) -> Sensitive:
    """The items to protect; ``inspect`` is the command that shows the data."""
    if named is not None:
        items = clean_set(names_in(named, name="sensitive"), "sensitive")
        unknown = find_unknown(items, records.vocabulary, what="sensitive items")
        refuse_misspelt(unknown, records.vocabulary, can_allow=False)
        refuse_several(unknown, records.vocabulary, can_allow=False)
        refuse_if_nothing_known(unknown, can_allow=False)
        return Sensitive(items, listed)
    items = frozenset(each.item for each in suggest_sensitive(records))
    first = f"{inspect} --suggest-sensitive > {LIST_FILE}" if items else ""
    return Sensitive(items, LIST_FILE, first)


def candidates_of_records(
    sample: Records, named: Iterable[str] | None, file: str, listed: str
) -> Candidates:
    """What may be promised of records."""
    secrets = sensitive_items(sample, named, listed, f"withhold inspect {file}")
    assumed = secrets.warnings
    if not secrets.items:
        assumed.append(
            "WARNING: no sensitive items were given, and the starter list of health terms knows none of "
            "the items. Only promises that need no list are here: they hide who somebody is, not what "
            "is sensitive"
        )
    asked = [*_about_items(secrets.items, secrets.listed), *_about_sets()]
    return Candidates(asked, assumed, secrets.first)


def _about_items(items: frozenset[str], listed: str) -> Iterator[Candidate]:
    if not items:
        return
    for rho, known in RHO:
        most = "" if known is None else f" --max-known {known}"
        yield Candidate(
            _known(known),
            f"no sensitive item above {percent(float(rho), 0)} certainty",
            RhoUncertainty(rho, items, max_known=known),
            f"--rho {rho} --sensitive {listed}{most}",
        )
    for h, k, p in COHERENCE:
        yield Candidate(
            _known(p),
            f"no sensitive item above {percent(float(h), 0)}, and {k} records fit",
            Coherence(h, k, p, items),
            f"--model coherence --h {h} --k {k} --p {p} --private {listed}",
        )


def _about_sets() -> Iterator[Candidate]:
    for k, m in KM:
        yield Candidate(
            _known(m),
            f"at least {k} records fit",
            KmAnonymity(k, m),
            f"--model km --k {k} --m {m}",
        )


def _known(most: int | None) -> str:
    return (
        "any items of a record" if most is None else f"at most {counted(most, 'item')} of a record"
    )
