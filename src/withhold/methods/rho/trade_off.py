"""What each choice of groups costs: cuts of a hierarchy, each searched and proved separately.

In: records, a model, a tree without sensitive leaves. Out: a ``Curve``. A cheap estimate leads from the
coarsest groups to single items; about fifteen cuts on that path (in small files thirty, and some beside
it), every level of the tree and the root are then searched in full. The estimate only chooses what to run,
and is never shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from withhold.counting.memory import give_back_memory
from withhold.counting.threads import quiet
from withhold.data import Hierarchy, Records
from withhold.data.array_types import Ints
from withhold.data.cut import cut_at, groups_of
from withhold.data.evidence import Evidence
from withhold.data.groups import Groups
from withhold.errors import NotVerifiedError
from withhold.method import CheckRun, SearchRun
from withhold.methods.rho.check.proof import verify_rho
from withhold.methods.rho.curve import Curve, CutPoint
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.search.cut_path import Step, path_of_cuts
from withhold.methods.rho.search.suppressor import suppress_rho

SPACED, CLOSELY_SPACED = (9, 13), (13, 60)
"""Cuts of the path that are spaced evenly, by the estimate and by NCP; many are the same."""
SMALL = 100_000
"""Occurrences; for so small a file more cuts are run, and not only those of the path."""
LEAST_NCP = 0.001
"""The smallest NCP on the logarithmic scale; below it, cuts that hardly differ would be spread out."""


def find_curve(
    records: Records, model: RhoUncertainty, tree: Hierarchy, options: RhoSearch, run: SearchRun
) -> Curve:
    """The curve of these records; ``tree`` has no sensitive leaf."""
    is_small = records.n_occurrences <= SMALL
    steps = path_of_cuts(records, model, tree, run, fill=is_small)
    if is_small:
        steps = undominated(steps)
    cuts = [cut_at(tree, level) for level in range(tree.height + 1)]
    cuts += [steps[place].nodes for place in spaced(steps, CLOSELY_SPACED if is_small else SPACED)]
    different = list({tuple(nodes.tolist()): nodes for nodes in cuts}.values())
    points = []
    for done, nodes in enumerate(different):
        run.progress("searching with groups", done, len(different))
        points.append(_prove_point(records, model, tree, nodes, options, run))
        give_back_memory()
    run.progress("searching with groups", len(different), len(different))
    return Curve.of(points)


def _prove_point(
    records: Records,
    model: RhoUncertainty,
    tree: Hierarchy,
    nodes: Ints,
    options: RhoSearch,
    run: SearchRun,
) -> CutPoint:
    """What is withheld with this cut: the same search as for a release, then the same proof."""
    groups = groups_of(tree, nodes)
    generalised = groups.generalise(records)
    run = replace(run, progress=quiet)
    # Polishing is for the release alone.
    unpolished = replace(without_hierarchy(options), polish=None, polish_moves=None)
    plan, _ = suppress_rho(generalised, model, Evidence(), unpolished, run)
    published = plan.apply_to(generalised)
    verdict = verify_rho(published, model.under(groups), Evidence(), CheckRun(jobs=run.jobs))
    if not verdict.status.may_be_published:
        raise NotVerifiedError(f"a cut is {verdict.status.value}: {verdict.witness}")
    sensitive = records.codes(model.sensitive)
    before = int(records.supports[sensitive].sum())
    after = int(published.supports[published.codes(model.sensitive)].sum())
    detail = groups.detail(records)
    names = tuple(tree.names[node] for node in nodes)
    return CutPoint(detail.ncp, detail.bits, (before - after) / max(before, 1), names)


def without_hierarchy(options: RhoSearch) -> RhoSearch:
    """The options of the search for sensitive items, which knows nothing of groups."""
    return replace(options, hierarchy=None, detail=None, cut=None)


def undominated(steps: Iterable[Step]) -> list[Step]:
    """The steps that no other dominates in both the estimate and NCP, most detail first."""
    best: list[Step] = []
    for step in sorted(steps, key=lambda step: (step.penalty, step.estimate)):
        if not best or step.estimate < best[-1].estimate:
            best.append(step)
    return best


def spaced(steps: Sequence[Step], numbers: tuple[int, int]) -> list[int]:
    """The places of steps that are spread evenly over the estimate, and over the logarithm of NCP."""
    measures = (
        np.array([step.estimate for step in steps]),
        np.log(np.maximum([step.penalty for step in steps], LEAST_NCP)),
    )
    places: set[int] = set()
    for number, values in zip(numbers, measures, strict=True):
        wanted = np.linspace(values.min(), values.max(), number)
        places |= set(np.abs(values[None, :] - wanted[:, None]).argmin(axis=1).tolist())
    return sorted(places)


def groups_at(tree: Hierarchy, names: Sequence[str]) -> Groups:
    """The groups of a point of the curve."""
    return groups_of(tree, np.unique(tree.codes(names)))
