"""km and coherence by parts: one choice from counts of all parts, and its proof, against brute force."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_parts import cluster, contents, joined, run, write_shop, write_shops  # noqa: F401

import oracle_coherence as oracle
import withhold as wh
from tables import examples
from typed import start
from withhold.counting import pairs, rounds, triples
from withhold.data import Records
from withhold.errors import ImpossibleError, InputError
from withhold.methods.coherence.search import by_counts
from withhold.methods.coherence.search.mole_cover import cover_moles
from withhold.parts.counting import Readable, over_parts
from withhold.parts.folder import MANIFEST
from withhold.parts.proving import verify_parts
from withhold.parts.release import anonymize_parts
from withhold.parts.running import engine_for
from withhold.registry import method_of
from withhold.verdict import Status

PUBLIC, PRIVATE = "abcdefg", "xyz"
KM = ("--model", "km", "--k", 3, "--m", 2)


@st.composite
def problems(draw):
    """Records of up to seven public and three private items, cut into parts, and a model."""
    public = st.frozensets(st.sampled_from(PUBLIC), max_size=5)
    row = st.builds(frozenset.union, public, st.frozensets(st.sampled_from(PRIVATE), max_size=2))
    distinct = draw(st.lists(row, min_size=1, max_size=12))
    rows = distinct + draw(st.lists(st.sampled_from(distinct), max_size=20))
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    k, p = draw(st.integers(2, 6)), draw(st.sampled_from([1, 2, 3]))
    if draw(st.booleans()):
        model = wh.KmAnonymity(k=k, m=p)
    else:
        h = draw(st.sampled_from(["3/10", "1/2", "2/3", "1"]))
        model = wh.Coherence(h, k, p, set(PRIVATE))
    bounds = [0, *cuts, len(rows)]
    return [rows[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)], model


def asked_of(parts, asking):
    """What the rounds find in these parts."""
    tables = [Records.from_lists(part) for part in parts]
    readable = [Readable(str(n), lambda table=table: table) for n, table in enumerate(tables)]
    with engine_for("stream", None, None) as engine:
        return over_parts(asking, readable, engine, pytest.fail)


@contextmanager
def little_room(few, cells):
    """However little fits at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "MOST_SETS", few)
        patch.setattr(triples, "MOST_CELLS", few)
        patch.setattr(rounds, "MOST_TRIPLES", cells)
        yield patch


def chosen(parts, model, **options):
    method = method_of(model)
    found = asked_of(parts, method.by_parts.counts.choose(model, method.search.options(**options)))
    return [[row & found.names for row in part] for part in parts], found.names


def moles(rows, model):
    return oracle.moles(rows, model.private, model.h, model.k, model.p)


@examples(600)
@given(problems(), st.booleans(), st.integers(1, 300), st.sampled_from([0, 1000]))
def test_choice__is_safe_as_one_table_by_brute_force(problem, restoring, few, cells):
    parts, model = problem
    with little_room(few, cells) as patch:
        patch.setattr(pairs, "MOST_CELLS", few)
        patch.setattr(rounds, "MOST_CELLS", few)
        patch.setattr(rounds, "MOST_LISTED", few)
        patch.setattr(by_counts, "MOST_MOLES", few)
        try:
            after, _ = chosen(parts, model, restoring=restoring)
        except ImpossibleError:
            rows = [row for part in parts for row in part]
            assert frozenset() in moles(rows, model)
            return
    rows = [row for part in after for row in part]
    assert not moles(rows, model)


@examples(600)
@given(problems(), st.booleans())
def test_choice__of_two_items_is_that_of_all_records_at_once(problem, restoring):
    parts, model = problem
    rows = [row for part in parts for row in part]
    if model.p == 3:
        model = wh.KmAnonymity(k=model.k, m=2)
    try:
        after, _ = chosen(parts, model, restoring=restoring)
    except ImpossibleError:
        return
    method = method_of(model)
    options = method.search.options(keep="items", restoring=restoring)
    table = Records.from_lists(rows)
    plan, _ = method.search(table, model, wh.Evidence(), options, wh.method.SearchRun(jobs=1))
    if not moles(rows, model):
        # Nothing need go; without restoring, memory looks at that first.
        assert restoring is False or len(plan) == 0
    together = [row for part in after for row in part]
    assert plan.apply_to(table).to_lists() == [sorted(row) for row in together]


