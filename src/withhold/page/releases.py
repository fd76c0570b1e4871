"""The releases in the folder with their verdicts, and the jobs of this page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.responses import Response

from withhold.errors import InputError, PolicyError, WithholdError
from withhold.page.commands import as_typed, not_an_option, verify_words
from withhold.page.folder import Folder
from withhold.page.jobs import DONE, FAILED, Job
from withhold.page.site import Site, go_to
from withhold.page.words import WORDS
from withhold.publish.manifest import read_internal, read_manifest
from withhold.publish.publishing import internal_of

ENDING = ".manifest.json"
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A report is a page of its own; a script that somebody put into it is not run."""


def show(site: Site, given: Mapping[str, Any], problem: Sequence[str] = ()) -> Response:
    """Every release in the folder."""
    comparison = site.queue.latest("compare", "")
    if comparison is not None and comparison.state == FAILED:
        problem = (*problem, *comparison.notes)
    running = [job for job in site.queue.jobs.values() if not job.is_over]
    return site.render(
        "releases",
        status=422 if problem else 200,
        problem=problem,
        step="releases",
        releases=[_told(site, path) for path in site.folder.manifests()],
        job=next((job for job in running if job.what in ("verify", "compare")), None),
        comparison=_comparison(comparison),
    )


def _told(site: Site, manifest: Path) -> dict[str, Any]:
    name = site.folder.name_of(manifest).removesuffix(ENDING)
    path = manifest.with_name(manifest.name.removesuffix(ENDING))
    found: dict[str, Any] = {
        "name": name,
        "made": datetime.fromtimestamp(manifest.stat().st_mtime).isoformat(" ", "minutes"),
        "promise": "",
        "verdict": "",
        "exists": path.exists(),
        "report": path.with_name(f"{path.name}.report.html").is_file(),
        "again": _again(site.queue.latest("verify", name)),
    }
    try:
        record = read_manifest(manifest)
    except WithholdError:
        return found | {"promise": WORDS["releases.unreadable"]}
    return found | {"promise": record["promise"], "verdict": record["verdict"]["status"]}


def _again(job: Job | None) -> dict[str, Any] | None:
    """What came of proving it again."""
    if job is None:
        return None
    result = job.result
    if result is None:
        return {"state": job.state, "verdict": "", "same": None, "notes": job.notes}
    return {
        "state": job.state,
        "verdict": result["verdict"],
        "same": result.get("same_bytes"),
        "notes": job.notes,
    }


def verify(site: Site, given: Mapping[str, Any]) -> Response:
    """Prove a release again."""
    name = given.get("release", "")
    path = site.folder.path(name)
    if not path.exists():
        raise InputError(WORDS["folder.missing"], path=Path(name))
    words = [*verify_words(site.folder, name), "--json"]
    site.queue.add("verify", name, words)
    return go_to("releases")


def compare(site: Site, given: Mapping[str, Any]) -> Response:
    """Two releases of the same file, side by side."""
    names = given["several"].get("release", [])
    if len(names) != 2:
        raise PolicyError(WORDS["releases.two"])
    originals = {_original(site.folder, name) for name in names}
    if len(originals) != 1 or None in originals:
        raise PolicyError(WORDS["releases.same_original"])
    (original,) = originals
    words = [
        "withhold",
        "compare",
        not_an_option(str(original)),
        *map(not_an_option, names),
        "--json",
    ]
    site.queue.add("compare", "", words, key="|".join(names))
    return go_to("releases")


def _original(folder: Folder, name: str) -> str | None:
    """The file that a release was made from, if it is still beside it."""
    path = folder.path(name)
    internal = read_internal(internal_of(path)) or {}
    named = internal.get("input", {}).get("name")
    if not isinstance(named, str) or not named:
        return None
    beside = path.with_name(Path(named).name)
    return folder.name_of(beside) if beside.is_file() else None


def _comparison(job: Job | None) -> dict[str, Any] | None:
    if job is None or job.state != DONE:
        return None
    found = job.result or {}
    releases = found["releases"]
    meanings = found["meaning"]
    facts = dict.fromkeys(path for each in releases for path in each["facts"])
    return {
        "original": found["original"],
        "names": [each["name"] for each in releases],
        "rows": [
            (meanings.get(path, path), path, [each["facts"].get(path) for each in releases])
            for path in facts
        ],
    }


def report(site: Site, given: Mapping[str, Any]) -> Response:
    """The report of a release, as it was written."""
    path = site.folder.file(f"{given.get('release', '')}.report.html")
    headers = {"content-security-policy": REPORT_POLICY}
    return Response(path.read_bytes(), media_type="text/html", headers=headers)


def jobs(site: Site, given: Mapping[str, Any], problem: Sequence[str] = ()) -> Response:
    """Every job, the last first."""
    found = sorted(site.queue.jobs.values(), key=lambda each: -each.number)
    return site.render("jobs", problem=problem, jobs=[_job(each) for each in found], step="jobs")


def _job(found: Job) -> dict[str, Any]:
    shown = as_typed(found.words) if found.words[0] == "withhold" else WORDS["job.read.command"]
    return {"job": found, "command": shown, "what": WORDS[f"job.what.{found.what}"]}


def job(site: Site, given: Mapping[str, Any]) -> Response:
    """One job, with what it said."""
    found = site.queue.jobs.get(int(given["number"]))
    if found is None:
        raise InputError(WORDS["job.none"])
    return site.render("job", found=_job(found), job=None if found.is_over else found, step="jobs")


def cancel(site: Site, given: Mapping[str, Any]) -> Response:
    """Stop a job; nothing of it is published."""
    found = site.queue.jobs.get(int(given["number"]))
    if found is None:
        raise InputError(WORDS["job.none"])
    site.queue.cancel(found)
    back = given.get("back", "")
    return go_to(back[1:] if re.match(r"/[a-z]", back) else "jobs")
