"""The sections of a release under ρ-uncertainty: those of sets of items, and what was generalised."""

from __future__ import annotations

from withhold.data import Records
from withhold.measure.generalised import SHOWN
from withhold.measure.group_telling import listed_groups, over_groups
from withhold.measure.telling import sections_of_sets
from withhold.methods.rho.coarse import CoarseKnowledge, coarse_knowledge, coarse_knowledge_of_parts
from withhold.methods.rho.curve import Curve
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.plan import PlanOnCurve
from withhold.methods.rho.settling import UnderGroups
from withhold.telling.plots import Line, Lines
from withhold.telling.sections import Content, Drawing, Facts, Paragraph, Section, Subject
from withhold.wording import counted

OF_PARTS = (
    "This was counted within each part and summed: an inference counts once for each part that has it, and "
    "where no part has any, all of them together have none."
)


def sections_of_rho(subject: Subject) -> list[Section]:
    """What was lost, the frequencies, the rules; with groups first what was generalised."""
    plan = subject.release.plan
    if not isinstance(plan, PlanOnCurve | UnderGroups):
        return sections_of_sets(subject)
    return [_generalised(subject, plan), *sections_of_sets(over_groups(subject, plan.groups))]


def _generalised(subject: Subject, plan: PlanOnCurve | UnderGroups) -> Section:
    text = (
        "Public items are published as groups: every item everywhere under the name of its group, so "
        "whatever a record says is true of its person. The manifest lists the groups."
    )
    parts: list[Content] = [
        Paragraph(text, for_strangers=True),
        Facts(tuple(subject.measured.fact(path) for path, _, _ in SHOWN)),
    ]
    if isinstance(plan, PlanOnCurve) and plan.curve is not None:
        parts.append(Drawing(curve_plot(plan.curve)))
    model, published = subject.release.model, subject.release.data
    assert isinstance(model, RhoUncertainty)
    if isinstance(published, Records):
        text = _coarse(coarse_knowledge(published, model, plan.hierarchy))
    else:
        asked = (published.parts, published.vocabulary, model, plan.hierarchy)
        text = f"{_coarse(coarse_knowledge_of_parts(*asked))} {OF_PARTS}"
    parts.append(Paragraph(text))
    return Section("generalised", "What was generalised", (*parts, listed_groups(plan.groups)))


def curve_plot(curve: Curve) -> Lines:
    """What is withheld for each amount of detail, in the order of the curve."""
    return Lines(
        "tradeoff",
        "Sensitive items withheld against the detail given up, for the best choices of groups",
        "groups",
        "share",
        tuple(f"{len(point.nodes):,}" for point in curve.points),
        (
            Line("sensitive withheld", "lost", tuple(point.withheld for point in curve.points)),
            Line("detail given up (NCP)", "first", tuple(point.ncp for point in curve.points)),
            Line("detail given up (bits)", "second", tuple(point.bits for point in curve.points)),
        ),
        percent=True,
    )


def _coarse(found: CoarseKnowledge) -> str:
    """What somebody could infer who knows less than the groups say."""
    if found.tested == 0:
        return "No node of the hierarchy is above the groups but the root, so nothing coarser can be known."
    what = (
        f"Somebody may know something coarser than the groups: one of the {counted(found.tested, 'node')} "
        "above them, alone or with one other item. Nothing is promised then. "
    )
    if found.breaches == 0 and found.finished:
        return f"{what}Here no sensitive item can be inferred that way with a confidence above ρ."
    least = "" if found.finished else "at least "
    return (
        f"{what}Here {least}{counted(found.breaches, 'inference')} of a sensitive item with a confidence "
        f"above ρ {'is' if found.breaches == 1 else 'are'} possible that way, about "
        f"{counted(found.exposed, 'record')}."
    )
