"""What every view of the page works with: the folder, the jobs, the templates."""

from __future__ import annotations

import json
import math
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from withhold.errors import InputError
from withhold.page.folder import Folder, is_too_large
from withhold.page.jobs import DONE, Job, Queue
from withhold.page.lookup import Lookup
from withhold.page.problem import NONE, Problem
from withhold.page.project import READING, Project
from withhold.page.words import LANGUAGE, WORDS
from withhold.registry import all_methods
from withhold.report.templating import templates_of
from withhold.telling.facts import shown

STEPS = ("data", "protect", "attack", "trade-off", "publish")


@dataclass
class Site:
    """One page in one folder."""

    folder: Folder
    queue: Queue
    first: str | None
    most_upload_bytes: int
    lookups: dict[Path, Lookup] = field(default_factory=dict)
    changing: threading.Lock = field(default_factory=threading.Lock)
    """Held by the one form that is being processed."""
    is_closing: bool = False
    """Whether the page is being closed, so that events must end."""
    insisted: set[str] = field(default_factory=set)
    """Large files that are to be read nevertheless."""
    trees: dict[str, str] = field(default_factory=dict)
    """The hierarchy whose branches are offered, by project."""

    @cached_property
    def environment(self) -> Environment:
        made = templates_of("withhold.page")
        made.filters |= {"n": number, "percent": percent, "seconds": seconds}
        made.filters |= {"in_unit": in_unit, "change": change}
        made.globals |= {"t": text, "steps": STEPS, "address": address, "language": LANGUAGE}
        return made

    def warm_up(self) -> None:
        """Compile the templates and load the methods before anybody waits for them."""
        for name in self.environment.list_templates():
            self.environment.get_template(name)
        for method in all_methods().values():
            method.all_options()

    def render(
        self,
        template: str,
        *,
        status: int = 200,
        project: Project | None = None,
        step: str = "",
        problem: Problem = NONE,
        **values: Any,
    ) -> HTMLResponse:
        """A template as an answer."""
        made = self.environment.get_template(f"{template}.html.jinja").render(
            project=project,
            step=step,
            problem=problem,
            running=[job for job in self.queue.jobs.values() if not job.is_over],
            **values,
        )
        return HTMLResponse(made, status_code=status)

    def show_step(
        self, step: str, project: Project, problem: Problem, job: Job | None, **values: Any
    ) -> HTMLResponse:
        """A step of a project, with what went wrong above it, and the job that the user waits for."""
        return self.render(
            step.replace("-", "_"),
            status=422 if problem else 200,
            project=project,
            step=step,
            problem=problem,
            job=job,
            **values,
        )

    def project(self, given: Mapping[str, str]) -> Project:
        """The project of the file that a request names."""
        project = Project(self.folder, given.get("file", ""))
        if not given.get("file"):
            raise InputError(WORDS["folder.none"])
        project.data  # noqa: B018  # refuses what is not there, or outside
        return project

    def prepared(self, project: Project) -> tuple[Lookup | None, Job | None]:
        """The data of a project to look things up in, once the job that reads them is done.

        A file that would hardly fit in memory is read only if somebody insists.
        """
        if is_too_large(project.data) and project.name not in self.insisted:
            return None, None
        policy = project.read()
        reading = {key: policy[key] for key in READING if key in policy}
        key = self.reading_key(project)
        job = self.queue.latest("read", project.name)
        if job is None or job.key != key:
            into = self.folder.private / f"data-{secrets.token_hex(8)}"
            request = {
                "data": str(project.data),
                "kind": project.kind,
                "reading": reading,
                "into": str(into),
            }
            words = ("withhold.page.preparing", json.dumps(request))
            job = self.queue.add("read", project.name, words, key=key, made=into)
        return (self.lookup(job.made) if job.state == DONE and job.made else None), job

    def read_again(self, project: Project) -> None:
        """Start over with a file whose reading failed or was cancelled."""
        job = self.queue.latest("read", project.name)
        if job is not None and job.is_over and job.state != DONE:
            job.key = ""

    def reading_key(self, project: Project) -> str:
        """Identifies how the data are to be read, to tell whether they were read that way."""
        return project.key(project.kind, only=READING)

    def lookup(self, folder: Path) -> Lookup:
        """Data that a job has laid out."""
        return self.lookups.setdefault(folder, Lookup(folder))


def fresh(job: Job | None, key: str) -> Job | None:
    """The job, if its result is of these settings or it failed with them."""
    return job if job is not None and job.key == key else None


def go_to(step: str, project: Project | None = None, **more: str) -> Response:
    """Redirect after a form, so that reloading or going back sends nothing again."""
    return RedirectResponse(address(step, project, **more), status_code=303)


def address(step: str, project: Project | None = None, **more: str) -> str:
    """The address of a step."""
    query = ({} if project is None else {"file": project.name}) | more
    return f"/{step}" + (f"?{urlencode(query)}" if query else "")


def text(key: str, **values: Any) -> str:
    """A text of the catalogue, filled in."""
    return WORDS[key].format(**values) if values else WORDS[key]


def number(value: Any, digits: int | None = None) -> Markup:
    """A number that the browser shows in its reader's language."""
    if value is None:
        return Markup("–")
    shown = f"{value:,}" if digits is None else f"{value:,.{digits}f}"
    return Markup('<data class="n" value="{}">{}</data>').format(value, shown)


def percent(share: float | None) -> Markup:
    """A share in percent."""
    if share is None:
        return Markup("–")
    return Markup('<data class="p" value="{}">{}</data>').format(share, shown(share, "share"))


def in_unit(value: float | None, unit: str) -> Markup:
    """A number of one of the units that measures have."""
    if unit == "share" or value is None:
        return percent(value)
    if unit == "count":
        return number(round(value))
    return number(value, _decimals(value))


def change(value: float | None, unit: str) -> Markup:
    """How much more or less, in the unit; of shares in percentage points."""
    if value is None:
        return Markup("–")
    sign = "+" if value > 0 else "−" if value < 0 else ""
    if unit == "share":
        points = number(round(abs(value) * 100, 2), 2)
        return Markup("{}{} {}").format(sign, points, WORDS["figures.points"])
    return Markup("{}{}").format(sign, in_unit(abs(value), unit))


def _decimals(value: float) -> int:
    """Enough decimals to show three significant digits."""
    return max(2 - math.floor(math.log10(abs(value))), 0) if value else 0


def seconds(time: float | None) -> str:
    """A time as people say it."""
    if time is None:
        return ""
    if time < 90:
        return WORDS["time.seconds"].format(n=round(time))
    return WORDS["time.minutes"].format(n=round(time / 60))