@examples(600)
@given(problems(), st.integers(1, 300), st.sampled_from([0, 1000]))
def test_proof__is_the_verdict_of_brute_force(problem, few, cells):
    parts, model = problem
    rows = [row for part in parts for row in part]
    with little_room(few, cells) as patch:
        patch.setattr(rounds, "MOST_LISTED", few)
        verdict = asked_of(parts, method_of(model).by_parts.counts.prove(model))
    found = moles(rows, model)
    assert verdict.status is (Status.BROKEN if found else Status.HOLDS)
    if found:
        witness = frozenset(verdict.witness.items)
        assert witness in oracle.minimal(found)
        assert verdict.witness.support == sum(witness <= row for row in rows)


@examples(300)
@given(problems(), st.integers(1, 3), st.integers(1, 200))
def test_rounds__count_what_all_records_hold(problem, size, few):
    parts, _ = problem
    rows = [row for part in parts for row in part]
    wanted = rounds.SetRound(tuple(PUBLIC), tuple(PRIVATE), size, 0, len(PUBLIC))

    def asking():
        found = {}
        for asked in (yield from rounds.rounds_of(wanted)):
            sums = yield asked
            private = sums.keys % (len(PRIVATE) + 1)
            for items, s, n in zip(asked.sets_of(sums.keys), private, sums.counts, strict=True):
                key = frozenset(PUBLIC[item] for item in items), s and PRIVATE[s - 1]
                assert key not in found
                found[key] = n
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "MOST_SETS", few)
        patch.setattr(rounds, "MOST_LISTED", few)
        found = asked_of(parts, asking())
    expected: Counter = Counter()
    for row in rows:
        for items in combinations(sorted(row & set(PUBLIC)), size):
            for s in (0, *(row & set(PRIVATE))):
                expected[frozenset(items), s] += 1
    assert found == expected


@examples(300)
@given(st.sets(st.frozensets(st.integers(0, 7), min_size=3, max_size=3), max_size=15), st.data())
def test_cover__is_the_greedy_one(sets, data):
    supports = np.array([data.draw(st.integers(1, 9)) for _ in range(8)])
    left, expected = set(sets), []
    while left:
        worth = {v: Fraction(sum(v in q for q in left), int(supports[v])) for v in range(8)}
        best = max(worth, key=lambda v: (worth[v], -v))
        expected.append(best)
        left = {q for q in left if best not in q}
    back = set()
    for v in reversed(expected):
        if not any(v in q and not (q - {v}) & (set(expected) - back) for q in sets):
            back.add(v)
    alive = np.ones(8, dtype=bool)
    listed = np.array([sorted(q) for q in sets], dtype=np.int64).reshape(-1, 3)
    assert cover_moles(listed, supports, alive.copy(), restoring=False) == expected
    taken = cover_moles(listed, supports, alive, restoring=True)
    assert taken == [v for v in expected if v not in back]
    assert np.flatnonzero(~alive).tolist() == sorted(taken)


def test_sets_that_cannot_be_counted_are_refused(monkeypatch):
    monkeypatch.setattr(rounds, "TOO_MANY", 3)
    wanted = rounds.SetRound(tuple("abcdef"), (), 2, 0, 6)
    with pytest.raises(InputError, match="more than can be counted by parts"):
        list(rounds.rounds_for(wanted, rounds.cells_of(wanted)))
    many = rounds.SetRound(tuple(map(str, range(10**5))), tuple("xyz"), 4, 0, 10**5)
    with pytest.raises(InputError, match="too many to count"):
        list(rounds.rounds_for(many, []))


def shop(n, seed):
    rng = random.Random(seed)
    return [rng.sample("abcdefghijkl", rng.randint(1, 5)) for _ in range(n)]


@pytest.fixture
def folder(tmp_path):
    return write_shops(tmp_path / "shops", lambda number: shop(60, number))


