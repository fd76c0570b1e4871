"""What protection would cost, before anybody has chosen a model: a few releases of a sample, measured.

In: records or a table. Out: an ``Advice``: for each choice what attackers may know, what is promised against
them, what a release of the sample lost, and the command to run next. Nothing is asked or published. The same
seed gives the same numbers; a time limit only leaves choices out.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from withhold.arguments import checked, names_in
from withhold.counting.threads import Progress, quiet
from withhold.data import People, Records, Table
from withhold.data.column_lists import join_columns, typed
from withhold.data.decimals import exact_decimal
from withhold.data.identifying import looks_identifying
from withhold.data.names import clean_set, is_unknown
from withhold.data.suggesting import suggest_sensitive
from withhold.data.unknown import find_unknown, refuse_if_nothing_known
from withhold.errors import ImpossibleError, InputError, PolicyError
from withhold.formats import read, read_table
from withhold.formats.readable import Readable
from withhold.methods.cells.model import KAnonymity
from withhold.methods.coherence.model import Coherence
from withhold.methods.km.model import KmAnonymity
from withhold.methods.rho.model import RhoUncertainty
from withhold.pipeline import anonymize
from withhold.telling.advice import Advice, Choice
from withhold.wording import counted, listing

MOST = 10_000
"""Records or rows of the sample."""
MANY_NUMBERS = 50
"""From so many different numbers on, a column is put into ranges for the sample."""
RANGES = "quantiles:10"
YEARS = "5y"
RHO = (("0.5", None), ("0.5", 2), ("0.5", 1), ("0.3", None), ("0.2", None))
"""The largest confidence allowed, and how many items attackers know; None: any."""
KM = ((2, 2), (5, 1), (5, 2), (10, 2))
"""k and m."""
COHERENCE = (("0.5", 5, 2),)
K = (2, 5, 10, 50)
TURNS = (5, 10, 2, 50)
"""The usual k first."""
LIST_FILE = "suggested.txt"
KNOWN = re.compile(
    r"(?i)(?<![a-z])(age|born|birth\w*|dob|sex|gender|zip\w*|post(al)?(code)?|city|town|county|region|state|"
    r"country|race|ethnic\w*|nation\w*|marital|married|educ\w*|school\w*|occupation|job|profession|relig\w*|"
    r"language)(?![a-z])"
)
"""Names of columns that neighbours, colleagues and registers know of a person."""


@dataclass(frozen=True)
class _Candidate:
    knows: str
    promise: str
    model: Any
    options: str
    """What the command has besides the file."""
    turn: int = 0
    """When it is measured: what comes last is left out first when the time is up."""


@checked
def advise(
    data: Readable | Table,
    *,
    sensitive: Iterable[str] | None = None,
    quasi_identifiers: Iterable[str] | None = None,
    limit_seconds: float = 60.0,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Advice:
    """What protecting people against more or less informed attackers would cost.

    Parameters
    ----------
    data
        Whatever ``read`` takes, or a ``Table``; of more than 10,000 records a sample is drawn.
    sensitive
        Of records: the items that nobody should be able to infer; those that a starter list proposes if not
        given.
    quasi_identifiers
        Of a table: the columns that somebody may know; all if not given.
    limit_seconds
        No further choice is measured after so many seconds; the one being measured is finished.
    seed
        Of the sample and the releases.
    jobs, progress
        Threads, and a function that hears how far it is.

    Returns
    -------
    Advice
        Its ``choices``, each with the share that was lost and the command to run next.

    Raises
    ------
    WithholdError
        If the data cannot be read, or an option does not fit them.

    Examples
    --------
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]] * 5
    >>> found = advise(shop, sensitive=["condom"])
    >>> found.choices[0].knows, found.choices[0].cost
    ('any items of a record', 0.125)
    """
    if isinstance(data, People):
        raise PolicyError(
            "advice is for records or a table; what a release of people costs against attackers who know "
            "more, or less, is for ladder(people, model)"
        )
    whole = data if isinstance(data, Table) else read(data)
    file = "DATA" if whole.source is None else shlex.quote(str(whole.source.path))
    people = (sensitive, quasi_identifiers)
    run = {"limit_seconds": limit_seconds, "seed": seed, "jobs": jobs, "progress": progress}
    return advise_on(whole, *people, file=file, listed="LIST", **run)  # type: ignore[arg-type]


def advise_on(
    whole: Records | Table,
    sensitive: Iterable[str] | None,
    quasi_identifiers: Iterable[str] | None,
    *,
    file: str,
    listed: str,
    limit_seconds: float,
    seed: int,
    jobs: int | None,
    progress: Progress,
) -> Advice:
    """The advice; ``file`` and ``listed`` are how its commands name the data and the list of items."""
    if limit_seconds <= 0:
        raise PolicyError(f"the time limit must be above 0, not {limit_seconds!r}")
    sample, first = _sampled(whole, seed), ""
    if isinstance(sample, Table):
        if sensitive is not None:
            raise PolicyError("sensitive items are for records; a table has quasi-identifiers")
        sample, asked, assumed = _of_table(sample, quasi_identifiers)
    else:
        if quasi_identifiers is not None:
            raise PolicyError("quasi-identifiers are for a table; records have sensitive items")
        asked, assumed, first = _of_records(sample, sensitive, file, listed)
    if len(sample) < len(whole):
        assumed = [_drawn(len(sample), len(whole)), *assumed]
    until = time.monotonic() + limit_seconds
    measured: dict[int, Choice] = {}
    for place in sorted(range(len(asked)), key=lambda place: asked[place].turn):
        progress("advising", len(measured), len(asked))
        measured[place] = _measured(sample, asked[place], file, until, seed=seed, jobs=jobs)
    choices = (measured[place] for place in range(len(asked)))
    what = "row" if isinstance(sample, Table) else "record"
    return Advice(len(sample), len(whole), what, tuple(assumed), tuple(choices), first, seed)


def _drawn(sampled: int, of: int) -> str:
    return (
        f"a sample of {sampled:,} of {of:,} stands for the whole, which mostly loses less: among more people "
        "more share what somebody knows"
    )


def _sampled(data: Records | Table, seed: int) -> Records | Table:
    if len(data) <= MOST:
        return data
    kept = np.zeros(len(data), dtype=bool)
    kept[np.random.default_rng(seed).choice(len(data), MOST, replace=False)] = True
    return data.only_records(kept)


def _measured(
    sample: Records | Table,
    asked: _Candidate,
    file: str,
    until: float,
    *,
    seed: int,
    jobs: int | None,
) -> Choice:
    is_table = isinstance(sample, Table)
    command = f"withhold anonymize {file} {asked.options} -o published{_ending(sample)}"
    cost = of_sensitive = None
    problem = "" if time.monotonic() < until else "not measured, the time was up"
    if not problem:
        try:
            options: dict[str, Any] = {"publish": "all"} if is_table else {}
            loss: Any = anonymize(sample, asked.model, seed=seed, jobs=jobs, **options).loss
            cost = float(loss.share if is_table else loss.occurrences)
            if asked.model.sensitive:
                of_sensitive = float(loss.sensitive_occurrences)
        except ImpossibleError as error:
            problem = str(error)
    of = "cells" if is_table else "occurrences"
    costs = (cost, of, of_sensitive, problem)
    return Choice(asked.knows, asked.promise, asked.model.name, *costs, command)


def _ending(data: Records | Table) -> str:
    name = "" if data.source is None else data.source.path.name
    known = re.search(r"(\.[A-Za-z]+)(\.gz|\.zst)?$", name)
    return known[0] if known else ".csv" if isinstance(data, Table) else ".dat"


def _of_records(
    sample: Records, sensitive: Iterable[str] | None, file: str, listed: str
) -> tuple[list[_Candidate], list[str], str]:
    assumed, first = [], ""
    if sensitive is not None:
        items = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
        refuse_if_nothing_known(find_unknown(items, sample.vocabulary, what="sensitive items"))
    else:
        items = frozenset(each.item for each in suggest_sensitive(sample))
        if items:
            listed, first = LIST_FILE, f"withhold inspect {file} --suggest-sensitive > {LIST_FILE}"
            assumed.append(
                f"WARNING: nobody said what is sensitive; {counted(len(items), 'item')} that a starter list "
                f"of health terms proposes {'stands' if len(items) == 1 else 'stand'} in for it. Read the "
                "list, and change it, before you rely on any number"
            )
        else:
            assumed.append(
                "WARNING: nobody said what is sensitive, and the starter list of health terms knows none of "
                "the items. Only promises that need no list are here: they hide who somebody is, not what "
                "is sensitive"
            )
    return [*_about_items(items, listed), *_about_sets()], assumed, first


def _about_items(items: frozenset[str], listed: str) -> Iterator[_Candidate]:
    if not items:
        return
    for rho, known in RHO:
        most = "" if known is None else f" --max-known {known}"
        yield _Candidate(
            _known(known),
            f"no sensitive item is inferred with more than {float(rho):.0%} certainty",
            RhoUncertainty(rho, items, max_known=known),
            f"--rho {rho} --sensitive {listed}{most}",
        )
    for h, k, p in COHERENCE:
        yield _Candidate(
            _known(p),
            f"no sensitive item above {float(h):.0%}, and {k} records fit",
            Coherence(h, k, p, items),
            f"--model coherence --h {h} --k {k} --p {p} --private {listed}",
        )


def _about_sets() -> Iterator[_Candidate]:
    for k, m in KM:
        yield _Candidate(
            _known(m),
            f"at least {k} records fit",
            KmAnonymity(k, m),
            f"--model km --k {k} --m {m}",
        )


def _known(most: int | None) -> str:
    return (
        "any items of a record" if most is None else f"at most {counted(most, 'item')} of a record"
    )


def _of_table(
    sample: Table, given: Iterable[str] | None
) -> tuple[Table, list[_Candidate], list[str]]:
    wanted = None if given is None else tuple(names_in(given, name="quasi_identifiers"))
    for name in wanted or ():
        sample.column(name)
    looks = looks_identifying(sample, sample.names if wanted is None else wanted)
    bins = dict(_bins(sample, wanted or sample.names, looks))
    drop = [name for name in looks if wanted is None and name not in bins]
    if len(drop) == len(sample.names):
        raise InputError(
            "every column may identify people, so nothing is left to advise on",
            remedy="name the columns that somebody may know (quasi-identifiers)",
        )
    prepared = read_table(sample, drop=drop, bins=bins)
    assumed = []
    if wanted is None:
        assumed.append("nobody said what attackers may know of a person; all columns stand for it")
    if drop:
        assumed.append(f"dropped, as they may identify people: {listing(drop)}")
    if bins:
        assumed.append(f"in ranges: {', '.join(f'{name} ({how})' for name, how in bins.items())}")
    prepare = "".join(f" --bin {shlex.quote(f'{typed(n)}={how}')}" for n, how in bins.items())
    prepare += f" --drop {shlex.quote(join_columns(drop))}" if drop else ""
    every = wanted or prepared.names
    asked = list(_about_rows(every, prepare, "everything" if wanted is None else listing(every)))
    few = [name for name in every if KNOWN.search(name)]
    if wanted is None and few and len(few) < len(every):
        asked += _about_rows(few, prepare, listing(few))
    return prepared, asked, assumed


def _bins(
    table: Table, names: Sequence[str], looks: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Ranges for columns of dates, and of many different numbers."""
    for name in names:
        values = [value for value in table.column(name).values if not is_unknown(value)]
        why = looks.get(name, "")
        # A number that is different in every row is nobody's quantity: it is an id.
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


def _about_rows(names: Sequence[str], prepare: str, knows: str) -> Iterator[_Candidate]:
    listed = shlex.quote(join_columns(names))
    for k in K:
        yield _Candidate(
            knows,
            f"at least {k} rows fit equally well",
            KAnonymity(k, names),
            f"--model k-anonymity --k {k} --quasi-identifiers {listed}{prepare}",
            turn=TURNS.index(k),
        )
