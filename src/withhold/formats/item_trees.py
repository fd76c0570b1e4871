"""The requested hierarchy over the items of some records: a tree, a file, or a way to build one."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from withhold.data import Hierarchy, Records
from withhold.data.co_occurrence import co_occurrence_edges
from withhold.data.tree_building import build_tree
from withhold.errors import PolicyError
from withhold.formats.hierarchy import read_hierarchy

CO_OCCURRENCE = "co-occurrence"
BUILT = ("prefix", "fan-out", CO_OCCURRENCE)
TreeSource = Hierarchy | str | os.PathLike[str]
"""A tree, a file, ``"prefix"`` or ``"prefix:1,3"`` (of codes such as ICD's), ``"fan-out:10"``, or
``"co-occurrence"`` (items that are held together)."""


def tree_for(records: Records, hierarchy: TreeSource | None) -> tuple[Hierarchy, dict[str, Any]]:
    """The tree over the records' items, and what a manifest says about it."""
    tree, described = described_tree(records, hierarchy)
    tree.check_covers(records.occurring)
    return tree, described


def described_tree(
    records: Records, hierarchy: TreeSource | None, *, set_aside: Collection[str] = ()
) -> tuple[Hierarchy, dict[str, Any]]:
    """The same for a tree that may lack items; one that is built need not have those ``set_aside``."""
    if hierarchy is None:
        raise PolicyError(
            "a hierarchy is missing: name a file, or say prefix (codes such as E11.9) or fan-out:10 "
            "(items without meaning)"
        )
    if isinstance(hierarchy, Hierarchy):
        tree, origin = hierarchy, None
    else:
        tree, origin = _read_or_built(records, os.fspath(hierarchy), set_aside)
    sizes = {"leaves": tree.n_leaves, "nodes": len(tree), "height": tree.height}
    return tree, {"from": origin, **sizes}


def is_built(wanted: str) -> bool:
    """Whether the hierarchy is built from the data rather than read from a file."""
    return wanted.partition(":")[0] in BUILT and not os.path.isfile(wanted)


def _read_or_built(
    records: Records, wanted: str, set_aside: Collection[str]
) -> tuple[Hierarchy, str]:
    kind, _, numbers = wanted.partition(":")
    if wanted == CO_OCCURRENCE and not os.path.isfile(wanted):
        left_out = set_aside if set(records.vocabulary) - set(set_aside) else ()
        edges = co_occurrence_edges(records, left_out)
        return Hierarchy(*build_tree(edges)), wanted
    if not is_built(wanted):
        if "=" in wanted and not os.path.isfile(wanted):
            raise PolicyError(
                f"{wanted!r} is about columns of a table; for items name the hierarchy alone"
            )
        return read_hierarchy(wanted), os.path.basename(wanted)
    if kind == CO_OCCURRENCE:
        raise PolicyError(f"{CO_OCCURRENCE} takes no numbers, so {wanted!r} is not understood")
    try:
        lengths = [int(number) for number in numbers.split(",")] if numbers else []
    except ValueError:
        raise PolicyError(f"{wanted!r} needs whole numbers after the colon") from None
    if kind == "prefix":
        return Hierarchy.by_prefix(records.vocabulary, lengths or None), wanted
    if len(lengths) != 1:
        raise PolicyError("say how many items go under a node, for example fan-out:10")
    items = [item for item in records.vocabulary if item not in set_aside]
    # The error about data in which every item is sensitive is not raised here.
    return Hierarchy.by_fan_out(items or records.vocabulary, lengths[0]), wanted
