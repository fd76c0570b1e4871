"""Folders on the command line: audited, compared and reported by sums over parts."""

from __future__ import annotations

import json
import random
import re
from collections import Counter

import pytest
from tests.unit.test_parts import MODEL, contents, folder, joined, run, shop, write_shop

import withhold as wh
from withhold.cli import audit, compare  # noqa: F401
from withhold.formats import write
from withhold.measure.generalised import measure_under
from withhold.methods.rho.plan import PlanOnCurve
from withhold.parts.examining import audit_parts, compare_parts
from withhold.parts.release import anonymize_parts
from withhold.parts.reporting import manifests_of, report_parts
from withhold.registry import method_of
from withhold.release import Release
from withhold.report.content import make_report
from withhold.report.html import report_html
from withhold.telling.facts import MeasureRequest
from withhold.telling.sections import Subject

__all__ = ["folder"]
LISTED = ("--sensitive", "pill,test,wine")


@pytest.fixture
def released(tmp_path, folder):
    anonymize_parts(str(folder), MODEL, tmp_path / "out", part_records=80, seed=1)
    return tmp_path / "out"


def whole(folder):
    return [row for path in sorted(folder.glob("*.dat")) for row in wh.read(path).to_lists()]


def test_a_folder_is_audited(folder, released):
    code, text = run("audit", folder, "--rho", 0.5, *LISTED, "--samples", 100)
    assert code == 1, text
    assert "BROKEN" in text
    assert "600 records, 8 items" in text
    assert "Counted within each of 3 parts and summed" in text
    assert "Tried within each of 3 parts" in text
    code, text = run("audit", released, "--rho", 0.5, *LISTED, "--samples", 100)
    assert (code, "HOLDS" in text) == (0, True)
    code, text = run("audit", folder, "--rho", 0.5, *LISTED, "--samples", 100, "--json")
    found = json.loads(text)
    breaches = {
        (*each["antecedent"], each["consequent"]): (each["joint"], each["support"])
        for each in found["breaches"]
    }
    rows = whole(folder)
    for (*known, consequent), counts in breaches.items():
        joint = sum({*known, consequent} <= set(row) for row in rows)
        assert counts == (joint, sum(set(known) <= set(row) for row in rows))
    assert found["parts"] == 3


def test_an_original_and_its_release_are_compared_as_if_they_were_files(tmp_path, folder, released):
    code, text = run("compare", folder, released, "--json")
    assert code == 0, text
    found = json.loads(text)["releases"][0]["facts"]
    one = wh.compare(
        wh.read(whole(folder)), joined(released), sensitive=MODEL.sensitive, min_support="5"
    )
    expected = one.releases[0].measured.values()
    for path, value in found.items():
        if path.startswith(("itemsets", "rules", "objectives.rules")):
            continue
        assert value == expected[path], path
    assert "of up to 2 items" in json.loads(text)["notes"][0]
    code, text = run("compare", folder, released, "--html", tmp_path / "page.html")
    assert code == 0
    assert "of up to 2 items" in (tmp_path / "page.html").read_text()
    # Where the parts of both are cut does not matter.
    again = compare_parts(folder, released, part_records=37)
    assert again.releases[0].measured.values() == found


@pytest.mark.parametrize("seed", range(3))
def test_a_release_with_groups_is_compared_under_their_names(tmp_path, seed):
    rng = random.Random(seed)
    items = ["beer", "wine", "tea", "soap", "soda", "pill", "test"]
    rows = [rng.sample(items, rng.randrange(1, 6)) for _ in range(150)]
    tree = tmp_path / "tree.csv"
    drinks = "".join(f"{name};drinks;*\n" for name in items[:3])
    tree.write_text(drinks + "".join(f"{name};wash;*\n" for name in items[3:5]))
    (tmp_path / "in").mkdir()
    for n, first in enumerate(range(0, 150, 60)):
        write(wh.read(rows[first : first + 60]), tmp_path / "in" / f"{n}.dat")
    model = wh.RhoUncertainty("0.5", {"pill", "test"})
    how = {"hierarchy": str(tree), "cut": 1, "seed": 1, "part_records": 40}
    made = anonymize_parts(tmp_path / "in", model, tmp_path / "out", **how)
    assert made.model.groups is not None
    (found,) = compare_parts(tmp_path / "in", tmp_path / "out").releases
    whole_ = wh.read(rows)
    request = MeasureRequest(made.model, model.sensitive)
    expected = measure_under(whole_, joined(tmp_path / "out"), made.model.groups, request).values()
    values = found.measured.values()
    assert values.keys() == expected.keys()
    for path, value in values.items():
        if not path.startswith(("itemsets", "rules", "objectives.rules")):
            assert value == pytest.approx(expected[path]), path


