"""The releases in the folder with their verdicts, and the jobs of this page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.responses import Response

from withhold.errors import InputError, PolicyError, WithholdError
from withhold.page.commands import as_typed, compare_words, original_of, verify_words
from withhold.page.figures import side_by_side
from withhold.page.folder import Folder
from withhold.page.jobs import FAILED, Job
from withhold.page.problem import NONE, Problem
from withhold.page.site import Site, go_to
from withhold.page.words import WORDS
from withhold.parts.folder import MANIFEST, REPORT, read_folder
from withhold.publish.manifest import read_manifest

ENDING = ".manifest.json"
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A report is a page of its own; a script that somebody put into it is not run."""


def show(site: Site, given: Mapping[str, Any], problem: Problem = NONE) -> Response:
    """Every release in the folder."""
    comparison = _comparison(site, (given.get("one", ""), given.get("other", "")))
    if comparison is not None:
        problem = problem.plus(comparison["problem"])
    running = [job for job in site.queue.jobs.values() if not job.is_over]
    return site.render(
        "releases",
        status=422 if problem else 200,
        problem=problem,
        step="releases",
        releases=[_told(site, path) for path in site.folder.manifests()],
        job=next((job for job in running if job.what in ("verify", "compare")), None),
        comparison=comparison,
    )


def _told(site: Site, manifest: Path) -> dict[str, Any]:
    by_parts = manifest.name == MANIFEST
    path = manifest.parent if by_parts else manifest.with_name(manifest.name.removesuffix(ENDING))
    name = site.folder.name_of(path)
    report = path / REPORT if by_parts else path.with_name(f"{path.name}.report.html")
    found: dict[str, Any] = {
        "name": name,
        "made": datetime.fromtimestamp(manifest.stat().st_mtime).isoformat(" ", "minutes"),
        "promise": "",
        "verdict": "",
        "exists": path.exists(),
        "report": report.is_file(),
        "again": _again(site.queue.latest("verify", name)),
    }
    try:
        if by_parts:  # whose manifest is written last, when everything was proved
            return found | {"promise": read_folder(path)[0].promise(), "verdict": "HOLDS"}
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
    verdict = result["verdict"]  # of a folder with how it was found
    return {
        "state": job.state,
        "verdict": verdict["status"] if isinstance(verdict, Mapping) else verdict,
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
    """Measure two releases, each against the file that it was made from."""
    names = given["several"].get("release", [])
    if len(names) != 2:
        raise PolicyError(WORDS["releases.two"])
    of: dict[Path, list[str]] = {}
    for name in names:
        if (original := original_of(site.folder, name)) is not None:
            of.setdefault(original, []).append(name)
    for original, releases in of.items():
        words = [*compare_words(site.folder, original, releases), "--json"]
        site.queue.add("compare", _pair(names), words, key="|".join(releases))
    return go_to("releases", one=names[0], other=names[1])


def _manifest(folder: Folder, name: str) -> Path:
    path = folder.path(name)
    return path / MANIFEST if path.is_dir() else folder.path(f"{name}{ENDING}")


def _pair(names: Sequence[str]) -> str:
    return ", ".join(names)


def _comparison(site: Site, names: Sequence[str]) -> dict[str, Any] | None:
    """Two releases: what their manifests say, and all figures if they were measured."""
    if not all(names):
        return None
    jobs = [
        job
        for job in site.queue.jobs.values()
        if (job.what, job.about) == ("compare", _pair(names))
    ]
    latest = {job.key: job for job in jobs}.values()
    told = [result for job in latest if (result := job.result) is not None]
    facts = {name: _facts_of(told, name) for name in names}
    originals = [original_of(site.folder, name) for name in names]
    manifests = [_manifest(site.folder, name) for name in names]
    return {
        "names": list(names),
        "releases": [_told(site, path) for path in manifests if path.is_file()],
        "figures": side_by_side(told, *(facts[name] for name in names)) if told else [],
        "missing": [
            WORDS[
                "releases.by_parts" if site.folder.path(name).is_dir() else "releases.no_original"
            ].format(name=name)
            for name, path in zip(names, originals, strict=True)
            if path is None
        ],
        "of_two": len({path for path in originals if path is not None}) > 1,
        "problem": [line for job in latest if job.state == FAILED for line in job.notes],
    }


def _facts_of(told: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, float | None]:
    """What was measured of a release, which the verb calls by its last name."""
    found = [each for result in told for each in result["releases"]]
    return next((each["facts"] for each in found if each["name"] == Path(name).name), {})


def report(site: Site, given: Mapping[str, Any]) -> Response:
    """The report of a release, as it was written."""
    name = given.get("release", "")
    by_parts = site.folder.path(name).is_dir()
    path = site.folder.file(f"{name}/{REPORT}" if by_parts else f"{name}.report.html")
    headers = {"content-security-policy": REPORT_POLICY}
    return Response(path.read_bytes(), media_type="text/html", headers=headers)


def jobs(site: Site, given: Mapping[str, Any], problem: Problem = NONE) -> Response:
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
