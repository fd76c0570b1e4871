"""The plain twins of the kernels that merge rows: obvious, slow, and recomputing everything each time.

A row is a tuple of nodes and its class; ``above`` maps a node to the one above it, a root to None. Rows with
the same cells and class are one tuple of some size, known by its id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

Cells = tuple[int, ...]
Row = tuple[Cells, int]


@dataclass
class Tuples:
    """The tuples by id, what must hold of their groups, and what becomes of them."""

    cells: list[Cells]
    classes: list[int]
    sizes: list[int]
    k: int
    """Every group must have at least this many rows."""
    draw: int
    """The state of the random draws."""
    groups: dict[Cells, list[int]] = field(default_factory=dict)
    """The tuples with these cells, the last that came first."""
    into: dict[int, int] = field(default_factory=dict)
    """The tuple that one has become part of."""
    risky: list[int] = field(default_factory=list)
    """The tuples of groups that break the model; the last takes the place of one that leaves the list."""
    steps: int = 0
    across: int = 0
    """Merges of tuples of two classes."""

    @property
    def alive(self) -> list[int]:
        return [each for each in range(len(self.cells)) if each not in self.into]


@dataclass(frozen=True)
class Costs:
    """What it costs to show less; see ``price``."""

    linear: Sequence[float]
    """By node: what one row has lost that shows only this."""
    divergent: float
    shares: Sequence[Sequence[float]]
    """By class and node."""
    weights: Sequence[float]
    """By class."""
    logs: Sequence[float]
    """By number of rows."""
    totals: Sequence[Sequence[float]]
    """By column and number of rows."""
    values: Sequence[frozenset[int]]
    """By column: the nodes that are values of the original."""


def form_groups(tuples: Tuples) -> None:
    """Put all tuples into groups, in the order of their ids."""
    for each in range(len(tuples.cells)):
        _join(tuples, each)


def merge_tuples(
    tuples: Tuples, above: Mapping[int, int | None], costs: Costs, most_steps: int
) -> int:
    """Make a risky tuple equal to the cheapest of its class; ``most_steps`` times, or until none is risky.

    The tuple is drawn. Of equally cheap ones the lower id is taken, and one of another class if all that are
    of its own are equal to it already. Returns how many tuples are risky in the end.
    """
    for _ in range(most_steps):
        if not tuples.risky:
            break
        tuples.steps += 1
        each = tuples.risky[next_draw(tuples, len(tuples.risky))]
        others = [o for o in tuples.alive if tuples.cells[o] != tuples.cells[each]]
        own = [o for o in others if tuples.classes[o] == tuples.classes[each]]
        partner = min(own or others, key=lambda o: price_of([each, o], tuples, above, costs))
        tuples.across += not own
        together = merged(above, tuples.cells[each], tuples.cells[partner])
        _move(tuples, each, together)
        _move(tuples, partner, together)
    return len(tuples.risky)


def price_of(
    merging: Sequence[int], tuples: Tuples, above: Mapping[int, int | None], costs: Costs
) -> float:
    """What all cells cost once these tuples have the same."""
    together = tuples.cells[merging[0]]
    for each in merging:
        together = merged(above, together, tuples.cells[each])
    after = replace(tuples, cells=list(tuples.cells))
    for each in merging:
        after.cells[each] = together
    return price(after, costs)


def price(tuples: Tuples, costs: Costs) -> float:
    """What all cells cost: a number for each row's node, and how far the values shown are from the original.

    The distance is Σ over classes and columns of weight · (log shown - Σ share · log exact), where ``shown``
    rows of the class show a value, and ``exact`` rows this one.
    """
    total = 0.0
    for each in tuples.alive:
        total += tuples.sizes[each] * sum(costs.linear[node] for node in tuples.cells[each])
    for own, weight in enumerate(costs.weights):
        for column, values in enumerate(costs.values):
            exact: Counter[int] = Counter()
            for each in tuples.alive:
                if tuples.classes[each] == own and tuples.cells[each][column] in values:
                    exact[tuples.cells[each][column]] += tuples.sizes[each]
            distance = costs.totals[column][exact.total()] if costs.divergent else 0.0
            distance -= sum(costs.shares[own][v] * costs.logs[exact[v]] for v in values)
            total += costs.divergent * weight * distance
    return total


def next_draw(tuples: Tuples, below: int) -> int:
    """A number from 0 to ``below`` - 1, by splitmix64 (Steele, Lea and Flood 2014)."""
    tuples.draw = (tuples.draw + 0x9E3779B97F4A7C15) % 2**64
    mixed = tuples.draw
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
    return (mixed ^ mixed >> 31) % below


def make_keys(
    rows: Sequence[Cells],
    sizes: Sequence[int],
    columns: Sequence[Sequence[tuple[int, int]]],
    n_sizes: int,
) -> list[int]:
    """Three numbers of 21 bits in one: the size and some columns of each tuple, encoded together.

    ``columns`` has for each number its columns and their first nodes and how many nodes they have. A size of
    ``n_sizes`` or more is written as 0.
    """
    keys = []
    for cells, size in zip(rows, sizes, strict=True):
        key, column = 0, 0
        for place, together in enumerate(columns):
            number = 0
            for first, n_nodes in together:
                number = number * n_nodes + cells[column] - first
                column += 1
            key += (number * n_sizes + (size if size < n_sizes else 0)) << (21 * place)
        keys.append(key)
    return keys


def _move(tuples: Tuples, each: int, cells: Cells) -> None:
    """Give a tuple other cells, and so another group."""
    tuples.groups[tuples.cells[each]].remove(each)
    _mark(tuples, tuples.cells[each])
    tuples.cells[each] = cells
    _join(tuples, each)


def _join(tuples: Tuples, each: int) -> None:
    """Put a tuple into the group of its cells; an equal one of its class that is there takes its rows."""
    group = tuples.groups.setdefault(tuples.cells[each], [])
    for other in group:
        if tuples.classes[other] == tuples.classes[each]:
            tuples.sizes[other] += tuples.sizes[each]
            tuples.into[each] = other
            _unmark(tuples, each)
            break
    else:
        group.insert(0, each)
    _mark(tuples, tuples.cells[each])


def _mark(tuples: Tuples, cells: Cells) -> None:
    """List the tuples of a group as risky, or no longer."""
    group = tuples.groups[cells]
    breaks = sum(tuples.sizes[each] for each in group) < tuples.k
    for each in group:
        if breaks and each not in tuples.risky:
            tuples.risky.append(each)
        elif not breaks:
            _unmark(tuples, each)


def _unmark(tuples: Tuples, each: int) -> None:
    if each in tuples.risky:
        place = tuples.risky.index(each)
        tuples.risky[place] = tuples.risky[-1]
        tuples.risky.pop()


def common_node(above: Mapping[int, int | None], a: int, b: int) -> int:
    """The lowest node above both, or one of them."""
    line: list[int] = []
    node: int | None = a
    while node is not None:
        line.append(node)
        node = above[node]
    while b not in line:
        b = above[b]  # type: ignore[assignment]  # every line ends at the column's root
    return b


def merged(
    above: Mapping[int, int | None], one: Sequence[int], other: Sequence[int]
) -> tuple[int, ...]:
    """The cells that two rows have when they are made equal."""
    return tuple(common_node(above, a, b) for a, b in zip(one, other, strict=True))


def divergence(
    original: Sequence[Row],
    now: Sequence[Row],
    values: Sequence[frozenset[int]],
    pseudo_count: float,
) -> float:
    """Σ over classes p(c) Σ over columns KL(p, q), p from the original, q from what is still shown."""
    total = 0.0
    for own in {row[1] for row in original}:
        before = [cells for cells, each in original if each == own]
        after = [cells for cells, each in now if each == own]
        for column, there in enumerate(values):
            p, q = (
                _smoothed([cells[column] for cells in rows], there, pseudo_count)
                for rows in (before, after)
            )
            weight = len(before) / len(original)
            total += weight * sum(p[value] * log(p[value] / q[value]) for value in there)
    return total


def cost_of_merge(
    original: Sequence[Row],
    now: Sequence[Row],
    pair: tuple[Row, Row],
    above: Mapping[int, int | None],
    values: Sequence[frozenset[int]],
    linear: Sequence[float],
    divergent: float,
    pseudo_count: float,
) -> float:
    """What it costs to give all rows like the two of a pair the same cells, by ``divergence`` as defined."""
    together = merged(above, pair[0][0], pair[1][0])
    after = [(together, own) if (cells, own) in pair else (cells, own) for cells, own in now]
    cost = 0.0
    for (old, _), (new, _) in zip(now, after, strict=True):
        cost += sum(linear[b] - linear[a] for a, b in zip(old, new, strict=True))
    if divergent:
        cost += divergent * (
            divergence(original, after, values, pseudo_count)
            - divergence(original, now, values, pseudo_count)
        )
    return cost


def fewest_fitting(rows: Sequence[tuple[int, ...]], withheld: int) -> int:
    """The least number of rows that fit a row, a withheld cell fitting anything."""
    return min(
        sum(
            all(a == b or withheld in (a, b) for a, b in zip(one, other, strict=True))
            for other in rows
        )
        for one in rows
    )


def count_fitting(rows: Sequence[Cells], sizes: Sequence[int], roots: Cells) -> list[int]:
    """How many rows fit each tuple, a root fitting anything."""
    return [
        sum(size for other, size in zip(rows, sizes, strict=True) if _fits(one, other, roots))
        for one in rows
    ]


def restore_withheld(
    rows: Sequence[Cells],
    originals: Sequence[Cells],
    sizes: Sequence[int],
    roots: Cells,
    k: int,
) -> list[Cells]:
    """The cells after showing again, in order, what leaves every row with k that fit it."""
    now = list(rows)
    for each in range(len(now)):
        for j, root in enumerate(roots):
            if now[each][j] == root != originals[each][j]:
                shown = (*now[each][:j], originals[each][j], *now[each][j + 1 :])
                trial = [*now[:each], shown, *now[each + 1 :]]
                if min(count_fitting(trial, sizes, roots)) >= k:
                    now = trial
    return now


def _fits(one: Cells, other: Cells, roots: Cells) -> bool:
    return all(a == b or root in (a, b) for a, b, root in zip(one, other, roots, strict=True))


def _smoothed(cells: list[int], there: frozenset[int], pseudo_count: float) -> dict[int, float]:
    counts = Counter(cell for cell in cells if cell in there)
    total = sum(counts.values()) + pseudo_count * len(there)
    return {value: (counts[value] + pseudo_count) / total for value in there}
