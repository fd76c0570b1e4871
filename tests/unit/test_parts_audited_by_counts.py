"""Audits by parts of km and coherence: every number is that of all records together, by brute force."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from test_parts import run
from test_parts_by_counts import asked_of, folder, little_room, moles, problems  # noqa: F401

import oracle_coherence as oracle
import withhold as wh
from tables import examples
from withhold.cli import anonymize, audit, compare  # noqa: F401
from withhold.registry import method_of

RARE = ("--model", "km", "--k", 8, "--m", 2)


@examples(400)
@given(problems(), st.integers(1, 300), st.sampled_from([0, 1000]))
def test_survey__is_that_of_all_records(problem, few, cells):
    parts, model = problem
    rows = [row for part in parts for row in part]
    with little_room(few, cells):
        asking = method_of(model).by_parts.counts.survey(model, model.p, 100)
        found = asked_of(parts, asking)
    minimal = set(oracle.minimal(moles(rows, model)))
    sizes = Counter(len(mole) for mole in minimal)
    assert {size: each.count for size, each in found.counts.items()} == {
        size: sizes[size] for size in range(model.p + 1)
    }
    assert found.exposed == sum(any(mole <= row for mole in minimal) for row in rows)
    assert {frozenset(mole.items) for mole in found.worst} == minimal
    for mole in found.worst:
        assert mole.support == sum(frozenset(mole.items) <= row for row in rows)
        if mole.private is not None:
            with_it = frozenset((*mole.items, mole.private))
            assert mole.joint == sum(with_it <= row for row in rows)
    few_shown = asked_of(parts, method_of(model).by_parts.counts.survey(model, model.p, 2))
    worst = sorted(found.worst, key=lambda mole: (len(mole.items), -mole.probability))
    bad = [(len(mole.items), mole.probability) for mole in worst[:2]]
    assert [(len(mole.items), mole.probability) for mole in few_shown.worst] == bad
    whole = wh.audit([sorted(row) for row in rows], model, show=100, allow_unknown=True)
    assert whole.exposed_records == found.exposed
    assert {size: each.count for size, each in whole.counts.items()} == {
        size: each.count for size, each in found.counts.items()
    }


def test_a_folder_is_audited_and_reported(tmp_path, folder):  # noqa: F811
    code, text = run("audit", folder, *RARE)
    assert (code, "BROKEN" in text, "too rare" in text) == (1, True, True), text
    files = sorted(folder.iterdir())
    rows = [line.split() for path in files for line in path.read_text().splitlines()]
    whole = wh.audit(rows, wh.KmAnonymity(k=8, m=2))
    by_parts = wh.audit_parts(str(folder), wh.KmAnonymity(k=8, m=2), part_records=50)
    assert by_parts.counts == whole.counts
    assert by_parts.exposed_records == whole.exposed_records
    assert (by_parts.records, by_parts.occurrences) == (whole.records, whole.occurrences)
    # Which of equally bad ones are listed differs.
    chances = [[each.probability for each in found.breaches] for found in (by_parts, whole)]
    assert chances[0] == chances[1]
    out = tmp_path / "out"
    code, text = run("anonymize", folder, *RARE, "-o", out, "--seed", 1, "--report")
    assert code == 0, text
    page = (out / "report.html").read_text()
    assert "Attacks need all records at once, too, and were not tried." in page
    assert "counted over all parts" in page
    code, text = run("audit", out, *RARE)
    assert (code, "HOLDS" in text) == (0, True), text
