"""From edges to a tree in depth-first order; whatever is not a tree is refused with the place and the remedy.

A node is a label and a level, because a label may occur on two levels. Names follow: a leaf keeps its
label, and so does every other node whose label is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.data.names import clean_all
from withhold.errors import InputError, PolicyError

Node = tuple[str, int]
"""A label and its level: 0 is the root's, or every node's if levels mean nothing."""
ROOT = "*"
NAMED_AT_ONCE = 5
"""How many offenders a message names; it counts the rest."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A child and its parent, and the line of the file that has them."""

    child: Node
    parent: Node
    line: int | None = None


def build_tree(
    edges: Sequence[Edge], *, path: str | None = None, levels: Mapping[int, str] | None = None
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The nodes' names in depth-first order and the code of each one's parent.

    ``levels`` are the names of the levels, if they have any.
    """
    parent_of = _parents(_by_the_rule(edges, path), path)
    if not parent_of:
        raise InputError("holds no edge of a tree", path=path, remedy="give at least one leaf")
    root = _only_root(parent_of, path)
    children: dict[Node, list[Node]] = {}
    for child, parent in parent_of.items():
        children.setdefault(parent, []).append(child)
    order, parents = _depth_first(root, children)
    if len(order) != len(parent_of) + 1:
        raise _cycle(parent_of, set(order), path)
    names = _unique_names(order, levels or {}, children)
    return names, np.array(parents, dtype=np.int32)


def path_edges(cells: Sequence[str], line: int | None = None) -> Iterator[Edge]:
    """The edges of one path from a leaf to the root."""
    top = len(cells) - 1
    for place in range(top):
        yield Edge((cells[place], top - place), (cells[place + 1], top - place - 1), line)


def prefix_edges(items: Iterable[str], lengths: Sequence[int] | None) -> list[Edge]:
    """The edges of a tree over the prefixes of codes."""
    if lengths is not None and (
        not lengths or any(length < 1 for length in lengths) or sorted(set(lengths)) != [*lengths]
    ):
        raise PolicyError("the lengths of prefixes must be ascending whole numbers of at least 1")
    edges = []
    for item in sorted(set(items)):
        before_dot = item.partition(".")[0]
        cuts = {1, len(before_dot)} if lengths is None else set(lengths)
        stops = sorted(cut for cut in cuts if 0 < cut < len(item))
        nodes = [(ROOT, 0), *((item[:stop], stop) for stop in stops), (item, len(item) + 1)]
        edges += [Edge(below, above) for above, below in zip(nodes, nodes[1:], strict=False)]
    return edges


def fan_out_edges(items: Iterable[str], fan_out: int) -> list[Edge]:
    """The edges of a tree that puts ``fan_out`` neighbours under a node, level by level."""
    if not hasattr(fan_out, "__index__") or fan_out < 2:
        raise PolicyError(f"the fan-out must be a whole number of at least 2, not {fan_out!r}")
    ordered = sorted(set(items), key=_in_order)
    # (first leaf, last leaf) of each node of the level that is being put under parents.
    spans = [(item, item) for item in ordered]
    nodes: list[Node] = [(item, -1) for item in ordered]
    edges: list[Edge] = []
    level = 0
    while len(nodes) > fan_out:
        level += 1
        groups = range(0, len(nodes), fan_out)
        spans_above = [(spans[at][0], spans[at : at + fan_out][-1][1]) for at in groups]
        above: list[Node] = [(f"{first}..{last}", level) for first, last in spans_above]
        edges += [Edge(node, above[at // fan_out]) for at, node in enumerate(nodes)]
        spans, nodes = spans_above, above
    return edges + [Edge(node, (ROOT, level + 1)) for node in nodes]


def _in_order(item: str) -> tuple[int, int, str]:
    """Numbers by value before everything else by name."""
    is_number = item.isascii() and item.isdigit()
    return (0, int(item), item) if is_number else (1, 0, item)


def some(names: Iterable[str]) -> str:
    """The first few names and how many more there are."""
    listed = list(names)
    more = len(listed) - NAMED_AT_ONCE
    shown = ", ".join(repr(name) for name in listed[:NAMED_AT_ONCE])
    return f"{shown} and {more:,} more" if more > 0 else shown


def check_order(names: tuple[str, ...], parents: NDArray[np.int32]) -> None:
    """Refuse arrays that are not a tree in depth-first order."""
    n_nodes = len(names)
    if n_nodes < 2 or len(parents) != n_nodes or parents[0] != -1:
        raise InputError("a hierarchy needs a root and at least one leaf")
    if (parents[1:] < 0).any() or (parents[1:] >= np.arange(1, n_nodes)).any():
        raise InputError("a node of the hierarchy comes before its parent")
    open_nodes = [0]
    for code in range(1, n_nodes):
        while open_nodes and open_nodes[-1] != parents[code]:
            open_nodes.pop()
        if not open_nodes:
            raise InputError("the nodes of the hierarchy are not in depth-first order")
        open_nodes.append(code)
    if len(set(names)) != n_nodes:
        raise InputError("two nodes of the hierarchy have the same name")


def _by_the_rule(edges: Sequence[Edge], path: str | None) -> list[Edge]:
    """The edges with their labels by the rule of names."""
    spelled = sorted({label for edge in edges for label, _ in (edge.child, edge.parent)})
    cleaned = dict(zip(spelled, clean_all(spelled, "nodes", path=path), strict=True))
    return [
        Edge(
            (cleaned[edge.child[0]], edge.child[1]),
            (cleaned[edge.parent[0]], edge.parent[1]),
            edge.line,
        )
        for edge in edges
    ]


def _parents(edges: Sequence[Edge], path: str | None) -> dict[Node, Node]:
    parent_of: dict[Node, Node] = {}
    for edge in edges:
        child, parent = edge.child[0], edge.parent[0]
        known = parent_of.setdefault(edge.child, edge.parent)
        if not (child.strip() and parent.strip()):
            problem = "has an empty cell"
            remedy = "name every node; repeat the name of a node that has no level of its own"
        elif edge.child == edge.parent:
            problem = f"says that {child!r} is its own parent"
            remedy = "leave the line out if it is the root"
        elif known != edge.parent:
            problem = f"gives {child!r} two parents, {known[0]!r} and {parent!r}"
            remedy = "keep one of them; a hierarchy is a tree"
        else:
            continue
        raise InputError(problem, path=path, line=edge.line, remedy=remedy)
    return parent_of


def _only_root(parent_of: Mapping[Node, Node], path: str | None) -> Node:
    roots = list(dict.fromkeys(above for above in parent_of.values() if above not in parent_of))
    if not roots:
        raise _cycle(parent_of, set(), path)
    if len(roots) > 1:
        problem = f"has {len(roots):,} roots: {some(label for label, _ in roots)}"
        raise InputError(problem, path=path, remedy=f"put them under one node, such as {ROOT!r}")
    return roots[0]


def _depth_first(root: Node, children: Mapping[Node, list[Node]]) -> tuple[list[Node], list[int]]:
    order: list[Node] = []
    parents: list[int] = []
    waiting = [(root, -1)]
    while waiting:
        node, parent = waiting.pop()
        waiting += [(child, len(order)) for child in reversed(children.get(node, []))]
        order.append(node)
        parents.append(parent)
    return order, parents


def _cycle(parent_of: Mapping[Node, Node], reached: set[Node], path: str | None) -> InputError:
    """The error for nodes that no root reaches: some of them form a cycle."""
    node = next(child for child in parent_of if child not in reached)
    met: list[Node] = []
    while node not in met:
        met.append(node)
        node = parent_of[node]
    circle = [label for label, _ in met[met.index(node) :]]
    shown = " → ".join(repr(label) for label in [*circle[:NAMED_AT_ONCE], circle[0]])
    remedy = "a parent must never be below its child"
    return InputError(f"has a cycle: {shown}", path=path, remedy=remedy)


def _unique_names(
    order: Sequence[Node], levels: Mapping[int, str], children: Mapping[Node, list[Node]]
) -> tuple[str, ...]:
    """Leaves keep their labels; if another node's is taken, it is followed by its level."""
    named: dict[Node, str] = {node: node[0] for node in order if node not in children}
    if twice := [label for label, count in Counter(named.values()).items() if count > 1]:
        raise InputError(f"the hierarchy has leaves of the same name: {some(twice)}")
    taken = set(named.values())
    for node in order:
        if node in named:
            continue
        label, level = node
        name = label if label not in taken else f"{label}[{levels.get(level, level)}]"
        while name in taken:
            name += "'"
        taken.add(name)
        named[node] = name
    return tuple(named[node] for node in order)
