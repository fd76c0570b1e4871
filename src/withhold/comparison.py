"""Several releases of one original, side by side: what each lost, in the measures of its kind of data.

In: an original, and releases or files. Out: a ``Comparison``, which text, JSON and pages render.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from withhold.arguments import checked, names_in
from withhold.data import Hierarchy, Table, Transactions
from withhold.data.names import clean_set
from withhold.errors import InputError, PolicyError, UndecidedError
from withhold.formats import Data, read, read_table
from withhold.formats.formulas import unescaped_items
from withhold.kernels.threads import Progress, quiet
from withhold.manifest import read_internal, read_manifest
from withhold.measure import Asked, Measured, compare_tables
from withhold.models import Model
from withhold.publish import internal_of, manifest_of, sha256_of
from withhold.recheck import model_in, read_original, read_published
from withhold.release import Release
from withhold.suppress.buckets import tree_for


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
            f"{release.name}: {warning}"
            for release in self.releases
            for warning in release.measured.warnings
        )


@checked
def compare(
    original: Any,
    *published: Any,
    sensitive: Iterable[str] | None = None,
    min_support: str | float | None = None,
    min_confidence: str | float = "0.3",
    hierarchy: Hierarchy | str | os.PathLike[str] | None = None,
    consent: Any = None,
    names: Sequence[str] | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Comparison:
    """What each of several releases lost against the same original.

    Each may be a path, a ``Release``, or whatever ``read`` takes. A path with a manifest beside it is read
    as that says. ``sensitive`` items are counted apart; if not given, those of the release's own model.
    Rules and itemsets are counted from ``min_support`` (a number of records, or a share such as "0.05%")
    and ``min_confidence`` on. A release that was generalised is measured by its ``hierarchy``, given as to
    ``anonymize``. ``consent`` says which records of the original may have been published.

    >>> shop = [["bread", "condom"], ["beer", "condom"], ["bread"]]
    >>> found = compare(shop, [["bread"], ["beer", "condom"], ["bread"]], [["bread"], ["beer"], ["bread"]])
    >>> [release.measured.fact("occurrences.all.removed").value for release in found.releases]
    [1, 2]
    """
    if not published:
        raise PolicyError("nothing to compare with; name at least one release")
    if names is not None and len(names) != len(published):
        raise PolicyError(
            f"names must have one name for each release: {len(published):,}, not {len(names):,}"
        )
    candidates = [candidate(each, number) for number, each in enumerate(published, start=1)]
    table = original_of(original, candidates, consent=consent)
    tree = None
    if hierarchy is not None and isinstance(table, Transactions):
        tree = tree_for(table, hierarchy)[0]
    wanted = None
    if sensitive is not None:
        wanted = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
    found = []
    for number, unsettled in enumerate(candidates):
        each = _settled(unsettled, table)
        refuse_strangers(table, each, tree or each.hierarchy)
        known = each.model.sensitive if each.model is not None else frozenset()
        asked = Asked(
            each.model,
            known if wanted is None else wanted,
            min_support=None if min_support is None else str(min_support),
            min_confidence=str(min_confidence),
            hierarchy=tree or each.hierarchy,
            jobs=jobs,
            progress=progress,
        )
        name = names[number] if names else each.name
        found.append(Compared(name, compare_tables(table, each.table, asked)))
    return Comparison(_name(original, "the original"), tuple(found))


def original_of(original: Any, releases: Sequence[Candidate], **reading: Any) -> Data:
    """The original as its releases are: records of items, or a table that is prepared as theirs was."""
    if not isinstance(releases[0].table, Table):
        if isinstance(original, Transactions) and reading.get("consent") is None:
            return original
        beside = next((each.path for each in releases if each.path is not None), None)
        if isinstance(original, str | Path) and beside is not None:
            people = {
                name: reading.pop(name)
                for name in ("consent", "skip_missing_ids")
                if name in reading
            }
            return read_original(Path(original), beside, reading, **people)
        return read(original, **reading)
    consent = reading.get("consent")
    if isinstance(original, Table):
        return original if consent is None else read_table(original, consent=consent)
    like = releases[0].table
    return read_table(
        original,
        separator=reading.get("separator"),
        # The column of consent is gone already when the others are dropped.
        drop=[name for name in like.dropped if name != consent],
        bins=like.binned,
        consent=consent,
    )


def candidate(
    published: Any,
    number: int = 1,
    *,
    reading: Mapping[str, Any] | None = None,
    safe_csv: bool | None = None,
) -> Candidate:
    """A release as it can be compared; a path is read, as its manifest says if there is one."""
    reading = reading or {}
    if isinstance(published, Candidate):
        return published
    if isinstance(published, Release):
        return Candidate(
            f"release {number}", published.data, published.model, _tree(published.plan)
        )
    if not isinstance(published, str | Path):
        return Candidate(
            f"release {number}", published if isinstance(published, Table) else read(published)
        )
    path = Path(published)
    where = manifest_of(path)
    if not where.exists():
        table = read(published, **reading)
        return Candidate(path.name, unescaped_items(table) if safe_csv else table)
    record = read_manifest(where)
    unchanged = sha256_of(path) == record["output"]["sha256"]
    model = model_in(record, where)
    said = {name: value for name, value in reading.items() if value not in (None, False)}
    readings = read_published(path, model, record, said, same_bytes=unchanged, safe_csv=safe_csv)
    prepared = (read_internal(internal_of(path)) or record).get("input", {})
    as_read = partial(_with_preparation, prepared=prepared)
    looks = readings.as_it_looks
    return Candidate(
        path.name,
        as_read(readings.named),
        model,
        path=path,
        as_it_looks=None if looks is None else as_read(looks),
    )


def _with_preparation(table: Data, prepared: Mapping[str, Any]) -> Data:
    """A table that knows what was done to its original before it was published."""
    if not isinstance(table, Table):
        return table
    dropped = tuple(prepared.get("dropped_columns", ()))
    return replace(table, dropped=dropped, binned=tuple(prepared.get("binned_columns", ())))


def _settled(release: Candidate, original: Data) -> Candidate:
    """The release with the names that the original has, where quotes may or may not belong to them."""
    if release.as_it_looks is None:
        return release
    known = _names(original)
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


def refuse_strangers(original: Data, release: Candidate, tree: Hierarchy | None) -> None:
    """Refuse a release that has no item of the original: another file, or one that was misread."""
    table = release.table
    if tree is not None or not isinstance(original, Transactions):
        return
    if not isinstance(table, Transactions) or not table.n_occurrences:
        return
    if frozenset(table.vocabulary).isdisjoint(original.vocabulary):
        raise InputError(
            "shares no item with the original",
            path=release.name,
            remedy="check that it is a release of that file, and how both are read (--format, --separator, "
            "--record-column, --item-column); if it was generalised, name the --hierarchy",
        )


def _tree(plan: Any) -> Hierarchy | None:
    """The tree of a plan that generalises."""
    return getattr(plan, "hierarchy", None)


def _name(data: Any, otherwise: str) -> str:
    source = getattr(data, "source", None)
    if isinstance(data, str | Path):
        return Path(data).name
    return otherwise if source is None else str(source.path.name)
