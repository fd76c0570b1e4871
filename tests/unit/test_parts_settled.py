"""One choice for all parts under ρ-uncertainty: items that go everywhere, and the groups of a cut."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_parts import MODEL, contents, folder, joined, run, shop, write_shop  # noqa: F401
from test_parts_by_counts import asked_of

import oracle
import withhold as wh
from tables import examples
from withhold.cli import audit, compare  # noqa: F401
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.settling import settle_rho
from withhold.parts.folder import MANIFEST
from withhold.parts.proving import verify_parts
from withhold.parts.release import anonymize_parts

PUBLIC, SENSITIVE = "abcde", "xyz"
TREE = {"food": ["bread", "milk", "salt", "tea"], "house": ["soap"], "*": ["food", "house"]}
ASKED = ("--rho", 0.5, "--sensitive", "pill,test,wine", "--seed", 1)


@st.composite
def problems(draw):
    """Records of five public and three sensitive items, cut into parts, and ρ."""
    row = st.builds(
        frozenset.union,
        st.frozensets(st.sampled_from(PUBLIC), max_size=3),
        st.frozensets(st.sampled_from(SENSITIVE), max_size=2),
    )
    rows = draw(st.lists(row, min_size=1, max_size=14))
    rows += draw(st.lists(st.sampled_from(rows), max_size=12))
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    bounds = [0, *cuts, len(rows)]
    rho = draw(st.sampled_from(["1/5", "1/2", "7/10"]))
    return [rows[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)], Fraction(rho)


@examples(400)
@given(problems(), st.sampled_from([None, False, True]), st.sampled_from([None, 1]))
def test_items__that_go_everywhere_leave_one_safe_table(problem, restoring, max_known):
    parts, rho = problem
    model = wh.RhoUncertainty(rho, set(SENSITIVE), max_known=max_known)
    options = RhoSearch(keep="counts", restoring=restoring)
    settled = asked_of(parts, settle_rho(model, options))
    after = [[row & settled.choice.names for row in part] for part in parts]
    for table in (*after, [row for part in after for row in part]):
        assert oracle.is_safe(table, set(SENSITIVE), rho, max_known=max_known)


def hierarchy_file(tmp_path):
    path = tmp_path / "tree.csv"
    edges = [f"{child},{parent}" for parent, below in TREE.items() for child in below]
    path.write_text("\n".join(["child,parent", *edges]) + "\n")
    return path


def test_counts__are_true_over_all_parts(tmp_path, folder):  # noqa: F811
    out = tmp_path / "out"
    model = wh.RhoUncertainty("0.42", MODEL.sensitive, max_known=1)
    policy = ("--rho", 0.42, "--sensitive", "pill,test,wine", "--max-known", 1)
    code, text = run("anonymize", folder, *policy, "--seed", 1, "--keep", "counts", "-o", out)
    assert code == 0, text
    before = Counter(item for part in range(3) for row in shop(200, part) for item in row)
    after = Counter(item for row in joined(out).to_lists() for item in row)
    assert all(before[item] == n for item, n in after.items())
    assert set(after) < set(before)
    assert wh.verify(joined(out), model)
    assert run("verify", out)[0] == 0
    two = anonymize_parts(str(folder), model, tmp_path / "two", keep="counts", seed=1, workers=2)
    assert contents(out) == contents(tmp_path / "two")
    again = anonymize_parts(str(folder), model, out, keep="counts", resume=True)
    assert again.resumed == 3
    assert again.totals == two.totals


@pytest.mark.parametrize("cut", ["1", "file"])
def test_groups__are_those_of_the_cut_in_every_part(tmp_path, folder, cut):  # noqa: F811
    out, tree = tmp_path / "out", hierarchy_file(tmp_path)
    # Of some of the items this part has none, and the last one has sensitive items alone.
    write_shop(folder / "shop-3.dat", [["bread"], ["pill", "bread"], ["tea"]] * 20)
    write_shop(folder / "shop-4.dat", [["pill"], ["test"], ["wine"]] * 20)
    named = tmp_path / "cut.txt"
    named.write_text("food\nsoap\n")
    which = named if cut == "file" else cut
    asked = ("anonymize", folder, *ASKED, "--hierarchy", tree, "--cut", which)
    code, text = run(*asked, "-o", out)
    assert code == 0, text
    assert "each seen as the group" in text
    release = joined(out)
    assert set(release.occurring) <= {"food", "soap", "pill", "test", "wine"}
    assert oracle.is_safe(
        [frozenset(row) for row in release.to_lists()], set(MODEL.sensitive), MODEL.rho
    )
    found = verify_parts(out)
    assert found.verdict, found
    assert found.model.groups.as_dict() == {
        "food": ["bread", "milk", "salt", "tea"],
        "soap": ["soap"],
    }
    # A stated policy is proved under the same groups.
    assert run("verify", out, "--rho", 0.5, "--sensitive", "pill,test,wine")[0] == 0
    code, text = run(*asked, "-o", out, "--resume")
    assert (code, "5 of them from an earlier run" in text) == (0, True)


def test_groups__of_a_part_that_differ_are_found(tmp_path, folder):  # noqa: F811
    out, tree = tmp_path / "out", hierarchy_file(tmp_path)
    run("anonymize", folder, *ASKED, "--hierarchy", tree, "--cut", 1, "-o", out)
    where = out / "part-0002.dat.manifest.json"
    record = json.loads(where.read_text())
    record["model"]["groups"]["food"].append("beer")
    where.write_text(json.dumps(record))
    code, text = run("verify", out)
    assert (code, "part-0002.dat has other groups" in text) == (1, True), text


@pytest.mark.parametrize("hierarchy", ["prefix:1", "fan-out:2"])
def test_a_hierarchy_that_is_built_is_built_of_all_parts(tmp_path, folder, hierarchy):  # noqa: F811
    out = tmp_path / "out"
    code, text = run("anonymize", folder, *ASKED, "--hierarchy", hierarchy, "--cut", 1, "-o", out)
    assert code == 0, text
    assert run("verify", out)[0] == 0
    whole = write_shop(tmp_path / "whole.dat", [row for n in range(3) for row in shop(200, n)])
    code, text = run(
        "anonymize", whole, *ASKED, "--hierarchy", hierarchy, "--cut", 1, "-o", tmp_path / "w.dat"
    )
    assert code == 0, text
    own = json.loads((tmp_path / "w.dat.manifest.json").read_text())["model"]["groups"]
    assert json.loads((out / MANIFEST).read_text())["model"]["groups"] == own


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--hierarchy", "prefix"), "name the groups with --cut"),
        (("--hierarchy", "prefix", "--detail", 0.5), "name the groups with --cut"),
        (("--hierarchy", "co-occurrence", "--cut", 1), "found in all records at once"),
        (("--hierarchy", "prefix", "--cut", 1, "--keep", "counts"), "two choices"),
        (("--hierarchy", "prefix", "--cut", 9), "a level from 0"),
        (("--hierarchy", "prefix", "--cut", "no.txt"), "neither a level"),
        (("--keep", "counts", "--budget", 3), "leave --budget out"),
    ],
)
def test_mistakes(tmp_path, folder, arguments, said):  # noqa: F811
    code, text = run("anonymize", folder, *ASKED, *arguments, "-o", tmp_path / "out")
    assert code in (2, 3), text
    assert said in text
    assert "Traceback" not in text
    assert not (tmp_path / "out" / MANIFEST).exists()


def test_groups__are_compared_and_reported_under_their_names(tmp_path, folder):  # noqa: F811
    out, tree = tmp_path / "out", hierarchy_file(tmp_path)
    asked = ("anonymize", folder, *ASKED, "--hierarchy", tree, "--cut", 1, "-o", out)
    code, text = run(*asked, "--report")
    assert code == 0, text
    page = (out / "report.html").read_text()
    assert "detail given up (NCP)" in page
    assert "Public items are published as groups" in page
    code, text = run("compare", folder, out)
    assert (code, "detail given up (NCP)" in text) == (0, True), text
    assert "error of count queries" in text
    code, text = run("audit", out, "--rho", 0.5, "--sensitive", "pill,test,wine")
    assert (code, "HOLDS" in text) == (0, True), text


def test_counts__can_be_reported_and_compared(tmp_path, folder):  # noqa: F811
    out = tmp_path / "out"
    policy = ("--rho", 0.42, "--sensitive", "pill,test,wine", "--max-known", 1, "--seed", 1)
    code, text = run("anonymize", folder, *policy, "--keep", "counts", "--report", "-o", out)
    assert code == 0, text
    assert (out / "report.html").exists()
    assert run("compare", folder, out)[0] == 0


@pytest.mark.parametrize("cut", [1, ("food", "soap"), ["food", "soap"]])
def test_groups__of_a_tree_and_names_given_in_python(tmp_path, folder, cut):  # noqa: F811
    tree = wh.Hierarchy.from_edges([(item, node) for node, below in TREE.items() for item in below])
    made = anonymize_parts(str(folder), MODEL, tmp_path / "out", hierarchy=tree, cut=cut, seed=1)
    assert made.model.groups.names == {"food", "soap"}
    assert verify_parts(tmp_path / "out").verdict
    again = anonymize_parts(
        str(folder), MODEL, tmp_path / "out", hierarchy=tree, cut=cut, resume=True
    )
    assert again.resumed == 3
