"""The last step: inspect the release record by record, then publish it with its proof."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.responses import Response

from withhold.formats.forms import check_extension
from withhold.page import by_parts
from withhold.page.attack import promise_of
from withhold.page.commands import as_typed, near, python_code, verb_words, verify_words
from withhold.page.folder import UPLOADED, is_too_large
from withhold.page.jobs import CANCELLED, DONE, FAILED, Job
from withhold.page.lookup import Lookup, rows_of
from withhold.page.notes import as_on_page
from withhold.page.problem import NONE, Mistake, Problem, about
from withhold.page.project import READING, Project
from withhold.page.site import Site, fresh, go_to
from withhold.page.words import WORDS

ROWS = 20
"""How many rows a page shows."""
SEARCHES = 4
"""How many results are remembered, at four bytes a row."""


def show(site: Site, given: Mapping[str, Any], problem: Problem = NONE) -> Response:
    """Before and after, the button, and what came of it."""
    project = site.project(given)
    if project.method is None:
        return go_to("data", project)
    key = project.key()
    promise, missing = promise_of(project)
    jobs = [
        fresh(site.queue.latest(what, project.name), key)
        for what in ("preview", "rows", "publish", "parts")
    ]
    preview_job, rows_job, publish_job, parts_job = jobs
    if rows_job is not None and (preview_job is None or rows_job.number < preview_job.number):
        rows_job = None  # of the preview before
    for job in jobs:
        if job is not None and job.state == FAILED:
            problem = problem.plus(job.notes)
    if preview_job is not None and preview_job.state == DONE and rows_job is None:
        rows_job = _lay_out(site, project, preview_job, key)
    running = next((job for job in (*jobs, rows_job) if job and not job.is_over), None)
    output = given.get("output") or _named(publish_job) or _proposed(project)
    published = publish_job.result if publish_job is not None else None
    return site.show_step(
        "publish",
        project,
        problem,
        running,
        promise=promise,
        missing=missing,
        preview=None if preview_job is None else _summary(preview_job),
        table=_rows(site, rows_job, given),
        is_cut_short=rows_job is not None and rows_job.state in (CANCELLED, FAILED),
        output=output,
        published=published,
        verdict="" if published is None else published["verdict"],
        summary=None if publish_job is None else _summary(publish_job),
        written=[] if published is None else _files(project, published),
        again="" if published is None else as_typed(verify_words(site.folder, _named(publish_job))),
        command=_own_copy(
            site, as_typed(verb_words("anonymize", project, "-o", output, "--report"))
        ),
        code=None if missing else _own_copy(site, python_code(project, output, report=True) or ""),
        is_upload=project.name.startswith(UPLOADED),
        parts=by_parts.told(parts_job),
        folders=site.folder.folders(),
        parts_data=_parts(project),
        is_large=is_too_large(project.data),
        parts_command=as_typed(by_parts.parts_words(project, "FOLDER", "published")),
        policy_file=project.policy_path.name,
        same=_same_bytes(preview_job, published),
    )


def preview(site: Site, given: Mapping[str, Any]) -> Response:
    """Make the release in the private folder, where nobody else sees it."""
    project = site.project(given)
    project.model()
    job = fresh(site.queue.latest("preview", project.name), project.key())
    if job is not None and not job.is_over:
        return go_to("publish", project)  # a second click
    made = site.folder.private / f"preview-{len(site.queue.jobs)}"
    made.mkdir(mode=0o700)
    output = made / Path(_proposed(project)).name
    words = verb_words("anonymize", project, "-o", str(output), "--json")
    site.queue.add("preview", project.name, words, key=project.key(), made=output)
    return go_to("publish", project)


def release(site: Site, given: Mapping[str, Any]) -> Response:
    """Publish: the same command into the folder."""
    project = site.project(given)
    project.model()
    with about("output"):
        output = site.folder.path(given.get("output", "").strip())
        check_extension(output.name, str(project.data), table=project.kind != "records")
    if not output.parent.is_dir():
        raise Mistake(WORDS["publish.no_folder"], field="output")
    if output == project.data:
        raise Mistake(WORDS["publish.itself"], field="output")
    if output.exists() and not given.get("force"):
        raise Mistake(WORDS["publish.exists"], field="output")
    more = ["--json"] + (["--report"] if given.get("report") else [])
    more += ["--force"] if given.get("force") else []
    words = verb_words("anonymize", project, "-o", near(project, output), *more)
    site.queue.add("publish", project.name, words, key=project.key(), made=output)
    return go_to("publish", project)


def _named(job: Job | None) -> str:
    """The release that a job made, as it was typed."""
    return "" if job is None else job.words[job.words.index("-o") + 1]


def _proposed(project: Project) -> str:
    """A name for the release, beside the data."""
    inner = Path(project.name.removeprefix(UPLOADED))
    suffix = "".join(inner.suffixes[-2:]) if inner.suffix in (".gz", ".zst") else inner.suffix
    suffix = ".csv" if suffix.lower() in (".xlsx", ".xls", ".ods") else suffix
    stem = inner.name.removesuffix("".join(inner.suffixes)) or inner.name
    return (inner.parent / f"{stem}.published{suffix}").as_posix()


def _own_copy(site: Site, text: str) -> str:
    """A command that will still work when uploads are gone: with the names of the files that they were."""
    return text.replace(f"{site.folder.uploads}{os.sep}", "")


def _parts(project: Project) -> str:
    """What is proposed to be published by parts: the large file, or the files beside this one."""
    inner = Path(project.name)
    if is_too_large(project.data):
        return project.name
    in_folder = inner.parent != Path() and not project.name.startswith(UPLOADED)
    return (inner.parent / f"*{''.join(inner.suffixes)}").as_posix() if in_folder else ""


def _lay_out(site: Site, project: Project, made_by: Job, key: str) -> Job:
    """Start reading the preview beside its original."""
    policy = project.read()
    into = site.folder.private / f"rows-{made_by.number}"
    request = {
        "published": str(made_by.made),
        "data": str(project.data),
        "kind": project.kind,
        "reading": {k: policy[k] for k in (*READING, "consent") if k in policy},
        "into": str(into),
    }
    words = ("withhold.page.preparing", json.dumps(request))
    return site.queue.add("rows", project.name, words, key=key, made=into)


def _rows(site: Site, job: Job | None, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """A page of rows, before and after, as the search says."""
    if job is None or job.state != DONE or job.made is None:
        return None
    before, after = (site.lookup(job.made / name) for name in ("before", "after"))
    if after.changed is None:
        return None
    asked = given.get("q", "")
    only = given.get("only", "changed" if not asked else "all")
    found = _rows_found(before, after, asked, only == "changed")
    pages = max((len(found) + ROWS - 1) // ROWS, 1)
    page = min(max(_whole(given.get("page", "1")), 1), pages)
    shown = found[(page - 1) * ROWS : page * ROWS]
    return {
        "columns": before.about["columns"],
        "has_items": before.about["has_items"],
        "rows": rows_of(before, after, [int(number) for number in shown]),
        "found": len(found),
        "changed": len(_rows_found(before, after, "", True)),
        "all": len(before),
        "page": page,
        "pages": pages,
        "q": asked,
        "only": only,
    }


@lru_cache(maxsize=SEARCHES)
def _rows_found(before: Lookup, after: Lookup, asked: str, only_changed: bool) -> NDArray[np.int32]:
    """The numbers of the rows that a search finds; remembered, since readers turn their pages."""
    chosen = before.search(asked) if asked else np.ones(len(before), dtype=np.bool_)
    if only_changed and after.changed is not None:
        chosen = chosen & after.changed
    return np.flatnonzero(chosen).astype(np.int32)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _summary(job: Job) -> dict[str, Any] | None:
    """What a release lost, as far as its method says it in the usual words."""
    found = job.result
    if found is None:
        return None
    loss = found["loss"]
    shares = ("occurrences", "sensitive_occurrences", "share", "cells")
    return {
        "verdict": found["verdict"],
        "promise": found["promise"],
        "method": found["check"]["method"],
        "shares": [(WORDS[f"loss.{n}"], loss[n]) for n in shares if isinstance(loss.get(n), float)],
        "bound": (found["bound"] or {}).get("share"),
        "warnings": [as_on_page(each) for each in found["warnings"]],
        "sha256": found["sha256"],
    }


def _same_bytes(preview_job: Job | None, published: Mapping[str, Any] | None) -> bool | None:
    """Whether what was published is what the preview showed."""
    shown = None if preview_job is None else preview_job.result
    if shown is None or published is None:
        return None
    return bool(shown["sha256"] == published["sha256"])


def _files(project: Project, found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was written, and what it is for."""
    paths = [
        ("publish.file", found["output"]),
        *(("publish.items", p) for p in found.get("items", ())),
    ]
    paths += [("publish.manifest", found["manifest"]), ("publish.internal", found["internal"])]
    if found["report"] is not None:
        paths.append(("publish.report", found["report"]))
    paths.append(("publish.policy", str(project.policy_path)))
    return [(WORDS[key], Path(path).name) for key, path in paths]
