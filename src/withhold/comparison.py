"""Several releases of one original, side by side: what each lost, in the measures of its kind of data.

In: an original, and releases or files. Out: a ``Comparison``, which text, JSON and pages render.
``candidates`` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from withhold.arguments import checked, names_in
from withhold.candidates import Candidate, candidate, names_of, refuse_swapped, with_originals
from withhold.counting.threads import Progress, quiet
from withhold.data import KINDS, Hierarchy, Records, Table
from withhold.data.names import clean_set
from withhold.data.unknown import find_unknown, refuse_if_nothing_known
from withhold.errors import InputError, PolicyError, option
from withhold.escaping import one_line
from withhold.formats.databases import database_of, is_query
from withhold.formats.item_trees import TreeSource, tree_for
from withhold.formats.readable import Consent, Readable, ReadableTable
from withhold.measure.queries import QUERIES
from withhold.phases import phase
from withhold.registry import measured as measure
from withhold.release import AnyRelease, Release
from withhold.shown import Listed
from withhold.telling.facts import Measured, MeasureRequest

OF_THE_SENSITIVE = frozenset(("occurrences.sensitive.share", "occurrences.others.share"))
"""Facts that mean nothing if the sensitive items are not known."""


@dataclass(frozen=True)
class Compared:
    """One column of a comparison."""

    name: str
    measured: Measured = field(repr=False)

    @property
    def brief(self) -> str:
        """The name and the first number that is plotted: the loss."""
        path = self.measured.plotted[0]
        lost = next(fact for fact in self.measured.facts if fact.path == path)
        return f"{self.name} {lost.label} {lost.shown}"

    @classmethod
    def of(cls, name: str, measured: Measured, *, sensitive: frozenset[str]) -> Compared:
        """All that was measured, except what means nothing if no item is known to be sensitive."""
        if sensitive:
            return cls(name, measured)
        facts = (fact for fact in measured.facts if fact.path not in OF_THE_SENSITIVE)
        return cls(name, replace(measured, facts=tuple(facts)))


@dataclass(frozen=True)
class Comparison(Listed):
    """What each release lost against the same original."""

    original: str
    releases: tuple[Compared, ...]
    notes: tuple[str, ...] = ()
    """What the numbers do not cover."""

    def __repr__(self) -> str:
        """The releases with what each lost; ``to_frame()`` has every measure."""
        told = "; ".join(each.brief for each in self.releases)
        return one_line(f"<Comparison original={self.original}: {told}>")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why a release may not belong to the original."""
        return tuple(
            f"{each.name}: {why}" for each in self.releases for why in each.measured.warnings
        )


@phase("comparing")
@checked
def compare(
    original: Readable | ReadableTable,
    *published: Candidate | AnyRelease | Readable | ReadableTable,
    sensitive: Iterable[str] | None = None,
    min_support: str | float | None = None,
    min_confidence: str | float = "0.3",
    hierarchy: TreeSource | None = None,
    consent: Consent = None,
    names: Sequence[str] | None = None,
    queries: int = QUERIES,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Comparison:
    """What each of several releases lost against the same original.

    Parameters
    ----------
    original
        The data that the releases were made from.
    *published
        Paths, releases, or whatever ``read`` takes. A file with a manifest is read as the manifest says.
    sensitive
        Items to count separately; if not given, those of the release's own model.
    min_support, min_confidence
        The smallest support and confidence of itemsets and rules to count; a support is a number of
        records, or a share such as ``"0.05%"``.
    hierarchy
        The hierarchy by which a release was generalised, in the form that ``anonymize`` takes.
    consent
        Which records of the original were allowed to be published, as in ``read``.
    names
        What to call the releases, one name for each.
    queries, seed
        The number of random count queries, and the seed used to draw them; all releases get the same queries.
    jobs, progress
        As for ``advise``.

    Returns
    -------
    Comparison
        The measures of each release, side by side; ``to_frame()`` makes a table of them.

    Raises
    ------
    PolicyError
        If there is nothing to compare, or an option does not fit the data.
    InputError
        If a release cannot have been made from the original.

    Examples
    --------
    >>> shop = [["bread", "condom"], ["beer", "condom"], ["bread"]]
    >>> found = compare(shop, [["bread"], ["beer", "condom"], ["bread"]], [["bread"], ["beer"], ["bread"]])
    >>> [release.measured.fact("occurrences.all.removed").value for release in found.releases]
    [1, 2]
    """
    if not published:
        raise PolicyError("nothing to compare with; name at least one release")
    _refuse_lists(published)
    refuse_swapped(original, published)
    if queries < 1:
        raise PolicyError(f"queries must be a whole number of at least 1, not {queries!r}")
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
        wanted = wanted_items(sensitive)
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
        found.append(Compared.of(name, measured, sensitive=listed))
    source = getattr(original, "source", None)
    path = original if isinstance(original, str | Path) else source and source.path
    path = database_of(str(original)) if is_query(original) else path
    return Comparison(Path(path).name if path else "the original", tuple(found))


def _refuse_lists(published: Sequence[object]) -> None:
    """Refuse releases in a list, which would be read as records."""
    of_releases = (Release, Candidate, Path, *KINDS.values())
    for each in published:
        if isinstance(each, list | tuple) and any(
            isinstance(one, (str, *of_releases)) for one in each
        ):
            raise PolicyError(
                "releases are given one by one, not in a list: compare(original, first, second); of a list "
                "put a star before it: compare(original, *releases)"
            )


def wanted_items(sensitive: Iterable[str]) -> frozenset[str]:
    """The items to count separately."""
    return clean_set(names_in(sensitive, name="sensitive"), "sensitive")


def _refuse_for_tables(**given: object) -> None:
    """Refuse options about items, which tables do not have."""
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
    if names_of(found).isdisjoint(original.vocabulary):
        ways = ", ".join(map(option, ("format", "separator", "record_column", "item_column")))
        raise InputError(
            "shares no item with the original",
            path=release.name,
            remedy=f"check that it is a release of that file, and how both are read ({ways}); if it was "
            f"generalised, name the {option('hierarchy')}",
        )
