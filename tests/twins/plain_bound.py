"""The kernels of the lower bound as plain Python: by sets of items, as docs/decisions/0020 words it."""

from __future__ import annotations

from itertools import combinations


def bound_rows(rows, sensitive, needs, most_listed):
    """For each row how many items it loses in every safe release, at least."""
    losses = []
    for number, row in enumerate(rows):
        others = rows[:number] + rows[number + 1 :]
        dealt = sorted(row & sensitive) + sorted(row - sensitive)
        n_parts = -(-len(row) // needs.most_together)
        parts = [frozenset(dealt[part::n_parts]) for part in range(n_parts)]
        losses.append(
            sum(least_loss(part, others, sensitive, needs, most_listed) for part in parts)
        )
    return losses


def least_loss(part, others, sensitive, needs, most_listed):
    """The fewest items of the part that go in every safe release."""
    exposed = part & sensitive
    if not exposed or (len(part) == 1 and not needs.with_prior):
        return 0
    near = [part - other for other in others if other & part and len(part - other) <= len(exposed)]
    if not near and exposed != part:
        return 0 if can_stay(part, others, exposed, needs) else len(exposed)
    matter = exposed.union(*near) if len(near) <= most_listed else part
    short = len(exposed) == 1 or len(part) <= 5
    if short or len(matter) <= needs.most_free:
        if can_stay(part, others, exposed, needs):
            return 0
        if len(exposed) == 1:
            return 1
    if len(matter) > needs.most_free:
        least = least_by_sizes(part, others, near, exposed, needs)
        if len(near) <= most_listed:
            least = least_by_pairs(part, near, exposed, needs, least)
        return least or int(not can_stay(part, others, exposed, needs))
    return min(
        size
        for size in range(1, len(exposed) + 1)
        if any(
            can_stay(part - frozenset(gone), others, exposed - frozenset(gone), needs)
            for gone in combinations(sorted(matter), size)
        )
        or size == len(exposed)
    )


def can_stay(left, others, exposed, needs):
    """Whether the others could give each of the sensitive items its helpers, none helping twice."""
    if len(left) == 1 and not needs.with_prior:
        return True
    missing = 0
    for item in exposed:
        lacking = sum(left - {item} <= other and item not in other for other in others)
        missing += max(needs.helpers - lacking, 0)
    return missing <= sum(left <= other for other in others)


def least_by_sizes(part, others, near, exposed, needs):
    """The fewest items without which enough of the others lack no more than one besides."""
    for size in range(len(exposed)):
        n_near = sum(len(missing) <= size + 1 for missing in near)
        if size + 1 == len(part):
            n_near = len(others)
            if not needs.with_prior:
                return size
        if n_near >= (len(exposed) - size) * needs.helpers:
            return size
    return len(exposed)


def least_by_pairs(part, near, exposed, needs, least):
    """From ``least`` on: enough of the others fit the one among them that lacks most public items."""
    for size in range(least, len(exposed)):
        if size + 1 >= len(part):
            return size
        close = [missing for missing in near if len(missing) <= size + 1]
        for first in close:
            n_public = len(first - exposed)
            fitting = [
                missing
                for missing in close
                if len(missing | first) <= size + 2 and len(missing - exposed) <= n_public
            ]
            wanted = (len(exposed) - size + n_public) * needs.helpers
            if n_public <= size and len(fitting) >= wanted:
                return size
    return len(exposed)


def bound_classes(rows, sensitive, needs):
    """For each set among the rows, in order of appearance, how many items its rows lose together."""
    classes = {}
    for row in rows:
        classes[row] = classes.get(row, 0) + 1
    kept = {}
    losses = {}
    for row in sorted(classes, key=lambda row: (-len(row - sensitive), len(row & sensitive))):
        dealt = sorted(row & sensitive) + sorted(row - sensitive)
        n_parts = -(-len(row) // needs.most_together)
        parts = [dealt[part::n_parts] for part in range(n_parts)]
        others = list(rows)
        others.remove(row)
        found = [
            bound_part(part, others, classes[row], kept, sensitive, needs, row) for part in parts
        ]
        losses[row] = sum(found)
    return [losses[row] for row in classes]


class Kept:
    """What a row can keep: of the items that were tried only these sets, and at most ``most`` items."""

    def __init__(self, tried, sets, most):
        self.tried, self.sets, self.most = frozenset(tried), set(sets), most


def can_keep(other, items, kept):
    """Whether the row may keep these of its sensitive items."""
    known = kept.get(other)
    return known is None or items & known.tried in known.sets


def shown(other, kept, sensitive):
    """The sensitive items of a row that need not all go."""
    known = kept.get(other)
    return other & sensitive if known is None or known.most > 0 else frozenset()


def n_helpers(needs, n_keeping):
    """How many rows must lack each item if ``n_keeping`` keep all."""
    return -(-n_keeping * needs.den // needs.num) - n_keeping


def bound_part(part, others, size, kept, sensitive, needs, row):
    """How many of the dealt items the rows of a class lose; notes what can be kept of a whole row."""
    exposed = [item for item in part if item in sensitive]
    public = frozenset(part) - sensitive
    hiding = [other for other in others if public <= other]
    is_whole = len(part) == len(row)
    if not exposed:
        return 0
    if (public or needs.with_prior) and len(hiding) < n_helpers(needs, 1):
        if is_whole:
            kept[row] = Kept(row & sensitive, [frozenset()], 0)
        return size * len(exposed)
    if len(part) == 1 and not needs.with_prior:
        return 0

    def n_lacking(items, item):
        rest = items - {item}
        return sum(
            rest <= shown(other, kept, sensitive)
            and item not in shown(other, kept, sensitive)
            and can_keep(other, rest, kept)
            for other in hiding
        )

    def possible(items, n_keeping):
        if len(public) + len(items) == 1 and not needs.with_prior:
            return True
        n_held = sum(
            items <= shown(other, kept, sensitive)
            and any(can_keep(other, items - {item}, kept) for item in items)
            for other in hiding
        )
        enough = n_helpers(needs, n_keeping)
        missing = sum(max(enough - n_lacking(items, item), 0) for item in items)
        return n_keeping - 1 + missing <= n_held

    whole = frozenset(exposed)
    if all(n_lacking(whole, item) >= n_helpers(needs, size) for item in whole):
        return 0
    loss = most = 0
    for first in range(0, len(exposed), needs.most_tried):
        block = exposed[first : first + needs.most_tried]
        n_keeping = {}
        for n in range(1, len(block) + 1):
            for items in map(frozenset, combinations(block, n)):
                n_keeping[items] = max(x for x in range(size + 1) if x == 0 or possible(items, x))
        by_size = [
            sum(x for items, x in n_keeping.items() if len(items) == n)
            for n in range(1, len(block) + 1)
        ]
        by_sizes = sum(max(size - x, 0) for x in by_size)
        loss += max(by_sizes, len(block) * size - by_size[0])
        most += sum(x > 0 for x in by_size)
        if first == 0 and is_whole:
            sets = [frozenset(), *(items for items, x in n_keeping.items() if x > 0)]
            kept[row] = Kept(block, sets, len(row))
    if len(exposed) > needs.most_tried:
        most = min(most, most_by_sizes(whole, hiding, kept, n_helpers(needs, 1)))
        loss = max(loss, size * (len(exposed) - most))
    if is_whole:
        kept[row].most = most
    return loss


def most_by_sizes(exposed, hiding, kept, fewest):
    """How many of its items a row can keep, by how many of them the others can."""
    sizes = [
        min(len(exposed & other), kept[other].most if other in kept else len(other))
        for other in hiding
    ]
    for most in range(len(exposed), 1, -1):
        if sum(size >= most - 1 for size in sizes) >= most * fewest:
            return most
    return 1