def test_a_folder_is_released_proved_and_verified(tmp_path, folder):
    out = tmp_path / "out"
    code, text = run("anonymize", folder, *KM, "-o", out, "--seed", 1)
    assert code == 0, text
    assert "Proved by counts of all parts: 3 parts with 180 records." in text
    assert wh.verify(joined(out), wh.KmAnonymity(k=3, m=2))
    code, text = run("verify", out)
    assert (code, "HOLDS" in text, "counted over all parts" in text) == (0, True, True)
    # No part claims anything for itself.
    assert not list(out.glob("part-*.manifest.json"))
    # What a stated policy asks of all parts is decided, either way.
    assert run("verify", out, "--model", "km", "--k", 2, "--m", 1)[0] == 0
    code, text = run("verify", out, "--model", "km", "--k", 100, "--m", 2)
    assert (code, "too rare" in text) == (1, True)
    code, text = run("verify", out, "--model", "km", "--k", 3, "--m", 5)
    assert (code, "UNDECIDED" in text) == (5, True), text


def test_parts_alone_would_break_what_all_keep(tmp_path):
    rows = [["a", "b"]] * 2 + [["a"]] * 3
    path = write_shop(tmp_path / "shop.dat", rows * 2)
    made = anonymize_parts(str(path), wh.KmAnonymity(k=4, m=2), tmp_path / "out", part_records=5)
    assert (len(made.parts), made.totals.removed) == (2, 0)
    assert verify_parts(tmp_path / "out").verdict


def test_the_same_bytes_from_every_engine_and_a_resumed_run(tmp_path, folder):
    model = wh.Coherence("0.5", 2, 2, {"a", "b"})
    ways = {"one": {}, "two": {"workers": 2}, "large": {"jobs": 2}}
    for name, options in ways.items():
        anonymize_parts(str(folder), model, tmp_path / name, seed=5, part_records=40, **options)
    assert len(contents(tmp_path / "one")) >= 3
    assert contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "large")
    again = anonymize_parts(str(folder), model, tmp_path / "one", part_records=40, resume=True)
    assert again.resumed == len(again.parts)
    # Another input means another choice for all parts, so none is kept.
    write_shop(folder / "shop-2.dat", [["c", "d"]] * 70)
    made = anonymize_parts(str(folder), model, tmp_path / "one", part_records=40, resume=True)
    fresh = anonymize_parts(str(folder), model, tmp_path / "fresh", part_records=40, seed=5)
    assert contents(tmp_path / "one") == contents(tmp_path / "fresh")
    assert made.totals == fresh.totals


def test_changed_parts_are_found(tmp_path, folder):
    out = tmp_path / "out"
    run("anonymize", folder, *KM, "-o", out, "--seed", 1)
    part = out / "part-0002.dat"
    part.write_text(part.read_text() + "a b c d e f g h i j k l\n")
    code, text = run("verify", out)
    assert (code, "part-0002.dat is not the file" in text) == (1, True)
    part.write_text("rare\n")
    code, text = run("verify", out)
    assert (code, "too rare" in text) == (1, True)
    record = json.loads((out / MANIFEST).read_text())
    for form in ({"format": 3}, [], "basket", {}):
        record["parts"][0]["form"] = form
        (out / MANIFEST).write_text(json.dumps(record))
        code, text = run("verify", out)
        assert code == 3, (form, text)


def test_what_does_not_pass_its_proof_is_not_published(tmp_path, folder, monkeypatch):
    def nothing(model, options):
        found = yield rounds.ItemRound()
        return by_counts.KeptItems(frozenset(found.supports))

    monkeypatch.setattr(by_counts, "choose_items", nothing)
    out = tmp_path / "out"
    code, text = run("anonymize", folder, "--model", "km", "--k", 9, "--m", 3, "-o", out)
    assert (code, "did not pass its proof" in text) == (1, True), text
    assert not list(out.glob("part-*"))
    assert not (out / MANIFEST).exists()