def test_other_data_are_not_compared(tmp_path, folder, released):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.dat").write_text("zinc lead\n" * 5)
    code, text = run("compare", other, released)
    assert (code, "shares no item with the original" in text) == (3, True)
    write_shop(other / "a.dat", shop(20, 1))
    code, text = run("compare", other, released)
    assert code == 0
    assert "records cannot be compared one by one" in text


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("audit", "--consent", "yes.txt"), "--consent is for data in memory"),
        (("audit", "--sampling-fraction", "0.5"), "--sampling-fraction is for data in memory"),
        (
            ("compare", "--hierarchy", "tree.csv"),
            "--hierarchy is for releases that were generalised",
        ),
        (("compare", "--person-column", "who"), "--person-column is for data in memory"),
    ],
)
def test_mistakes(folder, released, command, said):
    verb, *arguments = command
    rest = ("--rho", 0.5, *LISTED) if verb == "audit" else (released,)
    code, text = run(verb, folder, *rest, *arguments)
    assert (code, said in text) == (2, True), text


def test_a_misspelt_list_is_found_over_all_parts(folder):
    code, text = run("audit", folder, "--rho", 0.5, "--sensitive", "pil")
    assert (code, "nothing would be protected" in text) == (3, True)
    code, text = run("audit", folder, "--rho", 0.5, "--sensitive", "pill,beer", "--samples", 50)
    assert (code, "1 of 2 sensitive items never occurs: 'beer'" in text) == (1, True)


def test_models_about_all_records_are_refused(folder):
    with pytest.raises(wh.WithholdError, match="cannot be audited by parts"):
        audit_parts(folder, wh.PersonalRhoUncertainty("0.5"))


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_a_release_by_parts_has_a_report(tmp_path, folder, edition):
    out, plain = tmp_path / "out", tmp_path / "plain"
    asked = ("anonymize", folder, "--rho", 0.5, *LISTED, "--seed", 1, "--part-records", 80)
    code, text = run(*asked, "-o", out, "--report", "--edition", edition)
    assert code == 0, text
    run(*asked, "-o", plain)
    assert contents(out) == contents(plain)
    page = (out / "report.html").read_text()
    assert "proved by parts" in page
    assert ("What sums over parts leave out" in page) == (edition == "internal")
    names = [name for name in MODEL.sensitive if re.search(rf"\b{name}\b", page)]
    assert bool(names) == (edition == "internal")
    assert ("occurrences withheld" in page) == (edition == "internal")
    assert run("verify", out)[0] == 0
    # An old page would describe another release.
    assert run(*asked, "-o", out, "--force")[0] == 0
    assert not (out / "report.html").exists()


def whole_report(made, original, released, plan):
    """The report of the same release, all of whose records are in memory."""
    before = wh.audit(original, made.asked, allow_unknown=True)
    after = wh.audit(released, made.model, allow_unknown=True)
    tree = getattr(plan, "hierarchy", None)
    request = MeasureRequest(made.model, made.model.sensitive, hierarchy=tree)
    measured = method_of(made.model).measure(original, released, request)
    release = Release(
        data=released,
        original=original,
        plan=plan,
        model=made.model,
        evidence=wh.Evidence(),
        verdict=after.verdict,
        loss=method_of(made.model).loss(original, released, made.model, made.model.sensitive, plan),
        options={},
        ids=made.ids,
    )
    manifests = manifests_of(made, {"records": len(released)}, {"records": len(original)})
    return make_report(Subject(release, measured, before, after), *manifests)


