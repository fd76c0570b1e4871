"""What somebody can infer who knows less than the groups of a release: "some dairy", not "milk".

A node above the groups is held by every record that holds one of its groups. That is measured, not
promised: each rule over groups is safe, and a rule over their union need not be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from withhold.counting.layout import lay_out
from withhold.counting.surveys import SurveyRun
from withhold.counting.threads import RUNNING, Stop
from withhold.data import Hierarchy, Records
from withhold.methods.rho.check.survey import survey
from withhold.methods.rho.model import RhoUncertainty

MOST_KNOWN = 2
SECONDS = 20.0
"""The time limit in seconds, after which the results so far are returned."""


@dataclass(frozen=True)
class CoarseKnowledge:
    """How many inferences become possible with nodes above the groups."""

    tested: int
    """Nodes above the groups that differ from them and from the root."""
    breaches: int
    """Inferences above ρ from one such node, alone or with one more node or item."""
    exposed: int
    """Records for which one of these inferences is right."""
    finished: bool = True
    """False if time ran out before all had been checked."""


def coarse_knowledge(published: Records, model: RhoUncertainty, tree: Hierarchy) -> CoarseKnowledge:
    """What nodes above the published ones let somebody infer; every rule without them is safe."""
    seen, known = with_ancestors(published, tree)
    with Stop(SECONDS) as stop:
        layout = lay_out(seen, seen.codes(model.sensitive))
        found = survey(layout, model.rho, (1, MOST_KNOWN), SurveyRun(stop=stop, keep=1))
        in_time = stop.cause == RUNNING
    return CoarseKnowledge(known, int(found.counts.sum()), int(found.exposed.sum()), in_time)


def coarse_knowledge_of_parts(
    parts: Iterable[Records], vocabulary: Sequence[str], model: RhoUncertainty, tree: Hierarchy
) -> CoarseKnowledge:
    """The same, counted within each part and summed: an inference counts once for each part that has it.

    Its confidence in all parts is a mean of those in the parts, so where no part has any there is none.
    """
    found = [coarse_knowledge(part, model, tree) for part in parts]
    return CoarseKnowledge(
        len(coarser_nodes(vocabulary, tree)),
        sum(each.breaches for each in found),
        sum(each.exposed for each in found),
        all(each.finished for each in found),
    )


def coarser_nodes(vocabulary: Sequence[str], tree: Hierarchy) -> list[int]:
    """The nodes that say something coarser than published items: not the root, and above at least two."""
    held = np.zeros(len(tree), dtype=np.int64)
    for name in vocabulary:
        above = int(tree.parents[tree.code(name)]) if name in tree else -1
        while above >= 0:
            held[above] += 1
            above = int(tree.parents[above])
    return [code for code in range(1, len(tree)) if held[code] > 1]


def with_ancestors(published: Records, tree: Hierarchy) -> tuple[Records, int]:
    """The records with the nodes above their items as further items, and how many such nodes there are.

    The root and nodes above a single published item say nothing that is coarser.
    """
    code_of = {name: tree.code(name) for name in published.vocabulary if name in tree}
    coarser = coarser_nodes(published.vocabulary, tree)
    is_coarser = {*coarser}
    names = tuple(sorted({*published.vocabulary, *(tree.names[code] for code in coarser)}))
    place = {name: number for number, name in enumerate(names)}
    lists = []
    for name in published.vocabulary:
        ranges = [place[name]]
        above = int(tree.parents[code_of[name]]) if name in code_of else -1
        while above > 0:
            if above in is_coarser:
                ranges.append(place[tree.names[above]])
            above = int(tree.parents[above])
        lists.append(ranges)
    sizes = np.array([len(each) for each in lists], dtype=np.int64)
    starts = np.append(0, np.cumsum(sizes))
    flat = np.array([code for each in lists for code in each], dtype=np.int64)
    per_item = sizes[published.items]
    rows = np.repeat(np.arange(len(published)), published.lengths)
    lengths = np.bincount(rows, weights=per_item, minlength=len(published)).astype(np.int64)
    begins = np.repeat(starts[published.items], per_item)
    steps = np.arange(int(per_item.sum())) - np.repeat(np.cumsum(per_item) - per_item, per_item)
    made = Records.from_codes(lengths, flat[begins + steps].astype(np.int32), names)
    seen = replace(published, offsets=made.offsets, items=made.items, vocabulary=names, repeated=0)
    return seen, len(coarser)