def test_a_part_that_is_changed_while_it_is_proved(tmp_path, folder, monkeypatch):
    out = tmp_path / "out"
    run("anonymize", folder, *KM, "-o", out, "--seed", 1)
    count = rounds.ItemRound.count

    def changing(self, records):
        with (out / "part-0001.dat").open("a") as file:
            file.write("a\n")
        return count(self, records)

    monkeypatch.setattr(rounds.ItemRound, "count", changing)
    code, text = run("verify", out)
    assert (code, "was changed while it was counted" in text) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "km", "--k", 3, "--m", 4), "choose a smaller p or m"),
        (
            ("--model", "coherence", "--h", 0.5, "--k", 3, "--p", "any", "--private", "a"),
            "smaller p",
        ),
        ((*KM, "--keep", "itemsets"), "use --keep items"),
        ((*KM, "--keep", "best"), "use --keep items"),
        ((*KM, "--nugget-support", 5), "--nugget-support is about itemsets"),
        ((*KM, "--counting", "borders"), "--counting is about itemsets"),
        ((*KM, "--hierarchy", "fan-out:3"), "groups are one choice"),
        (("--model", "km", "--k", 500, "--m", 2), "nobody can hide among so few"),
        (
            ("--model", "coherence", "--h", 0.1, "--k", 3, "--p", 2, "--private", "a"),
            "Allow a larger h",
        ),
        (("--model", "coherence", "--h", 0.5, "--k", 3, "--p", 2, "--private", "zz"), "zz"),
    ],
)
def test_mistakes(tmp_path, folder, arguments, said):
    code, text = run("anonymize", folder, *arguments, "-o", tmp_path / "out")
    assert code in (2, 3, 4), text
    assert said in text
    assert not (tmp_path / "out" / MANIFEST).exists()


def test_a_broken_file_is_named_when_it_is_counted_and_resume_mends(tmp_path, folder):
    out = tmp_path / "out"
    good = (folder / "shop-1.dat").read_bytes()
    (folder / "shop-1.dat").write_bytes(good[:-20] + b"\0" + good[-20:])
    code, text = run("anonymize", folder, *KM, "-o", out, "--seed", 1)
    assert (code, "part 2" in text, "nothing was published" in text) == (3, True, True)
    (folder / "shop-1.dat").write_bytes(good)
    assert run("anonymize", folder, *KM, "-o", out, "--resume")[0] == 0
    assert run("verify", out)[0] == 0


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize("victim", ["driver", "worker"])
def test_whoever_is_killed_while_counting_nothing_is_published_and_resume_goes_on(tmp_path, victim):
    path = write_shop(tmp_path / "shop.dat", shop(30_000, 1))
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    asked = ("anonymize", path, *KM, "-o", out, "--engine", "stream", "--part-records", 1_000)
    process = start(*asked, "--workers", 2, "--seed", 1)
    deadline, children = time.monotonic() + 120, []
    # Workers are there before any part is: whoever is killed now was counting, or about to.
    while len(children) < 3 and time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read()
        command = ["ps", "-o", "pid=", "--ppid", str(process.pid)]
        children = subprocess.run(command, capture_output=True, text=True).stdout.split()
        time.sleep(0.01)
    assert not list(out.glob("part-*.dat"))
    if victim == "worker":
        os.kill(int(children[-1]), signal.SIGKILL)
    else:
        process.send_signal(signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert process.returncode == {"driver": -9, "worker": 3}[victim]
    assert not (out / MANIFEST).exists()
    code, text = run(*asked, "--seed", 1, "--resume")
    assert code == 0, text
    anonymize_parts(str(path), wh.KmAnonymity(k=3, m=2), fresh, part_records=1_000, seed=1)
    assert contents(out) == contents(fresh)


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(tmp_path, cluster):  # noqa: F811
    scheduler, workers = cluster
    path = write_shop(tmp_path / "shop.dat", shop(20_000, 1))
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    parts = ("--engine", "dask", "--scheduler", scheduler, "--part-records", 1_000)
    process = start("anonymize", path, *KM, "-o", out, "--seed", 1, *parts)
    while not (out / "parts.jsonl").exists() and process.poll() is None:
        time.sleep(0.01)
    workers[0].kill()
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    anonymize_parts(str(path), wh.KmAnonymity(k=3, m=2), fresh, part_records=1_000, seed=1)
    assert contents(out) == contents(fresh)


def test_empty_records_and_no_records(tmp_path):
    (tmp_path / "empty.dat").write_text("\n\n\n")
    code, text = run(
        "anonymize", tmp_path / "empty.dat", *KM, "-o", tmp_path / "out", "--engine", "stream"
    )
    assert code in (0, 3), text
    assert Path(tmp_path / "out" / MANIFEST).exists() == (code == 0)


def test_personal_rho_is_refused_with_the_reason(tmp_path, folder):
    (tmp_path / "wishes.csv").write_text("record,item\n1,a\n")
    asked = ("--model", "personal-rho", "--rho", 0.5, "--constraints", tmp_path / "wishes.csv")
    code, text = run("anonymize", folder, *asked, "-o", tmp_path / "out")
    assert (code, "people in other parts" in text) == (2, True), text
