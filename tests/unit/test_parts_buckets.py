"""buckets by parts: sets that stay because of other parts, the proof by counts, audits; by brute force."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_parts import contents, joined, run, write_shop
from test_parts_by_counts import asked_of

import withhold as wh
from tables import examples
from withhold.cli import anonymize, compare, verify  # noqa: F401
from withhold.counting import equal_sets
from withhold.data import Hierarchy
from withhold.errors import ImpossibleError
from withhold.formats.item_trees import described_tree
from withhold.methods.buckets.measure import measure_generalised
from withhold.methods.buckets.options import BucketsSearch
from withhold.methods.buckets.search import by_counts
from withhold.parts.proving import verify_parts
from withhold.parts.release import anonymize_parts
from withhold.registry import method_of
from withhold.telling.facts import MeasureRequest
from withhold.verdict import Status

ABOVE = {"A1": "A", "A2": "A", "B1": "B", "B2": "B", "C1": "C"}
TREE = Hierarchy.from_edges([*ABOVE.items(), *((name, "*") for name in "ABC")])
COUNTS = method_of(wh.Buckets(2)).by_parts.counts


@st.composite
def problems(draw):
    """Records of few different sets, cut into parts, and k."""
    distinct = draw(st.lists(st.frozensets(st.sampled_from([*ABOVE])), min_size=1, max_size=6))
    rows = draw(st.lists(st.sampled_from(distinct), min_size=1, max_size=40))
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    bounds = [0, *cuts, len(rows)]
    parts = [rows[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
    return [part for part in parts if part], draw(st.integers(2, 5))


def records_of(part):
    return wh.read([sorted(row) for row in part])


def choose(parts, k, *, shelves=1, **constants):
    """The choice for all parts, counted in about so many rounds."""
    n_sets = sum(len(set(part)) for part in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_counts, "MOST_DIGESTS", max(n_sets // shelves, 1))
        for name, value in constants.items():
            patch.setattr(by_counts, name, value)
        return asked_of(parts, COUNTS.choose(wh.Buckets(k), BucketsSearch(hierarchy=TREE)))


@examples(1500)
@given(problems(), st.integers(1, 4))
def test_parts_are_safe_as_one_table(problem, shelves):
    parts, k = problem
    rows = [row for part in parts for row in part]
    if len(rows) < k:
        with pytest.raises(ImpossibleError, match="choose a smaller k"):
            choose(parts, k)
        return
    choice = choose(parts, k, shelves=shelves)
    published = []
    for part in parts:
        try:
            published += [frozenset(row) for row in choice.apply_to(records_of(part)).to_lists()]
        except ImpossibleError:
            # As ever, a part needs k records that are grouped, or none.
            assert len(part) < k
            return
    assert min(Counter(published).values()) >= k
    for before, after in zip(rows, published, strict=True):
        assert all(name in before or name in map(ABOVE.get, before) for name in after)
    counts = Counter(rows)
    rest = [sum(counts[row] < k or _nowhere_rare(row, parts, k) for row in p) for p in parts]
    if all(n == 0 or n >= k for n in rest):
        # No part had to give sets up: what all parts have often enough stays as it is.
        stays = [before == after for before, after in zip(rows, published, strict=True)]
        assert all(
            same
            for row, same in zip(rows, stays, strict=True)
            if counts[row] >= k and not _nowhere_rare(row, parts, k)
        )


def _nowhere_rare(row, parts, k):
    return all(part.count(row) == 0 or part.count(row) >= k for part in parts)


def test_a_part_with_few_others_groups_all_of_its_records(tmp_path):
    """Else these few would be told from all others; and then other parts cannot count on its sets."""
    common, lonely = {"A1", "B1"}, {"C1"}
    first, second = [common] * 2 + [lonely], [common] * 2 + [{"A2"}] * 3
    choice = choose([[*map(frozenset, first)], [*map(frozenset, second)]], 3)
    assert len(choice.digests) == 0
    third = [common] * 3 + [{"A2"}] * 3
    parts = [[*map(frozenset, part)] for part in (first, second, third)]
    choice = choose(parts, 3)
    assert len(choice.digests) == 1
    kept = [choice.apply_to(records_of(part)).to_lists() for part in parts]
    assert kept[0] == [[]] * 3
    assert kept[1] == [["A1", "B1"]] * 2 + [["A2"]] * 3


@examples(300)
@given(problems())
def test_no_more_sets_are_kept_than_are_sent(problem):
    parts, k = problem
    if sum(map(len, parts)) >= k:
        few, none = choose(parts, k, MOST_KEPT=1), choose(parts, k, MOST_ROUNDS=0)
        assert len(few.digests) <= 1
        assert len(none.digests) == 0


@examples(400)
@given(problems(), st.integers(1, 9), st.integers(0, 5))
def test_proof_and_survey_are_of_all_records(problem, few, largest):
    parts, k = problem
    rows = [row for part in parts for row in part]
    model, counts = wh.Buckets(k), Counter(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal_sets, "MOST_EXACT", few)
        verdict = asked_of(parts, COUNTS.prove(model))
        found = asked_of(parts, COUNTS.survey(model, largest, 3))
    rare = {row: n for row, n in counts.items() if n < k}
    assert verdict.status is (Status.BROKEN if rare else Status.HOLDS)
    if rare:
        assert rare[frozenset(verdict.witness.items)] == verdict.witness.records
    else:
        assert verdict.checked == len(counts)
    sizes = Counter(len(row) for row in rare)
    assert {size: each.count for size, each in found.counts.items()} == {
        size: sizes[size] for size in range(largest + 1)
    }
    assert found.exposed == sum(n for row, n in rare.items() if len(row) <= largest)
    order = sorted(rare, key=lambda row: (rare[row], len(row), sorted(row)))[:3]
    assert [frozenset(each.items) for each in found.worst] == order
    assert [each.records for each in found.worst] == [rare[row] for row in order]
    whole = wh.audit(records_of(rows), model, max_size=largest)
    assert (whole.exposed_records, whole.counts) == (found.exposed, found.counts)


@examples(200)
@given(st.lists(st.frozensets(st.sampled_from("abcdef")), min_size=1, max_size=30))
def test_digests_are_equal_where_sets_are(rows):
    digests = equal_sets.digests_of(records_of(rows)).tolist()
    for row, digest in zip(rows, digests, strict=True):
        for other, of_other in zip(rows, digests, strict=True):
            assert (row == other) == (digest == of_other)
    # Other names in other parts change nothing.
    elsewhere = equal_sets.digests_of(records_of([frozenset("xyz"), *rows])).tolist()
    assert elsewhere[1:] == digests


@pytest.fixture
def codes(tmp_path):
    """Two files, and a hierarchy."""
    (tmp_path / "in").mkdir()
    rng = random.Random(1)
    pool = [rng.sample([*ABOVE], rng.randint(1, 3)) for _ in range(8)]
    for name in ("a.dat", "b.dat"):
        others = [[each] for each in ABOVE] + [rng.sample([*ABOVE], 4) for _ in range(5)]
        write_shop(tmp_path / "in" / name, [rng.choice(pool) for _ in range(30)] + others)
    tree = tmp_path / "tree.csv"
    tree.write_text("".join(f"{name},{above},*\n" for name, above in ABOVE.items()))
    return tmp_path / "in", tree


def test_a_folder_is_released_and_proved_by_counts(tmp_path, codes):
    folder, tree = codes
    rows = [
        line.split() for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()
    ]
    asked = ("anonymize", folder, "--model", "buckets", "--k", 5, "--hierarchy", tree)
    out = tmp_path / "out"
    code, text = run(*asked, "-o", out)
    assert (code, "Proved by counts of all parts: 2 parts" in text) == (0, True), text
    assert "generalised" in text
    assert wh.verify(joined(out), wh.Buckets(k=5))
    often = Counter(tuple(sorted(row)) for row in rows)
    stays = [sorted(a) == sorted(b) for a, b in zip(rows, joined(out).to_lists(), strict=True)]
    assert all(
        same for row, same in zip(rows, stays, strict=True) if often[tuple(sorted(row))] >= 5
    )
    # Parts on their own would have had to generalise more.
    rare_in_part = [Counter(tuple(sorted(row)) for row in half) for half in (rows[:40], rows[40:])]
    assert any(often[row] >= 5 > half[row] for half in rare_in_part for row in half)
    code, text = run("verify", out)
    assert (code, "HOLDS" in text) == (0, True), text
    code, text = run("verify", out, "--model", "buckets", "--k", 40)
    assert (code, "BROKEN" in text, "fewer than 40" in text) == (1, True, True), text
    totals = json.loads((out / "internal.json").read_text())["loss"]
    assert totals["total"] == sum(map(len, rows))
    # The same name, but another tree: no part is kept.
    before = contents(out)
    code, text = run(*asked, "-o", out, "--resume")
    assert (code, "2 of them from an earlier run" in text) == (0, True), text
    assert contents(out) == before
    tree.write_text("A1,A,*\nA2,A,*\nB1,A,*\nB2,B,*\nC1,B,*\n")
    code, text = run(*asked, "-o", out, "--resume")
    assert (code, "from an earlier run" in text) == (0, False), text


@pytest.mark.parametrize("how", [{"workers": 2}, {"part_records": 15}])
def test_workers_and_cuts(tmp_path, codes, how):
    folder, tree = codes
    one = anonymize_parts(folder, wh.Buckets(4), tmp_path / "one", hierarchy=tree, seed=1)
    anonymize_parts(folder, wh.Buckets(4), tmp_path / "two", hierarchy=tree, seed=1, **how)
    if "workers" in how:
        assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert wh.verify(joined(tmp_path / "two"), wh.Buckets(4))
    assert one.proved == "by counts of all parts"
    # A tree that is no file is one for all parts, too.
    anonymize_parts(folder, wh.Buckets(4), tmp_path / "tree", hierarchy=TREE, seed=1)
    assert contents(tmp_path / "one") == contents(tmp_path / "tree")


def test_a_tree_is_built_over_the_items_of_all_parts(tmp_path, codes):
    folder, _ = codes
    for number, how in enumerate(("prefix", "fan-out:2")):
        out = tmp_path / f"out-{number}"
        anonymize_parts(folder, wh.Buckets(6), out, hierarchy=how, seed=1)
        assert verify_parts(out).verdict.status is Status.HOLDS
        tree = (Hierarchy.by_prefix([*ABOVE]), Hierarchy.by_fan_out([*ABOVE], 2))[number]
        assert set(joined(out).occurring) <= {*tree.names}


@pytest.mark.parametrize(
    ("options", "said", "code"),
    [
        (("--hierarchy", "co-occurrence"), "clusters all records at once", 2),
        (("--hierarchy", "prefix", "--fill", "hash"), "buckets of all records", 2),
        ((), "a hierarchy is missing", 2),
    ],
)
def test_what_is_refused(tmp_path, codes, options, said, code):
    asked = ("anonymize", codes[0], "--model", "buckets", "--k", 5, "-o", tmp_path / "out")
    found, text = run(*asked, *options)
    assert (found, said in text) == (code, True), text
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_a_release_stays_as_it_is(tmp_path, codes):
    """Its items are names of inner nodes, too, and every set is in k records of all parts."""
    folder, tree = codes
    anonymize_parts(folder, wh.Buckets(6), tmp_path / "out", hierarchy=tree, seed=1)
    (tmp_path / "again").mkdir()
    rows = joined(tmp_path / "out").to_lists()
    assert any(name in "ABC" for row in rows for name in row)
    np.random.default_rng(1).shuffle(rows)
    for n in range(4):
        write_shop(tmp_path / "again" / f"{n}.dat", rows[20 * n : 20 * n + 20])
    made = anonymize_parts(
        tmp_path / "again", wh.Buckets(6), tmp_path / "same", hierarchy=tree, seed=1
    )
    assert (made.totals.removed, made.totals.generalised) == (0, 0)
    assert [sorted(row) for row in joined(tmp_path / "same").to_lists()] == [*map(sorted, rows)]


def test_a_folder_is_audited(codes):
    folder, _ = codes
    rows = [
        line.split() for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()
    ]
    whole = wh.audit(rows, wh.Buckets(8))
    found = wh.audit_parts(folder, wh.Buckets(8))
    assert found.counts == whole.counts
    assert found.exposed_records == whole.exposed_records
    assert (found.records, found.items, found.occurrences) == (80, whole.items, whole.occurrences)
    assert [each.records for each in found.breaches] == [each.records for each in whole.breaches]
    assert found.verdict.status is whole.verdict.status is Status.BROKEN


@pytest.mark.parametrize("hierarchy", ["tree", "prefix", "fan-out:2"])
@pytest.mark.parametrize("part_records", [None, 13])
def test_a_release_is_compared_as_if_it_were_a_file(tmp_path, codes, hierarchy, part_records):
    folder, tree = codes
    how = tree if hierarchy == "tree" else hierarchy
    anonymize_parts(folder, wh.Buckets(6), tmp_path / "out", hierarchy=how, seed=1)
    rows = [
        line.split() for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()
    ]
    compared = wh.compare_parts(
        folder, tmp_path / "out", hierarchy=how, part_records=part_records, seed=3
    )
    found = compared.releases[0].measured
    request = MeasureRequest(wh.Buckets(6), hierarchy=described_tree(wh.read(rows), how)[0], seed=3)
    whole = measure_generalised(wh.read(rows), joined(tmp_path / "out"), request)
    assert found.values() == pytest.approx(whole.values())
    asked, answered = (each.details.queries.by_conditions for each in (whole, found))
    assert [vars(each) for each in answered] == [pytest.approx(vars(each)) for each in asked]
    assert found.values()["items_generalised"] > 0
    # By hand: what is published as it was, and what is not there in any form.
    pairs = list(zip(rows, joined(tmp_path / "out").to_lists(), strict=True))
    exact = sum(len(set(before) & set(after)) for before, after in pairs)
    assert found.values()["items_exact"] == exact
    assert found.values()["groups"] == len({frozenset(after) for _, after in pairs})


def test_what_is_not_compared(tmp_path, codes):
    folder, tree = codes
    out = tmp_path / "out"
    anonymize_parts(folder, wh.Buckets(6), out, hierarchy=tree, seed=1)
    code, text = run("compare", folder, out)
    assert (code, "name the --hierarchy that it was made with" in text) == (2, True), text
    code, text = run("compare", folder, out, "--hierarchy", tree)
    assert (code, "information loss" in text) == (0, True), text
    code, text = run("compare", folder, out, "--hierarchy", "fan-out:3")
    assert (code, "does not fit the hierarchy" in text) == (3, True), text
    (folder / "b.dat").unlink()
    code, text = run("compare", folder, out, "--hierarchy", tree)
    assert (code, "has other records than the original" in text) == (3, True), text
