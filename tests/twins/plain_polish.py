"""Polishing in obvious Python: whether something may come back, or go, is checked in the whole table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Record = frozenset[int]
Place = tuple[int, int]
"""A row and an item that it had."""
ALIKE, MOST_COMPARED, DRAWS = 3, 400, 64


class Table:
    """Rows as they came, what is gone from them, and whether what is left is safe."""

    def __init__(
        self, rows: Sequence[Record], left: Sequence[Record], is_safe: Callable[[Any], bool]
    ):
        self.rows = [sorted(row) for row in rows]
        self.left = [set(row) for row in left]
        self.is_safe = is_safe

    def toggle(self, place: Place) -> None:
        row, item = place
        self.left[row] ^= {item}

    def try_toggle(self, place: Place) -> bool:
        """Change the place if the table is safe afterwards; whether it was."""
        self.toggle(place)
        if self.is_safe([frozenset(row) for row in self.left]):
            return True
        self.toggle(place)
        return False

    def gone_from(self, row: int) -> list[int]:
        return [item for item in self.rows[row] if item not in self.left[row]]

    def there(self, row: int) -> list[int]:
        return [item for item in self.rows[row] if item in self.left[row]]


def make_moves(
    table: Table,
    sensitive: Record,
    may_go: Record,
    starts: Sequence[Place],
    chances: Sequence[int],
    draws: Iterator[int],
    n_moves: int,
) -> int:
    """Ruin and recreate ``n_moves`` times; by how many occurrences the table has grown."""
    grown = 0
    for _ in range(n_moves):
        start = _draw_gone(table, starts, draws)
        if start is None:
            continue
        row, e = start
        chosen = [row, *_alike(table, row, e, draws)]
        ruined = _ruin(table, chosen, e, sensitive, may_go, draws)
        gone = _shuffled_gone(table, chosen, sensitive, draws)
        added = [place for place in gone if table.try_toggle(place)]
        gain = len(added) - len(ruined)
        if gain >= 0 or (-gain <= len(chances) and next(draws) < chances[-gain - 1]):
            grown += gain
        else:
            for place in reversed(ruined + added):
                table.toggle(place)
    return grown


def _draw_gone(table: Table, starts: Sequence[Place], draws: Iterator[int]) -> Place | None:
    for _ in range(DRAWS):
        row, item = starts[next(draws) % len(starts)]
        if item not in table.left[row]:
            return row, item
    return None


def _alike(table: Table, row: int, e: int, draws: Iterator[int]) -> list[int]:
    """Rows with e, the most similar first; of equals the one that was met first."""
    most = 1 + next(draws) % ALIKE
    holders = [other for other, items in enumerate(table.rows) if e in items]
    first = next(draws) % len(holders)
    met = (holders[first:] + holders[:first])[:MOST_COMPARED]

    def mark(other: int) -> int:
        return 4 * len(table.left[other] & table.left[row]) - len(table.left[other])

    return sorted((other for other in met if e in table.left[other]), key=mark, reverse=True)[:most]


def _ruin(
    table: Table,
    chosen: Sequence[int],
    e: int,
    sensitive: Record,
    may_go: Record,
    draws: Iterator[int],
) -> list[Place]:
    ruined = []
    for row in chosen:
        n_gone = len(table.gone_from(row))
        public = [item for item in table.there(row) if item in may_go - sensitive]
        for item in table.there(row):
            drawn = item in sensitive and (item == e or next(draws) % 2 == 0)
            if drawn and table.try_toggle((row, item)):
                ruined.append((row, item))
        drawn = bool(public) and n_gone >= 2 and next(draws) % 3 == 0
        if drawn and table.try_toggle((row, public[0])):
            ruined.append((row, public[0]))
    return ruined


def _shuffled_gone(
    table: Table, chosen: Sequence[int], sensitive: Record, draws: Iterator[int]
) -> list[Place]:
    """What the rows lack, the sensitive items first, each part shuffled."""
    shuffled: list[Place] = []
    for wanted in (True, False):
        part: list[Place] = []
        for row in chosen:
            for item in table.gone_from(row):
                if (item in sensitive) == wanted:
                    at = next(draws) % (len(part) + 1)
                    part.append((row, item))
                    part[at], part[-1] = part[-1], part[at]
        shuffled += part
    return shuffled


def trade_items(table: Table, sensitive: Record, may_go: Record) -> int:
    """Drop public items if at least as many sensitive ones come back; in how many rows."""
    traded = 0
    for row in reversed(range(len(table.rows))):
        n_gone = len(sensitive.intersection(table.gone_from(row)))
        public = [item for item in table.there(row) if item in may_go - sensitive]
        tried = [[item] for item in public] if n_gone else []
        tried += [public[:n] for n in range(2, n_gone + 1) if n <= len(public)]
        traded += any(_trade(table, row, dropped, sensitive) for dropped in tried)
    return traded


def _trade(table: Table, row: int, dropped: Sequence[int], sensitive: Record) -> bool:
    before = set(table.left[row])
    if all(table.try_toggle((row, item)) for item in dropped):
        back = [
            item
            for item in table.gone_from(row)
            if item in sensitive and table.try_toggle((row, item))
        ]
        if len(back) >= len(dropped):
            for item in table.gone_from(row):
                if item not in sensitive:
                    table.try_toggle((row, item))
            return True
    table.left[row] = before
    return False


def explain_gone(table: Table, places: Sequence[Place]) -> list[Place]:
    """Put back what breaks nothing, in this order; returns what must stay out."""
    return [place for place in places if not table.try_toggle(place)]


def toggle_all(table: Table, places: Sequence[Place]) -> None:
    """Change every place unconditionally."""
    for place in places:
        table.toggle(place)
