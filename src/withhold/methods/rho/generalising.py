"""Generalise before withholding: public items are published as nodes of one cut of a hierarchy.

Every item is published everywhere under the same node, so the nodes are symbols like any others, and the
usual search withholds sensitive items of the generalised records. docs/decisions/0021 says why there is one
cut for all records.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from withhold.data import Hierarchy, Records
from withhold.data.cut import cut_at, groups_of, named_cut, public_tree
from withhold.data.evidence import Evidence
from withhold.data.generalised_plan import renamed_by
from withhold.data.groups import Groups, refuse_given
from withhold.data.plan import Plan, fingerprint
from withhold.errors import InputError, PolicyError, option
from withhold.formats.item_trees import described_tree
from withhold.formats.items import read_item_list
from withhold.method import SearchRun
from withhold.methods.rho.curve import Curve
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.plan import PlanOnCurve
from withhold.methods.rho.search.suppressor import suppress_rho
from withhold.methods.rho.trade_off import find_curve, groups_at, without_hierarchy


def search_rho(
    records: Records,
    model: RhoUncertainty,
    evidence: Evidence,
    options: RhoSearch,
    run: SearchRun,
) -> tuple[Plan | PlanOnCurve, dict[str, Any]]:
    """A plan after which the model holds, and the options in force; with a hierarchy under its groups."""
    refuse_given(model.groups)
    if options.hierarchy is None:
        return suppress_rho(records, model, evidence, options, run)
    whole, described = described_tree(records, options.hierarchy, set_aside=model.sensitive)
    tree = public_tree(whole, records.occurring, model.sensitive)
    groups, curve = _chosen_groups(records, model, whole, tree, options, run)
    plan, in_force = suppress_rho(
        groups.generalise(records), model, evidence, without_hierarchy(options), run
    )
    in_force |= {"hierarchy": described, "detail": options.detail, "groups": len(groups)}
    if isinstance(options.cut, str | int | os.PathLike):
        in_force["cut"] = os.path.basename(str(options.cut))
    made = (groups, plan, tree, fingerprint(records), renamed_by(groups, records), curve)
    return PlanOnCurve(*made), in_force


def trade_off_rho(
    records: Records, model: RhoUncertainty, options: RhoSearch, run: SearchRun
) -> Curve:
    """What each choice of groups would cost."""
    whole, _ = described_tree(records, options.hierarchy, set_aside=model.sensitive)
    tree = public_tree(whole, records.occurring, model.sensitive)
    return find_curve(records, model, tree, options, run)


def _chosen_groups(
    records: Records,
    model: RhoUncertainty,
    whole: Hierarchy,
    tree: Hierarchy,
    options: RhoSearch,
    run: SearchRun,
) -> tuple[Groups, Curve | None]:
    """The groups that a cut names, or that a weight chooses; with neither, an error asks the user for one."""
    if options.cut is not None:
        return groups_of(tree, asked_cut(whole, tree, options.cut)), None
    curve = find_curve(records, model, tree, options, run)
    if options.detail is None:
        raise PolicyError(
            f"public items can be published in more or less detail; say what detail is worth with "
            f"{option('detail')}, or name a level or nodes with {option('cut')}:",
            *(f"  {line}" for line in curve.lines()),
        )
    return groups_at(tree, curve.choose(options.detail).nodes), curve


def asked_cut(whole: Hierarchy, tree: Hierarchy, cut: Any) -> Any:
    """The nodes of the requested cut: a level, a file with nodes, or their names."""
    if isinstance(cut, str | int) and str(cut).strip().lstrip("-").isdecimal():
        return cut_at(tree, int(cut))
    if not isinstance(cut, str | os.PathLike):
        return named_cut(tree, cut, whole)
    if not os.path.isfile(cut):
        remedy = f"give a level from 0 to {tree.height}, or a file with one node per line"
        raise InputError(
            "is neither a level of the hierarchy nor a file", path=str(cut), remedy=remedy
        )
    return named_cut(tree, read_item_list(Path(cut)), whole)