def check_report(page, whole, *, but=()):
    """Every number and every plot that both have is the same; what only one has is named."""
    assert {path for path in whole.facts if path not in page.facts} == {*but}
    for path, fact in page.facts.items():
        if not path.startswith(("itemsets", "rules", "attack", "risk")):
            assert fact.value == pytest.approx(whole.facts[path].value), path
    for name, plot in page.plots.items():
        if name not in ("by-size", "inferred", "unique", "below_k"):
            assert plot == whole.plots[name] or name in ("recordloss", "grouploss"), name


@pytest.mark.parametrize("seed", range(3))
def test_a_release_with_groups_is_reported(tmp_path, seed):
    rng = random.Random(seed)
    items = ["beer", "wine", "tea", "soap", "soda", "pill", "test"]
    rows = [rng.sample(items, rng.randrange(1, 6)) for _ in range(150)]
    tree = tmp_path / "tree.csv"
    drinks = "".join(f"{name};drinks;things;*\n" for name in items[:3])
    tree.write_text(drinks + "".join(f"{name};wash;things;*\n" for name in items[3:5]))
    (tmp_path / "in").mkdir()
    for n, first in enumerate(range(0, 150, 60)):
        write(wh.read(rows[first : first + 60]), tmp_path / "in" / f"{n}.dat")
    model, out = wh.RhoUncertainty("0.5", {"pill", "test"}), tmp_path / "out"
    how = {"hierarchy": str(tree), "cut": 2, "seed": 1, "part_records": 40}
    made = anonymize_parts(tmp_path / "in", model, out, **how)
    page = report_parts(made, tmp_path / "in", jobs=1)
    originals = wh.read(rows)
    groups = made.model.groups
    plan = PlanOnCurve(groups, None, made.choice.hierarchy, "", 0)
    check_report(page, whole_report(made, originals, joined(out), plan))
    # By hand: what was withheld, under the names of the groups.
    left = groups.generalise(originals).n_occurrences - joined(out).n_occurrences
    assert page.facts["occurrences.all.removed"].value == left
    html = report_html(page)
    assert "counts once for each part that has it" in html
    assert "drinks" in html
    external = report_html(report_parts(made, tmp_path / "in", edition="external", jobs=1))
    assert "Public items are published as groups" in external
    assert not any(name in external for name in ("beer", "drinks", "pill"))


def test_a_release_under_buckets_is_reported(tmp_path):
    rng = random.Random(3)
    rows = [rng.sample(["A1", "A2", "B1", "B2", "C1"], rng.randint(1, 3)) for _ in range(200)]
    tree = tmp_path / "tree.csv"
    tree.write_text("A1,A,*\nA2,A,*\nB1,B,*\nB2,B,*\nC1,C,*\n")
    (tmp_path / "in").mkdir()
    write_shop(tmp_path / "in" / "a.dat", rows[:90])
    write_shop(tmp_path / "in" / "b.dat", rows[90:])
    out = tmp_path / "out"
    made = anonymize_parts(
        tmp_path / "in", wh.Buckets(6), out, hierarchy=str(tree), seed=1, part_records=50
    )
    page = report_parts(made, tmp_path / "in", jobs=1)
    whole = whole_report(made, wh.read(rows), joined(out), made.choice)
    check_report(page, whole)
    for name in ("recordloss", "grouploss"):
        ours, theirs = (each.plots[name] for each in (page, whole))
        lines = [
            [line.values for line in getattr(plot, "lines", None) or plot.parts]
            for plot in (ours, theirs)
        ]
        assert lines[0] == [pytest.approx(values, abs=1e-6) for values in lines[1]]
    # By hand: the records of the largest groups.
    counts = sorted(Counter(map(frozenset, joined(out).to_lists())).values(), reverse=True)
    listed = next(
        part
        for s in page.sections
        for part in s.parts
        if s.name == "groups" and getattr(part, "caption", "") == "The largest groups"
    )
    assert [int(row[1]) for row in listed.rows] == counts[:12]
    code, text = run(
        *("anonymize", tmp_path / "in", "--model", "buckets", "--k", 6, "--hierarchy", tree),
        *("-o", tmp_path / "external", "--report", "--edition", "external"),
    )
    assert code == 0, text
    html = (tmp_path / "external" / "report.html").read_text()
    assert "Whatever a record says is true of its person" in html
    assert not any(f">{name}<" in html for name in ("A1", "A", "B"))
