"""The releases and files to compare, each with its original prepared as it was for the release.

In: what the user named. Out: a ``Candidate`` for each. The manifests help to read files. If they say neither
how to read a file nor who was left out, the user is asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.data import KINDS, Hierarchy, People, Records, Table
from withhold.data.tidied import ITEMS, Tidied
from withhold.data.tidying import parse_tidy, tidy_records
from withhold.errors import InputError, PolicyError, UndecidedError, option
from withhold.formats import READERS, Data, read, read_people, read_table
from withhold.formats.databases import queried
from withhold.formats.detect import LOOKS_LIKE_TABLE
from withhold.formats.formulas import unescaped_items
from withhold.method import Model
from withhold.publish.manifest import manifest_path, read_internal, read_manifest
from withhold.publish.publishing import changed_files, internal_of, manifest_of
from withhold.publish.recheck import model_in
from withhold.publish.rereading import (
    OF_TABLES,
    original_options,
    read_original,
    read_published,
)
from withhold.publish.rereading_people import read_then
from withhold.release import Release
from withhold.wording import counted


@dataclass(frozen=True)
class Candidate:
    """A release to compare, and what is known about how it was made."""

    name: str
    data: Any
    model: Model | None = None
    hierarchy: Hierarchy | None = None
    path: Path | None = None
    as_it_looks: Data | None = None
    """Quotes precede formulas, and only a manifest says that they do not belong to the names."""
    without_consent: int = 0
    """How many records of the original were left out because consent was missing."""
    consent: str | None = None
    """The ``consent`` option of the release, as it was typed."""
    skipped_rows: int = 0
    """How many rows of the original had no record id, and were left out on request."""
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

    ``reading`` has options of ``read``, for the release and for the original. They are not needed for a
    release that is read safely without them, nor used if they fit only the original.
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
        try:
            records = _read_as_said(published, said)
        except InputError as error:
            if not error.problem.startswith(LOOKS_LIKE_TABLE):
                raise
            remedy = f"put its manifest ({where.name}) beside it; a table is compared by that"
            raise InputError(error.problem, path=published, remedy=remedy) from error
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
        return None if data is None else _prepared_as(data, prepared)

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


def refuse_swapped(original: Any, published: Sequence[Any]) -> None:
    """Refuse a release as the original of a file that is none."""
    first = published[0]
    if not all(isinstance(each, str | Path) for each in (original, first)):
        return
    if _is_release(original) and not _is_release(first):
        raise PolicyError(
            f"{original} is a release, since its manifest lies beside it, and {first} has none; the ORIGINAL "
            f"comes first, then its releases: {first} {original}"
        )


def _is_release(path: str | Path) -> bool:
    # Not Path.is_file: a query may be no valid path, which is not an error.
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, "manifest.json"))
    return Path(path).name != "" and os.path.isfile(manifest_path(Path(path)))


def _prepared_as(data: Data, then: Mapping[str, Any]) -> Data:
    """The data, with the preparation of the original that its internal manifest describes."""
    written = [str(each.get("tidy")) for each in then.get("tidied", ()) if each]
    tidied = tuple(Tidied(*each) for each in parse_tidy(written).items())
    if isinstance(data, Records):
        return replace(data, tidied=tidied)
    dropped, binned = (tuple(then.get(f"{how}_columns", ())) for how in ("dropped", "binned"))
    prepared: dict[str, Any] = {"dropped": dropped, "binned": binned}
    if isinstance(data, Table):
        return replace(data, **prepared, tidied=tidied)
    of_items = tuple(each for each in tidied if each.name == ITEMS)
    of_columns = tuple(each for each in tidied if each.name != ITEMS)
    return replace(
        data,
        attributes=replace(data.attributes, **prepared, tidied=of_columns),
        items=replace(data.items, tidied=of_items),
    )


def _read_as_said(published: str | Path, said: Mapping[str, Any]) -> Records:
    """Read a file without a manifest: by the options, or by detection if they fit only the original."""
    try:
        return read(published, **said)
    except InputError as error:
        try:
            return read(published)
        except InputError:
            raise error from None


def with_originals(original: Any, releases: Sequence[Candidate], **reading: Any) -> list[Candidate]:
    """The releases, each with its original: one for all, but tables are prepared anew for each release."""
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
            # The consent column has already been removed when the others are dropped.
            drop = [name for name in like.dropped if name in shared.names]
            tidy = [str(each) for each in release.data.tidied]
            before = READERS[shared.kind](shared, drop=drop, bins=like.binned, tidy=tidy)
        elif isinstance(shared, Records) and not shared.tidied:
            before = tidy_records(shared, [str(each) for each in release.data.tidied])
        if reading.get("consent") is None:
            _ask_for_consent(before, release)
        found.append(_settled(replace(release, original=before)))
    return found


def _read_shared(original: Any, releases: Sequence[Candidate], reading: Mapping[str, Any]) -> Data:
    """The original as its releases are: records of items, a table, or people."""
    original = queried(original)
    consent = reading.get("consent")
    kind = type(releases[0].data)
    beside = next((each.path for each in releases if each.path is not None), None)
    if isinstance(original, kind) and consent is None:
        return original  # type: ignore[no-any-return]  # one of the kinds of data
    if kind is Table:
        said: dict[str, Any] = {name: reading.get(name) for name in OF_TABLES}
        if beside is not None and isinstance(original, str | Path):
            said = dict(original_options(Path(original), beside, said))
        return read_table(original, **said, tidy=reading.get("tidy"), consent=consent)
    if kind is People:
        told = {name: value for name, value in reading.items() if value not in (None, False, [])}
        _refuse_other_dates(releases, told.get("dates"))
        return read_people(original, **{**read_then(beside), **told})
    skipped = next((each.skipped_rows for each in releases if each.skipped_rows), 0)
    if skipped and not reading.get("skip_missing_ids"):
        found = _read_shared(original, releases, {**reading, "skip_missing_ids": True})
        # In another file, the rows without an id are not the ones that the user asked to leave out.
        if getattr(found, "skipped_rows", 0) == skipped:
            return found
    if beside is None or not isinstance(original, str | Path):
        return read(original, **reading)
    rest = dict(reading)
    people = {
        name: rest.pop(name) for name in ("consent", "skip_missing_ids", "tidy") if name in rest
    }
    return read_original(Path(original), beside, rest, **people)


def _refuse_other_dates(releases: Sequence[Candidate], asked: str | None) -> None:
    """Refuse to count dates as lost if the release was never meant to have them."""
    then = {each.name: read_then(each.path) for each in releases}
    found = {name: how.get("dates") for name, how in then.items() if how}
    wanted = asked or next(iter(found.values()), None)
    for name, dates in found.items():
        if dates != wanted:
            has, want = (f"{option('dates', d)}" if d else "no dates" for d in (dates, wanted))
            raise PolicyError(
                f"{name} was made with {has}, and is compared with {want}; compare releases with the same "
                "dates"
            )


def _ask_for_consent(original: Data, release: Candidate) -> None:
    """Refuse to count people who did not consent as withheld."""
    missing = len(original) - len(release.data)
    if missing and missing == release.without_consent:
        raise InputError(
            f"{counted(missing, 'record')} of the original {'was' if missing == 1 else 'were'} left out for "
            "want of consent, which is not a loss of this release",
            path=release.name,
            remedy=f"say again who agreed: {option('consent', release.consent or 'FILE')}",
        )


def _settled(release: Candidate) -> Candidate:
    """The release with the original's names, in case it is open whether quotes belong to them."""
    if release.as_it_looks is None:
        return release
    known = names_of(release.original)
    fits, looks = (names_of(each) <= known for each in (release.data, release.as_it_looks))
    if fits == looks:
        raise UndecidedError(
            f"{release.name}: its names are with and without the quotes before formulas "
            f"{'' if fits else 'not '}those of the original; say which it is:",
            "  --safe-csv   (as the manifest says: the quotes do not belong to the names)",
            "  --no-safe-csv   (as the file looks)",
        )
    return replace(release, data=release.data if fits else release.as_it_looks, as_it_looks=None)


def names_of(data: Data) -> frozenset[str]:
    """The items of records; for a table, its columns and their values."""
    if isinstance(data, Records):
        return frozenset(data.vocabulary)
    if isinstance(data, People):
        return names_of(data.attributes) | frozenset(data.vocabulary)
    values = (value for column in data.columns for value in column.values if value)
    return frozenset((*data.names, *values))
