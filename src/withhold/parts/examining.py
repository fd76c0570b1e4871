"""Audits and comparisons of data that need not fit in memory, by sums over parts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from withhold.arguments import checked, names_in
from withhold.auditing.by_parts import AuditSums
from withhold.auditing.result import Audit, seconds_left
from withhold.comparison import OF_THE_SENSITIVE, Compared, Comparison
from withhold.counting.threads import Progress, quiet
from withhold.data import Evidence, Records
from withhold.data.breach import Breach
from withhold.data.groups import Groups
from withhold.data.names import clean_set
from withhold.data.unknown import find_unknown, refuse_if_nothing_known
from withhold.errors import InputError, PolicyError, option
from withhold.measure.by_parts import Sums, measure_by_parts
from withhold.measure.generalised import measured_by_counts
from withhold.measure.queries import QUERIES, count_itemsets
from withhold.measure.sets import as_measured
from withhold.measure.utility import Utility
from withhold.method import Model
from withhold.parts.counted_audit import audit_by_counts
from withhold.parts.group_audit import audit_tables
from withhold.parts.planning import Data
from withhold.parts.reading import Parts, open_parts, rows_together
from withhold.phases import phase
from withhold.registry import audit_call, method_of, search_call
from withhold.telling.facts import MeasureRequest

if TYPE_CHECKING:
    from withhold.methods.cells.audit import TableAudit

PAIRS_ONLY = (
    "itemsets and rules: of up to {} items, which is what sums over parts can count; larger ones need all "
    "records in memory"
)
NO_QUERIES = (
    "releases with groups by parts: count queries are about items, not groups, and are left out"
)
OF_ALL_RECORDS = ("population", "sampling_fraction")
"""Options of an audit that are about the whole records of everybody."""


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
        About how many records are looked at at once; 250,000 if not given.
    reading
        Options of ``read`` that say how the files are to be understood.
    allow_unknown, seed, jobs, limit_seconds, progress, **options
        As for ``audit``.

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
    missing = find_unknown(
        model.sensitive, sums.items, what=method_of(model).listed, allowed=allow_unknown
    )
    refuse_if_nothing_known(missing)
    breaches = _still_breaches(parts, list(sums.found.values()), model, sums.records, progress)
    return sums.joined(
        breaches,
        show=chosen.show,
        samples=chosen.samples,
        seconds=time.perf_counter() - began,
        unknown=() if missing is None else (missing,),
    )


def refuse_audit(model: Model) -> None:
    """Refuse a model of which parts on their own say nothing about the whole."""
    by_parts = method_of(model).by_parts
    reason = by_parts.refused(model, search_call(model, {})[0], {})
    if not by_parts.audited and by_parts.counts is None and by_parts.blocks is None:
        reason = (
            reason
            or "audits of its parts do not add up to one of the whole; verify proves a release"
        )
    if reason:
        raise PolicyError(f"{model.name} cannot be audited by parts: {reason}")


def _refuse_generalised(published: Parts) -> None:
    """Refuse a release whose items stand under names that its manifest does not tell."""
    model = published.model
    if model is not None and not method_of(model).by_parts.compared:
        raise PolicyError(
            f"{published.name} was released under {model.name}, with other names than those of the original, "
            "and an item has another one in each record; compare its parts with theirs one by one, with "
            "--hierarchy"
        )


def has_other_names(model: Model) -> bool:
    """Whether a release under the model has names that the original does not have, such as groups."""
    has_groups = getattr(model, "groups", None) is not None
    return has_groups or not method_of(model).by_parts.compared


def _still_breaches(
    parts: Parts, found: Sequence[Breach], model: Any, n_records: int, progress: Progress
) -> list[Breach]:
    """Those breaches of parts that are breaches of all records together, with the counts of all."""
    if not found:
        return []
    names = sorted({name for each in found for name in (*each.antecedent, each.consequent)})
    code_of = {name: code for code, name in enumerate(names)}
    asked = [
        tuple(code_of[name] for name in each)
        for breach in found
        for each in (breach.antecedent, (*breach.antecedent, breach.consequent))
    ]
    # What somebody knows who knows nothing is true of every record.
    known = [number for number, each in enumerate(asked) if each]
    counts = np.full(len(asked), n_records, dtype=np.int64)
    counts[known] = 0
    for records in parts.told("counting breaches", progress):
        here = _only(records, tuple(names))
        counts[known] += count_itemsets(here, [asked[n] for n in known]).astype(np.int64)
    counted = [
        replace(breach, support=int(counts[2 * n]), joint=int(counts[2 * n + 1]))
        for n, breach in enumerate(found)
    ]
    left = [each for each in counted if each.support and each.confidence > model.rho]
    return sorted(
        left,
        key=lambda each: (
            len(each.antecedent),
            -each.confidence,
            -each.joint,
            each.antecedent,
            each.consequent,
        ),
    )


def _only(records: Records, names: tuple[str, ...]) -> Records:
    """The records with these items alone, under their codes."""
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.array([code_of.get(name, -1) for name in records.vocabulary], dtype=np.int32)
    kept = codes[records.items] >= 0 if len(codes) else np.zeros(0, dtype=np.bool_)
    offsets = np.concatenate([[0], np.cumsum(kept)])[records.offsets]
    return Records(offsets, codes[records.items[kept]], names)


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
        Options of ``read`` that say how the files are to be understood.
    sensitive, min_support, min_confidence, queries, seed, jobs, progress
        As for ``compare``.

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
    before = open_parts(original, part_records=part_records, reading=reading)
    wanted = None
    if sensitive is not None:
        wanted = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
    found, notes = [], set()
    for each in published:
        after = open_parts(each, part_records=part_records, reading=reading)
        _refuse_generalised(after)
        groups: Groups | None = getattr(after.model, "groups", None)
        known = after.model.sensitive if after.model is not None else frozenset()
        request = MeasureRequest(
            model=after.model,
            sensitive=known if wanted is None else wanted,
            min_support=None if min_support is None else str(min_support),
            min_confidence=str(min_confidence),
            queries=queries if groups is None else 0,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
        utility, sums = measure_parts(before, after, request)
        _refuse_unrelated(sums, after.name)
        if wanted is not None:
            refuse_if_nothing_known(find_unknown(wanted, sums.vocabulary, what="sensitive items"))
        measured = as_measured(utility)
        if groups is not None:
            held: Counter[str] = Counter()
            for records in before.told("counting items", progress):
                held.update(dict(zip(records.vocabulary, records.supports.tolist(), strict=True)))
            under = int(sums.tally.before.sum())
            measured = measured_by_counts(measured, groups, held, under)
            notes.add(NO_QUERIES)
        if not request.sensitive:
            facts = (fact for fact in measured.facts if fact.path not in OF_THE_SENSITIVE)
            measured = replace(measured, facts=tuple(facts))
        notes.add(PAIRS_ONLY.format(utility.itemsets.max_size))
        found.append(Compared(after.name, measured))
    return Comparison(before.name, tuple(found), tuple(sorted(notes)))


def measure_parts(before: Parts, after: Parts, request: MeasureRequest) -> tuple[Utility, Sums]:
    """What ``after`` lost of ``before``, row by row, under the names of its groups if it has any."""
    walks = iter(("comparing items", "comparing pairs", "asking queries"))
    groups: Groups | None = getattr(after.model, "groups", None)

    def pieces() -> Iterator[tuple[Records, Records]]:
        originals = before.told(next(walks), request.progress)
        if groups is not None:
            originals = map(groups.generalise, originals)
        return rows_together(originals, after)

    return measure_by_parts(pieces, request)


def _refuse_unrelated(sums: Sums, name: str) -> None:
    """Refuse a release that has no item of the original: another one, or one that was misread."""
    if sums.tally.after.any() and not (sums.tally.before[sums.tally.after > 0] > 0).any():
        raise InputError(
            "shares no item with the original",
            path=name,
            remedy="check that it is a release of these data, and how both are read",
        )
