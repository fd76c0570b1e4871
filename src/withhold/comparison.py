"""Several releases of one original, side by side: what each lost, in the measures of its kind of data.

In: an original, and releases or files. Out: a ``Comparison``, which text, JSON and pages render. What the
manifests say helps to read files; where it does not settle how, or who was left out, the user is asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.arguments import checked, names_in
from withhold.counting.threads import Progress, quiet
from withhold.data import KINDS, Hierarchy, People, Records, Table
from withhold.data.names import clean_set
from withhold.data.unknown import find_unknown, refuse_if_nothing_known
from withhold.errors import InputError, PolicyError, UndecidedError, option
from withhold.formats import READERS, Data, read, read_people, read_table
from withhold.formats.formulas import unescaped_items
from withhold.formats.item_trees import tree_for
from withhold.formats.readable import Consent, Readable, ReadableTable
from withhold.measure.queries import QUERIES
from withhold.method import Model
from withhold.publish.manifest import read_internal, read_manifest
from withhold.publish.publishing import changed_files, internal_of, manifest_of
from withhold.publish.recheck import model_in
from withhold.publish.rereading import (
    OF_TABLES,
    original_options,
    read_original,
    read_published,
)
from withhold.publish.rereading_people import read_then
from withhold.registry import measured as measure
from withhold.release import AnyRelease, Release
from withhold.telling.facts import Measured, MeasureRequest
from withhold.wording import counted

OF_THE_SENSITIVE = frozenset(("occurrences.sensitive.share", "occurrences.others.share"))
"""Facts that mean nothing where the sensitive items are not known."""


@dataclass(frozen=True)
class Compared:
    """One column of a comparison."""

    name: str
    measured: Measured


@dataclass(frozen=True)
class Comparison:
    """What each release lost against the same original."""

    original: str
    releases: tuple[Compared, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why a release may not belong to the original."""
        return tuple(
            f"{each.name}: {why}" for each in self.releases for why in each.measured.warnings
        )


@dataclass(frozen=True)
class Candidate:
    """A release that is compared, and what is known of how it was made."""

    name: str
    data: Any
    model: Model | None = None
    hierarchy: Hierarchy | None = None
    path: Path | None = None
    as_it_looks: Data | None = None
    """With quotes before formulas, where only a manifest says that they belong to no name."""
    without_consent: int = 0
    """How many records of the original were left out for want of consent."""
    consent: str | None = None
    """How consent was given then, as it was typed."""
    skipped_rows: int = 0
    """How many rows of the original had no record id, and were left out on request."""
    original: Any = None
    """The original, prepared as it was for this release."""


