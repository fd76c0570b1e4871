"""Buckets and truthful groups on random tables and trees, against the definitions spelt out."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lenient
import withhold as wh
from tables import ITEMS, examples
from withhold.errors import ImpossibleError
from withhold.methods.buckets.search.concepts import truthful_cut


@st.composite
def trees(draw: st.DrawFn) -> wh.Hierarchy:
    """A tree over the eight items: nodes are put under parents until one is left."""
    tops, edges, number = list(ITEMS), [], 0
    while len(tops) > 1:
        size = draw(st.integers(1, min(4, len(tops))))
        start = draw(st.integers(0, len(tops) - size))
        parent = f"N{number}"
        number += 1
        edges += [(child, parent) for child in tops[start : start + size]]
        tops[start : start + size] = [parent]
        if number > 12:
            edges += [(child, "R") for child in tops]
            break
    return wh.Hierarchy.from_edges(edges)


rows_lists = st.lists(st.frozensets(st.sampled_from(ITEMS)), min_size=1, max_size=12)


def concepts(union: set[str], tree: wh.Hierarchy, *, to_root: bool) -> set[str]:
    """Concept learning by the book: replace two siblings, and whatever is under their parent, until done."""
    result = set(union)
    while True:
        for parent in tree.names:
            siblings = result & set(tree.children(parent))
            if len(siblings) > 1 and (to_root or parent != tree.root):
                result = {name for name in result if not tree.covers(parent, name)} | {parent}
                break
        else:
            return result


@examples(150)
@given(
    rows_lists, trees(), st.integers(2, 6), st.one_of(st.none(), st.integers(1, 9)), st.booleans()
)
def test_buckets__are_what_the_paper_says(rows, tree, k, start, to_root):
    if len(rows) < k:
        with pytest.raises(ImpossibleError):
            lenient.anonymize(rows, wh.Buckets(k), hierarchy=tree)
        return
    release = lenient.anonymize(
        rows, wh.Buckets(k), hierarchy=tree, fill="hash", buckets=start, to_root=to_root
    )
    published = [frozenset(row) for row in release.data]
    assert min(Counter(published).values()) >= k
    if release.options["already_held"]:
        assert published == [frozenset(row) for row in rows]
        return
    supports = Counter(item for row in rows for item in row)
    n_buckets = release.options["buckets"]
    bucket_of = [sum(supports[item] for item in row) % n_buckets for row in rows]
    assert min(Counter(bucket_of).values()) >= k
    if start is not None and _fits(rows, supports, start, k):
        assert n_buckets == start
    for bucket in set(bucket_of):
        members = [row for row, number in zip(rows, bucket_of, strict=True) if number == bucket]
        expected = concepts(set().union(*members), tree, to_root=to_root)
        for row, number in zip(published, bucket_of, strict=True):
            if number == bucket:
                assert row == expected
    _check_loss(rows, published, tree, release.loss)


def _fits(rows, supports, n_buckets, k):
    sizes = Counter(sum(supports[item] for item in row) % n_buckets for row in rows)
    return min(sizes.values()) >= k


def _check_loss(rows, published, tree, loss):
    """The formulas, item by item."""
    by_record, added, withheld = [], 0, 0
    for row, nodes in zip(rows, published, strict=True):
        losses = []
        for item in row:
            over = [node for node in nodes if tree.covers(node, item)]
            assert len(over) <= 1
            leaves = len(tree.leaves_under(over[0])) if over else tree.n_leaves
            withheld += not over
            losses.append(0 if over and leaves == 1 else leaves / tree.n_leaves)
        by_record.append(sum(losses) / len(losses) if losses else 0)
        added += sum(not any(tree.covers(node, item) for item in row) for node in nodes)
    assert loss.by_record.tolist() == pytest.approx(by_record)
    assert (loss.added, loss.withheld) == (added, withheld)
    assert loss.share == pytest.approx(sum(by_record) / len(rows))
    assert sum(group.records for group in loss.groups) == len(rows)
    assert sum(group.added for group in loss.groups) == added


@examples(150)
@given(rows_lists, trees(), st.integers(2, 6))
def test_truthful__k_anonymous_and_nothing_but_the_truth(rows, tree, k):
    if len(rows) < k:
        return
    release = lenient.anonymize(rows, wh.Buckets(k), hierarchy=tree)
    published = [frozenset(row) for row in release.data]
    assert min(Counter(published).values()) >= k
    assert tree.root not in set().union(*published)
    assert release.loss.added == 0
    for row, nodes in zip(rows, published, strict=True):
        for node in nodes:
            assert row & set(tree.leaves_under(node)), "a node covers something of the record"
    _check_loss(rows, published, tree, release.loss)


def all_cuts(node: str, tree: wh.Hierarchy) -> list[frozenset[str]]:
    """Every set of nodes at or below ``node`` of which none covers another."""
    cuts = [frozenset()]
    for child in tree.children(node):
        cuts = [cut | below for cut in cuts for below in all_cuts(child, tree)]
    return [*cuts, frozenset({node})]


@examples(60)
@given(st.lists(st.frozensets(st.sampled_from(ITEMS[:5])), min_size=1, max_size=4))
def test_truthful_cut__loses_least_of_all_cuts(rows):
    paths = [("a", "p", "*"), ("b", "p", "*"), ("c", "q", "*"), ("d", "q", "*"), ("e", "q", "*")]
    tree = wh.Hierarchy.from_paths(paths)
    record = np.array([number for number, row in enumerate(rows) for _ in row], dtype=np.int64)
    node = tree.codes([item for row in rows for item in sorted(row)]).astype(np.int64)
    zeros = np.zeros(len(record), dtype=np.int64)
    _, nodes = truthful_cut(zeros, record, node, np.array([len(rows)]), tree)
    cut = frozenset(tree.names[code] for code in nodes)

    def loss(cut):
        total = 0.0
        for row in rows:
            for item in row:
                over = [name for name in cut if tree.covers(name, item)]
                leaves = len(tree.leaves_under(over[0])) if over else 5
                total += (0 if leaves == 1 else leaves) / len(row)
        return total

    def may_be_published(cut):
        return all(row & set(tree.leaves_under(name)) for name in cut for row in rows)

    allowed = [each for each in all_cuts("*", tree) if "*" not in each and may_be_published(each)]
    assert may_be_published(cut)
    assert loss(cut) == pytest.approx(min(loss(each) for each in allowed), abs=1e-4)


ADVERSARIES = {
    "all equal": [["a", "b"]] * 7,
    "all different": [[item] for item in ITEMS[:7]],
    "one record": [["a"]],
    "all empty": [[]] * 4,
    "one empty": [[], ["a"], ["a"], ["b"]],
    "powers of two": [[item] for number, item in enumerate(ITEMS) for _ in range(2**number)],
}


@pytest.mark.parametrize("rows", ADVERSARIES.values(), ids=ADVERSARIES.keys())
@pytest.mark.parametrize("fill", ["none", "hash"])
def test_termination__whatever_k(rows, fill):
    tree = wh.Hierarchy.by_fan_out(ITEMS, 3)
    for k in sorted({2, 3, len(rows) - 1, len(rows), len(rows) + 1} - {0, 1}):
        if k > len(rows):
            with pytest.raises(ImpossibleError, match="smaller k"):
                lenient.anonymize(rows, wh.Buckets(k), hierarchy=tree, fill=fill)
            continue
        for start in (None,) if fill == "none" else (None, 1, 2, len(rows), 10**6):
            release = lenient.anonymize(
                rows, wh.Buckets(k), hierarchy=tree, fill=fill, buckets=start
            )
            assert release.verdict.status is wh.Status.HOLDS
            assert min(Counter(map(tuple, release.data)).values()) >= k


@examples(40)
@given(rows_lists, st.permutations(ITEMS))
def test_names__make_no_difference_to_the_hash(rows, names):
    if len(rows) < 2:
        return
    other = dict(zip(ITEMS, names, strict=True))
    paths = [(item, "left" if item < "e" else "right", "*") for item in ITEMS]
    tree = wh.Hierarchy.from_paths(paths)
    renamed = wh.Hierarchy.from_paths([(other[leaf], *rest) for leaf, *rest in paths])
    plain = lenient.anonymize(rows, wh.Buckets(2), hierarchy=tree, fill="hash")
    there = lenient.anonymize(
        [[other[item] for item in row] for row in rows],
        wh.Buckets(2),
        hierarchy=renamed,
        fill="hash",
    )
    back = {new: old for old, new in other.items()}
    assert [sorted(row) for row in plain.data] == [
        sorted(back.get(name, name) for name in row) for row in there.data
    ]
