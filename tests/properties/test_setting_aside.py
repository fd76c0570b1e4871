"""Records that are too long to search, and what becomes of all others when time runs out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_personal import knowledge, modelled, people

from lenient import anonymize
from oracle import personal_breaches
from tables import examples
from withhold import Constraints, Records
from withhold.counting.threads import Stop
from withhold.data import packing
from withhold.formats import constraints as files
from withhold.methods.personal import people as persons
from withhold.methods.personal.search import rounds
from withhold.methods.personal.search.fix import LEFTOVER
from withhold.methods.personal.search.workspace import PersonalWorkspace


def sets(table):
    return [frozenset(record) for record in table.to_lists()]


@pytest.fixture
def little_work(monkeypatch):
    monkeypatch.setattr(rounds, "MOST_WORK", 30)


@pytest.mark.usefixtures("little_work")
@examples(200)
@given(people(), knowledge, st.booleans())
def test_long_records__are_set_aside_and_the_release_is_safe(problem, max_known, restoring):
    originals, _, wishes, rho = problem
    model = modelled(originals, wishes, rho, max_known=max_known)
    release = anonymize(originals, model, jobs=1, restoring=restoring)
    assert not personal_breaches(originals, sets(release.data), wishes, rho, max_known=max_known)
    held = not personal_breaches(originals, originals, wishes, rho, max_known=max_known)
    assert release.options["already_held"] == (sets(release.data) == originals) >= held
    if release.options.get("set_aside") and not restoring:
        longest = sorted(originals, key=len)[-release.options["set_aside"] :]
        assert sum(len(record) for record in longest) <= len(release.plan)


@examples(200)
@given(people(), st.integers(1, 3))
def test_records_of_few_items__are_made_safe(problem, size):
    originals, _, wishes, rho = problem
    model = modelled(originals, wishes, rho)
    table = Records.from_lists(originals)
    work = PersonalWorkspace(
        table, model.model, model.constraints, victim=LEFTOVER, at_random=False, seed=0
    )
    with Stop() as stop:
        assert rounds.shorten_records(work, size, stop)
    kept = work.kept()
    left = [
        frozenset(table.vocabulary[code] for code in table.items[start:end][kept[start:end]])
        for start, end in zip(table.offsets, table.offsets[1:], strict=False)
    ]
    assert all(len(record) <= size + 1 for record in left)
    assert not personal_breaches(originals, left, wishes, rho)


@examples(100)
@given(people(), st.integers(1, 6))
def test_pairs__are_the_same_however_few_are_sorted_at_a_time(problem, at_once):
    originals, _, wishes, _ = problem
    model = modelled(originals, wishes, 0.5)
    made = []
    for most in (at_once, 2**20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(persons, "PAIRS_AT_ONCE", most)
            # As pairs, however few they are.
            patch.setattr(packing, "_bits_are_smaller", lambda *_: False)
            constraints = Constraints.of(dict(enumerate(wishes)), model.originals)
            kept = np.ones(model.originals.n_occurrences, dtype=bool)
            made.append(persons.lay_out_people(model.originals, kept, constraints).wishes)
    assert all((one == two).all() for one, two in zip(*made, strict=True))
    of_row = persons.lay_out_people(model.originals, kept, constraints)
    for row, record in enumerate(of_row.layout.record_of_row):
        person = of_row.people.of_row[row]
        own = {
            constraints.items[c]
            for c in made[0].columns[slice(*made[0].offsets[person : person + 2])]
        }
        assert wishes[record] <= own


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_constraints__are_the_same_however_small_the_pieces(tmp_path, monkeypatch, suffix, quoted):
    import polars as pl

    table = Records.from_lists([[str(item)] for item in range(50)])
    pairs = [(row + 1, f"item {row * 7 % 40}") for row in range(50)] + [(3, "!item 14"), (4, "x")]
    path = tmp_path / f"wishes.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(pairs, schema=["record", "item"], orient="row").write_parquet(path)
    else:
        mark = '"' if quoted else ""
        lines = [f"{row},{mark}{item}{mark}" for row, item in pairs]
        path.write_text("\n".join(["record,item", *lines, "", ""]))
    whole = files.read_constraints(path, table)
    monkeypatch.setattr(files, "PIECE_BYTES", 10)
    monkeypatch.setattr(files, "PIECE_ROWS", 7)
    pieces = files.read_constraints(path, table)
    assert pieces.digest() == whole.digest()
    assert pieces.of_record(3) == ("item 21", "x")
    assert pieces.of_record(2) == ()


def test_constraints__a_mistake_in_a_later_piece_comes_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PIECE_BYTES", 4)
    table = Records.from_lists([["a"], ["b"]])
    for wrong, said in (("9,a", "line 5: names a record"), ("1,a,b", "line 5: has 3 cells")):
        (tmp_path / "wishes.csv").write_text(f"record,item\n1,a\n2,b\n1,b\n{wrong}\n2,a\n")
        with pytest.raises(files.InputError, match=said):
            files.read_constraints(tmp_path / "wishes.csv", table)
