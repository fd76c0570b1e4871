"""What protection would cost, before anybody has chosen a model: a few releases of a sample, measured.

In: records, a table or people. Out: an ``Advice``: for each choice what attackers may know, what is promised
against them, what a release of the sample lost, and the command to run next. Nothing is published, and no
questions are asked. The same seed gives the same numbers; a time limit only leaves choices out.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from withhold.advising.candidates import Candidate, CommandWords, candidates_of_records
from withhold.advising.persons import candidates_of_people
from withhold.advising.tables import candidates_of_table
from withhold.arguments import checked
from withhold.counting.threads import Progress, quiet
from withhold.data import People, Records, Table
from withhold.errors import ImpossibleError, PolicyError
from withhold.formats import Data, read
from withhold.formats.readable import Readable
from withhold.methods.apart.measure import ApartLoss
from withhold.methods.people.loss import PeopleLoss
from withhold.phases import phase
from withhold.pipeline import proved_draft
from withhold.registry import method_of
from withhold.telling.advice import Advice, Choice

MOST = 10_000
"""The most records, rows or persons in the sample."""


@checked
def advise(
    data: Readable | Table | People,
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
        Whatever ``read`` takes, a ``Table`` or ``People``. If it has more than 10,000 records, a sample is
        drawn.
    sensitive
        For records and people: the items that nobody should be able to infer. If not given, those that a
        starter list proposes.
    quasi_identifiers
        For a table and people: the columns that others may know. If not given, all columns that do not seem
        to identify people.
    limit_seconds
        After this many seconds no further choice is measured; the current one is finished.
    seed
        Random seed of the sample and the releases.
    jobs, progress
        The number of threads, and a function that is told the progress.

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
    whole = data if isinstance(data, Table | People) else read(data)
    run = {"limit_seconds": limit_seconds, "seed": seed, "jobs": jobs, "progress": progress}
    words = CommandWords(_named(whole), "LIST")
    return advise_on(whole, sensitive, quasi_identifiers, words, **run)  # type: ignore[arg-type]


def _named(data: Data) -> str:
    """How a command names the data: the files that they came from."""
    if data.source is None:
        return "DATA"
    words = [str(data.source.path)]
    for file in data.source.files:
        words += ["--items", f"{file.part}={file.path}"]
    # One option is for all files of items; if they differ, the columns of each are found by their names.
    columns = {file.columns for file in data.source.files}
    if len(columns) == 1 and len(pair := columns.pop()) == 2:
        words += ["--record-column", pair[0], "--item-column", pair[1]]
        if data.source.id_column != pair[0]:
            words += ["--person-column", data.source.id_column]
    if data.source.list_column:
        words += ["--item-column", data.source.list_column]
    return shlex.join(words)


@phase("advising")
def advise_on(
    whole: Data,
    sensitive: Iterable[str] | None,
    quasi_identifiers: Iterable[str] | None,
    words: CommandWords,
    *,
    limit_seconds: float,
    seed: int,
    jobs: int | None,
    progress: Progress,
) -> Advice:
    """The advice; ``words`` are how its commands name their input."""
    if limit_seconds <= 0:
        raise PolicyError(f"the time limit must be above 0, not {limit_seconds!r}")
    sample: Data = _sampled(whole, seed)
    if isinstance(sample, Table):
        if sensitive is not None:
            raise PolicyError("sensitive items are for records; a table has quasi-identifiers")
        sample, found = candidates_of_table(sample, quasi_identifiers, words)
    elif isinstance(sample, People):
        sample, found = candidates_of_people(sample, sensitive, quasi_identifiers, words)
    else:
        if quasi_identifiers is not None:
            raise PolicyError("quasi-identifiers are for a table; records have sensitive items")
        found = candidates_of_records(sample, sensitive, words)
    assumed, asked = found.assumed, found.asked
    if len(sample) < len(whole):
        assumed = [_drawn(len(sample), len(whole)), *assumed]
    until = time.monotonic() + limit_seconds
    measured: dict[int, Choice] = {}
    for place in sorted(range(len(asked)), key=lambda place: asked[place].turn):
        progress("advising", len(measured), len(asked))
        measured[place] = _measured(sample, asked[place], words.data, until, seed=seed, jobs=jobs)
    choices = tuple(measured[place] for place in range(len(asked)))
    what = {"table": "row", "people": "person"}.get(sample.kind, "record")
    told = (what, tuple(assumed), choices, found.first, seed, found.not_measured)
    return Advice(len(sample), len(whole), *told)


def _drawn(sampled: int, of: int) -> str:
    return (
        f"a sample of {sampled:,} of {of:,} stands for the whole, which usually loses less: among more "
        "people more share what somebody knows"
    )


def _sampled(data: Data, seed: int) -> Data:
    if len(data) <= MOST:
        return data
    kept = np.zeros(len(data), dtype=bool)
    kept[np.random.default_rng(seed).choice(len(data), MOST, replace=False)] = True
    return data.only_records(kept)


def _measured(
    sample: Data,
    asked: Candidate,
    file: str,
    until: float,
    *,
    seed: int,
    jobs: int | None,
) -> Choice:
    command = f"withhold anonymize {file} {asked.options} -o published{_ending(sample)}"
    cost = _Cost(None, "cells" if not isinstance(sample, Records) else "occurrences")
    problem = "" if time.monotonic() < until else "not measured: the time limit was reached"
    if not problem:
        try:
            decides = "publish" in method_of(asked.model).searches()
            options: dict[str, Any] = {"publish": "all"} if decides else {}
            cost = _cost(proved_draft(sample, asked.model, seed=seed, jobs=jobs, **options).loss)
            if not asked.model.sensitive:
                cost = cost._replace(of_sensitive=None)
        except ImpossibleError as error:
            problem = str(error)
    told = (asked.knows, asked.promise, asked.model.name)
    return Choice(*told, cost.share, cost.of, cost.of_sensitive, problem, command, cost.misplaced)


class _Cost(NamedTuple):
    share: float | None
    of: str
    of_sensitive: float | None = None
    misplaced: float | None = None


def _cost(loss: Any) -> _Cost:
    """What a release lost, as a share of the cells or occurrences that its data consist of."""
    if isinstance(loss, PeopleLoss):
        return _Cost(loss.cell_share, "cells", loss.sensitive_share)
    if isinstance(loss, ApartLoss):
        return _Cost(loss.share, "occurrences", loss.sensitive_share, loss.misplaced)
    if hasattr(loss, "occurrences"):
        return _Cost(float(loss.occurrences), "occurrences", float(loss.sensitive_occurrences))
    return _Cost(float(loss.share), "cells")


def _ending(data: Data) -> str:
    name = "" if data.source is None else data.source.path.name
    known = re.search(r"(\.[A-Za-z]+)(\.gz|\.zst)?$", name)
    return known[0] if known else ".dat" if isinstance(data, Records) else ".csv"
