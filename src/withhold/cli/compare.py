"""``withhold compare``: what did each release lose, side by side?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.by_parts import compare_by_parts
from withhold.cli.console import json_of, note, say, working
from withhold.cli.methods import listed_items
from withhold.cli.reading import people_reading
from withhold.cli.shares import PLANS
from withhold.data import People, Table
from withhold.data.unknown import find_unknown, refuse_if_nothing_known
from withhold.errors import PolicyError

if TYPE_CHECKING:
    from withhold.candidates import Candidate
    from withhold.comparison import Comparison


@verb("compare", example="withhold compare baskets.dat strict.dat loose.dat --html compare.html")
def compare(
    *,
    original: str,
    published: list[Path],
    sensitive: str | None = None,
    min_support: str | None = None,
    min_confidence: str = "0.3",
    hierarchy: str | None = None,
    queries: int = 1000,
    seed: int = 0,
    items: list[str] | None = None,
    person_column: str | None = None,
    dates: str | None = None,
    date_column: str | None = None,
    html: Path | None = None,
    force: bool = False,
    how: options.ReleaseInput,
    jobs: int | None = None,
    shown: options.Output,
) -> None:
    """Compare what releases of one original lost."""
    wanted = None if sensitive is None else listed_items(sensitive)
    from withhold.candidates import refuse_swapped
    from withhold.parts.planning import is_many
    from withhold.publish.publishing import check_free, save_text
    from withhold.publish.replacing import is_page
    from withhold.report import side_by_side

    refuse_swapped(original, published)
    others = [Path(each.rpartition("=")[2]) for each in items or ()]
    sources = [Path(original), *published, *others]
    if html is not None:
        check_free(html, force=force, sources=sources, is_own=is_page)
    about = {
        "sensitive": wanted,
        "min_support": min_support,
        "min_confidence": min_confidence,
        "hierarchy": hierarchy,
        "queries": queries,
        "seed": seed,
        "jobs": jobs,
    }
    people = {"items": items, "person_column": person_column}
    people |= {"dates": dates, "date_column": date_column}
    if any(is_many(str(each)) for each in (original, *published)):
        found = compare_by_parts(original, published, how=how, quiet=shown.quiet, **about, **people)
    else:
        found = _compare_files(original, published, how, people, shown, about)
    for warning in found.warnings:
        note(f"warning: {warning}")
    if html is not None:
        page = side_by_side.comparison_html(found)
        save_text(html, page, force=force, sources=sources, is_own=is_page)
    if shown.as_json:
        say(json_of(side_by_side.comparison_as_dict(found)))
    else:
        say(side_by_side.comparison_text(found))
        note("--html FILE says what each row means", silent=shown.quiet or html is not None)


def _compare_files(
    original: str,
    published: list[Path],
    how: options.ReleaseInput,
    of_people: dict[str, Any],
    shown: options.Output,
    about: dict[str, Any],
) -> Comparison:
    """The comparison of files that fit in memory."""
    from withhold import comparison

    with working(PLANS["compare"], silent=shown.quiet) as job:
        releases = _read_files(original, published, how, of_people, about)
        return comparison.compare(original, *releases, **about, progress=job)


def _read_files(
    original: str,
    published: list[Path],
    how: options.ReleaseInput,
    of_people: dict[str, Any],
    about: dict[str, Any],
) -> Sequence[Candidate]:
    """The releases with their originals."""
    from withhold import candidates

    reading = {**how.reading(), "skip_missing_ids": how.skip_missing_ids}
    releases = [
        candidates.candidate(path, reading=reading, safe_csv=how.safe_csv) for path in published
    ]
    reading |= {"consent": how.consent, "tidy": how.tidy}
    if isinstance(releases[0].data, People):
        reading |= people_reading(of_people, how)
        reading.pop("format", None)
    elif named := [name for name, value in of_people.items() if value]:
        raise PolicyError(f"--{named[0].replace('_', '-')} is for releases of people")
    releases = candidates.with_originals(original, releases, **reading)
    before, wanted = releases[0].original, about["sensitive"]
    if wanted is not None and not isinstance(before, Table):
        unknown = find_unknown(wanted, before.vocabulary, what="sensitive items")
        refuse_if_nothing_known(unknown, can_allow=False)
        if unknown is not None:
            note(f"warning: {unknown}")
    return releases
