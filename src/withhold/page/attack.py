"""The third step: who attacks. Three questions lead to a model, experts choose one; then the audit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from withhold.errors import WithholdError
from withhold.page.commands import verb_words
from withhold.page.drawing import Line, curve
from withhold.page.files import check_files
from withhold.page.forms import check_model, fields_of, filled_in
from withhold.page.jobs import DONE, FAILED
from withhold.page.notes import as_on_page
from withhold.page.problem import NONE, Mistake, Problem, about
from withhold.page.project import IncompleteError, Project, label_of
from withhold.page.site import Site, fresh, go_to, number
from withhold.page.words import WORDS
from withhold.registry import all_methods, own_name

QUESTIONS: dict[str, dict[str, str]] = {
    "records": {"item": "rho", "record": "km", "both": "coherence"},
    "table": {"record": "k-anonymity"},
    "people": {"both": "people", "apart": "apart of people"},
}
"""What must not be learnt, by kind of data, and the model that promises it."""
AMOUNTS = ("any", "1", "2", "3", "5")
STARTING = {"rho": "0.5", "k": 5, "m": 2, "h": "0.5", "p": "2", "l": None}
"""What is filled in if nothing was chosen."""
OF_AMOUNT = ("max-known", "m", "p")
ASKED = {"o-rho": "sure", "o-h": "sure", "o-k": "crowd"} | {
    f"o-{key}": "amount" for key in OF_AMOUNT
}
"""The question that asks for an option."""
ELSEWHERE = ("sensitive", "items", "person_column")
"""Options that the steps before ask for."""
SHOWN = 12
"""How many breaches are shown."""


def show(site: Site, given: Mapping[str, Any], problem: Problem = NONE) -> Response:
    """The questions, the model that follows, and what an attacker could do today."""
    project = site.project(given)
    if project.method is None:
        return go_to("data", project)
    method, policy = project.method, project.read()
    questions = QUESTIONS.get(method.data, {})
    promise, missing = promise_of(project)
    answer = next((a for a, m in questions.items() if all_methods().get(m) is method), "")
    if missing is not None and missing.step == "attack" and answer:
        # What is filled in above was proposed, and nobody has agreed to it.
        missing = Missing(WORDS["attack.not_taken"].format(button=WORDS["attack.take"]), "attack")
    job = fresh(site.queue.latest("audit", project.name), project.key())
    if job is not None and job.state == FAILED:
        problem = problem.plus(job.notes)
    result = job.result if job is not None and job.state == DONE else None
    of_model = [each for each in method.takes().values() if each.name not in ELSEWHERE]
    return site.show_step(
        "attack",
        project,
        problem,
        job,
        learn=questions,
        answer=answer,
        amounts=AMOUNTS,
        amount=str(next((policy[key] for key in OF_AMOUNT if key in policy), "any")),
        sure=policy.get("rho", policy.get("h", "0.5")),
        crowd=policy.get("k", 5),
        asks={each.name for each in method.parameters().values()},
        models=[(own_name(m), m.name) for m in all_methods().values() if m.data == method.data],
        model=own_name(method),
        fields=fields_of(of_model, policy),
        how=fields_of(method.searches().values(), policy),
        policy=policy,
        expert=bool(given.get("expert")),
        promise=promise,
        missing=missing,
        result=None if result is None else told(result),
    )


@dataclass(frozen=True)
class Missing:
    """Why there is no promise yet, and the step that asks for what is missing, if that is known."""

    text: str
    step: str = ""


def promise_of(project: Project) -> tuple[str, Missing | None]:
    """What the model promises, or what is missing."""
    try:
        return project.model().promise(), None
    except IncompleteError as error:
        return "", Missing(error.lines[0], error.step)
    except WithholdError as error:
        return "", Missing(error.lines[0])


def answer(site: Site, given: Mapping[str, Any]) -> Response:
    """The model that the answers lead to."""
    project = site.project(given)
    assert project.method is not None
    method = all_methods().get(
        QUESTIONS.get(project.kind or "", {}).get(given.get("learn", ""), "")
    )
    amount = given.get("amount", "any")
    if method is None or amount not in AMOUNTS:
        raise Mistake(WORDS["attack.answer_all"], field="learn" if method is None else "amount")
    typed = {
        "o-rho": given.get("sure", "0.5"),
        "o-h": given.get("sure", "0.5"),
        "o-k": given.get("crowd", "5"),
        "o-max-known": "" if amount == "any" else amount,
        "o-m": "" if amount == "any" else amount,
        "o-p": amount,
    }
    asked = [each for each in method.parameters().values() if f"o-{each.spelling}" in typed]
    try:
        changes = filled_in(asked, typed) | {"model": own_name(method)}
        check_model(project, changes)
    except Mistake as error:
        question = ASKED[error.field]
        (label,) = (label_of(each) for each in asked if f"o-{each.spelling}" == error.field)
        words = WORDS[f"attack.{question}"]
        lines = [
            re.sub(f"“?{re.escape(label)}”?", f"“{words}”", each, flags=re.I)
            for each in error.lines
        ]
        raise Mistake(*lines, field=question) from error
    if changes.get("m", amount) is None:
        raise Mistake(WORDS["attack.amount.needed"], field="amount")
    project.change(changes)
    return go_to("attack", project)


def save(site: Site, given: Mapping[str, Any]) -> Response:
    """The model and its options, chosen directly."""
    project = site.project(given)
    named = given.get("model", "")
    methods = {own_name(each): each for each in all_methods().values()}
    if named not in methods:
        raise Mistake(WORDS["form.choice"].format(option=WORDS["attack.model"]), field="model")
    if project.method is None or methods[named] is not project.method:
        # Its options are asked for next.
        defaults = {
            each.spelling: STARTING[each.name]
            for each in methods[named].parameters().values()
            if each.is_required and each.name in STARTING and each.spelling not in project.read()
        }
        project.change({"model": named} | defaults)
        return go_to("attack", project, expert="1")
    method = project.method
    asked = [each for each in method.takes().values() if each.name not in ELSEWHERE]
    changes = filled_in([*asked, *method.searches().values()], given)
    declared = {each.spelling: each for each in method.all_options().values()}
    for key, value in changes.items():
        if declared[key].option.kind in ("file", "files") and value:
            several = value if isinstance(value, list) else [value]
            with about(f"o-{key}"):
                checked = [check_files(project, each) for each in several]
            changes[key] = checked if isinstance(value, list) else checked[0]
    check_model(project, changes)
    project.change(changes)
    return go_to("attack", project, expert="1")


def audit(site: Site, given: Mapping[str, Any]) -> Response:
    """Start the audit of the file as it is."""
    project = site.project(given)
    project.model()
    words = verb_words("audit", project, "--json")
    site.queue.add("audit", project.name, words, key=project.key())
    return go_to("attack", project)


def told(found: Mapping[str, Any]) -> dict[str, Any]:
    """An audit as the page shows it: verdict, numbers, breaches and attack curve, if it has them."""
    breaches = found.get("breaches") or []
    return {
        "verdict": found["verdict"],
        "promise": found["promise"],
        "method": found.get("check", {}).get("method", ""),
        "numbers": [
            (WORDS[f"audit.{name}"], found[name])
            for name in ("records", "rows", "exposed_records", "rows_at_risk", "groups", "k")
            if isinstance(found.get(name), int)
        ],
        "breaches": [_breach(each) for each in breaches[:SHOWN]],
        "advice": [as_on_page(each) for each in found.get("advice", ())],
        "undecided": found.get("undecided_columns") or {},
        "curve": _attack_curve(found),
    }


def _breach(found: Mapping[str, Any]) -> str | Markup:
    """A breach in words, whatever its method calls its parts."""
    if {"antecedent", "consequent", "joint", "support"} <= found.keys():
        who = ", ".join([*_texts(found.get("cells")), *_texts(found["antecedent"])])
        return Markup(WORDS["audit.breach"]).format(
            known=who or WORDS["audit.nothing"],
            learnt=found["consequent"],
            joint=number(found["joint"]),
            support=number(found["support"]),
        )
    if {"cells", "rows", "needed"} <= found.keys():
        cells = ", ".join(_texts(found["cells"])) or WORDS["audit.nothing"]
        rows, needed = number(found["rows"]), number(found["needed"])
        return Markup(WORDS["audit.group"]).format(cells=cells, rows=rows, needed=needed)
    return ", ".join(f"{name.replace('_', ' ')}: {_shown(value)}" for name, value in found.items())


def _texts(found: Any) -> list[str]:
    if isinstance(found, Mapping):
        return [f"{name} = {value}" for name, value in found.items()]
    return [] if found is None else [str(each) for each in found]


def _shown(value: Any) -> str:
    return ", ".join(_texts(value)) if isinstance(value, list | Mapping) else str(value)


def _attack_curve(found: Mapping[str, Any]) -> Any:
    points = found.get("attack_curve") or []
    if points:
        names = ("unique", "below_k", "inferred")
        lines = [
            Line(WORDS[f"audit.curve.{n}"], [(p[n] or {}).get("share") for p in points])
            for n in names
            if any(point.get(n) for point in points)
        ]
        head = WORDS["audit.curve.items"]
    else:
        points = found.get("known_columns") or []
        if not points:
            return None
        lines = [
            Line(WORDS[f"audit.curve.{n}"], [p[n] for p in points]) for n in ("unique", "below_k")
        ]
        head = WORDS["audit.curve.columns"]
    places = [str(point["known"]) for point in points]
    rows = [(place, *(line.values[i] for line in lines)) for i, place in enumerate(places)]
    return {
        "svg": curve(WORDS["audit.curve"], places, lines, across=head),
        "names": [line.name for line in lines],
        "head": head,
        "rows": rows,
    }
