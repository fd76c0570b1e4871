"""Many files, or one that does not fit in memory: published by parts, by a policy made with one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.responses import Response

from withhold.errors import InputError
from withhold.page.commands import near, not_an_option
from withhold.page.folder import outside
from withhold.page.jobs import Job
from withhold.page.problem import Mistake, about
from withhold.page.project import Project
from withhold.page.site import Site, go_to
from withhold.page.words import WORDS
from withhold.parts.planning import find_files


def release(site: Site, given: Mapping[str, Any]) -> Response:
    """Publish a folder, a pattern or a large file by parts, into a folder of its own."""
    project = site.project(given)
    project.model()
    with about("parts"):
        parts = _checked(site, given.get("parts", "").strip())
    with about("into"):
        into = site.folder.path(given.get("into", "").strip())
    if not into.parent.is_dir():
        raise Mistake(WORDS["publish.no_folder"], field="into")
    more = ["--force"] if given.get("force") else []
    words = parts_words(project, parts, near(project, into), *more, "--json")
    site.queue.add("parts", project.name, words, key=project.key(), made=into)
    return go_to("publish", project)


def _checked(site: Site, written: str) -> str:
    """What names the parts; every file must be within the folder, wherever links lead."""
    plain = Path(written)
    if not written or plain.is_absolute() or ".." in plain.parts or "\0" in written:
        raise outside(written)
    files = find_files(str(site.folder.root / plain))
    for path in files:
        if not path.is_file():
            raise InputError(WORDS["folder.missing"], path=plain)
        if not site.folder.holds(path):
            raise outside(written)
    return written


def parts_words(project: Project, parts: str, into: str, *more: str) -> tuple[str, ...]:
    """The command that publishes by parts, whether that is a folder or one large file."""
    policy = near(project, project.policy_path)
    command = ("withhold", "anonymize", not_an_option(parts), "--policy", policy)
    return (*command, "--engine", "stream", "-o", into, *more)


def told(job: Job | None) -> dict[str, Any] | None:
    """What came of it."""
    found = None if job is None else job.result
    if job is None or found is None:
        return None
    return {
        "verdict": found["verdict"]["status"],
        "promise": found["promise"],
        "method": found["verdict"]["method"],
        "folder": job.words[job.words.index("-o") + 1],
        "parts": found["parts"],
        "share": found["loss"].get("share"),
    }
