"""Promises about tables that are worth measuring, and how their columns are prepared for it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from withhold.advising.candidates import Candidate, Candidates, CommandWords
from withhold.arguments import names_in
from withhold.data.column_lists import join_columns, typed
from withhold.data.decimals import exact_decimal
from withhold.data.grouping import groups_of
from withhold.data.identifying import column_words, looks_identifying
from withhold.data.likely_known import is_known_by_name
from withhold.data.names import is_unknown
from withhold.data.roles import column_roles
from withhold.data.table import Table
from withhold.errors import InputError
from withhold.formats import read_table
from withhold.methods.cells.disclosure import alike_groups
from withhold.methods.cells.model import KAnonymity
from withhold.wording import listing

MANY_NUMBERS = 50
"""A column with more different numbers is put into ranges for the sample."""
RANGES = "quantiles:10"
YEARS = "5y"
K = (2, 5, 10, 50)
TURNS = (5, 10, 2, 50)
"""The usual k first."""
L = 2
MARKS = ("*", "?", "withheld", "∅")
"""What may mark a withheld cell; the first that no cell shows."""
DIAGNOSIS = re.compile(
    r"\b(diagnos\w*|icd|disease|illness|condition|disorder|hiv|krankheit|erkrankung|befund|maladie"
    r"|enfermedad|malattia|doen[cç]a|ziekte)\b"
)
"""Words in the names of columns whose values most people would want nobody to infer."""


@dataclass(frozen=True)
class Columns:
    """What attackers may know, and what is done to the columns before anything is measured."""

    known: tuple[str, ...]
    are_named: bool
    """Whether the user said what may be known; else it is everything that identifies nobody."""
    drop: tuple[str, ...]
    bins: Mapping[str, str]
    dropped: tuple[str, ...] = ()
    """What was already left out on request,"""
    binned: Mapping[str, str] = field(default_factory=dict)
    """and what was already put into ranges on request."""

    @property
    def few(self) -> tuple[str, ...]:
        """Of what may be known, what neighbours and registers know, if that is not all of it."""
        found = tuple(name for name in self.known if is_known_by_name(name))
        return () if self.are_named or len(found) == len(self.known) else found

    @property
    def words(self) -> str:
        """All of what may be known, in words."""
        return listing(self.known) if self.are_named else "everything"

    @property
    def assumed(self) -> list[str]:
        """What was assumed because nobody specified it."""
        bins = ", ".join(f"{name} ({how})" for name, how in self.bins.items())
        said = (
            (
                not self.are_named,
                "nobody said what attackers may know of a person; all columns stand for it",
            ),
            (self.drop, f"dropped, because they may identify people: {listing(self.drop)}"),
            (self.bins, f"in ranges: {bins}"),
        )
        return [text for applies, text in said if applies]

    def options(self, drop: Iterable[str]) -> str:
        """How a command prepares the columns, and leaves these out."""
        out = (*self.dropped, *drop)
        ways = {**self.binned, **self.bins}
        bins = [f"{typed(name)}={how}" for name, how in ways.items() if name not in out]
        dropped = f" --drop {shlex.quote(join_columns(out))}" if out else ""
        return "".join(f" --bin {shlex.quote(each)}" for each in bins) + dropped


LEFT_OUT = (
    "k-anonymity with --l, --t or --beta: needs the columns that nobody should learn (--sensitive-column)",
)


def columns_of(sample: Table, given: Iterable[str] | None, words: CommandWords) -> Columns:
    """What attackers may know of the sample: as given, or all but what identifies people."""
    wanted = None if given is None else tuple(names_in(given, name="quasi_identifiers"))
    for name in wanted or ():
        sample.column(name)
    looks = looks_identifying(sample, sample.names if wanted is None else wanted)
    bins = dict(_bins(sample, wanted or sample.names, looks))
    drop = tuple(name for name in looks if wanted is None and name not in bins)
    if len(drop) == len(sample.names):
        raise InputError(
            "every column may identify people, so nothing is left to advise on",
            remedy="name the columns that others may know (quasi-identifiers)",
        )
    known = wanted or tuple(name for name in sample.names if name not in drop)
    ways = (each.rpartition("=") for each in sample.binned)
    binned = {name: how for name, _, how in ways}
    dropped = tuple(name for name in sample.dropped if name != words.consent)
    return Columns(known, wanted is not None, drop, bins, dropped, binned)


def candidates_of_table(
    sample: Table, given: Iterable[str] | None, words: CommandWords
) -> tuple[Table, Candidates]:
    """The table with its columns prepared, and what may be promised about it."""
    columns = columns_of(sample, given, words)
    prepared = read_table(sample, drop=columns.drop, bins=columns.bins)
    asked = [*_about_rows(columns.known, columns.words)]
    if columns.few:
        asked += _about_rows(columns.few, listing(columns.few))
    asked += _about_values(prepared, columns)
    told = [_told(candidate, prepared, columns) for candidate in asked]
    others = dict.fromkeys(name for _, dropped in told for name in dropped)
    assumed = columns.assumed
    if others:
        assumed.append(
            f"dropped in the commands that would stop otherwise: {listing(tuple(others))}"
        )
    found = [candidate for candidate, _ in told]
    return prepared, Candidates(found, assumed, not_measured=LEFT_OUT)


def _told(asked: Candidate, table: Table, columns: Columns) -> tuple[Candidate, list[str]]:
    """The candidate with all options that its command needs, and the columns that would stop it."""
    # More than there are rows cannot be promised, whatever is dropped.
    can_hold = asked.model.k <= len(table)
    undecided = column_roles(table, asked.model).undecided if can_hold else {}
    shown = [name for name in undecided if name in asked.model.sensitive_column]
    drop = [name for name in undecided if name not in shown]
    publish = f" --publish {shlex.quote(join_columns(shown))}" if shown else ""
    mark = _mark(table, asked.model.quasi_identifiers)
    options = f"{asked.options}{columns.options((*columns.drop, *drop))}{publish}{mark}"
    return replace(asked, options=options), drop


def _mark(table: Table, names: Iterable[str]) -> str:
    """The option for a mark, if a withheld cell of these columns could be taken for a blank."""
    shown = {
        value
        for column in map(table.column, names)
        for value, count in zip(column.values, column.counts.tolist(), strict=True)
        if count
    }
    free = (mark for mark in MARKS if mark not in shown)
    return f" --mark {shlex.quote(next(free))}" if shown & {"", None} else ""


def _about_values(table: Table, columns: Columns) -> Iterator[Candidate]:
    """What keeps groups from sharing one value, for columns of diagnoses and for those in which groups do."""
    known = columns.known if columns.are_named else columns.few
    if not known:
        return
    model = KAnonymity(TURNS[0], known)
    left = [name for name in table.names if name not in known]
    # Columns that may identify people need a decision first.
    left = [name for name in left if name not in looks_identifying(table, left)]
    alike = {each.column for each in alike_groups(table, model, groups_of(table, known))}
    for name in left:
        if name in alike or DIAGNOSIS.search(column_words(name)):
            listed = shlex.quote(join_columns(known))
            yield Candidate(
                listing(known),
                f"at least {TURNS[0]} rows fit equally well, with {L} values of {name} or more",
                KAnonymity(TURNS[0], known, sensitive_column=name, l=L),
                f"--model k-anonymity --k {TURNS[0]} --quasi-identifiers {listed} --sensitive-column "
                f"{shlex.quote(join_columns([name]))} --l {L}",
                turn=len(TURNS),
            )


def _bins(
    table: Table, names: Sequence[str], looks: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Ranges for columns of dates, and of many different numbers."""
    for name in names:
        values = [value for value in table.column(name).values if not is_unknown(value)]
        why = looks.get(name, "")
        # A number that is different in every row is not a quantity: it is an id.
        many = why.startswith("has ") or (not why and len(values) > MANY_NUMBERS)
        ways = (
            (why.startswith("holds dates"), YEARS),
            (many and all(exact_decimal(value or "") is not None for value in values), RANGES),
        )
        for applies, how in ways:
            if applies and _can_be_cut(table, name, how):
                yield name, how
                break


def _can_be_cut(table: Table, name: str, how: str) -> bool:
    try:
        read_table(table, bins={name: how})
    except InputError:
        return False
    return True


def _about_rows(names: Sequence[str], knows: str) -> Iterator[Candidate]:
    listed = shlex.quote(join_columns(names))
    for k in K:
        yield Candidate(
            knows,
            f"at least {k} rows fit equally well",
            KAnonymity(k, names),
            f"--model k-anonymity --k {k} --quasi-identifiers {listed}",
            turn=TURNS.index(k),
        )