@checked
def compare(
    original: Readable | ReadableTable,
    *published: Candidate | AnyRelease | Readable | ReadableTable,
    sensitive: Iterable[str] | None = None,
    min_support: str | float | None = None,
    min_confidence: str | float = "0.3",
    hierarchy: Hierarchy | str | os.PathLike[str] | None = None,
    consent: Consent = None,
    names: Sequence[str] | None = None,
    queries: int = QUERIES,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Comparison:
    """What each of several releases lost against the same original.

    Each may be a path, a ``Release``, or whatever ``read`` takes. A path with a manifest beside it is read
    as that says. ``sensitive`` items are counted apart; if not given, those of the release's own model.
    Rules and itemsets are counted from ``min_support`` (a number of records, or a share such as "0.05%")
    and ``min_confidence`` on. A release that was generalised is measured by its ``hierarchy``, given as to
    ``anonymize``. ``consent`` says which records of the original may have been published. ``queries`` random
    count queries are drawn by ``seed``, the same ones for all releases.

    >>> shop = [["bread", "condom"], ["beer", "condom"], ["bread"]]
    >>> found = compare(shop, [["bread"], ["beer", "condom"], ["bread"]], [["bread"], ["beer"], ["bread"]])
    >>> [release.measured.fact("occurrences.all.removed").value for release in found.releases]
    [1, 2]
    """
    if not published:
        raise PolicyError("nothing to compare with; name at least one release")
    if queries < 1:
        raise PolicyError(f"queries must be a whole number from 1 on, not {queries!r}")
    if names is not None and len(names) != len(published):
        raise PolicyError(
            f"names must have one name for each release: {len(published):,}, not {len(names):,}"
        )
    candidates = [candidate(each, number) for number, each in enumerate(published, start=1)]
    candidates = with_originals(original, candidates, consent=consent)
    before = candidates[0].original
    tree = wanted = None
    if not isinstance(before, Records):
        about_items = {"sensitive": sensitive} if isinstance(before, Table) else {}
        _refuse_for_tables(hierarchy=hierarchy, **about_items)
    elif hierarchy is not None:
        tree = tree_for(before, hierarchy)[0]
    if sensitive is not None:
        wanted = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
        if not isinstance(before, Table):
            refuse_if_nothing_known(find_unknown(wanted, before.vocabulary, what="sensitive items"))
    request = MeasureRequest(
        min_support=None if min_support is None else str(min_support),
        min_confidence=str(min_confidence),
        queries=queries,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    found = []
    for each, name in zip(candidates, names or [each.name for each in candidates], strict=True):
        known = each.model.sensitive if each.model is not None else frozenset()
        listed = known if wanted is None else wanted
        grown = tree or each.hierarchy
        _refuse_unrelated(each, grown)
        own = replace(request, model=each.model, sensitive=listed, hierarchy=grown)
        measured = measure(each.original, each.data, own)
        if not listed:
            facts = (fact for fact in measured.facts if fact.path not in OF_THE_SENSITIVE)
            measured = replace(measured, facts=tuple(facts))
        found.append(Compared(name, measured))
    source = getattr(original, "source", None)
    path = original if isinstance(original, str | Path) else source and source.path
    return Comparison(Path(path).name if path else "the original", tuple(found))


def candidate(
    published: Any,
    number: int = 1,
    *,
    reading: Mapping[str, Any] | None = None,
    safe_csv: bool | None = None,
) -> Candidate:
    """A release as it can be compared; a path is read, as its manifest says if there is one.

    ``reading`` are options of ``read``, for the release and for the original. They are not needed for a
    release that is read safely without them, nor used where only the original fits them.
    """
    if isinstance(published, Candidate):
        return published
    if isinstance(published, Release):
        tree = getattr(published.plan, "hierarchy", None)
        left_out = getattr(published.original, "without_consent", None) or 0
        name = f"release {number}"
        return Candidate(name, published.data, published.model, tree, without_consent=left_out)
    if not isinstance(published, str | Path):
        is_read = isinstance(published, tuple(KINDS.values()))
        return Candidate(f"release {number}", published if is_read else read(published))
    path = Path(published)
    where = manifest_of(path)
    said = {name: value for name, value in (reading or {}).items() if value not in (None, False)}
    if not where.exists():
        records = _read_as_said(published, said)
        return Candidate(path.name, unescaped_items(records) if safe_csv else records)
    record = read_manifest(where)
    same_bytes = not changed_files(path, record)
    model = model_in(record, where)
    readings = read_published(
        path, model, record, said, same_bytes=same_bytes, safe_csv=safe_csv, for_original=True
    )
    internal = read_internal(internal_of(path)) or {}
    prepared = (internal or record).get("input", {})

    def as_prepared(data: Data | None) -> Data | None:
        if isinstance(data, People):
            return replace(data, attributes=_prepared_as(data.attributes, prepared))
        return _prepared_as(data, prepared) if isinstance(data, Table) else data

    left_out = internal.get("input", {}).get("without_consent")
    skipped = internal.get("input", {}).get("skipped_rows")
    consent = internal.get("policy", {}).get("consent")
    return Candidate(
        path.name,
        as_prepared(readings.named),
        model,
        path=path,
        as_it_looks=as_prepared(readings.as_it_looks),
        without_consent=left_out if isinstance(left_out, int) else 0,
        consent=consent if isinstance(consent, str) else None,
        skipped_rows=skipped if isinstance(skipped, int) else 0,
    )


def _prepared_as(table: Table, then: Mapping[str, Any]) -> Table:
    """The table with what its internal manifest says of how the original was prepared."""
    dropped, binned = (tuple(then.get(f"{how}_columns", ())) for how in ("dropped", "binned"))
    return replace(table, dropped=dropped, binned=binned)


def _read_as_said(published: str | Path, said: Mapping[str, Any]) -> Records:
    """A file without a manifest: as the options say, or as it looks if they only fit the original."""
    try:
        return read(published, **said)
    except InputError as error:
        try:
            return read(published)
        except InputError:
            raise error from None


def with_originals(original: Any, releases: Sequence[Candidate], **reading: Any) -> list[Candidate]:
    """The releases, each with its original: one for all, but tables are prepared as each of them was."""
    if all(release.original is not None for release in releases):
        return list(releases)
    shared = _read_shared(original, releases, reading)
    found = []
    for release in releases:
        before = shared
        if (
            not isinstance(shared, Records)
            and type(shared) is type(release.data)
            and shared is not original
        ):
            like: Any = getattr(release.data, "attributes", release.data)
            # The column of consent is gone already when the others are dropped.
            drop = [name for name in like.dropped if name in shared.names]
            before = READERS[shared.kind](shared, drop=drop, bins=like.binned)
        if reading.get("consent") is None:
            _ask_for_consent(before, release)
        found.append(_settled(replace(release, original=before)))
    return found


def _read_shared(original: Any, releases: Sequence[Candidate], reading: Mapping[str, Any]) -> Data:
    """The original as its releases are: records of items, a table, or people."""
    consent = reading.get("consent")
    kind = type(releases[0].data)
    beside = next((each.path for each in releases if each.path is not None), None)
    if isinstance(original, kind) and consent is None:
        return original  # type: ignore[no-any-return]  # one of the kinds of data
    if kind is Table:
        said: dict[str, Any] = {name: reading.get(name) for name in OF_TABLES}
        if beside is not None and isinstance(original, str | Path):
            said = dict(original_options(Path(original), beside, said))
        return read_table(original, **said, consent=consent)
    if kind is People:
        told = {name: value for name, value in reading.items() if value not in (None, False, [])}
        return read_people(original, **{**read_then(beside), **told})
    skipped = next((each.skipped_rows for each in releases if each.skipped_rows), 0)
    if skipped and not reading.get("skip_missing_ids"):
        found = _read_shared(original, releases, {**reading, "skip_missing_ids": True})
        # Of another file the rows without an id are not those that somebody asked to leave out.
        if getattr(found, "skipped_rows", 0) == skipped:
            return found
    if beside is None or not isinstance(original, str | Path):
        return read(original, **reading)
    rest = dict(reading)
    people = {name: rest.pop(name) for name in ("consent", "skip_missing_ids") if name in rest}
    return read_original(Path(original), beside, rest, **people)


def _ask_for_consent(original: Data, release: Candidate) -> None:
    """Refuse to count people who did not agree as withheld."""
    missing = len(original) - len(release.data)
    if missing and missing == release.without_consent:
        raise InputError(
            f"{counted(missing, 'record')} of the original {'was' if missing == 1 else 'were'} left out for "
            "want of consent, which is not a loss of this release",
            path=release.name,
            remedy=f"say who agreed, as then: {option('consent', release.consent or 'FILE')}",
        )


def _settled(release: Candidate) -> Candidate:
    """The release with the names that the original has, where quotes may or may not belong to them."""
    if release.as_it_looks is None:
        return release
    known = _names(release.original)
    fits, looks = (_names(each) <= known for each in (release.data, release.as_it_looks))
    if fits == looks:
        raise UndecidedError(
            f"{release.name}: its names are with and without the quotes before formulas "
            f"{'' if fits else 'not '}those of the original; say which it is:",
            "  --safe-csv   (as the manifest says: the quotes do not belong to the names)",
            "  --no-safe-csv   (as the file looks)",
        )
    return replace(release, data=release.data if fits else release.as_it_looks, as_it_looks=None)


def _names(data: Data) -> frozenset[str]:
    """The items of records; of a table, its columns and what stands in them."""
    if isinstance(data, Records):
        return frozenset(data.vocabulary)
    if isinstance(data, People):
        return _names(data.attributes) | frozenset(data.vocabulary)
    values = (value for column in data.columns for value in column.values if value)
    return frozenset((*data.names, *values))


def _refuse_for_tables(**given: object) -> None:
    """Refuse what is about items; a cell of a table counts as whatever was published as it."""
    if named := [name for name, value in given.items() if value is not None]:
        raise PolicyError(
            f"{option(named[0])} is about records of items, and these are tables, which are compared "
            "without it; leave it out"
        )


def _refuse_unrelated(release: Candidate, tree: Hierarchy | None) -> None:
    """Refuse a release that has no item of the original: another file, or one that was misread."""
    found, original = release.data, release.original
    both = isinstance(found, Records) and isinstance(original, Records)
    generalised = tree is not None or getattr(release.model, "groups", None) is not None
    if generalised or not both or not found.n_occurrences:
        return
    if _names(found).isdisjoint(original.vocabulary):
        ways = ", ".join(map(option, ("format", "separator", "record_column", "item_column")))
        raise InputError(
            "shares no item with the original",
            path=release.name,
            remedy=f"check that it is a release of that file, and how both are read ({ways}); if it was "
            f"generalised, name the {option('hierarchy')}",
        )
