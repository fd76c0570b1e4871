"""Sensitive items apart against brute force: the check, and what every release must be like."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor

from hypothesis import assume, given
from hypothesis import strategies as st

import withhold as wh
from oracle_apart import highest_confidence, public_items, told
from tables import Rows, examples, problems, tables
from withhold.data.evidence import Evidence
from withhold.method import CheckRun
from withhold.methods.apart.check import verify_apart
from withhold.verdict import Status


def model_of(rho: Fraction, sensitive: frozenset[str]) -> wh.SensitiveApart:
    return wh.SensitiveApart(rho, sensitive)


def holds(rows: Rows, rho: Fraction, sensitive: frozenset[str]) -> bool:
    found = verify_apart(
        wh.Records.from_lists(rows), model_of(rho, sensitive), Evidence(), CheckRun()
    )
    assert (found.witness is None) == (found.status is Status.HOLDS)
    return found.status is Status.HOLDS


def in_groups(rows: Rows, sensitive: frozenset[str], group_of: list[int]) -> Rows:
    """The rows as a release would have them, whatever the groups."""
    sizes = Counter(group_of)
    held = Counter(
        (group, item) for row, group in zip(rows, group_of, strict=True) for item in row & sensitive
    )
    return [
        frozenset(
            {
                *(row - sensitive),
                f"group={group}",
                *(f"{i}={n}/{sizes[group]}" for (g, i), n in held.items() if g == group),
            }
        )
        for row, group in zip(rows, group_of, strict=True)
    ]


GROUPS = st.lists(st.integers(1, 3), min_size=9, max_size=9)


@examples(1000)
@given(problems(items=6), GROUPS)
def test_check__is_the_promise_by_brute_force(problem, numbers):
    rows, sensitive, rho = problem
    published = in_groups(rows, sensitive, numbers[: len(rows)])
    assert holds(published, rho, sensitive) == (highest_confidence(published, sensitive) <= rho)
    assert holds(rows, rho, sensitive) == (highest_confidence(rows, sensitive) <= rho)


@examples(1000)
@given(problems(items=6), GROUPS, st.data())
def test_check__finds_every_list_that_does_not_fit_its_group(problem, numbers, data):
    rows, sensitive, rho = problem
    published = in_groups(rows, sensitive, numbers[: len(rows)])
    listed = [n for n, row in enumerate(published) if told(row, sensitive)[1]]
    assume(listed)
    number = data.draw(st.sampled_from(listed))
    row = published[number]
    item, (held, size) = data.draw(st.sampled_from(sorted(told(row, sensitive)[1].items())))
    line = f"{item}={held}/{size}"
    change = data.draw(st.sampled_from(["drop", "larger", "smaller", "leave", "twice", "alone"]))
    others = len([other for other in published if line in other]) > 1
    if change == "drop":
        assume(others)
        published[number] = row - {line}
    elif change == "larger":
        # As if the group were larger than it is: in all of its records, so that only its size tells.
        lie = f"{item}={held}/{size + 1}"
        published = [r - {line} | {lie} if line in r else r for r in published]
    elif change == "smaller":
        assume(size > 1)
        published = [
            r - {line} | {f"{item}={held}/{size - 1}"} if line in r else r for r in published
        ]
    elif change == "leave":
        published[number] = frozenset(i for i in row if not i.startswith("group="))
    elif change == "twice":
        published[number] = row | {"group=99"}
    else:
        published[number] = row | {f"{item}={held + 1}/{size}"}
    assert not holds(published, rho, sensitive)
    assert not holds(published, Fraction(999, 1000), sensitive)


@examples(2000)
@given(problems(), st.integers(0, 3))
def test_release__keeps_the_promise_and_tells_the_truth(problem, seed):
    rows, sensitive, rho = problem
    assume(sensitive & frozenset().union(*rows))
    release = wh.anonymize(rows, model_of(rho, sensitive), seed=seed, allow_unknown=True)
    published = [frozenset(row) for row in release.data]
    assert highest_confidence(published, sensitive) <= rho
    assert [public_items(row, sensitive) for row in published] == [row - sensitive for row in rows]
    most = floor(rho * len(rows))
    listed: Counter[str] = Counter()
    groups: dict[str, list[int]] = {}
    for number, row in enumerate(published):
        name, lines = told(row, sensitive)
        assert (name is None) == (not lines), "who shares no list is in no group"
        if name is not None:
            groups.setdefault(name, []).append(number)
    for members in groups.values():
        for item, (held, size) in told(published[members[0]], sensitive)[1].items():
            assert size == len(members)
            assert held <= sum(item in rows[n] for n in members)
            listed[item] += held
    for item in sensitive:
        # As little as possible: no release whatever could list more.
        assert listed[item] == min(sum(item in row for row in rows), most)
    assert release.loss.removed == sum(
        max(sum(item in row for row in rows) - most, 0) for item in sensitive
    )


@examples(300)
@given(tables(records=8))
def test_release__names_of_items_do_not_matter(table):
    rows, sensitive = table
    names = sorted(set().union(*rows, sensitive))
    # Names that keep the order, since ties go to the lower item.
    renamed = {name: f"item-{number:02}" for number, name in enumerate(names)}
    assume(sensitive & frozenset().union(*rows))
    before = wh.anonymize(rows, wh.SensitiveApart("0.5", sensitive), seed=1, allow_unknown=True)
    after = wh.anonymize(
        [{renamed[item] for item in row} for row in rows],
        wh.SensitiveApart("0.5", {renamed[item] for item in sensitive}),
        seed=1,
        allow_unknown=True,
    )
    assert (before.plan.group_of == after.plan.group_of).all()
    assert before.loss == after.loss
