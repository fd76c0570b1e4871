"""The fourth step: what each strength costs, drawn from a sweep; a click chooses one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from withhold.errors import PolicyError
from withhold.options import Declared
from withhold.page.attack import promise_of
from withhold.page.commands import verb_words
from withhold.page.drawing import Line, curve
from withhold.page.figures import side_by_side
from withhold.page.forms import check_model, filled_in
from withhold.page.jobs import DONE, FAILED
from withhold.page.problem import NONE, Mistake, Problem
from withhold.page.project import Project, label_of, write_policy
from withhold.page.site import Site, fresh, go_to
from withhold.page.words import WORDS

SHARES = {"threshold": "0.3,0.4,0.5,0.6,0.7,0.8"}
NUMBERS = {2: "2,3,5,10,20", 1: "1,2,3,5,10", 0: "0,1,2,3"}
DRAWN = (
    "occurrences.all.share",
    "occurrences.sensitive.share",
    "rules.jaccard",
    "loss.share",
    "bound.share",
)
"""Measures to draw, of those that the data have, the first of them at least."""
BOUND = "bound.share"
TWO = ("one", "other")
"""The points that are laid side by side, as an address names them."""


def show(site: Site, given: Mapping[str, Any], problem: Problem = NONE) -> Response:
    """What can be varied, and what it costs."""
    project = site.project(given)
    if project.method is None:
        return go_to("data", project)
    promise, missing = promise_of(project)
    job = site.queue.latest("sweep", project.name)
    job = fresh(job, _key(project, _varied(job)))
    if job is not None and job.state == FAILED:
        problem = problem.plus(job.notes)
    result = None
    if job is not None and job.state == DONE:
        result = _told(project, job.result or {}, given)
    return site.show_step(
        "trade-off",
        project,
        problem,
        job,
        promise=promise,
        missing=missing,
        options=[(each.spelling, label_of(each), _proposed(each)) for each in _can_vary(project)],
        result=result,
    )


def _can_vary(project: Project) -> list[Declared]:
    """The parameters that make the promise stronger or weaker, numbers all of them."""
    assert project.method is not None
    return [
        each
        for each in project.method.parameters().values()
        if each.option.weaker is not None
        and each.option.varies
        and (each.option.kind == "threshold" or each.plain_type is int)
    ]


def _proposed(declared: Declared) -> str:
    if declared.option.kind == "threshold":
        return SHARES["threshold"]
    return NUMBERS.get(int(declared.option.at_least or 0), NUMBERS[1])


def _varied(job: Any) -> str:
    """The option that a job varies."""
    if job is None:
        return ""
    return str(job.words[job.words.index("--vary") + 1]).partition("=")[0]


def _key(project: Project, varied: str) -> str:
    """The settings without the one that is varied, so that choosing a point leaves the curve as it is."""
    return project.key("sweep", only=tuple(k for k in project.read() if k != varied))


def sweep(site: Site, given: Mapping[str, Any]) -> Response:
    """Measure each of the values."""
    project = site.project(given)
    spelling = given.get("vary", "")
    declared = next((each for each in _can_vary(project) if each.spelling == spelling), None)
    values = [text.strip() for text in given.get(f"values-{spelling}", "").split(",")]
    values = list(dict.fromkeys(text for text in values if text))
    if declared is None or not values:
        raise Mistake(WORDS["trade_off.values"], field=f"values-{spelling}" if declared else "vary")
    for text in values:
        try:  # refuses what is no number, or out of range
            check_model(project, filled_in([declared], {f"o-{spelling}": text}))
        except Mistake as error:
            raise Mistake(*error.lines, field=f"values-{spelling}") from error
    policy = {k: v for k, v in project.read().items() if k != spelling}
    for key, value in policy.items():
        if isinstance(value, str) and (path := project.policy_path.parent / value).is_file():
            policy[key] = str(path)
    chosen = site.folder.private / f"sweep-{len(site.queue.jobs)}.toml"
    write_policy(chosen, policy)
    words = verb_words(
        "sweep", project, "--vary", f"{spelling}={','.join(values)}", "--json", policy=chosen
    )
    site.queue.add("sweep", project.name, words, key=_key(project, spelling))
    return go_to("trade-off", project)


def choose(site: Site, given: Mapping[str, Any]) -> Response:
    """Take the strength of a point."""
    project = site.project(given)
    try:
        chosen = dict(json.loads(given.get("point", "{}") or "{}"))
    except (TypeError, ValueError):
        raise PolicyError(WORDS["trade_off.values"]) from None
    options = {each.name: each for each in _can_vary(project)}
    changes: dict[str, Any] = {}
    for name, value in chosen.items():
        if name not in options:
            raise PolicyError(WORDS["trade_off.values"])
        spelling = options[name].spelling
        text = "" if value is None else str(value)
        changes |= filled_in([options[name]], {f"o-{spelling}": text})
    project.change(changes)
    return go_to("trade-off", project)


def _point(written: Any, made: Sequence[int]) -> int | None:
    """The number of a point that an address names, if there is such a release."""
    text = str(written or "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else -1
    return number if number in made else None


def _told(project: Project, found: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A sweep as the page shows it."""
    points = found["points"]
    policy = project.read()
    (name,) = found["varied"]
    declared = next(each for each in _can_vary(project) if each.name == name)
    places = [str(point["values"][name]) for point in points]
    now = str(policy.get(declared.spelling))
    known = {path for point in points for path in point["facts"] or {}}
    drawn = [path for path in DRAWN if path in known]
    if not set(drawn) - {BOUND}:
        drawn = [path for path in found["meaning"] if path in known][:2] + drawn
    lines = [
        Line(
            WORDS.get(f"measure.{path}", path.replace(".", " ")),
            [(point["facts"] or {}).get(path) for point in points],
            dashed=path == BOUND,
        )
        for path in drawn
    ]
    rows = [
        {
            "place": place,
            "value": json.dumps(point["values"]),
            "is_chosen": place == now,
            "numbers": [line.values[number] for line in lines],
            "problem": point["problem"],
        }
        for number, (place, point) in enumerate(zip(places, points, strict=True))
    ]
    chosen = places.index(now) if now in places else None
    made = [number for number, point in enumerate(points) if point["facts"]]
    two = {name: _point(given.get(name), made) for name in TWO}
    compared = [number for number in two.values() if number is not None]
    return {
        "two": two if len(compared) == 2 else dict(zip(TWO, (*made[:1], *made[-1:]), strict=False)),
        "places": [places[number] for number in compared],
        "figures": side_by_side([found], *(points[number]["facts"] for number in compared))
        if len(compared) == 2
        else [],
        "varied": label_of(declared),
        "svg": curve(
            WORDS["trade_off.curve"], places, lines, across=label_of(declared), chosen=chosen
        ),
        "names": [line.name for line in lines],
        "meanings": [found["meaning"].get(path, "") for path in drawn],
        "rows": rows,
    }
