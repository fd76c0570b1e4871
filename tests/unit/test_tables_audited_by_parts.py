"""Audits and reports of tables by parts: every number is that of the whole table in memory, and mistakes."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from test_blocks import KNOWN, REQUIRED, joined, people, write_people
from test_parts import run

import withhold as wh
from tables import example_share
from withhold.cli import anonymize, audit, verify  # noqa: F401
from withhold.methods.cells.utility import measure_table
from withhold.parts import group_proof
from withhold.parts.reporting import report_parts
from withhold.report.html import report_html

ASKED = ["--model", "k-anonymity", "--k", 3, "--quasi-identifiers", "age,sex,town"]
LEFT_OUT = {"known_columns", "k_wildcard", "undecided_columns", "advice"}
OF_PARTS = {"parts", "left_out", "seconds"}


def cut_up(folder: Path, columns: dict[str, list[str]], rng: random.Random) -> Path:
    """The rows in files of different lengths, none of them empty."""
    folder.mkdir()
    n = len(columns["age"])
    bounds = sorted({0, n, *(rng.randrange(1, n) for _ in range(rng.randrange(4)))})
    kind = rng.choice([".csv", ".parquet", ".jsonl"])
    for first, last in zip(bounds, bounds[1:], strict=False):
        own = {name: cells[first:last] for name, cells in columns.items()}
        write_people(folder / f"{first:04}{kind}", own)
    return folder


def joined_table(folder: Path) -> wh.Table:
    """All parts of a release as one table, its withheld cells as such."""
    return wh.read_table(joined(folder).fill_null("*")).with_marks("*", KNOWN)


def assert_same(found: wh.TableAudit, whole: wh.TableAudit) -> None:
    """Whether an audit by parts has the numbers of one in memory."""
    ours, theirs = found.as_dict(), whole.as_dict()
    # By parts nobody looks for groups alike in a column without a role, or diverse by blanks alone.
    theirs["warnings"] = [
        each
        for each in theirs["warnings"]
        if "everybody has the same" not in each and "say nothing" not in each
    ]
    assert set(ours) - set(theirs) == {"parts", "left_out"}
    for name in set(theirs) - LEFT_OUT - OF_PARTS - {"breaches", "risks"}:
        assert ours[name] == theirs[name], name
    assert str(found.verdict.status) == str(whole.verdict.status)
    assert found.verdict.checked == whole.verdict.checked == whole.groups
    assert replace(whole.risks, columns=(), special=None) == found.risks
    # Of equally small groups, those in the order of their texts are listed first.
    assert [each.rows for each in found.breaches] == [each.rows for each in whole.breaches]


@pytest.mark.parametrize("number", range(max(12, round(60 * example_share()))))
def test_audit_parts__has_the_numbers_of_the_whole(number, tmp_path, monkeypatch):
    rng = random.Random(number)
    monkeypatch.setattr(group_proof, "AT_ONCE", rng.choice([3, 40, 250_000]))
    columns = people(rng.randrange(4, 150), number)
    columns["pay"] = [rng.choice([cell, cell, ""]) for cell in columns["pay"]]
    columns["age"] = [rng.choice([cell, cell, f" {cell}", ""]) for cell in columns["age"]]
    required = rng.choice(REQUIRED)
    label = {"label": "pay"} if number % 2 and not required else {}
    label |= {"sensitive_column": "pay"} if required else {}
    model = wh.KAnonymity(rng.randrange(2, 5), KNOWN, **label, **required)
    whole_file = write_people(tmp_path / "whole.csv", columns)
    folder = cut_up(tmp_path / "in", columns, rng)
    whole = wh.audit(wh.read_table(whole_file), model, show=1000, publish="all")
    found = wh.audit_parts(folder, model, show=1000, publish="all", part_records=20)
    assert_same(found, whole)
    assert set(found.breaches) == set(whole.breaches)
    assert found.k_wildcard == whole.k_wildcard
    few = wh.audit_parts(folder, model, show=2, publish="all")
    assert few.breaches == found.breaches[:2]
    assert few.rows_at_risk == whole.rows_at_risk


@pytest.mark.parametrize("number", range(max(6, round(12 * example_share()))))
def test_audit_parts__of_a_release(number, tmp_path):
    rng = random.Random(number)
    required = REQUIRED[number % 2]
    sensitive = {"sensitive_column": "pay"} if required else {}
    model = wh.KAnonymity(3, KNOWN, **sensitive, **required)
    folder = cut_up(tmp_path / "in", people(120, number), rng)
    wh.anonymize_parts(folder, model, tmp_path / "out", seed=1, publish="all", part_records=40)
    stricter = wh.KAnonymity(6, KNOWN, **sensitive, **required)
    table = joined_table(tmp_path / "out")
    for asked in (model, stricter):
        found = wh.audit_parts(tmp_path / "out", asked, show=1000, publish="all")
        whole = wh.audit(table, asked, show=1000, publish="all")
        assert_same(found, whole)
        assert set(found.breaches) == set(whole.breaches)
        assert found.k_wildcard == (None if found.withheld else found.k)
    assert wh.audit_parts(tmp_path / "out", model).verdict.status is wh.Status.HOLDS


def test_audit_parts__a_sample_of_the_population(tmp_path):
    columns = people(200, 3)
    folder = cut_up(tmp_path / "in", columns, random.Random(1))
    model = wh.KAnonymity(3, KNOWN)
    whole = wh.audit(
        wh.read_table(write_people(tmp_path / "a.csv", columns)), model, sampling_fraction="0.1"
    )
    found = wh.audit_parts(folder, model, sampling_fraction="0.1")
    assert found.risks.journalist.mean == pytest.approx(whole.risks.journalist.mean)
    assert found.risks.population.uniques == pytest.approx(whole.risks.population.uniques)
    code, text = run("audit", folder, *ASKED, "--sampling-fraction", "0.1")
    assert (code, "journalist" in text) == (1, True), text


def test_command_line__says_what_is_left_out(tmp_path):
    folder = cut_up(tmp_path / "in", people(120, 3), random.Random(2))
    code, text = run("audit", folder, *ASKED)
    assert (code, "BROKEN" in text, "The smallest groups" in text) == (1, True, True), text
    assert "Counted over" in text
    assert "special uniques" in text
    assert "Unique rows" not in text
    code, text = run("audit", folder, *ASKED, "--json", "-q")
    told = json.loads(text)
    assert (code, told["verdict"], told["rows"]) == (1, "BROKEN", 120)
    assert told["parts"] == len(list(folder.iterdir()))


def test_audit_parts__a_column_that_would_stop_a_release(tmp_path):
    columns = people(100, 8)
    columns["mail"] = [f"a{n}@b.org" for n in range(100)]
    folder = cut_up(tmp_path / "in", columns, random.Random(6))
    assert set(wh.audit_parts(folder, wh.KAnonymity(3, KNOWN)).undecided) == {"mail"}
    assert not wh.audit_parts(folder, wh.KAnonymity(3, KNOWN), publish=["mail"]).undecided


@pytest.mark.parametrize("number", range(max(3, round(8 * example_share()))))
def test_report__has_the_losses_of_the_whole(number, tmp_path):
    rng = random.Random(number)
    columns = people(120, number)
    folder = cut_up(tmp_path / "in", columns, rng)
    model = wh.KAnonymity(3, KNOWN, label="pay")
    made = wh.anonymize_parts(folder, model, tmp_path / "out", seed=1, part_records=40)
    page = report_parts(made, folder, part_records=40)
    whole = wh.read_table(write_people(tmp_path / "whole.csv", columns))
    lost = measure_table(whole, joined_table(tmp_path / "out"), model).loss
    facts = page.facts
    assert facts["loss.share"].value == lost.share == made.totals.share
    for name in ("withheld_share", "generalised", "rows_touched", "groups", "ncp"):
        assert facts[f"loss.{name}"].value == pytest.approx(getattr(lost, name)), name
    lines = {line.label: line.values for line in page.plots["bycolumn"].parts}
    columns_lost = sorted(lost.by_column, key=lambda each: -each.withheld)
    assert lines["withheld"] == tuple(each.withheld / 120 for each in columns_lost)
    assert facts["loss.smallest_group"].value == lost.smallest_group
    assert facts["attack.exposed_before"].value == wh.audit(whole, model).rows_at_risk
    assert facts["attack.exposed_after"].value == 0
    assert "loss.kl" not in facts
    (limits,) = (section for section in page.sections if section.name == "sums")
    assert "count queries" in limits.parts[1].text
    assert page.warnings == wh.audit(joined_table(tmp_path / "out"), model).warnings
    # Strangers learn nothing of the original.
    outside = report_html(report_parts(made, folder, edition="external", part_records=40))
    assert "rows touched" not in outside
    assert "in groups that break" not in outside


def test_command_line__a_report_of_a_table(tmp_path):
    folder = cut_up(tmp_path / "in", people(120, 9), random.Random(7))
    words = [*ASKED, "--drop", "note", "--bin", "age=10", "--mark", "*", "--report"]
    code, text = run("anonymize", folder, *words, "-o", tmp_path / "out", "--seed", 1)
    assert code == 0, text
    report = tmp_path / "out" / "report.html"
    assert report.stat().st_mode & 0o777 == 0o600
    page = report.read_text()
    for wanted in ("What sums over parts leave out", "120 rows", "note", "What was withheld"):
        assert wanted in page, wanted
    # The page stays with the custodian, and the release is proved with it in the folder.
    assert run("verify", tmp_path / "out")[0] == 0
    assert run("audit", tmp_path / "out", *ASKED)[0] == 0


@pytest.mark.parametrize("jobs", [["--bin", "age=10"], ["--drop", "note"]])
def test_command_line__columns_are_prepared(jobs, tmp_path):
    columns = people(120, 4)
    folder = cut_up(tmp_path / "in", columns, random.Random(3))
    write_people(tmp_path / "whole.csv", columns)
    found, whole = (
        json.loads(run("audit", where, *ASKED, *jobs, "--json", "-q")[1])
        for where in (folder, tmp_path / "whole.csv")
    )
    for name in ("verdict", "rows", "columns", "groups", "k", "rows_at_risk", "column_roles"):
        assert found[name] == whole[name], name


def test_command_line__a_mark_is_a_withheld_cell(tmp_path):
    columns = people(60, 5)
    columns["age"][::3] = ["*"] * 20
    folder = cut_up(tmp_path / "in", columns, random.Random(4))
    told = json.loads(run("audit", folder, *ASKED, "--mark", "*", "--json", "-q")[1])
    assert (told["withheld_cells"], told["k_wildcard"]) == (20, None)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--unique-size", 2], "unique"),
        (["--limit-seconds", 5], "limit"),
        (["--missing", "wildcard"], "cannot be audited by parts: with --missing wildcard"),
        (["--population", "people.csv"], "--population is for data in memory"),
        (["--bin", "age=quantiles:4"], "looks at the whole column first"),
        (["--decimal", "comma"], "looks at the whole column first"),
        (["--format", "basket"], "is for records"),
        (["--drop", "age"], "named twice"),
        (["--publish", "nothing"], "nothing"),
    ],
)
def test_command_line__what_does_not_fit_is_refused(words, problem, tmp_path):
    folder = cut_up(tmp_path / "in", people(60, 6), random.Random(5))
    (tmp_path / "people.csv").write_text("age,sex,town\n1,f,Ulm\n")
    code, text = run("audit", folder, *ASKED, *words)
    assert (code, problem in text) == (3 if "--publish" in words else 2, True), text


def test_audit_parts__files_that_differ_are_refused(tmp_path):
    columns = people(40, 7)
    (tmp_path / "in").mkdir()
    write_people(tmp_path / "in" / "a.csv", columns)
    write_people(tmp_path / "in" / "b.csv", {"age": columns["age"], **columns, "more": ["1"] * 40})
    code, text = run("audit", tmp_path / "in", *ASKED)
    assert (code, "b.csv" in text) == (3, True), text
    with pytest.raises(wh.WithholdError, match="write the frame to parquet"):
        wh.audit_parts(pl.LazyFrame(columns), wh.KAnonymity(3, KNOWN))
    with pytest.raises(wh.WithholdError, match="population"):
        wh.audit_parts(tmp_path / "in", wh.KAnonymity(3, KNOWN), population=columns)
