"""The sections of a release under k^m-anonymity: those of coherence, or what was generalised and withheld."""

from __future__ import annotations

from withhold.data.generalised_plan import GeneralisedPlan
from withhold.measure.generalised import SHOWN
from withhold.measure.group_telling import listed_groups, over_groups
from withhold.measure.telling import sections_of_sets
from withhold.methods.coherence.telling import sections_of_coherence
from withhold.methods.km.measure import COST
from withhold.methods.km.plan import WithheldItems
from withhold.telling.sections import Content, Facts, Listing, Paragraph, Section, Subject

MOST_LISTED = 20


def sections_of_km(subject: Subject) -> list[Section]:
    """What was lost, the frequencies, the rules; with groups first what was generalised."""
    plan = subject.release.plan
    if not isinstance(plan, GeneralisedPlan):
        return sections_of_coherence(subject)
    true = (
        "Items are published as groups: every item everywhere under the name of its group, or withheld "
        "everywhere. So whatever a record says is true of its person, and whatever set of groups is left is "
        "in exactly as many records as in the original. The manifest lists the groups."
    )
    coarser = (
        "Somebody may know something coarser than the groups, a node above them. The promise holds for them, "
        "too: a record that fits holds one of the groups under the node, and so do at least k."
    )
    paths = (COST, *(path for path, _, _ in SHOWN))
    parts: list[Content] = [
        Paragraph(true, for_strangers=True),
        Facts(tuple(subject.measured.fact(path) for path in paths)),
        Paragraph(coarser),
        listed_groups(plan.groups),
    ]
    assert isinstance(plan.withheld, WithheldItems)
    if plan.withheld:
        rows = tuple((item, f"{held:,}") for item, held in plan.withheld)
        folded = len(rows) > MOST_LISTED
        head = ("item", "records")
        parts.append(Listing("Items withheld everywhere", head, rows, frozenset({1}), folded))
    section = Section("generalised", "What was generalised", tuple(parts))
    return [section, *sections_of_sets(over_groups(subject, plan.groups))]
