"""The first step: choose a file, see how it was read, correct that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from withhold.data.names import clean
from withhold.formats.forms import FORMATS, SEPARATOR_NAMES
from withhold.page.files import check_files
from withhold.page.folder import is_release
from withhold.page.jobs import CANCELLED, FAILED
from withhold.page.lookup import rows_of
from withhold.page.problem import NONE, Mistake, Problem, about
from withhold.page.project import KINDS, READING, first_method
from withhold.page.site import Site, go_to
from withhold.page.words import WORDS
from withhold.registry import own_name

SHOWN_ROWS = 8
SHOWN_ITEMS = 12
"""The most items that are shown of a record."""
TIDY = "--tidy "


def home(site: Site, given: Mapping[str, Any]) -> Response:
    """The file that the page was opened with, or the choice of one."""
    if site.first is not None:
        first, site.first = site.first, None
        return go_to("data", file=first)
    files = site.folder.data_files()
    released = {name for name in files if is_release(site.folder.path(name))}
    return site.render("home", files=files, released=released, folder=site.folder.root)


def show(site: Site, given: Mapping[str, Any], problem: Problem = NONE) -> Response:
    """How the file was read."""
    project = site.project(given)
    if given.get("anyway"):
        site.insisted.add(project.name)
    lookup, job = site.prepared(project)
    policy = project.read()
    kind = project.kind or (lookup.about["kind"] if lookup is not None else "records")
    if lookup is not None and job is not None and project.method is None:
        # What was guessed is a choice that can be changed.
        project.change({"model": own_name(first_method(kind))})
        job.key = site.reading_key(project)
    if job is not None and job.state == FAILED:
        problem = problem.plus(job.notes)
    first_rows = (
        [] if lookup is None else rows_of(lookup, None, range(min(SHOWN_ROWS, len(lookup))))
    )
    return site.show_step(
        "data",
        project,
        problem,
        job,
        lookup=lookup,
        rows=first_rows,
        most_items=SHOWN_ITEMS,
        kind=kind,
        kinds=KINDS,
        policy=policy,
        reading=READING,
        formats=FORMATS,
        separators=tuple(SEPARATOR_NAMES),
        files=[name for name in site.folder.data_files() if name != project.name],
        is_large=job is None,
        remedy=remedy,
        is_release=is_release(project.data),
        ready=lookup is not None,
        is_cancelled=job is not None and job.state == CANCELLED,
    )


def remedy(hint: Mapping[str, Any]) -> str:
    """What to do about a hint, on the page: the profile says what to type instead."""
    chosen = hint["remedy"].removeprefix(TIDY)
    return WORDS[f"hint.{hint['kind']}"].format(column=hint["column"], tidy=chosen)


def save(site: Site, given: Mapping[str, Any]) -> Response:
    """Read the file in another way."""
    project = site.project(given)
    kind = given.get("kind", "records")
    if kind not in KINDS:
        raise Mistake(WORDS["form.choice"].format(option=WORDS["data.kind"]), field="kind")
    changes: dict[str, Any] = {}
    for key in READING:
        written = clean(given.get(key, ""))
        changes[key] = written or None
    changes["skip-missing-ids"] = True if given.get("skip-missing-ids") else None
    changes["tidy"] = given.get("tidy", "").split() or None
    items = [name for name in given["several"].get("items", []) if name]
    with about("items"):
        changes["items"] = [str(check_files(project, name)) for name in items] or None
    if kind != project.kind:
        changes["model"] = own_name(first_method(kind))
    if kind != "people":
        changes |= {"items": None, "person-column": None}
    if kind != "records":
        changes |= {"format": None}
    if kind == "table":
        changes |= {"record-column": None, "item-column": None, "skip-missing-ids": None}
    project.change(changes)
    site.read_again(project)
    return go_to("data", project)
