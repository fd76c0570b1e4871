"""k^m-anonymity with a hierarchy: items are published as nodes of one cut, or withheld everywhere.

In: records and a tree. Out: a plan with the groups. Without a hierarchy, items are withheld as for coherence.
"""

from __future__ import annotations

from typing import Any

from withhold.data import Records
from withhold.data.cut import groups_of, with_leaves
from withhold.data.evidence import Evidence
from withhold.data.generalised_plan import GeneralisedPlan, renamed_by
from withhold.data.groups import refuse_given
from withhold.data.plan import fingerprint
from withhold.errors import ImpossibleError
from withhold.formats.item_trees import tree_for
from withhold.method import SearchRun
from withhold.methods.coherence.plan import ItemPlan
from withhold.methods.coherence.search.suppressor import refuse_impossible, suppress_coherence
from withhold.methods.km.model import KmAnonymity
from withhold.methods.km.options import KmSearch
from withhold.methods.km.plan import WithheldItems
from withhold.methods.km.search.cover import best_cover
from withhold.wording import counted


def search_km(
    records: Records,
    model: KmAnonymity,
    evidence: Evidence,
    options: KmSearch,
    run: SearchRun,
) -> tuple[ItemPlan | GeneralisedPlan, dict[str, Any]]:
    """A plan after which the model holds, and the options in force. Nothing is drawn at random."""
    refuse_given(model.groups)
    if options.hierarchy is None:
        return suppress_coherence(records, model, evidence, options, run)
    refuse_impossible(records, model)
    tree, described = tree_for(records, options.hierarchy)
    withholding = options.withhold is not False
    filled = int((records.lengths > 0).sum())
    if not withholding and 0 < filled < model.k:
        raise ImpossibleError(
            f"only {counted(filled, 'record')} hold any item, fewer than k = {model.k:,}: all items must be "
            "withheld, and none may be"
        )
    nodes = best_cover(records, tree, model, withholding=withholding, progress=run.progress)
    groups = groups_of(tree, with_leaves(tree, nodes))
    generalised = groups.generalise(records)
    published = {tree.names[node] for node in nodes}
    supports = zip(generalised.vocabulary, generalised.supports.tolist(), strict=True)
    gone = [(name, n) for name, n in supports if n and name not in published]
    gone.sort(key=lambda each: (-each[1], each[0]))
    withheld = WithheldItems(tuple(gone), fingerprint(generalised))
    in_force = {
        "hierarchy": described,
        "withhold": withholding,
        "groups": len(groups),
        "seed": run.seed,
    }
    plan = (groups, withheld, tree, fingerprint(records), renamed_by(groups, records))
    return GeneralisedPlan(*plan), in_force
