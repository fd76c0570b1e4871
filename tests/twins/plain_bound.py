"""The kernel of the lower bound as plain Python: by sets of items, as docs/decisions/0020 words it."""

from __future__ import annotations

from itertools import combinations


def bound_rows(rows, sensitive, needs):
    """For each row how many items it loses in every safe release, at least."""
    losses = []
    for number, row in enumerate(rows):
        others = rows[:number] + rows[number + 1 :]
        dealt = sorted(row & sensitive) + sorted(row - sensitive)
        n_parts = -(-len(row) // needs.most_together)
        parts = [frozenset(dealt[part::n_parts]) for part in range(n_parts)]
        losses.append(sum(least_loss(part, others, sensitive, needs) for part in parts))
    return losses


def least_loss(part, others, sensitive, needs):
    """The fewest items of the part that go in every safe release."""
    exposed = part & sensitive
    if not exposed or (len(part) == 1 and not needs.with_prior):
        return 0
    free = exposed if needs.only_sensitive else part
    near = [
        part - other
        for other in others
        if other & part and part - other <= free and len(part - other) <= len(exposed)
    ]
    if not near and exposed != part:
        return 0 if can_stay(part, others, exposed, needs) else len(exposed)
    matter = exposed.union(*near)
    short = len(exposed) == 1 or len(part) <= 5
    if short or len(matter) <= needs.most_free:
        if can_stay(part, others, exposed, needs):
            return 0
        if len(exposed) == 1:
            return 1
    if len(matter) > needs.most_free:
        least = least_by_sizes(part, others, near, exposed, needs)
        return least or int(not can_stay(part, others, exposed, needs))
    return min(
        size
        for size in range(1, len(exposed) + 1)
        if any(
            can_stay(part - frozenset(gone), others, exposed - frozenset(gone), needs)
            for gone in combinations(sorted(matter & free), size)
        )
        or size == len(exposed)
    )


def can_stay(left, others, exposed, needs):
    """Whether the others could give each of the sensitive items its helpers, nobody helping twice."""
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
