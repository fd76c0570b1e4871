"""Which view answers which address, and how errors become messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import nullcontext
from functools import partial
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from withhold.errors import InputError, WithholdError, on_the_command_line
from withhold.page import attack, by_parts, data, protect, publish, releases, trade_off
from withhold.page.guard import UPLOAD
from withhold.page.jobs import Job
from withhold.page.notes import as_on_page
from withhold.page.problem import Problem
from withhold.page.site import Site, go_to, seconds, text
from withhold.page.words import WORDS

GET: dict[str, Callable[..., Response]] = {
    "/": data.home,
    "/data": data.show,
    "/protect": protect.show,
    "/protect/items": protect.items,
    "/attack": attack.show,
    "/trade-off": trade_off.show,
    "/publish": publish.show,
    "/releases": releases.show,
    "/releases/report": releases.report,
    "/jobs": releases.jobs,
    "/jobs/{number:int}": releases.job,
}
POST: dict[str, tuple[Callable[..., Response], Callable[..., Response]]] = {
    "/data": (data.save, data.show),
    "/protect/tick": (protect.tick, protect.show),
    "/protect/list": (protect.save_list, protect.show),
    "/protect/roles": (protect.save_roles, protect.show),
    "/protect/people": (protect.save_people, protect.show),
    "/attack/questions": (attack.answer, attack.show),
    "/attack/options": (attack.save, attack.show),
    "/attack/audit": (attack.audit, attack.show),
    "/trade-off/sweep": (trade_off.sweep, trade_off.show),
    "/trade-off/choose": (trade_off.choose, trade_off.show),
    "/publish/preview": (publish.preview, publish.show),
    "/publish/release": (publish.release, publish.show),
    "/publish/parts": (by_parts.release, publish.show),
    "/releases/verify": (releases.verify, releases.show),
    "/releases/compare": (releases.compare, releases.show),
    "/jobs/{number:int}/cancel": (releases.cancel, releases.jobs),
}
"""What a form does, and the page that says why it could not."""
STATIC = {"page.js": "text/javascript", "htmx.min.js": "text/javascript", "page.css": "text/css"}
POLL_SECONDS = 0.25
"""Seconds between two checks of a job whose progress is being watched."""


def application(site: Site) -> Starlette:
    """The page as an ASGI application, without its guard."""
    routes = [
        Route(path, partial(_shown, site, view), methods=["GET"]) for path, view in GET.items()
    ]
    routes += [
        Route(path, partial(_done, site, action, view), methods=["POST"])
        for path, (action, view) in POST.items()
    ]
    routes += [
        Route(UPLOAD, partial(_upload, site), methods=["POST"]),
        Route("/jobs/{number:int}/events", partial(_events, site), methods=["GET"]),
        Route("/static/{name}", _static, methods=["GET"]),
        Route("/favicon.ico", _no_icon, methods=["GET"]),
    ]
    return Starlette(
        routes=routes, exception_handlers={404: partial(_missing, site), 500: partial(_bug, site)}
    )


async def _shown(site: Site, view: Callable[..., Response], request: Request) -> Response:
    given = dict(request.query_params) | {k: str(v) for k, v in request.path_params.items()}
    return await run_in_threadpool(_guarded, site, view, None, given)


async def _done(
    site: Site, action: Callable[..., Response], view: Callable[..., Response], request: Request
) -> Response:
    try:
        form = await request.form(max_files=0, max_fields=20_000)
    except ClientDisconnect:
        return PlainTextResponse(WORDS["guard.large"], status_code=413)
    given: dict[str, Any] = dict(request.query_params)
    given |= {key: value for key, value in form.items() if isinstance(value, str)}
    given |= {key: str(value) for key, value in request.path_params.items()}
    given["several"] = {key: form.getlist(key) for key in form}
    return await run_in_threadpool(_guarded, site, action, view, given, request.url.path)


def _guarded(
    site: Site,
    action: Callable[..., Response],
    fallback: Callable[..., Response] | None,
    given: Mapping[str, Any],
    address: str = "",
) -> Response:
    """What the view answers; if it raises, the fallback with the message and the form as it was."""
    with on_the_command_line():
        try:
            # One form at a time: each reads what was chosen so far, and writes it back.
            with nullcontext() if fallback is None else site.changing:
                return action(site, given)
        except WithholdError as error:
            problem = Problem(_said(error), address, given, getattr(error, "field", ""))
        try:
            if fallback is not None:
                return fallback(site, given, problem=problem)
        except WithholdError as error:
            problem = Problem(_said(error))
    return site.render("problem", status=422, problem=problem)


def _said(error: WithholdError) -> tuple[str, ...]:
    return tuple(map(as_on_page, error.lines))


async def _upload(site: Site, request: Request) -> Response:
    """A file as the body of a request; its name is in the address."""
    name = request.query_params.get("name", "")
    try:
        kept = await site.folder.keep(name, request.stream(), site.most_upload_bytes)
    except ClientDisconnect:
        return PlainTextResponse(WORDS["guard.large"], status_code=413)
    except InputError as error:
        return PlainTextResponse("\n".join(error.lines), status_code=422)
    return PlainTextResponse(kept)


async def _events(site: Site, request: Request) -> Response:
    """How far a job is, as events, until it is over."""
    job = site.queue.jobs.get(int(request.path_params["number"]))
    if job is None:
        return PlainTextResponse("", status_code=404)
    return StreamingResponse(_watched(site, job, request), media_type="text/event-stream")


async def _watched(site: Site, job: Job, request: Request) -> AsyncIterator[str]:
    said = -1
    while not site.is_closing and not await request.is_disconnected():
        if job.version != said or not job.is_over:
            said = job.version
            yield f"data: {json.dumps(_progress(job))}\n\n"
        if job.is_over:
            return
        await asyncio.sleep(POLL_SECONDS)


def _progress(job: Job) -> dict[str, Any]:
    left = seconds(job.seconds_left)
    return {
        "state": job.state,
        "says": text(f"job.{job.state}"),
        "step": job.step,
        "share": job.share,
        "time": text("job.left", time=left)
        if left
        else text("job.since", time=seconds(job.seconds)),
    }


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("", status_code=404)
    content = files("withhold.page").joinpath("static", name).read_bytes()
    if name == "page.css":
        # The page looks like the reports, whose style comes first.
        shared = files("withhold.report").joinpath("templates/page.css").read_bytes()
        content = shared + content
    return Response(content, media_type=STATIC[name], headers={"cache-control": "no-cache"})


async def _no_icon(request: Request) -> Response:
    return Response(status_code=204)


async def _missing(site: Site, request: Request, error: Exception) -> Response:
    return site.render("problem", status=404, problem=Problem((WORDS["problem.missing"],)))


async def _bug(site: Site, request: Request, error: Exception) -> Response:
    """An unexpected error; the page's terminal has the details."""
    problem = Problem((WORDS["problem.bug"].format(error=type(error).__name__),))
    return site.render("problem", status=500, problem=problem)


__all__ = ["application", "go_to"]
