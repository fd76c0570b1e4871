"""The tree itself: what it answers, what it refuses, how it is built."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from withhold import Hierarchy
from withhold.errors import InputError, PolicyError

SHOP = Hierarchy.from_edges(
    [
        ("beer", "drinks"),
        ("tea", "drinks"),
        ("drinks", "*"),
        ("soap", "care"),
        ("care", "*"),
    ]
)


@st.composite
def parent_lists(draw: st.DrawFn) -> list[int]:
    """For nodes 1, 2, …, the number of an earlier node: every tree has such a list."""
    n_nodes = draw(st.integers(2, 14))
    return [draw(st.integers(0, node - 1)) for node in range(1, n_nodes)]


def grown(parents: list[int]) -> Hierarchy:
    pairs = enumerate(parents, start=1)
    return Hierarchy.from_edges([(f"n{child}", f"n{parent}") for child, parent in pairs])


def ancestors(parents: list[int], node: int) -> list[int]:
    """The node itself, its parent, and so on up to the root."""
    line = [node]
    while line[-1] != 0:
        line.append(parents[line[-1] - 1])
    return line


@examples(200)
@given(parent_lists())
def test_answers__are_those_of_the_parent_list(parents):
    tree = grown(parents)
    nodes = range(len(parents) + 1)
    inner = set(parents)
    assert tree.root == "n0"
    assert set(tree.leaves) == {f"n{node}" for node in nodes if node not in inner}
    for node in nodes:
        name = f"n{node}"
        line = ancestors(parents, node)
        assert tree.depth(name) == len(line) - 1
        assert tree.parent(name) == (f"n{line[1]}" if node else None)
        under = {f"n{low}" for low in nodes if low not in inner and node in ancestors(parents, low)}
        assert set(tree.leaves_under(name)) == under
        assert tree.leaf_counts[tree.code(name)] == len(under)
        children = {f"n{low}" for low in nodes if low and parents[low - 1] == node}
        assert set(tree.children(name)) == children
        for other in nodes:
            common = next(up for up in line if up in ancestors(parents, other))
            assert tree.lowest_common_ancestor(name, f"n{other}") == f"n{common}"
            assert tree.covers(name, f"n{other}") == (node in ancestors(parents, other))


@examples(100)
@given(parent_lists(), st.data())
def test_columns_of_codes__are_answered_like_single_names(parents, data):
    tree = grown(parents)
    depth = data.draw(st.integers(0, tree.height))
    for code, upper in enumerate(tree.at_depth(depth)):
        assert tree.covers(tree.names[upper], tree.names[code])
        assert tree.depths[upper] == min(depth, tree.depths[code])


def test_lowest_common_ancestor__of_many_and_of_none():
    assert SHOP.lowest_common_ancestor("beer", "tea", "drinks") == "drinks"
    assert SHOP.lowest_common_ancestor("beer", "tea", "soap") == "*"
    assert SHOP.lowest_common_ancestor("soap") == "soap"
    with pytest.raises(InputError):
        SHOP.lowest_common_ancestor()


def test_equality__is_about_names_and_parents_not_order():
    edges = [
        ("soap", "care"),
        ("care", "*"),
        ("drinks", "*"),
        ("tea", "drinks"),
        ("beer", "drinks"),
    ]
    assert Hierarchy.from_edges(edges) == SHOP
    edges[0] = ("soap", "*")
    with pytest.raises(InputError, match="cycle"):
        Hierarchy.from_edges([*edges, ("*", "soap")])
    assert Hierarchy.from_edges(edges) != SHOP


def test_names__nearest_spelling_is_offered():
    with pytest.raises(InputError, match="did you mean 'drinks'"):
        SHOP.leaves_under("drink")


def test_check_covers__names_what_is_missing():
    SHOP.check_covers(["beer", "soap"])
    with pytest.raises(InputError, match=r"lacks 6 .*'w0', 'w1', 'w2', 'w3', 'w4' and 1 more"):
        SHOP.check_covers(["beer", *(f"w{number}" for number in range(6))])
    with pytest.raises(InputError, match=r"not leaves.*'drinks'"):
        SHOP.check_covers(["drinks"])


@pytest.mark.parametrize(
    ("edges", "complaint"),
    [
        ([("a", "b"), ("b", "a")], "cycle: 'a' → 'b' → 'a'"),
        ([("x", "*"), ("a", "b"), ("b", "c"), ("c", "a")], "cycle"),
        ([("a", "b"), ("a", "c"), ("b", "*"), ("c", "*")], "'a' two parents, 'b' and 'c'"),
        ([("a", "b"), ("c", "d")], "2 roots: 'b', 'd'"),
        ([("a", "a")], "its own parent"),
        ([("a", "")], "empty cell"),
        ([("  ", "a")], "empty cell"),
        ([], "no edge"),
    ],
)
def test_what_is_no_tree__is_refused(edges, complaint):
    with pytest.raises(InputError, match=complaint):
        Hierarchy.from_edges(edges)


def test_from_paths__a_label_on_two_levels_is_two_nodes():
    tree = Hierarchy.from_paths(
        [("ham", "sausage", "meat", "*"), ("sausage", "sausage", "meat", "*")]
    )
    assert tree.leaves == ("ham", "sausage")
    assert tree.parent("sausage") == "sausage[2]"
    assert tree.leaves_under("sausage[2]") == ("ham", "sausage")


def test_from_paths__a_name_that_looks_like_ours_is_not_taken_twice():
    paths = [("x[1]", "x", "*"), ("x", "x", "*")]
    assert sorted(Hierarchy.from_paths(paths).names) == ["*", "x", "x[1]", "x[1]'"]


def test_by_prefix__follows_the_dot_or_the_lengths_given():
    codes = ["E11.9", "E11.2", "E11", "I25"]
    tree = Hierarchy.by_prefix(codes)
    assert set(tree.leaves) == set(codes)
    # E11 is a code of its own and the head of others: the head is named with its length.
    assert tree.parent("E11.9") == tree.parent("E11.2") == "E11[3]"
    assert tree.leaves_under("E") == ("E11", "E11.2", "E11.9")
    chapters = Hierarchy.by_prefix(codes, lengths=[2])
    assert chapters.children("*") == ("E1", "I2")
    assert chapters.height == 2
    for bad in ([], [0], [3, 2], [1, 1]):
        with pytest.raises(PolicyError):
            Hierarchy.by_prefix(codes, lengths=bad)


@examples(100)
@given(st.sets(st.integers(0, 999), min_size=1, max_size=60), st.integers(2, 7))
def test_by_fan_out__every_item_is_a_leaf_and_no_node_is_crowded(numbers, fan_out):
    items = [str(number) for number in numbers]
    tree = Hierarchy.by_fan_out(items, fan_out)
    # In the order of the numbers, not of their digits.
    assert [int(leaf) for leaf in tree.leaves] == sorted(numbers)
    assert all(len(tree.children(name)) <= fan_out for name in tree.names)
    assert len(set(tree.depths[tree.leaf_codes])) == 1
    assert fan_out ** (tree.height - 1) < max(len(items), 2)


@pytest.mark.parametrize("bad", [1, 0, -3, "2", 2.0])
def test_by_fan_out__refuses_what_is_no_fan_out(bad):
    with pytest.raises(PolicyError):
        Hierarchy.by_fan_out(["a", "b"], bad)


def test_draw__shows_the_branches_and_stops_when_told():
    assert SHOP.draw().splitlines() == [
        "*  (3 leaves)",
        "├── drinks  (2 leaves)",
        "│   ├── beer",
        "│   └── tea",
        "└── care  (1 leaf)",
        "    └── soap",
    ]
    assert SHOP.draw(most=2).splitlines()[2:] == ["… and 4 more nodes"]


def test_arrays__cannot_be_written_to():
    with pytest.raises(ValueError):
        SHOP.parents[0] = 1
    with pytest.raises(InputError):
        Hierarchy(("*", "a", "b", "c"), np.array([-1, 0, 0, 1], dtype=np.int32))
