"""Publishing whole records in groups of at least k with the same items.

By default similar records become a group, which is published as what its records have in common, generalised
as little as possible: everything it says is true. With ``fill="hash"`` as in the paper (Reddy et al. 2012):
records are hashed into buckets, and every record of a bucket is published as all items of the bucket,
generalised. That adds items that people never had.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from withhold.counting.threads import Progress, quiet
from withhold.data import Hierarchy, Records
from withhold.data.equal_rows import equal_rows
from withhold.data.plan import fingerprint
from withhold.errors import ImpossibleError, PolicyError
from withhold.methods.buckets.model import FILLS, Buckets
from withhold.methods.buckets.search.concepts import learnt_concepts, truthful_cut
from withhold.methods.buckets.search.generalisation import Generalisation
from withhold.methods.buckets.search.hashing import hashed
from withhold.methods.buckets.search.pairs import spans
from withhold.methods.buckets.search.similar import similar_groups
from withhold.wording import counted

PREFIX = "prefix"
FAN_OUT = "fan-out"


def suppress_buckets(
    table: Records,
    model: Buckets,
    *,
    hierarchy: Hierarchy | str | os.PathLike[str] | None = None,
    fill: str = "none",
    buckets: int | None = None,
    to_root: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> tuple[Generalisation, dict[str, Any]]:
    """The plan, and the options it was made with. Nothing is drawn, so ``seed`` makes no difference."""
    if len(table) < model.k:
        raise ImpossibleError(
            f"{counted(len(table), 'record')} cannot be published in groups of at least {model.k:,}; "
            "choose a smaller k"
        )
    tree, described = _described_tree(table, hierarchy)
    chosen: dict[str, Any] = {"hierarchy": described, "fill": fill, "fill_effect": FILLS[fill]}
    if (as_it_is := _as_it_is(table, model, tree)) is not None:
        return as_it_is, chosen | {"groups": len(as_it_is.group_sizes), "seed": seed}
    _check_leaves(table, tree)
    node = _node_of_occurrences(table, tree)
    record = np.repeat(np.arange(len(table)), table.lengths)
    if fill == "none":
        group_of = similar_groups(table, node, model.k, tree)
        sizes = np.bincount(group_of)
        sets = truthful_cut(group_of[record], record, node, sizes, tree)
        chosen["groups"] = len(sizes)
    else:
        bucket_of, n_buckets = hashed(table, model.k, buckets)
        filled, group_of = np.unique(bucket_of, return_inverse=True)
        sets = learnt_concepts(group_of[record], node, len(filled), tree, to_root=to_root)
        chosen |= {"buckets": n_buckets, "to_root": bool(to_root), "groups": len(filled)}
    progress("grouping records", 1, 1)
    chosen["seed"] = seed
    return Generalisation(group_of, *sets, tree, fingerprint(table), fill), chosen


def tree_for(
    table: Records, hierarchy: Hierarchy | str | os.PathLike[str] | None
) -> tuple[Hierarchy, dict[str, Any]]:
    """The tree over the table's items, and what a manifest says of it.

    ``hierarchy`` is a tree, a file, ``"prefix"`` or ``"prefix:1,3"`` (of codes such as ICD's), or
    ``"fan-out:10"`` (for items without meaning).
    """
    tree, described = _described_tree(table, hierarchy)
    _check_leaves(table, tree)
    return tree, described


def _check_leaves(table: Records, tree: Hierarchy) -> None:
    tree.check_covers(name for name, n in zip(table.vocabulary, table.supports, strict=True) if n)


def _described_tree(
    table: Records, hierarchy: Hierarchy | str | os.PathLike[str] | None
) -> tuple[Hierarchy, dict[str, Any]]:
    if hierarchy is None:
        raise PolicyError(
            "a hierarchy is missing: name a file, or say prefix (codes such as E11.9) or fan-out:10 "
            "(items without meaning)"
        )
    if isinstance(hierarchy, Hierarchy):
        tree, origin = hierarchy, None
    else:
        tree, origin = _read_or_built(table, os.fspath(hierarchy))
    return tree, {
        "from": origin,
        "leaves": tree.n_leaves,
        "nodes": len(tree),
        "height": tree.height,
    }


def _as_it_is(table: Records, model: Buckets, tree: Hierarchy) -> Generalisation | None:
    """The plan that changes nothing, if every record is one of k already; else None.

    A release made with the same tree holds names of inner nodes, which a table that is to be
    grouped must not hold.
    """
    group_of, first = equal_rows(table)
    if (np.bincount(group_of) < model.k).any():
        return None
    if any(
        n and name not in tree for name, n in zip(table.vocabulary, table.supports, strict=True)
    ):
        return None
    lengths = table.lengths[first]
    node = _node_of_occurrences(table, tree)[spans(table.offsets[first], lengths)]
    group = np.repeat(np.arange(len(first)), lengths)
    offsets = np.zeros(len(first) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    nodes = node[np.lexsort((node, group))].astype(np.int32)
    return Generalisation(group_of, offsets, nodes, tree, fingerprint(table), unchanged=True)


def _read_or_built(table: Records, wanted: str) -> tuple[Hierarchy, str]:
    kind, _, numbers = wanted.partition(":")
    if os.path.isfile(wanted) or kind not in (PREFIX, FAN_OUT):
        from withhold.formats.hierarchy import read_hierarchy

        return read_hierarchy(wanted), os.path.basename(wanted)
    try:
        lengths = [int(number) for number in numbers.split(",")] if numbers else []
    except ValueError:
        raise PolicyError(f"{wanted!r} needs whole numbers after the colon") from None
    if kind == PREFIX:
        return Hierarchy.by_prefix(table.vocabulary, lengths or None), wanted
    if len(lengths) != 1:
        raise PolicyError("say how many items go under a node, for example fan-out:10")
    return Hierarchy.by_fan_out(table.vocabulary, lengths[0]), wanted


def _node_of_occurrences(table: Records, tree: Hierarchy) -> np.ndarray:
    """For each occurrence the code of its item; items that no record holds need none."""
    node_of_item = np.zeros(table.n_items, dtype=np.int64)
    for item in np.flatnonzero(table.supports):
        node_of_item[item] = tree.code(table.vocabulary[item])
    return node_of_item[table.items]
