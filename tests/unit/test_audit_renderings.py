"""A number of an audit is the same in text, JSON and report, and it is there only if it applies."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

import asking
import withhold as wh
from asking import personal
from withhold.auditing import records as counting
from withhold.auditing.result import How
from withhold.method import Model
from withhold.report.attack import attack_section, exposure
from withhold.report.content import examine
from withhold.report.html import report_html
from withhold.report.json import audit_as_dict
from withhold.report.text import MOST_BARS, audit_text
from withhold.telling.sections import Drawing, Listing, Paragraph
from withhold.verdict import Status, Verdict
from withhold.wording import counted, percent

ROWS = [
    ["bread", "beer", "insulin"],
    ["bread", "beer", "insulin", "soap"],
    ["bread", "soap"],
    ["beer", "soap", "insulin"],
    ["bread", "beer", "milk"],
    ["milk", "soap", "bread"],
    ["milk"],
    ["milk", "bread", "beer", "soap"],
]
SECRET = {"insulin"}
UNSAFE = [*ROWS, ["razor", "insulin", "bread"]]


def models() -> dict[str, Model]:
    table = wh.Records.from_lists(ROWS)
    wishes = wh.Constraints.of({0: ["insulin"], 3: ["insulin", "milk"], 6: ["soap"]}, table)
    return {
        "rho": wh.RhoUncertainty("0.5", SECRET),
        "rho-limited": wh.RhoUncertainty("0.5", SECRET, max_known=1),
        "personal-rho": personal("0.5", wishes),
        "coherence": wh.Coherence("0.5", 2, 2, SECRET),
        "km": wh.KmAnonymity(3, 2),
        "buckets": wh.Buckets(2),
    }


HEADINGS = {
    "rho": ["record is unique", "sensitive item inferred"],
    "rho-limited": ["record is unique", "sensitive item inferred"],
    "personal-rho": ["record is unique", "protected item inferred"],
    "coherence": ["record is unique", "fewer than 2 records", "private item inferred"],
    "km": ["record is unique", "fewer than 3 records"],
    "buckets": ["record is unique", "fewer than 2 records"],
}
each_model = pytest.mark.parametrize("name", HEADINGS)


@pytest.fixture(params=["counted", "estimated"])
def counting_mode(request, monkeypatch):
    if request.param == "estimated":
        monkeypatch.setattr(counting, "MOST_SETS", 0)
    return request.param


@pytest.mark.parametrize(
    ("options", "rows", "words"),
    [
        ({"rho": "0.7"}, UNSAFE, ["ρ = 0.5 promises more"]),
        ({"rho": "0.51"}, UNSAFE, ["ρ = 0.5 promises more"]),
        ({"rho": "0.5"}, UNSAFE, []),
        ({"rho": "0.5", "max_known": 1}, UNSAFE, ["a weak promise"]),
        ({"rho": "0.5", "max_known": 2}, UNSAFE, []),
        ({"rho": "0.5", "max_known": 3}, UNSAFE, ["saves next to nothing"]),
        ({"rho": "0.7", "max_known": 4}, UNSAFE, ["ρ = 0.5", "saves next to nothing"]),
        ({"rho": "0.5", "sensitive": ["insulin", "soap"]}, UNSAFE, ["Naming half as many items"]),
        ({"rho": "0.9"}, [["bread", "insulin"], ["bread"]] * 3, []),
    ],
    ids=str,
)
def test_advice__is_told_where_it_applies_and_everywhere_alike(options, rows, words):
    model = wh.RhoUncertainty(**{"sensitive": SECRET, **options})
    audit = asking.audit(rows, model, samples=50)
    assert len(audit.advice) == len(words)
    assert all(word in line for word, line in zip(words, audit.advice, strict=True))
    assert audit_as_dict(audit)["advice"] == list(audit.advice)
    text = audit_text(audit, name="shop.dat")
    told = [f"Advice: {line}" for line in audit.advice]
    assert [line for line in text.splitlines() if "Advice" in line] == told
    release = asking.anonymize(rows, model)
    section = attack_section(examine(release), with_original=True)
    told = [part.text for part in section.parts if isinstance(part, Paragraph)]
    assert [text for text in told if "Advice" in text] == [
        f"Advice: {line}" for line in audit.advice
    ]
    for_others = attack_section(examine(release), with_original=False).for_strangers()
    assert "Advice" not in str(for_others)


@each_model
def test_text_and_json__show_the_same_numbers(name, counting_mode):
    audit = asking.audit(ROWS, models()[name], samples=50)
    found = json.loads(json.dumps(audit_as_dict(audit)))
    text = audit_text(audit, name="shop.dat")
    shown = re.sub(r" +", " ", text)
    assert f"{found['records']:,} records, {found['items']:,} items" in shown
    assert found["exposed_records"] == audit.exposed_records
    exposed = counted(found["exposed_records"], "record")
    assert f"{exposed} ({percent(found['exposed_records'] / 8)})" in shown
    for size, count in found["breach_counts"].items():
        number = f"{count['count']:,}"
        if count["how"] == "estimated":
            number = (
                f"about {number} ({count['low']:,}–{count['high']:,}), estimated from "
                f"{count['samples']:,} samples"
            )
            assert found["breaches_by_size"][size] is None
        else:
            assert found["breaches_by_size"][size] == count["count"]
        known = "nothing" if size == "0" else f"{size} item{'s' * (size != '1')}"
        if name == "buckets":
            known = f"{size} item{'s' * (size != '1')}"
        assert f"{known} {number}\n" in shown
    for breach, finding in zip(found["breaches"], audit.breaches, strict=True):
        assert re.sub(r" +", " ", " ".join(finding.row())) in shown
        assert breach == finding.as_dict()
    for point in found["attack_curve"]:
        cells = [
            f"{percent(point[key]['share'])} "
            f"({point[key]['low'] * 100:.1f}–{point[key]['high'] * 100:.1f})"
            for key in ("unique", "below_k", "inferred")
            if point[key] is not None
        ]
        curve = shown.partition("Attack curve")[2].splitlines()
        assert ("public" in " ".join(curve[1:3]).split()) == (name == "coherence")
        row = next(line for line in curve if line.startswith(f" {point['known']} item"))
        assert [cell in row for cell in cells] == [True] * len(cells)
        assert row.endswith(f" {point['eligible_records']:,}")


@each_model
def test_text__has_the_columns_that_apply_and_no_other(name):
    text = audit_text(asking.audit(ROWS, models()[name], samples=20), name="shop.dat")
    curve = text.partition("Attack curve")[2].splitlines()
    if len(HEADINGS[name]) <= MOST_BARS:
        assert re.split(r" {2,}", curve[1].strip()) == ["knows", *HEADINGS[name], "of records"]
    else:  # in two lines
        wanted = ["knows public", *HEADINGS[name], "of records"]
        assert sorted(" ".join(curve[1:3]).split()) == sorted(" ".join(wanted).split())
    words = {"km": None, "buckets": None, "coherence": "private", "personal-rho": "protected"}
    special = words.get(name, "sensitive")
    assert ("(" in text.splitlines()[0]) == (special is not None)
    assert special is None or special in text.splitlines()[0]


@each_model
def test_report__shows_the_numbers_of_the_audits(name, counting_mode):
    model = models()[name]
    options = {"hierarchy": "fan-out:2"} if name == "buckets" else {}
    release = asking.anonymize(ROWS, model, **options)
    subject = examine(release)
    section = attack_section(subject, with_original=True)
    found = audit_as_dict(subject.before), audit_as_dict(subject.after)
    plots = {part.plot.name: part.plot for part in section.parts if isinstance(part, Drawing)}
    applies = {
        "unique",
        *(key for key in ("inferred", "below_k") if found[0]["attack_curve"][0][key]),
    }
    assert set(plots) <= applies
    for key, plot in plots.items():
        for line in plot.lines:
            points = found[line.role == "after"]["attack_curve"]
            values = [value for value in line.values if value is not None]
            assert values == [point[key]["share"] for point in points]
            assert list(line.low[: len(values)]) == [point[key]["low"] for point in points]
            assert list(line.high[: len(values)]) == [point[key]["high"] for point in points]
    listing = next(part for part in section.parts if isinstance(part, Listing))
    text = re.sub(r" +", " ", audit_text(subject.before, name="x"))
    assert all(f"{label} {count}\n" in text for label, count in listing.rows)
    assert [fact.value for fact in exposure(subject)] == [each["exposed_records"] for each in found]
    story = next(part.text for part in section.parts if isinstance(part, Paragraph))
    exposed = found[0]["exposed_records"]
    assert (f"{exposed:,} of its 8 records" in story) == (exposed > 0)


def test_report__of_models_without_secrets_does_not_speak_of_inferring():
    for name in ("km", "buckets"):
        options = {"hierarchy": "fan-out:2"} if name == "buckets" else {}
        release = asking.anonymize(ROWS, models()[name], **options)
        page = report_html(release.report())
        assert "inferred what the promise rules out" not in page
        assert "sensitive item inferred" not in page
        assert "a sensitive one" not in page


def test_public_items__give_a_private_one_away_in_the_attack_curve():
    # Beer gives insulin away in 3 of 4 records; one known public item in 14 of these is beer.
    rows = [["beer", "insulin"]] * 3 + [["beer"]] + [["soap"]] * 10
    audit = wh.audit(rows, wh.Coherence("0.5", 2, 1, {"insulin"}), samples=2000)
    point = audit.attack_curve[0]
    low, high = point.inferred.interval
    assert low <= 4 / 14 <= high
    assert point.below_k.hits == point.unique.hits == 0


def test_long_record__is_estimated_not_counted_for_minutes():
    rows = [[f"i{n % 50}", f"i{n % 7}", "s"] for n in range(300)]
    rows.append(["s", *(f"x{n}" for n in range(1136))])
    audit = wh.audit(rows, wh.RhoUncertainty("0.5", {"s"}, ignore_prior=True), samples=50)
    assert [each.how for each in audit.counts.values()] == [
        How.COUNTED,
        How.COUNTED,
        How.ESTIMATED,
    ]
    # Every set of three of the long record, and nothing else of that size.
    true = 1136 * 1135 * 1134 // 6
    assert audit.counts[3].low <= true <= audit.counts[3].high
    assert audit.exposed_known == 2
    assert not audit.complete


def test_size_that_is_asked_for__is_counted():
    rows = [["s", *(f"x{n}" for n in range(40))], ["y"], ["y"]]
    model = wh.RhoUncertainty("0.5", {"s"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MOST_SETS", 0)
        assert wh.audit(rows, model, samples=1).counts[3].how is How.ESTIMATED
        assert wh.audit(rows, model, samples=1, max_size=3).by_size == {
            0: 0,
            1: 40,
            2: 780,
            3: 9880,
        }


def test_time_limit__larger_sizes_are_said_not_to_be_counted():
    # Two of the long record: what only one holds is counted without a look.
    rows = [["s", *(f"x{n}" for n in range(3000))]] * 2 + [["y"]] * 3
    audit = wh.audit(rows, wh.RhoUncertainty("0.5", {"s"}), max_size=5, limit_seconds=1, samples=1)
    how = [each.how for each in audit.counts.values()]
    order = [How.COUNTED, How.AT_LEAST, How.NOT_COUNTED]
    assert [order.index(each) for each in how] == sorted(order.index(each) for each in how)
    assert how.count(How.AT_LEAST) <= 1
    assert how[0] is How.COUNTED
    assert how[-1] is How.NOT_COUNTED
    assert audit.exposed_known == how.count(How.COUNTED) - 1
    assert audit_as_dict(audit)["breaches_by_size"]["5"] is None
    assert "knows 5 items  not counted" in audit_text(audit, name="x")
    assert not audit.complete


def test_sample_that_confirms__does_not_count_as_nothing_found():
    rows = [["a", "s"]] + [["a"]] * 200 + [["b", "s"], ["b"], ["c"]] * 20
    table = wh.Records.from_lists(rows)
    wishes = wh.Constraints.of({0: ["s"]}, table)
    model = personal("0.4", wishes, max_known=1, epsilon="0.2", delta="0.2")
    audit = asking.audit(table, model, samples=1)
    assert audit.verdict.status is not wh.Status.HOLDS
    exact = asking.audit(table, personal("0.4", wishes, max_known=1), samples=1)
    assert audit.by_size == exact.by_size
    assert audit.exposed_records == exact.exposed_records


def test_text__says_that_a_promise_is_broken_or_not_decided():
    audit = wh.audit([["beer", "pill"], ["beer"]], wh.RhoUncertainty("0.4", {"pill"}))
    text = audit_text(audit, name="x")
    assert "This promise is broken: whoever knows any items of a person's record" in text
    assert "All breaches were counted; " in text
    assert "stopped" not in text
    undecided = Verdict(Status.UNDECIDED, "", 0, 0.0)
    assert undecided.of_promise("Nobody knows.") == "This is not decided: nobody knows."


def test_text__of_a_table_without_a_loss_names_no_column():
    table = wh.read_table(pl.DataFrame({"age": ["1", "2", "1", "2"]}))
    facts = dict(wh.anonymize(table, wh.KAnonymity(2, ["age"])).loss.facts())
    assert "most in" not in facts
    assert facts["divergence"].endswith("KL of the values still shown (0 = the same)")
    lost = wh.anonymize(table, wh.KAnonymity(3, ["age"])).loss.facts()
    assert "age" in dict(lost)["most in"]
