"""Trees over items or over the values of a column: what each can be generalised to.

In: edges, paths from leaves to the root, or items to build a tree over. Out: a frozen tree that answers
by name, and for whole columns by code. Nothing here reads files (``formats.hierarchy`` does);
``tree_building`` puts the nodes in order and refuses what is not a tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from withhold.arguments import checked, names_in
from withhold.data import column_edges, tree_building
from withhold.data.array_types import Ints
from withhold.data.binning import Number
from withhold.data.names import nearest
from withhold.data.unknown import near_spellings
from withhold.errors import InputError
from withhold.options import Threshold
from withhold.wording import counted


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree with named nodes; every name belongs to one node.

    Ints are places in depth-first order: the root is 0, and the nodes under ``n`` are
    ``n + 1 … ends[n] - 1``. So "is under" and "how many leaves" are comparisons of whole numbers.

    Examples
    --------
    >>> edges = [("beer", "drinks"), ("tea", "drinks"), ("drinks", "*"), ("soap", "*")]
    >>> tree = Hierarchy.from_edges(edges)
    >>> tree.root, tree.leaves, tree.leaves_under("drinks")
    ('*', ('beer', 'tea', 'soap'), ('beer', 'tea'))
    >>> tree.lowest_common_ancestor("beer", "tea"), tree.parent("drinks"), tree.depth("tea")
    ('drinks', '*', 2)
    """

    names: tuple[str, ...]
    parents: Ints
    """The code of each node's parent; -1 for the root."""
    depths: Ints = field(init=False, repr=False)
    """How many edges each node is below the root."""
    ends: Ints = field(init=False, repr=False)
    """Where each node's subtree ends: the first code that is not in it."""
    leaf_codes: Ints = field(init=False, repr=False)
    leaf_counts: Ints = field(init=False, repr=False)
    """How many leaves are under each node; 1 for a leaf itself."""
    _leaves_before: Ints = field(init=False, repr=False)
    _code_of: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n_nodes = len(self.names)
        parents = np.array(self.parents, dtype=np.int32)
        tree_building.check_order(self.names, parents)
        depths = np.zeros(n_nodes, dtype=np.int32)
        ends = np.arange(1, n_nodes + 1, dtype=np.int32)
        is_leaf = np.ones(n_nodes, dtype=bool)
        is_leaf[parents[1:]] = False
        for code in range(1, n_nodes):
            depths[code] = depths[parents[code]] + 1
        for code in range(n_nodes - 1, 0, -1):
            ends[parents[code]] = max(ends[parents[code]], ends[code])
        leaves_before = np.zeros(n_nodes + 1, dtype=np.int32)
        np.cumsum(is_leaf, out=leaves_before[1:])
        arrays = {
            "parents": parents,
            "depths": depths,
            "ends": ends,
            "leaf_codes": np.flatnonzero(is_leaf).astype(np.int32),
            "leaf_counts": leaves_before[ends] - leaves_before[:-1],
            "_leaves_before": leaves_before,
        }
        for name, array in arrays.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "_code_of", {name: code for code, name in enumerate(self.names)})

    @classmethod
    @checked
    def from_edges(cls, edges: Iterable[tuple[str, str]]) -> Hierarchy:
        """The tree of (child, parent) pairs; the one name that is not a child is the root.

        Raises
        ------
        InputError
            If the pairs are not a tree: two roots, two parents of a node, or a cycle.
        """
        pairs = [names_in(edge, name="an edge (child, parent)") for edge in edges]
        if odd := [pair for pair in pairs if len(pair) != 2]:
            problem = "an edge is a pair of names, the child and its parent"
            remedy = "give for example [('ale', 'drink'), ('tea', 'drink')]"
            raise InputError(problem, value=repr(odd[0]), remedy=remedy)
        tree = [tree_building.Edge((child, 0), (parent, 0)) for child, parent in pairs]
        return cls(*tree_building.build_tree(tree))

    @classmethod
    @checked
    def from_paths(cls, paths: Iterable[Sequence[str]]) -> Hierarchy:
        """The tree of paths, each from a leaf to the root and all of the same length.

        A label may occur on two levels; the upper node is then named with its level, from 1 below the
        root.

        >>> tree = Hierarchy.from_paths([("ham", "sausage", "*"), ("sausage", "sausage", "*")])
        >>> tree.leaves, tree.parent("ham")
        (('ham', 'sausage'), 'sausage[1]')
        """
        named = [names_in(path, name="a path (from a leaf to the root)") for path in paths]
        edges = [edge for path in named for edge in tree_building.path_edges(path)]
        return cls(*tree_building.build_tree(edges))

    @classmethod
    @checked
    def by_prefix(cls, items: Iterable[str], lengths: Sequence[int] | None = None) -> Hierarchy:
        """A tree over codes such as ICD's: ``E11.9`` under ``E11`` under ``E`` under ``*``.

        Without ``lengths`` (of the prefixes that are nodes) these are the first character and what comes
        before the first dot.

        >>> tree = Hierarchy.by_prefix(["E11.9", "E11.2", "E10", "I25"])
        >>> print(tree.draw())
        *  (4 leaves)
        ├── E  (3 leaves)
        │   ├── E10
        │   └── E11  (2 leaves)
        │       ├── E11.2
        │       └── E11.9
        └── I  (1 leaf)
            └── I25
        """
        return cls(*tree_building.build_tree(tree_building.prefix_edges(items, lengths)))

    @classmethod
    @checked
    def by_fan_out(cls, items: Iterable[str], fan_out: int) -> Hierarchy:
        """A tree over items without meaning: neighbours in order, ``fan_out`` to a node, up to the root.

        >>> tree = Hierarchy.by_fan_out(["1", "2", "10", "20"], 2)
        >>> tree.parent("10"), tree.root
        ('10..20', '*')
        """
        return cls(*tree_building.build_tree(tree_building.fan_out_edges(items, fan_out)))

    @classmethod
    @checked
    def by_width(cls, cells: column_edges.Cells, width: Number) -> Hierarchy:
        """Numbers in ranges of this width, under ranges twice as wide, …; ``cells`` of a column, or counts.

        >>> tree = Hierarchy.by_width(["17", "18", "24", "31", "?"], 5)
        >>> tree.parent("17"), tree.parent("15-19"), tree.parent("?")
        ('15-19', '10-19', '*')
        """
        return cls(*tree_building.build_tree(column_edges.width_edges(cells, width)))

    @classmethod
    @checked
    def by_quantiles(cls, cells: column_edges.Cells, parts: int) -> Hierarchy:
        """Numbers in this many ranges with about equally many cells each, two neighbours under a node, …

        >>> Hierarchy.by_quantiles(["1", "2", "2", "3", "9", "9", "40", "80"], 4).parent("40-80")
        '9-80'
        """
        return cls(*tree_building.build_tree(column_edges.quantile_edges(cells, parts)))

    @classmethod
    @checked
    def by_edges(cls, cells: column_edges.Cells, edges: Sequence[Number]) -> Hierarchy:
        """Numbers in ranges that begin at these: ``[18, 65]`` gives below 18, 18-64, 65 or more."""
        return cls(*tree_building.build_tree(column_edges.cut_edges(cells, edges)))

    @classmethod
    @checked
    def by_dates(cls, cells: column_edges.Cells) -> Hierarchy:
        """Days under months, years and decades.

        >>> Hierarchy.by_dates(["1984-05-03", "1987-01-31"]).parent("1984")
        '1980-1989'
        """
        return cls(*tree_building.build_tree(column_edges.date_edges(cells)))

    @classmethod
    @checked
    def by_frequency(cls, cells: column_edges.Cells, share: Threshold) -> Hierarchy:
        """Values in fewer than this share of the cells under one node.

        >>> Hierarchy.by_frequency(["a"] * 8 + ["b", "c"], "0.2").leaves_under("other")
        ('b', 'c')
        """
        return cls(*tree_building.build_tree(column_edges.frequency_edges(cells, share)))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Hierarchy root={self.root!r} leaves={self.n_leaves:,} height={self.height}>"

    def __contains__(self, name: object) -> bool:
        return name in self._code_of

    def __eq__(self, other: object) -> bool:
        """The same names under the same parents, in whatever order."""
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self._parent_names() == other._parent_names()

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    @property
    def root(self) -> str:
        """The name of the topmost node."""
        return self.names[0]

    @property
    def leaves(self) -> tuple[str, ...]:
        """The names of all leaves, in depth-first order."""
        return tuple(self.names[code] for code in self.leaf_codes)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return len(self.leaf_codes)

    @property
    def height(self) -> int:
        """How many edges the deepest leaf is below the root."""
        return int(self.depths.max())

    def code(self, name: str) -> int:
        """The code of a node; an unknown name is an error with the nearest spelling."""
        if name not in self._code_of:
            near = nearest(name, self.names)
            remedy = f"did you mean {near!r}" if near else "check the spelling"
            raise InputError("not a name in the hierarchy", value=name, remedy=remedy)
        return self._code_of[name]

    def codes(self, names: Iterable[str]) -> Ints:
        """The codes of nodes by name."""
        return np.fromiter((self.code(name) for name in names), dtype=np.int32)

    def parent(self, name: str) -> str | None:
        """The node right above; None for the root."""
        above = int(self.parents[self.code(name)])
        return None if above < 0 else self.names[above]

    def children(self, name: str) -> tuple[str, ...]:
        """The nodes right below, in order."""
        code = self.code(name)
        below, found = code + 1, []
        while below < self.ends[code]:
            found.append(self.names[below])
            below = int(self.ends[below])
        return tuple(found)

    def depth(self, name: str) -> int:
        """How many edges the node is below the root."""
        return int(self.depths[self.code(name)])

    def is_leaf(self, name: str) -> bool:
        """Whether the node has no children."""
        code = self.code(name)
        return bool(self.ends[code] == code + 1)

    def leaves_under(self, name: str) -> tuple[str, ...]:
        """The leaves that the node represents; a leaf represents itself."""
        code = self.code(name)
        span = slice(self._leaves_before[code], self._leaves_before[self.ends[code]])
        return tuple(self.names[leaf] for leaf in self.leaf_codes[span])

    def covers(self, upper: str, lower: str) -> bool:
        """Whether ``lower`` is ``upper`` or below it."""
        above, below = self.code(upper), self.code(lower)
        return bool(above <= below < self.ends[above])

    def lowest_common_ancestor(self, *names: str) -> str:
        """The lowest node that covers all of these."""
        if not names:
            raise InputError("no nodes were given")
        return self.names[self.common_ancestor(self.codes(names))]

    def common_ancestor(self, codes: Ints) -> int:
        """The code of the lowest node that covers all of these codes."""
        # Depth-first order: whatever covers the first and the last covers all between.
        low, high = int(codes.min()), int(codes.max())
        while self.ends[low] <= high:
            low = int(self.parents[low])
        return low

    def at_depth(self, depth: int) -> Ints:
        """For every node the code of its ancestor at this depth, or its own if it is not deeper."""
        codes = np.arange(len(self), dtype=np.int32)
        while (deeper := self.depths[codes] > depth).any():
            codes[deeper] = self.parents[codes[deeper]]
        return codes

    def check_covers(self, items: Iterable[str], *, what: str = "items of the data") -> None:
        """Refuse a tree in which some of the items are not leaves, and name them."""
        listed = list(items)
        if absent := [item for item in listed if item not in self]:
            unused = frozenset(self.leaves).difference(listed)
            near = [each for each in near_spellings(absent, unused) if each]
            similar = f"; it has {tree_building.some(near)}, which no record holds" if near else ""
            lacks = (
                f"the hierarchy lacks {len(absent):,} of the {what}: {tree_building.some(absent)}"
            )
            remedy = "add a line for each, or name the hierarchy that belongs to this file"
            raise InputError(lacks + similar, remedy=remedy)
        if inner := [item for item in listed if not self.is_leaf(item)]:
            raise InputError(
                f"{len(inner):,} of the {what} are not leaves but inner nodes of the hierarchy: "
                f"{tree_building.some(inner)}",
                remedy="give each its own leaf below that node",
            )

    def draw(self, *, most: int | None = None) -> str:
        """The tree as text; after ``most`` lines only the number of further lines is shown."""
        lines = [self._line(0)]
        open_levels: list[bool] = []
        for code in range(1, len(self)):
            parent = self.parents[code]
            depth = int(self.depths[code])
            is_last = bool(self.ends[code] == self.ends[parent])
            open_levels[depth - 1 :] = [not is_last]
            bars = "".join("│   " if is_open else "    " for is_open in open_levels[:-1])
            lines.append(f"{bars}{'└── ' if is_last else '├── '}{self._line(code)}")
            if most is not None and len(lines) == most and code + 1 < len(self):
                lines.append(f"… and {counted(len(self) - code - 1, 'more node')}")
                break
        return "\n".join(lines)

    def _line(self, code: int) -> str:
        if self.ends[code] == code + 1:
            return self.names[code]
        return f"{self.names[code]}  ({counted(int(self.leaf_counts[code]), 'leaf', 'leaves')})"

    def _parent_names(self) -> dict[str, str]:
        above = (self.names[parent] for parent in self.parents[1:])
        return dict(zip(self.names[1:], above, strict=True))
