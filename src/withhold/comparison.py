"""Several releases of one original, side by side: what each lost, in the measures of its kind of data.

In: an original, and releases or files. Out: a ``Comparison``, which text, JSON and pages render.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.arguments import checked, names_in
from withhold.candidates import candidate, refuse_strangers, with_originals
from withhold.counting.threads import Progress, quiet
from withhold.data import Hierarchy, Records
from withhold.data.names import clean_set
from withhold.data.unknown import find_unknown, refuse_if_nothing_known
from withhold.errors import PolicyError
from withhold.methods.buckets.search.suppressor import tree_for
from withhold.registry import measured as measure
from withhold.telling.facts import Asked, Measured

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
    candidates = with_originals(original, candidates, consent=consent)
    table = candidates[0].original
    tree = None
    if hierarchy is not None and isinstance(table, Records):
        tree = tree_for(table, hierarchy)[0]
    wanted = None
    if sensitive is not None:
        wanted = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
        if isinstance(table, Records):
            refuse_if_nothing_known(find_unknown(wanted, table.vocabulary, what="sensitive items"))
    found = []
    for number, each in enumerate(candidates):
        refuse_strangers(each, tree or each.hierarchy)
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
        measured = measure(each.original, each.table, asked)
        found.append(Compared(name, measured if asked.sensitive else _without_sensitive(measured)))
    return Comparison(_name(original, "the original"), tuple(found))


def _without_sensitive(measured: Measured) -> Measured:
    """The numbers of a release of which nobody knows what is sensitive, without those that need it."""
    facts = tuple(fact for fact in measured.facts if fact.path not in OF_THE_SENSITIVE)
    return replace(measured, facts=facts)


def _name(data: Any, otherwise: str) -> str:
    source = getattr(data, "source", None)
    if isinstance(data, str | Path):
        return Path(data).name
    return otherwise if source is None else str(source.path.name)
