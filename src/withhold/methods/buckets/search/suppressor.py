"""Publishing whole records in groups of at least k with the same items.

By default similar records become a group, which is published as what its records have in common, generalised
as little as possible: everything it says is true. With ``fill="hash"`` as in the paper (Reddy et al. 2012):
records are hash_records into buckets, and every record of a bucket is published as all items of the bucket,
generalised. That adds items that people never had.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked
from withhold.data import Hierarchy, Records
from withhold.data.array_types import Longs
from withhold.data.equal_rows import equal_rows
from withhold.data.evidence import Evidence
from withhold.data.plan import check_fingerprint, fingerprint
from withhold.data.spans import sorted_spans, spans, starts_of
from withhold.errors import ImpossibleError
from withhold.formats.item_trees import described_tree
from withhold.method import SearchRun
from withhold.methods.buckets.model import FILLS, Buckets
from withhold.methods.buckets.options import BucketsSearch
from withhold.methods.buckets.search.concepts import distinct, learnt_concepts, truthful_cut
from withhold.methods.buckets.search.hashing import hash_records
from withhold.methods.buckets.search.similar import similar_groups
from withhold.wording import counted

GroupedSets = tuple[Longs, Longs, NDArray[np.int32]]
"""For each record its group, and for each group the nodes that it is published as: offsets and nodes."""


@dataclass(frozen=True)
class Generalisation:
    """Groups of records and the set of nodes that each group is published as."""

    group_of: Longs
    """For each record the number of its group."""
    set_offsets: Longs
    set_nodes: NDArray[np.int32]
    """Group ``g`` is published as the nodes set_nodes[set_offsets[g]:set_offsets[g + 1]]."""
    hierarchy: Hierarchy
    fingerprint: str
    """Of the records the plan was made for."""
    fill: str = "none"
    """``"hash"``: records were filled up with what others of their bucket have."""
    unchanged: bool = False
    """The groups are of equal records, each published as it came."""

    def __len__(self) -> int:
        """How many records are published as another set than they came, or may be."""
        return 0 if self.unchanged else len(self.group_of)

    def facts(self) -> list[tuple[str, str]]:
        """How records were filled up, if they were."""
        return [("fill", f"hash, which {FILLS['hash']}")] if self.fill == "hash" else []

    @property
    def group_sizes(self) -> Longs:
        """How many records each group has."""
        return np.bincount(self.group_of, minlength=len(self.set_offsets) - 1)

    @checked
    def apply_to(self, records: Records) -> Records:
        """The groups' sets as records, under the names of the nodes; rows and their order stay."""
        check_fingerprint(self, records)
        used = distinct(self.set_nodes.astype(np.int64))
        by_name = sorted(used.tolist(), key=lambda node: self.hierarchy.names[node])
        code_of = np.zeros(len(self.hierarchy), dtype=np.int32)
        code_of[by_name] = np.arange(len(by_name))
        sizes = np.diff(self.set_offsets)
        codes = sorted_spans(sizes, code_of[self.set_nodes], len(by_name))
        lengths = sizes[self.group_of]
        names = tuple(self.hierarchy.names[node] for node in by_name)
        places = spans(self.set_offsets[self.group_of], lengths)
        made = Records.from_codes(lengths, codes[places], names)
        offsets, items, vocabulary = made.offsets, made.items, made.vocabulary
        return replace(records, offsets=offsets, items=items, vocabulary=vocabulary, repeated=0)


def suppress_buckets(
    records: Records,
    model: Buckets,
    evidence: Evidence,
    options: BucketsSearch,
    run: SearchRun,
) -> tuple[Generalisation, dict[str, Any]]:
    """The plan, and the options it was made with. Nothing is drawn, so ``run.seed`` makes no difference."""
    if len(records) < model.k:
        raise ImpossibleError(
            f"{counted(len(records), 'record')} cannot be published in groups of at least {model.k:,}; "
            "choose a smaller k"
        )
    tree, described = described_tree(records, options.hierarchy)
    chosen: dict[str, Any] = {
        "hierarchy": described,
        "fill": options.fill,
        "fill_effect": FILLS[options.fill],
    }
    if (alike := already_alike(records, model.k, tree)) is not None:
        as_it_is = Generalisation(*alike, tree, fingerprint(records), unchanged=True)
        return as_it_is, chosen | {"groups": len(as_it_is.group_sizes), "seed": run.seed}
    tree.check_covers(records.occurring)
    if options.fill == "none":
        group_of, offsets, nodes = group_similar(records, model.k, tree)
        chosen["groups"] = len(offsets) - 1
    else:
        node = _node_of_occurrences(records, tree)
        record = np.repeat(np.arange(len(records)), records.lengths)
        bucket_of, n_buckets = hash_records(records, model.k, options.buckets)
        filled, group_of = np.unique(bucket_of, return_inverse=True)
        offsets, nodes = learnt_concepts(
            group_of[record], node, len(filled), tree, to_root=options.to_root
        )
        chosen |= {"buckets": n_buckets, "to_root": bool(options.to_root), "groups": len(filled)}
    run.progress("grouping records", 1, 1)
    chosen["seed"] = run.seed
    made = Generalisation(group_of, offsets, nodes, tree, fingerprint(records), options.fill)
    return made, chosen


def already_alike(records: Records, k: int, tree: Hierarchy) -> GroupedSets | None:
    """Each record as it is, if every one is one of k equal ones; else None.

    A release made with the same tree holds names of inner nodes; data that is to be grouped must not hold
    any.
    """
    group_of, first = equal_rows(records)
    too_small = (np.bincount(group_of) < k).any()
    if too_small or any(name not in tree for name in records.occurring):
        return None
    lengths = records.lengths[first]
    node = _node_of_occurrences(records, tree)[spans(records.offsets[first], lengths)]
    return (
        group_of,
        starts_of(lengths),
        sorted_spans(lengths, node.astype(np.int32), len(tree)),
    )


def group_similar(records: Records, k: int, tree: Hierarchy) -> GroupedSets:
    """Groups of at least k similar records, each as what its records have in common."""
    node = _node_of_occurrences(records, tree)
    record = np.repeat(np.arange(len(records)), records.lengths)
    group_of = similar_groups(records, node, k, tree)
    sets = truthful_cut(group_of[record], record, node, np.bincount(group_of), tree)
    return group_of, *sets


def _node_of_occurrences(records: Records, tree: Hierarchy) -> Longs:
    """For each occurrence the code of its item; items that no record holds need none."""
    node_of_item = np.zeros(records.n_items, dtype=np.int64)
    held = np.flatnonzero(records.supports)
    node_of_item[held] = [tree.code(records.vocabulary[item]) for item in held]
    return node_of_item[records.items]
