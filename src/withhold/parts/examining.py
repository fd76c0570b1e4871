"""Audits and comparisons of data that need not fit in memory, by sums over parts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from withhold.arguments import checked
from withhold.auditing.by_parts import AuditSums
from withhold.auditing.result import Audit, seconds_left
from withhold.candidates import refuse_swapped
from withhold.comparison import Compared, Comparison, wanted_items
from withhold.counting.threads import Progress, quiet
from withhold.data import Evidence, Hierarchy, Records
from withhold.data.groups import Groups
from withhold.data.unknown import find_unknown, refuse_if_nothing_known
from withhold.errors import InputError, PolicyError, option
from withhold.listed import check_counted
from withhold.measure.by_parts import Pieces, Sums, measure_by_parts
from withhold.measure.generalised import measured_by_counts
from withhold.measure.queries import QUERIES
from withhold.measure.sets import as_measured
from withhold.measure.utility import Utility
from withhold.method import Model
from withhold.parts.counted_audit import audit_by_counts
from withhold.parts.group_audit import audit_tables
from withhold.parts.planning import Data
from withhold.parts.reading import Parts, open_parts, rows_together
from withhold.parts.recounting import still_breaches
from withhold.phases import phase
from withhold.registry import audit_call, method_of, search_call
from withhold.telling.facts import Measured, MeasureRequest

if TYPE_CHECKING:
    from withhold.methods.cells.audit import TableAudit

PAIRS_ONLY = (
    "itemsets and rules: of up to {} items, which is what sums over parts can count; larger ones need all "
    "records in memory"
)
OF_ALL_RECORDS = ("population", "sampling_fraction")
"""Options of an audit that need the whole records of everybody."""


@phase("auditing")
@checked
def audit_parts(
    data: Data,
    model: Model,
    *,
    part_records: int | None = None,
    reading: Mapping[str, object] | None = None,
    allow_unknown: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
    **options: object,
) -> Audit | TableAudit:
    """What an attacker could infer from data that are read part by part, and whether the model holds.

    Parameters
    ----------
    data
        A folder, a pattern such as ``"shop/*.parquet"``, a file, the folder of a release, a Dask DataFrame
        or a polars LazyFrame with a row for each record.
    model
        What must hold; one that may be released by parts.
    part_records
        About how many records are in memory at once; 250,000 if not given.
    reading
        As for ``anonymize_parts``.
    allow_unknown, **options
        As for ``audit``.
    jobs, progress
        As for ``advise``.
    seed, limit_seconds
        The random seed of the attack curve, and the time after which the verdict is UNDECIDED.

    Returns
    -------
    Audit or TableAudit
        HOLDS if every part keeps the promise. The breaches that it lists were counted over all parts;
        numbers of breaches, exposed records and the attack curve are sums of what each part shows alone.
        Of a table the groups are counted over all parts, and every number is that of the whole.

    Raises
    ------
    WithholdError
        If the data cannot be read, or the model is about all records at once.

    Examples
    --------
    >>> import polars as pl
    >>> from withhold import RhoUncertainty
    >>> shop = pl.LazyFrame({"items": [["bread", "condom"], ["beer", "condom"], ["bread"]]})
    >>> audit_parts(shop, RhoUncertainty("0.5", {"condom"}), part_records=2).verdict.status
    <Status.BROKEN: 'BROKEN'>
    """
    given = {**options, **({} if limit_seconds is None else {"limit_seconds": limit_seconds})}
    for name in OF_ALL_RECORDS:
        if options.get(name) is not None and method_of(model).by_parts.blocks is None:
            raise PolicyError(f"{name} needs all records at once; leave it out by parts")
    chosen, run = audit_call(model, {**options, "seed": seed, "jobs": jobs, "progress": quiet})
    refuse_audit(model)
    if method_of(model).by_parts.blocks is not None:
        if wrong := [name for name in ("unique_size", "limit_seconds") if name in given]:
            raise PolicyError(
                f"{option(wrong[0])} is for tables in memory; groups are counted over all parts, whole, and "
                "their sizes tell the rest; leave it out"
            )
        return audit_tables(
            data,
            model,
            chosen,
            seed,
            part_records=part_records,
            reading=reading or {},
            allow_unknown=allow_unknown,
            progress=progress,
        )
    parts = open_parts(data, part_records=part_records, reading=reading)
    began = time.perf_counter()
    if method_of(model).by_parts.counts is not None:
        return audit_by_counts(
            parts, model, chosen, seed, allow_unknown=allow_unknown, progress=progress
        )
    sums = AuditSums(model, seed)
    for records in parts.told("auditing", progress):
        timed = replace(run, limit_seconds=seconds_left(limit_seconds, began))
        sums.add(method_of(model).audit(records, model, Evidence(), chosen, timed), records)
    unknown = check_counted(model, dict.fromkeys(sums.items, 0), allowed=allow_unknown)
    breaches = still_breaches(parts, list(sums.found.values()), model, sums.records, progress)
    return sums.joined(
        breaches,
        show=chosen.show,
        samples=chosen.samples,
        seconds=time.perf_counter() - began,
        unknown=unknown,
    )


def refuse_audit(model: Model) -> None:
    """Refuse a model if parts on their own say nothing about the whole."""
    by_parts = method_of(model).by_parts
    reason = by_parts.refused(model, search_call(model, {})[0], {})
    if not by_parts.audited and by_parts.counts is None and by_parts.blocks is None:
        reason = (
            reason
            or "audits of its parts do not add up to one of the whole; verify proves a release"
        )
    if reason:
        raise PolicyError(f"{model.name} cannot be audited by parts: {reason}")


@phase("comparing")
@checked
def compare_parts(
    original: Data,
    *published: Data,
    part_records: int | None = None,
    reading: Mapping[str, object] | None = None,
    sensitive: Iterable[str] | None = None,
    min_support: str | float | None = None,
    min_confidence: str | float = "0.3",
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
    queries: int = QUERIES,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Comparison:
    """What each of several releases lost against the same original, none of which need fit in memory.

    Parameters
    ----------
    original
        A folder, a pattern, a file, a Dask DataFrame or a polars LazyFrame.
    *published
        Folders of releases by parts, or whatever ``original`` may be; in the order of the original.
    part_records
        About how many records are in memory at once; 250,000 if not given.
    reading
        As for ``anonymize_parts``.
    sensitive, min_support, min_confidence, queries, seed, jobs, progress
        As for ``compare``.
    hierarchy
        By which releases under ``Buckets`` were generalised; they cannot be compared without it.

    Returns
    -------
    Comparison
        The numbers of ``compare``. Itemsets and rules are those of up to two items.

    Raises
    ------
    WithholdError
        If something cannot be read, or shares no item with the original.

    Examples
    --------
    >>> import polars as pl
    >>> shop = pl.LazyFrame({"items": [["bread", "condom"], ["beer", "condom"], ["bread"]]})
    >>> published = pl.LazyFrame({"items": [["bread"], ["beer", "condom"], ["bread"]]})
    >>> found = compare_parts(shop, published, part_records=2)
    >>> found.releases[0].measured.fact("occurrences.all.removed").value
    1
    """
    if not published:
        raise PolicyError("nothing to compare with; name at least one release")
    refuse_swapped(original, published)
    before = open_parts(original, part_records=part_records, reading=reading)
    wanted = None if sensitive is None else wanted_items(sensitive)
    found, notes = [], set()
    for each in published:
        after = open_parts(each, part_records=part_records, reading=reading)
        known = after.model.sensitive if after.model is not None else frozenset()
        request = MeasureRequest(
            model=after.model,
            sensitive=known if wanted is None else wanted,
            min_support=None if min_support is None else str(min_support),
            min_confidence=str(min_confidence),
            queries=queries,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
        if is_generalised(after):
            generalised = measure_generalised(before, after, hierarchy, request)
            found.append(Compared(after.name, generalised))
            continue
        if hierarchy is not None:
            raise PolicyError(f"{option('hierarchy')} is for releases that were generalised by it")
        measured, utility, sums = measure_parts(before, after, request)
        _refuse_unrelated(sums, after.name)
        if wanted is not None:
            refuse_if_nothing_known(find_unknown(wanted, sums.vocabulary, what="sensitive items"))
        notes.add(PAIRS_ONLY.format(utility.itemsets.max_size))
        found.append(Compared.of(after.name, measured, sensitive=request.sensitive))
    return Comparison(before.name, tuple(found), tuple(sorted(notes)))


def is_generalised(after: Parts) -> bool:
    """Whether it is a release in which an item may have another name in each record."""
    return after.model is not None and method_of(after.model).by_parts.generalised is not None


def measure_generalised(
    before: Parts,
    after: Parts,
    hierarchy: str | os.PathLike[str] | Hierarchy | None,
    request: MeasureRequest,
) -> Measured:
    """What a release lost in which an item may have another name in each record."""
    if hierarchy is None:
        raise PolicyError(
            f"{after.name} was released with other names than those of the original, and an item has another "
            f"one in each record; name the {option('hierarchy')} that it was made with"
        )
    measure = method_of(after.model).by_parts.generalised if after.model is not None else None
    assert measure is not None
    found: Measured | None = measure(_walks(before, after, request), hierarchy, request)
    if found is None:
        raise InputError(
            "does not fit the hierarchy, or has other records than the original",
            path=after.name,
            remedy="name the original and the hierarchy that it was made with",
        )
    return found


def measure_parts(
    before: Parts, after: Parts, request: MeasureRequest
) -> tuple[Measured, Utility, Sums]:
    """What ``after`` lost of ``before``, row by row, under the names of its groups if it has any."""
    groups: Groups | None = getattr(after.model, "groups", None)
    utility, sums = measure_by_parts(_walks(before, after, request), request, groups)
    measured = as_measured(utility)
    if groups is not None:
        measured = measured_by_counts(measured, groups, sums.items, int(sums.tally.before.sum()))
    return measured, utility, sums


def _walks(before: Parts, after: Parts, request: MeasureRequest) -> Pieces:
    """A function that walks over both together and reports progress."""
    walks = count(1)

    def pieces() -> Iterator[tuple[Records, Records]]:
        what = f"comparing, walk {next(walks)}"
        return rows_together(before.told(what, request.progress), after)

    return pieces


def _refuse_unrelated(sums: Sums, name: str) -> None:
    """Refuse a release that has no item of the original: another one, or one that was misread."""
    if sums.tally.after.any() and not (sums.tally.before[sums.tally.after > 0] > 0).any():
        raise InputError(
            "shares no item with the original",
            path=name,
            remedy="check that it is a release of these data, and how both are read",
        )
