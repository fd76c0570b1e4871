"""The room of people: the model and its mistakes, groups, what goes, the audit, the ladder."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import oracle_people as oracle
import withhold as wh
from tables import needs_speed
from withhold.data import Records, Table
from withhold.data.grouping import groups_of
from withhold.datasets import hospital
from withhold.errors import ImpossibleError, InputError, PolicyError
from withhold.method import SearchRun
from withhold.methods.people.grouped_items import group_items, items_of
from withhold.methods.people.search.withholding import withhold_items
from withhold.registry import method_of, model_from
from withhold.report.html import report_html
from withhold.report.json import audit_as_dict
from withhold.report.text import audit_text

COLUMNS = {"sex": ["f", "f", "f", "f", "m", "m", "m", "m"], "home": list("aabbaabb")}
ITEMS = [["x", "S"], ["x"], ["y"], ["x", "y"], ["y", "S"], ["y"], [], ["x"]]


def people(columns=COLUMNS, items=ITEMS) -> wh.People:
    return wh.People(Table.from_columns(columns), Records.from_lists(items))


def asked(**changed) -> wh.PeopleUncertainty:
    given = {"rho": "0.5", "sensitive": ["S"], "k": 2, "quasi_identifiers": ["sex", "home"]}
    return wh.PeopleUncertainty(**(given | changed))


# --- the model


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"sensitive": []}, "nothing sensitive was named"),
        ({"sensitive": "S"}, "collection"),
        ({"quasi_identifiers": []}, "no quasi-identifiers"),
        ({"quasi_identifiers": ["sex", "sex"]}, "named twice"),
        ({"sensitive_column": ["sex"]}, "cannot be a quasi-identifier and sensitive"),
        ({"k": 0}, "k must be"),
        ({"k": True}, "k must be"),
        ({"rho": "0"}, "rho"),
        ({"rho": "1.5"}, "rho"),
        ({"max_known": -1}, "max_known"),
        ({"km": 0}, "km"),
        ({"km": True}, "km"),
        ({"km": 2, "k": 1}, "km asks for k persons"),
    ],
)
def test_model__says_what_is_wrong(changed, says):
    with pytest.raises(PolicyError, match=says):
        asked(**changed)


def test_model__comes_back_from_its_parameters():
    for model in (asked(), asked(max_known=2, sensitive=[], sensitive_column="job"), asked(km=2)):
        assert model_from(model.parameters()) == model
    # Manifests that were written before there was such a parameter.
    old = {name: value for name, value in asked().parameters().items() if name != "km"}
    assert model_from(old) == asked()
    assert asked(km=2).knowing(1).km == 2


def test_model__promises_in_one_sentence():
    assert "any items" in asked().promise()
    assert "or any" not in asked(max_known=1).promise()
    both = asked(sensitive_column=["job"]).promise()
    assert "cannot infer the sensitive item, and no value of job, with a confidence" in both
    alone = asked(sensitive=[], sensitive_column=["job"]).promise()
    assert "cannot infer any value of job with a confidence" in alone
    alone = asked(k=1).promise()
    assert "shares" not in alone
    assert alone.endswith(
        "; nothing is promised about finding the person by sex and home, since k is 1."
    )
    told = "values of sex and home, and any 2 items or fewer that are not sensitive, with at least 1 other"
    assert told in asked(km=2).promise()
    assert "and any item that is not sensitive, with" in asked(km=1).promise()


@pytest.mark.parametrize("max_known", [0, 1, 2, None])
def test_model__promises_something_of_dates_where_there_are_any(max_known):
    plain, model = people(), asked(max_known=max_known)
    assert model.about(plain).promise() == model.promise()
    assert "date" not in model.promise()
    dated = people(items=[[*items, *(f"{item}@2019" for item in items)] for items in ITEMS])
    told = model.about(dated)
    assert "cannot infer the sensitive item, nor any of its dates, with" in told.promise()
    known = f", with or without {'its date' if max_known == 1 else 'their dates'}, cannot"
    assert (known in told.promise()) == (max_known != 0)
    assert told == model
    assert told.parameters() == model.parameters()
    both = asked(sensitive=["S", "x"], sensitive_column=["job"]).about(dated).promise()
    assert (
        "none of the 2 sensitive items, nor any of their dates, and no value of job, with" in both
    )
    release = wh.anonymize(dated, asked(max_known=0, rho="0.9"), seed=1)
    assert "nor any of its dates" in release.model.promise()
    group_items = wh.PeopleApart("0.5", ["S"], quasi_identifiers=["sex"])
    assert "cannot infer the sensitive item, nor any of its dates, with" in (
        group_items.about(dated).promise()
    )


# --- the check


def test_verify__names_the_group():
    verdict = wh.verify(people(), asked(k=3))
    assert str(verdict.witness) == "sex=f, home=a: 2 rows (of 3 needed)"
    assert wh.verify(people(), asked())
    verdict = wh.verify(people(), asked(rho="0.4"))
    assert str(verdict.witness) == "sex=f, home=a: nothing → S: 1 of 2 (50.0%)"
    assert verdict.witness.as_dict()["cells"] == {"sex": "f", "home": "a"}


def test_verify__counts_public_items_within_a_group():
    items = [["x", "y"], ["x"], ["x", "S"], ["x"], ["y"], ["y"], [], []]
    alike = people({"sex": ["f"] * 4 + ["m"] * 4}, items)
    model = asked(quasi_identifiers=["sex"], max_known=0)
    assert wh.verify(alike, model)
    verdict = wh.verify(alike, replace(model, km=1))
    assert str(verdict.witness) == "sex=f: {y}: 1 person (of 2 needed)"
    assert verdict.witness.as_dict()["items"] == ["y"]
    release = wh.anonymize(alike, replace(model, km=1), seed=1)
    assert release.data.items.to_lists()[0] == ["x"]
    assert ("others withheld", "1 of 7 (14.3%)") in release.loss.facts()
    ladder = wh.ladder(alike, replace(model, km=1), seed=1)
    assert ladder.rungs[0].public == 1 / 7
    assert "others withheld" in ladder.head()
    assert "others withheld" not in wh.ladder(alike, model, seed=1).head()
    # Time for the one proof and none for the other is no proof.
    short = wh.verify(release.data, replace(model, km=1), limit_seconds=0.0)
    assert short.status is not wh.Status.BROKEN


def test_verify__finds_a_rule_within_a_group():
    items = [["x", "S"], ["z"], ["y"], ["x", "y"], ["y"], ["y"], [], ["x"]]
    verdict = wh.verify(people(items=items), asked(max_known=1))
    assert str(verdict.witness) == "sex=f, home=a: {x} → S: 1 of 1 (100%)"
    # In all persons together x → S holds in one of three only.
    assert wh.verify(people(items=items).items, wh.RhoUncertainty("0.5", ["S"]))


def test_verify__without_time_is_undecided():
    verdict = wh.verify(hospital(2000).people(), _hospital_model(2), limit_seconds=0.0)
    assert verdict.status.value in ("UNDECIDED", "BROKEN")
    safe = wh.anonymize(hospital(2000).people(), _hospital_model(2), seed=1).data
    assert wh.verify(safe, _hospital_model(2), limit_seconds=0.0).status is wh.Status.UNDECIDED
    assert wh.verify(safe, _hospital_model(2)).status is wh.Status.HOLDS


def test_verify__misspelt_items_and_columns_are_told():
    verdict = wh.verify(people(), asked(sensitive=["s"]))
    assert verdict.status is wh.Status.UNDECIDED
    with pytest.raises(InputError, match="no column 'hom'"):
        wh.verify(people(), asked(quasi_identifiers=["hom"]))
    with pytest.raises(InputError, match="no column 'jobs'"):
        wh.anonymize(people(), asked(sensitive_column=["jobs"]))


def test_verify__withheld_and_blank_cells_are_values_of_their_own():
    columns = {"sex": ["f", "f", "", ""]}
    items = [["S"], [], ["S"], []]
    one = asked(quasi_identifiers=["sex"])
    assert wh.verify(people(columns, items), one)
    column = people(columns, items).attributes.column("sex")
    starred = replace(column, codes=np.array([0, 0, -1, 1], dtype=np.int32))
    broken = wh.verify(replace(people(columns, items), attributes=Table((starred,))), one)
    assert "1 row (of 2 needed)" in str(broken.witness)


# --- the search


def test_anonymize__leaves_alone_what_holds():
    release = wh.anonymize(people(), asked(), seed=1)
    assert len(release.plan) == 0
    assert release.options["already_held"]
    assert release.data == people()


def test_anonymize__keeps_persons_without_items():
    release = wh.anonymize(people(), asked(k=4), seed=1)
    assert len(release.data) == 8
    assert release.data.without_items >= 1


def test_anonymize__never_withholds_other_items():
    found = hospital(1000, seed=3)
    release = wh.anonymize(found.people(), _hospital_model(1), seed=1)
    gone = set(release.plan.items.removals(release.original.items))
    assert gone
    assert {item for _, item in gone} <= found.sensitive
    reason = release.plan.items.why(0, release.original.items)
    assert reason is not None
    assert reason.confidence > Fraction(1, 2)


def test_anonymize__known_nothing_withholds_as_few_as_possible():
    found = people(items=[["S"], ["S"], ["S"], ["S"], [], [], [], []])
    for rho, most in (("0.25", 1), ("0.5", 2), ("0.75", 3)):
        model = asked(rho=rho, k=4, quasi_identifiers=["sex"], max_known=0)
        items = items_of(found, model)
        groups = groups_of(found.attributes, ["sex"]).of_row
        gone = withhold_items(items, groups, model, SearchRun(), restoring=False)
        assert len(gone.places) == 4 - most


def test_anonymize__weight_moves_the_loss():
    found = hospital(2000, seed=1)
    losses = [
        wh.anonymize(found.people(), _hospital_model(1), seed=1, weight=weight).loss
        for weight in (0.0, 1.0, 100.0)
    ]
    cells = [loss.cell_share for loss in losses]
    sensitive = [loss.sensitive_share for loss in losses]
    assert cells == sorted(cells, reverse=True)
    assert sensitive == sorted(sensitive)
    assert cells[0] > cells[-1]
    assert sensitive[0] < sensitive[-1]


def test_anonymize__same_bytes_whatever_the_threads():
    found, model = hospital(1000, seed=1).people(), _hospital_model(None)
    one, two = (wh.anonymize(found, model, seed=5, jobs=jobs).data for jobs in (1, 2))
    assert one == two


def test_anonymize__too_few_persons_is_impossible():
    with pytest.raises(ImpossibleError, match="8 persons cannot be 9"):
        wh.anonymize(people(), asked(k=9))


def test_anonymize__other_data_and_options_are_refused():
    with pytest.raises(InputError, match="name the files of items"):
        wh.anonymize(people().items, asked())
    for weight in (-1, float("nan"), float("inf"), "much"):
        with pytest.raises(PolicyError, match="weight"):
            wh.anonymize(people(), asked(), weight=weight)
    with pytest.raises(PolicyError, match="not a quasi-identifier"):
        wh.anonymize(people(), asked(k=8, quasi_identifiers=["sex"]), hierarchy={"home": "prefix"})


def test_population__counts_who_has_the_same_attributes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, everybody = hospital(300, seed=1).people(), hospital(3000, seed=2).people()
    names = found.attributes.names
    joined = [*found.attributes.rows(), *everybody.attributes.rows()]
    register = Table.from_columns(dict(zip(names, zip(*joined, strict=True), strict=True)))
    register.to_polars().write_csv("register.csv")
    model = _hospital_model(1)
    table = wh.KAnonymity(5, names)
    risks = wh.audit(found, model, population="register.csv").risks
    assert risks == wh.audit(found.attributes, table, population="register.csv").risks
    assert risks.journalist.mean < risks.prosecutor.mean
    release = wh.anonymize(found, model, seed=1)
    content = release.report(population="register.csv")
    assert "all quasi-identifiers of a person" in str(content.sections)
    text = audit_text(wh.audit(found, model, population="register.csv"), name="people")
    assert "somebody who knows all quasi-identifiers of a person" in text
    for wrong, message in (("none.csv", "does not exist"), (everybody.items, "frame")):
        with pytest.raises(InputError, match=message):
            wh.audit(found, model, population=wrong)
    group_items = wh.PeopleApart("0.5", model.sensitive, quasi_identifiers=names)
    with pytest.raises(PolicyError, match="say sampling_fraction"):
        wh.audit(found, group_items, population="register.csv")


def test_plan__is_for_its_own_people():
    release = wh.anonymize(people(), asked(k=4), seed=1)
    assert release.plan.apply_to(people()) == release.data
    with pytest.raises(PolicyError, match="another table"):
        release.plan.apply_to(people(columns=COLUMNS | {"home": list("abababab")}))
    with pytest.raises(PolicyError, match="other rows"):
        release.plan.apply_to(people(items=[[]] * 8))


@needs_speed
def test_anonymize__driven_groups_lose_half_of_what_groups_for_k_lose():
    found = hospital(20_000, seed=1)
    everyone, model = found.people(), _hospital_model(1)
    release = wh.anonymize(everyone, model, seed=1)
    cells = wh.anonymize(
        everyone.attributes, wh.KAnonymity(5, everyone.attributes.names), seed=1, bound=False
    )
    groups = groups_of(cells.data, everyone.attributes.names).of_row
    items = items_of(everyone, model)
    k_first = withhold_items(items, groups, model, SearchRun(seed=1), restoring=True)
    assert release.loss.removed_sensitive <= len(k_first.places) / 2
    assert release.loss.cell_share < 0.2


# --- items that are renamed by group


def test_apart__groups_share_no_item():
    items = items_of(people(), asked())
    groups = np.array([0, 0, 1, 1, 0, 0, 1, 1], dtype=np.int64)
    own = group_items(items, groups, with_group=True)
    for row, record in enumerate(own.records):
        assert {own.group_of(name) for name in record} == {groups[row]}
        names = [own.item_of(name) for name in record]
        assert names[0] == -1
        shown = tuple(items.records.vocabulary[code] for code in names[1:])
        assert shown == items.records.record(row)


def test_items_of__values_of_columns_are_no_items_of_the_same_name():
    found = people(COLUMNS, [["sex=f"], *ITEMS[1:]])
    items = items_of(found, asked(quasi_identifiers=["home"], sensitive_column=["sex"]))
    assert items.records.record(0) == ("sex=f", "sex=f'")
    sensitive = [items.records.vocabulary[code] for code in np.flatnonzero(items.sensitive)]
    assert sensitive == ["S", "sex=f'", "sex=m"]


# --- what is told


def test_audit__counts_what_brute_force_counts():
    world = [
        ((sex, home), frozenset(items))
        for sex, home, items in zip(*COLUMNS.values(), ITEMS, strict=True)
    ]
    model = asked(rho="0.4", max_known=1)
    audit = wh.audit(people(), model)
    counts = {0: 0, 1: 0}
    for cells in {cells for cells, _ in world}:
        group = [items for own, items in world if own == cells]
        for known in oracle.subsets("xyS", most=1):
            fitting = [items for items in group if set(known) <= items]
            joint = sum("S" in items for items in fitting)
            is_breach = "S" not in known and fitting and Fraction(joint, len(fitting)) > model.rho
            counts[len(known)] += bool(is_breach)
    assert dict(audit.by_size) == counts
    assert audit.exposed_records == 2
    assert (audit.records, audit.occurrences, audit.sensitive_occurrences) == (8, 10, 2)


def test_audit__rare_sets_are_in_every_rendering():
    everyone = people({"sex": ["f"] * 8}, [["x", "y"]] * 3 + [["x", "S"]] * 3 + [["y"], ["z"]])
    model = asked(k=3, km=2, quasi_identifiers=["sex"])
    found = wh.audit(everyone, model)
    (rare,) = found.others
    assert [str(each) for each in rare.breaches] == ["sex=f: {z}: 1 person (of 3 needed)"]
    text = audit_text(found, name="people")
    assert "Smallest sets of public items that fewer than 3 persons of a group have" in text
    assert "sex=f: {z}  1 person" in text
    assert "Found by one of them: 1 record" in text
    (plain,) = audit_as_dict(found)["other_breaches"]
    assert plain["exposed_records"] == 1
    assert [each["count"] for each in plain["counts"].values()] == [1, 0]
    assert plain["breaches"][0]["items"] == ["z"]
    page = report_html(wh.anonymize(everyone, model, seed=1).report())
    assert "Smallest sets of public items" in page
    assert "{z}" in page
    assert "other_breaches" not in audit_as_dict(wh.audit(everyone, replace(model, km=None)))


def test_audit__says_who_is_in_small_groups():
    audit = wh.audit(people(), asked(k=3))
    assert audit.advice[0].startswith(
        "8 persons of 8 share their quasi-identifiers with fewer than 2"
    )
    safe = wh.anonymize(people(), asked(k=3), seed=1).data
    assert wh.audit(safe, asked(k=3)).advice == ()


def test_loss__counts_cells_and_sensitive_items():
    columns = COLUMNS | {"job": list("ppppqqqq")}
    model = asked(k=4, sensitive_column=["job"], rho="0.3")
    release = wh.anonymize(people(columns), model, seed=1, publish=["job"])
    loss = release.loss
    withheld = sum(release.data.attributes.column(n).withheld.sum() for n in ("sex", "home"))
    assert loss.cells_withheld == withheld == sum(gone for gone, _ in loss.by_column.values())
    jobs = int(release.data.attributes.column("job").withheld.sum())
    items = sum("S" in row for row in ITEMS) - sum("S" in row for row in release.data.items)
    assert loss.removed_sensitive == jobs + items
    assert loss.total_sensitive == 8 + 2
    assert loss.smallest_group >= 4
    assert loss.as_dict()["sensitive_share"] == loss.removed_sensitive / 10


def test_ladder__is_what_releases_cost():
    found, model = hospital(1500, seed=2).people(), _hospital_model(3)
    method = method_of(model)
    ladder = method.ladder(found, model, method.search.options(), SearchRun(seed=4))
    assert wh.ladder(found, model, seed=4) == ladder
    assert [rung.max_known for rung in ladder.rungs] == [0, 1, 2, 3, None]
    for rung in ladder.rungs:
        loss = wh.anonymize(found, model.knowing(rung.max_known), seed=4).loss
        assert (rung.cells, rung.sensitive) == (loss.cell_share, loss.sensitive_share)
    assert [row[0] for row in ladder.rows()][-1] == "any items"
    assert [row[-1] for row in ladder.rows()] == ["", "", "", "asked for", ""]
    assert len(ladder.head()) == len(ladder.rows()[0])
    assert ladder.note() == ""
    assert ladder.as_dict()["asked"] == 3


def test_ladder__is_for_people():
    with pytest.raises(PolicyError, match="rho has no ladder"):
        wh.ladder([["a"]], wh.RhoUncertainty("0.5", ["a"]))
    with pytest.raises(PolicyError, match="wait"):
        wh.ladder(people(), asked(), wait=1)


def test_ladder__of_many_persons_is_from_a_sample(monkeypatch):
    monkeypatch.setattr("withhold.methods.people.ladder.MOST_PERSONS", 300)
    found, model = hospital(1000, seed=2).people(), _hospital_model(1)
    method = method_of(model)
    ladder = method.ladder(found, model, method.search.options(), SearchRun(seed=4))
    assert (ladder.persons, ladder.all_persons) == (300, 1000)
    assert ladder.note().startswith("From a sample of 300 of 1,000 persons")


def test_report__measures_cells_and_items_together():
    found, model = hospital(1000, seed=1).people(), _hospital_model(1)
    release = wh.anonymize(found, model, seed=1)
    report = release.report()
    loss = release.loss
    shares = {path: fact.value for path, fact in report.facts.items()}
    lost = loss.cells_withheld + loss.removed_sensitive
    assert shares["occurrences.all.removed"] == lost
    assert shares["occurrences.sensitive.share"] == loss.sensitive_share
    outside = release.report(edition="external")
    text = str(outside.sections)
    assert not any(item in text for item in model.sensitive)


def test_report__has_the_ladder_with_what_was_asked_for(monkeypatch):
    found, model = hospital(400, seed=1).people(), _hospital_model(1)
    release = wh.anonymize(found, model, seed=1, weight=2)
    ladder = wh.ladder(found, model, seed=1, weight=2)
    assert ladder != wh.ladder(found, model, seed=1)
    content = release.report()
    (section,) = (each for each in content.sections if each.name == "ladder")
    listing = section.parts[-1]
    assert listing.rows == tuple(ladder.rows())
    assert [row[-1] for row in listing.rows] == ["", "asked for", "", ""]
    loss = release.loss
    assert listing.rows[1][1:3] == (f"{loss.cell_share:.1%}", f"{loss.sensitive_share:.1%}")
    assert f"<td>{listing.rows[1][0]}</td>" in report_html(content)
    outside = release.report(edition="external")
    assert "ladder" not in [each.name for each in outside.sections]
    # What was computed already is not computed again.
    monkeypatch.setattr("withhold.methods.people.ladder._rung", None)
    assert replace(release, ladder=ladder).report().sections == content.sections


def _hospital_model(max_known: int | None) -> wh.PeopleUncertainty:
    found = hospital(10)
    columns = found.people().attributes.names
    return wh.PeopleUncertainty(
        "0.5", found.sensitive, k=5, quasi_identifiers=columns, max_known=max_known
    )
