"""Promises about records of items that are worth measuring, and which items they protect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from withhold.arguments import names_in
from withhold.data.names import clean_set
from withhold.data.records import Records
from withhold.data.suggesting import suggest_sensitive
from withhold.data.unknown import find_unknown, refuse_wrong_list
from withhold.methods.apart.model import SensitiveApart
from withhold.methods.coherence.model import Coherence
from withhold.methods.km.model import KmAnonymity
from withhold.methods.rho.model import RhoUncertainty
from withhold.wording import counted, percent

RHO = (("0.5", None), ("0.5", 2), ("0.5", 1), ("0.3", None), ("0.2", None))
"""The largest confidence allowed, and how many items attackers know; None: any."""
KM = ((2, 2), (5, 1), (5, 2), (10, 2))
"""k and m."""
COHERENCE = (("0.5", 5, 2),)
NO_LIST = "rho, coherence, apart: need the sensitive items (--sensitive)"
LEFT_OUT = (
    "personal-rho: needs to know what each person wants protected (--constraints)",
    "buckets: needs a hierarchy of the items (--hierarchy)",
)
LIST_FILE = "suggested.txt"


@dataclass(frozen=True)
class Candidate:
    """One promise to be measured."""

    knows: str
    promise: str
    model: Any
    options: str
    """The options of the command."""
    turn: int = 0
    """Its place in the order of measuring: the last ones are left out when the time is up."""


@dataclass(frozen=True)
class Candidates:
    """What is worth measuring, and what that rests on."""

    asked: list[Candidate]
    assumed: list[str]
    """What was assumed because nobody specified it."""
    first: str = ""
    """A command to run before the others; usually empty."""
    not_measured: tuple[str, ...] = ()
    """Models that fit the data and are left out, each with the reason."""


@dataclass(frozen=True)
class CommandWords:
    """How the suggested commands name their input."""

    data: str
    """The data, with the options that name their files."""
    listed: str
    """The list of sensitive items."""
    consent: str = ""
    """The column of consent, which its own option leaves out."""

    @property
    def inspect(self) -> str:
        """The command that shows the data."""
        return f"withhold inspect {self.data}"


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
            "WARNING: no sensitive items were given, so these numbers are about the "
            f"{counted(len(self.items), 'item')} that a starter list of health terms proposes. Read the "
            "list, and change it, before you rely on any number"
        ]


def sensitive_items(
    records: Records, named: Iterable[str] | None, listed: str, inspect: str
) -> Sensitive:
    """The items to protect; ``inspect`` is the command that shows the data."""
    if named is not None:
        items = clean_set(names_in(named, name="sensitive"), "sensitive")
        unknown = find_unknown(items, records.vocabulary, what="sensitive items")
        refuse_wrong_list(unknown, records.vocabulary, can_allow=False)
        return Sensitive(items, listed)
    items = frozenset(each.item for each in suggest_sensitive(records))
    first = f"{inspect} --suggest-sensitive > {LIST_FILE}" if items else ""
    return Sensitive(items, LIST_FILE, first)


def candidates_of_records(
    sample: Records, named: Iterable[str] | None, words: CommandWords
) -> Candidates:
    """What may be promised about records."""
    secrets = sensitive_items(sample, named, words.listed, words.inspect)
    assumed = secrets.warnings
    if not secrets.items:
        assumed.append(
            "WARNING: no sensitive items were given, and the starter list of health terms knows none of "
            "the items. Only promises that need no list are here: they hide who somebody is, not what "
            "is sensitive"
        )
    asked = [*_about_items(secrets.items, secrets.listed), *_about_sets()]
    left_out = (*(() if secrets.items else (NO_LIST,)), *LEFT_OUT)
    return Candidates(asked, assumed, secrets.first, left_out)


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
    yield Candidate(
        "everything but sensitive items",
        f"no sensitive item above {percent(float(RHO[0][0]), 0)}, if all of a group are equally likely",
        SensitiveApart(RHO[0][0], items),
        f"--model apart --rho {RHO[0][0]} --sensitive {listed}",
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
