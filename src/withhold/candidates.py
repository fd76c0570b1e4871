"""Releases that are to be compared, each with its original as it was when the release was made.

In: paths, releases or data, and how to read them. Out: a ``Candidate`` for each. What the manifests say helps
to read files; where it does not settle how, or who was left out, the user is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.data import Hierarchy, Records, Table
from withhold.errors import InputError, UndecidedError, option
from withhold.formats import Data, read, read_table
from withhold.formats.formulas import unescaped_items
from withhold.method import Model
from withhold.publish.manifest import read_internal, read_manifest
from withhold.publish.publishing import internal_of, manifest_of, sha256_of
from withhold.publish.recheck import model_in
from withhold.publish.rereading import Readings, read_original, read_published
from withhold.release import Release
from withhold.wording import counted


@dataclass(frozen=True)
class Candidate:
    """A release that is compared: its table, and what is known of how it was made."""

    name: str
    table: Any
    model: Model | None = None
    hierarchy: Hierarchy | None = None
    path: Path | None = None
    as_it_looks: Data | None = None
    """With quotes before formulas, where only a manifest says that they belong to no name."""
    without_consent: int = 0
    """How many records of the original were left out for want of consent."""
    consent: str | None = None
    """How consent was given then, as it was typed."""
    original: Any = None
    """The original, prepared as it was for this release."""


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
        return Candidate(
            f"release {number}",
            published.data,
            published.model,
            getattr(published.plan, "hierarchy", None),
            without_consent=getattr(published.original, "without_consent", None) or 0,
        )
    if not isinstance(published, str | Path):
        table = published if isinstance(published, Table) else read(published)
        return Candidate(f"release {number}", table)
    path = Path(published)
    where = manifest_of(path)
    said = {name: value for name, value in (reading or {}).items() if value not in (None, False)}
    if not where.exists():
        table = _read_as_said(published, said)
        return Candidate(path.name, unescaped_items(table) if safe_csv else table)
    record = read_manifest(where)
    digest = sha256_of(path)
    unchanged = digest == record["output"]["sha256"]
    model = model_in(record, where)
    readings = read_published(
        path, model, record, said, same_bytes=unchanged, safe_csv=safe_csv, for_original=True
    )
    internal = read_internal(internal_of(path)) or {}
    return _described(Candidate(path.name, None, model, path=path), readings, record, internal)


def _read_as_said(published: str | Path, said: Mapping[str, Any]) -> Records:
    """A file without a manifest: as the options say, or as it looks if they only fit the original."""
    if not said:
        return read(published)
    try:
        return read(published, **said)
    except InputError as error:
        try:
            return read(published)
        except InputError:
            raise error from None


def _described(
    release: Candidate,
    readings: Readings,
    record: Mapping[str, Any],
    internal: Mapping[str, Any],
) -> Candidate:
    """The release with what the manifests tell of its original."""
    prepared = (internal or record).get("input", {})
    dropped = tuple(prepared.get("dropped_columns", ()))
    binned = tuple(prepared.get("binned_columns", ()))

    def as_prepared(table: Data | None) -> Data | None:
        if not isinstance(table, Table):
            return table
        return replace(table, dropped=dropped, binned=binned)

    left_out = internal.get("input", {}).get("without_consent")
    consent = internal.get("policy", {}).get("consent")
    return replace(
        release,
        table=as_prepared(readings.named),
        as_it_looks=as_prepared(readings.as_it_looks),
        without_consent=left_out if isinstance(left_out, int) else 0,
        consent=consent if isinstance(consent, str) else None,
    )


def with_originals(original: Any, releases: Sequence[Candidate], **reading: Any) -> list[Candidate]:
    """The releases, each with its original: one for all, but tables are prepared as each of them was."""
    if all(release.original is not None for release in releases):
        return list(releases)
    shared = _read_shared(original, releases, reading)
    found = []
    for release in releases:
        before = shared
        if isinstance(shared, Table) and not isinstance(original, Table):
            before = _prepared(shared, release.table)
        _ask_for_consent(before, release, asked=reading.get("consent") is not None)
        found.append(_settled(replace(release, original=before)))
    return found


def _read_shared(original: Any, releases: Sequence[Candidate], reading: dict[str, Any]) -> Data:
    """The original as its releases are: records of items, or a table."""
    consent = reading.get("consent")
    if isinstance(releases[0].table, Table):
        if isinstance(original, Table) and consent is None:
            return original
        return read_table(original, separator=reading.get("separator"), consent=consent)
    if isinstance(original, Records) and consent is None:
        return original
    beside = next((each.path for each in releases if each.path is not None), None)
    if isinstance(original, str | Path) and beside is not None:
        people = {
            name: reading[name] for name in ("consent", "skip_missing_ids") if name in reading
        }
        rest = {name: value for name, value in reading.items() if name not in people}
        return read_original(Path(original), beside, rest, **people)
    return read(original, **reading)


def _prepared(original: Table, like: Any) -> Table:
    """The original without the columns that were dropped for this release, and with its ranges."""
    if not isinstance(like, Table):
        return original
    # The column of consent is gone already when the others are dropped.
    drop = [name for name in like.dropped if name in original.names]
    return read_table(original, drop=drop, bins=like.binned)


def _ask_for_consent(original: Data, release: Candidate, *, asked: bool) -> None:
    """Refuse to count people who did not agree as withheld."""
    missing = len(original) - len(release.table)
    if asked or not missing or missing != release.without_consent:
        return
    raise InputError(
        f"{counted(missing, 'record')} of the original {'was' if missing == 1 else 'were'} left out for want "
        "of consent, which is not a loss of this release",
        path=release.name,
        remedy=f"say who agreed, as then: {option('consent', release.consent or 'FILE')}",
    )


def _settled(release: Candidate) -> Candidate:
    """The release with the names that the original has, where quotes may or may not belong to them."""
    if release.as_it_looks is None:
        return release
    known = _names(release.original)
    fits, looks = (_names(each) <= known for each in (release.table, release.as_it_looks))
    if fits == looks:
        raise UndecidedError(
            f"{release.name}: its names are with and without the quotes before formulas "
            f"{'' if fits else 'not '}those of the original; say which it is:",
            "  --safe-csv   (as the manifest says: the quotes do not belong to the names)",
            "  --no-safe-csv   (as the file looks)",
        )
    return replace(release, table=release.table if fits else release.as_it_looks, as_it_looks=None)


def _names(data: Any) -> frozenset[str]:
    """The items of records; of a table, its columns and what stands in them."""
    if isinstance(data, Table):
        values = (value for column in data.columns for value in column.values if value)
        return frozenset((*data.names, *values))
    return frozenset(data.vocabulary)


def refuse_strangers(release: Candidate, tree: Hierarchy | None) -> None:
    """Refuse a release that has no item of the original: another file, or one that was misread."""
    table, original = release.table, release.original
    if tree is not None or not isinstance(original, Records):
        return
    if not isinstance(table, Records) or not table.n_occurrences:
        return
    if frozenset(table.vocabulary).isdisjoint(original.vocabulary):
        ways = ", ".join(map(option, ("format", "separator", "record_column", "item_column")))
        raise InputError(
            "shares no item with the original",
            path=release.name,
            remedy=f"check that it is a release of that file, and how both are read ({ways}); if it was "
            f"generalised, name the {option('hierarchy')}",
        )
