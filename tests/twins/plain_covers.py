"""The search for the nodes to publish under k^m-anonymity, in plain Python: sets, lists and recursion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Cover:
    """A tree by codes, depth first, what each node is worth, the rows as leaves; what is published."""

    rows: list[list[int]]
    """The leaves of each, ascending."""
    ends: list[int]
    above: list[int]
    below: list[list[int]]
    worth: list[int]
    least_loss: list[int]
    most_gain: list[int]
    k: int
    largest: int
    published: set[int] = field(default_factory=set)
    log: list[tuple[bool, int]] = field(default_factory=list)
    """(whether it came, node)."""
    visited: int = 0

    @property
    def total(self) -> int:
        return sum(self.worth[node] for node in self.published)

    def put(self, node: int) -> None:
        self.published.add(node)
        self.log.append((True, node))

    def take(self, node: int) -> None:
        self.published.remove(node)
        self.log.append((False, node))

    def undo(self, length: int) -> None:
        while len(self.log) > length:
            came, node = self.log.pop()
            (self.published.remove if came else self.published.add)(node)

    def node_of(self, code: int) -> int:
        return next((n for n in self.published if n <= code < self.ends[n]), -1)

    def under(self, node: int) -> list[int]:
        return sorted(n for n in self.published if node <= n < self.ends[node])

    def worth_under(self, node: int) -> int:
        return sum(self.worth[n] for n in self.under(node))

    def apart(self, one: int, other: int) -> bool:
        return other >= self.ends[one] or one >= self.ends[other]

    def cohort(self, node: int) -> list[list[int]]:
        found = []
        for row in self.rows:
            if any(node <= leaf < self.ends[node] for leaf in row):
                nodes = dict.fromkeys(self.node_of(leaf) for leaf in row)
                found.append([n for n in nodes if n >= 0 and self.apart(node, n)])
        return found

    def is_rare(self, node: int, allowed: int) -> bool:
        if self.largest < 2:
            return False
        cohort = self.cohort(node)
        self.visited += sum(len(row) + 1 for row in cohort)
        clearing, left = allowed > 0, [allowed]

        def visit(path: list[int], rows: list[list[int]]) -> bool:
            if not self.published.issuperset(path):
                return False
            self.visited += len(rows)
            counts: dict[int, int] = {}
            for row in rows:
                for x in row:
                    counts[x] = counts.get(x, 0) + 1
            frequent = []
            for x, count in counts.items():
                if x not in self.published:
                    continue
                if count >= self.k:
                    frequent.append(x)
                elif not clearing:
                    return True
                elif self.published.issuperset(path):
                    cheapest = min([x, *path], key=lambda n: self.worth[n])
                    self.take(cheapest)
                    left[0] -= self.least_loss[cheapest]
                    if left[0] < 0:
                        return True
            if len(path) + 2 >= self.largest or not self.published.issuperset(path):
                return False
            ahead = [x for x in frequent if counts[x] < len(rows) and x in self.published]
            return any(
                visit([*path, x], [row[row.index(x) + 1 :] for row in rows if x in row])
                for x in ahead
            )

        return visit([], cohort)

    def fill_below(self, node: int) -> None:
        for n in self.below[node]:
            free = self.node_of(n) < 0 and self.worth[n] > 0 and not self.under(n)
            if free and not self.is_rare(n, 0):
                self.put(n)

    def replace(self, gone: int, node: int) -> None:
        if self.node_of(gone) >= 0:
            return
        above = self.above[gone]
        while above >= 0 and self.apart(above, node) and self.worth[above] > 0:
            if self.worth[above] > self.worth_under(above) and not self.is_rare(above, 0):
                for n in self.under(above):
                    self.take(n)
                self.put(above)
                return
            above = self.above[above]
        self.fill_below(gone)

    def publish(self, node: int, allowed: int) -> bool:
        began, over = len(self.log), self.node_of(node)
        if over >= 0:
            self.take(over)
        for n in self.under(node):
            self.take(n)
        if self.is_rare(node, allowed):
            return False
        self.put(node)
        moves = self.log[began:]
        way = node
        while over >= 0 and way != over:
            way = self.above[way]
            self.fill_below(way)
        for came, gone in moves:
            if not came and self.apart(gone, node):
                self.replace(gone, node)
        return True

    def try_node(self, node: int) -> bool:
        if node < 0 or self.worth[node] <= 0:
            return False
        over = self.node_of(node)
        if over == node or (over >= 0 and over != self.above[node]):
            return False
        length, before = len(self.log), self.total
        hoped = self.most_gain[over] if over >= 0 else self.worth[node] - self.worth_under(node)
        if hoped > 0 and self.publish(node, hoped) and self.total > before:
            return True
        self.undo(length)
        return False


def try_nodes(cover: Cover, nodes: Iterable[int]) -> int:
    """Publish each of these nodes that gains anything; how many did."""
    gained = 0
    for node in nodes:
        cover.log.clear()
        gained += cover.try_node(node)
    cover.log.clear()
    return gained


def leave_and_climb(cover: Cover, node: int, most_visited: int) -> bool:
    """Publish a node at any price, then climb from there; undone, and False, unless it ends higher."""
    before = cover.total
    if node in cover.published or cover.worth[node] <= 0:
        return False
    cover.publish(node, 2**62)
    entry = 0
    while entry < len(cover.log) and cover.visited < most_visited:
        came, changed = cover.log[entry]
        cover.try_node(cover.above[changed])
        if not came:
            cover.try_node(changed)
        for n in cover.below[changed]:
            cover.try_node(n)
        entry += 1
    gained = cover.total > before
    if not gained:
        cover.undo(0)
    cover.log.clear()
    return gained
