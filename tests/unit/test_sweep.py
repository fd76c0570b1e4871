"""A grid of choices: what is measured, what is kept, how it goes on after an interruption."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import time
from pathlib import Path

import polars as pl
import pytest

import withhold as wh
from typed import run, start
from withhold import sweeping
from withhold.cli.sweep import varied
from withhold.errors import ImpossibleError, PolicyError
from withhold.report.trade_off import sweep_as_dict, sweep_csv, sweep_text, trade_off
from withhold.telling.plots import rows_of

SHOP = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
MODEL = wh.RhoUncertainty("0.5", {"condom"})
LOST = "occurrences.all.removed"
COMMAND = ("sweep", "baskets.dat", "--sensitive", "condom")


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)


def write_baskets(folder):
    (folder / "baskets.dat").write_text("".join(" ".join(row) + "\n" for row in SHOP))


@pytest.fixture
def shop(tmp_path, monkeypatch):
    write_baskets(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a sweep that is complete, to be copied: most of its time goes to drawing."""
    folder = tmp_path_factory.mktemp("finished")
    write_baskets(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found").exit_code == 0
    return folder / "found"


@pytest.fixture
def counted(monkeypatch):
    """How often the work was really done."""
    calls = []
    real = sweeping.proved_draft

    def count(table, model, **options):
        calls.append((model, options))
        return real(table, model, **options)

    monkeypatch.setattr(sweeping, "proved_draft", count)
    return calls


def test_sweep__each_point_is_the_release_of_its_own():
    baskets, sensitive = wh.pharmacy(300, seed=3)
    model = wh.RhoUncertainty("0.5", sensitive)
    found = wh.sweep(
        baskets, model, vary={"rho": ["0.2", "0.6"], "keep": ["rules", "distribution"]}
    )
    assert found.varied == ("rho", "keep")
    expected = [
        ("0.2", "rules"),
        ("0.2", "distribution"),
        ("0.6", "rules"),
        ("0.6", "distribution"),
    ]
    assert [tuple(point.values.values()) for point in found.points] == expected
    for point in found.points:
        alone = wh.anonymize(
            baskets, wh.RhoUncertainty(point.values["rho"], sensitive), keep=point.values["keep"]
        )
        assert point.fact(LOST).value == alone.loss.removed
        assert point.fact("distribution.kl").value == pytest.approx(alone.loss.kl)


def test_sweep__takes_a_function_that_makes_models():
    found = wh.sweep(SHOP, lambda rho: wh.RhoUncertainty(rho, {"condom"}), vary={"rho": [0.3, 0.7]})
    assert [point.fact(LOST).value for point in found.points] == [2, 1]


def test_sweep__a_model_that_cannot_be_had_is_a_point_like_others(monkeypatch):
    def refuse(table, model, **options):
        if str(model.rho) == "3/10":
            raise ImpossibleError("condom is everywhere")
        return wh.anonymize(table, model, **options)

    monkeypatch.setattr(sweeping, "proved_draft", refuse)
    found = wh.sweep(SHOP, MODEL, vary={"rho": ["0.3", "0.7"]})
    assert [point.problem for point in found.points] == ["condom is everywhere", None]
    assert "rho 0.3: condom is everywhere" in sweep_text(found)
    assert trade_off(found).panels[0].lines[0].values[0] is None


def test_sweep__nothing_varied_is_refused():
    for vary in ({}, {"rho": []}):
        with pytest.raises(PolicyError, match="nothing varies"):
            wh.sweep(SHOP, MODEL, vary=vary)


def test_renderings__tell_the_same_numbers():
    found = wh.sweep(SHOP, MODEL, vary={"rho": ["0.3", "0.7"], "max_known": [1, None]})
    plain = json.loads(json.dumps(sweep_as_dict(found), allow_nan=False))
    table = list(csv.DictReader(io.StringIO(sweep_csv(found))))
    head, rows = rows_of(trade_off(found))
    assert head[:3] == ("rho", "withheld: max_known 1", "withheld: max_known any")
    share = "occurrences.all.share"
    for number, point in enumerate(found.points):
        value = point.fact(share).value
        assert plain["points"][number]["facts"][share] == value
        assert float(table[number][share]) == value
        assert rows[number // 2][1 + number % 2] == value
    assert [point["values"]["max_known"] for point in plain["points"]] == [1, None, 1, None]


# --- what --vary means ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("rh=0.3", "rho has no option 'rh'; it can vary rho, sensitive"),
        ("show=3", "no option 'show'"),
        ("rho", "say the values too"),
        ("rho=", "say the values too"),
        ("max-known=1,many", "'many' is not a whole number"),
        ("parts=0", "0 must be at least 1"),
        ("restore=perhaps", "'perhaps' is not true or false"),
        ("rho=0.3,0.3", "duplicate value"),
        ("sensitive=a,b", "--sensitive is given and varied"),
    ],
)
def test_vary__what_it_cannot_mean_is_exit_2(shop, written, said):
    result = run(*COMMAND, "--vary", written)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_vary__values_have_the_type_of_their_option():
    written = ["rho=0.3,2/3", "max_known=1,none", "restore=yes,no", "budget=0.5", "keep=rules"]
    assert varied(written, {}) == {
        "rho": ["0.3", "2/3"],
        "max_known": [1, None],
        "restoring": [True, False],
        "budget": [0.5],
        "keep": ["rules"],
    }


@pytest.mark.parametrize("vary", ["rho=0.3,1.5", "keep=rules,everything"])
def test_vary__a_value_that_the_model_refuses_is_exit_2(shop, vary):
    rho = [] if vary.startswith("rho") else ["--rho", "0.5"]
    result = run(*COMMAND, *rho, "--vary", vary)
    assert (result.exit_code, result.stdout) == (2, "")


# --- the command ----------------------------------------------------------------------------------


def test_cli__prints_the_table(shop):
    result = run(*COMMAND, "--vary", "rho=0.3,0.7")
    assert (result.exit_code, result.stderr) == (0, "")
    above, *rows = [line.split() for line in result.stdout.splitlines()]
    # What is withheld of all, and beside it of the sensitive items.
    assert above[:2] == ["of", "the"]
    assert rows[0][:3] == ["rho", "withheld", "sensitive"]
    assert [row[:3] for row in rows[1:]] == [["0.3", "25.0%", "100%"], ["0.7", "12.5%", "50.0%"]]
    assert os.listdir(shop) == ["baskets.dat"]


def test_cli__json_is_one_object(shop):
    found = json.loads(run(*COMMAND, "--vary", "rho=0.3,0.7", "--json").stdout)
    assert [point["facts"][LOST] for point in found["points"]] == [2, 1]


def test_cli__writes_table_plot_and_page_into_the_folder(shop):
    result = run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found", "--quiet")
    assert result.exit_code == 0
    assert sorted(os.listdir("found")) == [
        "points.jsonl",
        "sweep.csv",
        "sweep.html",
        "sweep.json",
        "trade-off.svg",
    ]
    plain = json.loads(Path("found/sweep.json").read_text(encoding="utf-8"))
    assert plain["varied"] == ["rho"]
    assert Path("found/trade-off.svg").read_text(encoding="utf-8").count("<svg") == 1


def test_cli__goes_on_where_it_was(shop, finished, counted):
    shutil.copytree(finished, "found")
    again = run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found")
    assert (again.exit_code, len(counted)) == (0, 0)
    more = run(*COMMAND, "--vary", "rho=0.3,0.5,0.7", "-o", "found")
    assert (more.exit_code, len(counted)) == (0, 1)
    anew = run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found", "--force")
    assert (anew.exit_code, len(counted)) == (0, 3)


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_cli__replaces_no_file_of_somebody_else(shop, force):
    Path("found").mkdir()
    for name in ("sweep.csv", "trade-off.svg"):
        theirs = Path("found", name)
        theirs.write_text("precious\n")
        result = run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found", *force)
        assert (result.exit_code, "is not of a sweep" in result.stderr) == (2, True)
        assert theirs.read_text() == "precious\n"
        theirs.unlink()
    assert not os.listdir("found")


def test_cli__never_replaces_its_input(shop, finished):
    shutil.copytree(finished, "found")
    text = Path("baskets.dat").read_text()
    Path("found/sweep.csv").write_text(text)
    command = [Path("found/sweep.csv") if word == "baskets.dat" else word for word in COMMAND]
    result = run(*command, "--format", "basket", "--vary", "rho=0.3,0.7", "-o", "found", "--force")
    assert (result.exit_code, "is one of the inputs" in result.stderr) == (2, True), result.stderr
    assert Path("found/sweep.csv").read_text() == text


def test_cli__a_line_that_was_cut_off_is_done_again(shop, counted):
    first = run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found", "--jobs", "1")
    state = Path("found/points.jsonl")
    whole = state.read_text(encoding="utf-8")
    state.write_text(whole[:-20], encoding="utf-8")
    again = run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found", "--jobs", "1")
    assert len(counted) == 3

    def without_time(text):
        return [line.split()[:-2] for line in text.splitlines()]

    assert without_time(again.stdout) == without_time(first.stdout)
    assert len(state.read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--max-known", "1"], "the model or the options are not the same"),
        (["--seed", "1"], "the seed is not the same"),
        (["--min-support", "2"], "min-support or min-confidence"),
        (["--vary", "keep=rules"], "varies something else"),
        ("input", "input is not the same"),
        ("version", "another version"),
        ("noise", "not the start of a sweep"),
    ],
)
def test_cli__another_sweep_is_not_gone_on_with(shop, finished, monkeypatch, change, said):
    shutil.copytree(finished, "found")
    before = Path("found/points.jsonl").read_bytes()
    if change == "input":
        (shop / "baskets.dat").write_text("beer condom\nbeer\n")
    elif change == "version":
        monkeypatch.setattr(wh, "__version__", "99")
    elif change == "noise":
        before = b"hello\n"
        Path("found/points.jsonl").write_bytes(before)
    more = change if isinstance(change, list) else []
    result = run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found", *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "--force" in result.stderr or change == "noise"
    assert Path("found/points.jsonl").read_bytes() == before
    if change == "noise":  # not even with --force
        assert run(*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found", "--force").exit_code == 2
        assert Path("found/points.jsonl").read_bytes() == before


SLOW = """
import withhold.sweeping as sweeping
real = sweeping.proved_draft
def slow(table, model, **options):
    if str(model.rho) == "7/10":
        while True:
            options["progress"]("waiting", 0, 1)
            time.sleep(0.05)
    return real(table, model, **options)
sweeping.proved_draft = slow
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize(("number", "jobs"), [(signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_cli__interrupted_it_keeps_what_is_finished(shop, counted, number, jobs):
    command = [*COMMAND, "--vary", "rho=0.3,0.7", "-o", "found", "--jobs", str(jobs)]
    state = shop / "found" / "points.jsonl"
    with start(*command, before=SLOW) as process:
        try:
            while not state.exists() or len(state.read_text().splitlines()) < 2:
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.02)
            process.send_signal(number)
            told, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, told) == (130, "")
    assert "what is finished is in found; the same command resumes" in said
    result = run(*command)
    assert result.exit_code == 0
    assert [str(model.rho) for model, _ in counted] == ["7/10"]


def test_folder__of_a_table(tmp_path):
    people = {"age": [30, 30, 31, 40], "city": list("abab"), "mail": list("wxyz")}
    model = wh.KAnonymity(2, ["age", "city"])
    asked = {"vary": {"k": [2]}, "folder": tmp_path / "sweep", "seed": 1, "publish": "all"}
    frame = pl.DataFrame(people)
    first = wh.sweep(frame, model, **asked)
    assert wh.sweep(frame, model, **asked).points == first.points
    for other in (
        wh.read_table(frame, drop=["mail"]),
        wh.read_table(frame, bins={"age": 10}),
        wh.read_table(frame, consent=[1, 2, 3]),
    ):
        with pytest.raises(PolicyError, match="the input is not the same"):
            wh.sweep(other, model, **asked)


def test_folder__another_consent_is_another_input(shop):
    asked = {"vary": {"rho": ["0.5"]}, "folder": "sweep", "seed": 1}
    wh.sweep("baskets.dat", MODEL, **asked)
    with pytest.raises(PolicyError, match="the input is not the same"):
        wh.sweep("baskets.dat", MODEL, **asked, consent=[1, 2, 3])


def test_folder__another_tree_is_another_sweep(shop):
    def tree(left):
        items = ["bread", "beer", "coffee", "condom"]
        return wh.Hierarchy.from_paths([(i, "x" if i in left else "y", "*") for i in items])

    asked = {"vary": {"k": [2]}, "folder": "sweep", "seed": 1}
    wh.sweep(SHOP, wh.Buckets(2), **asked, hierarchy=tree({"bread", "beer"}))
    wh.sweep(SHOP, wh.Buckets(2), **asked, hierarchy=tree({"beer", "bread"}))
    with pytest.raises(PolicyError, match="the model or the options"):
        wh.sweep(SHOP, wh.Buckets(2), **asked, hierarchy=tree({"bread", "coffee"}))
    (shop / "tree.csv").write_text("bread;x;*\nbeer;x;*\ncoffee;y;*\ncondom;y;*\n")
    asked["folder"] = "other"
    wh.sweep(SHOP, wh.Buckets(2), **asked, hierarchy="tree.csv")
    (shop / "tree.csv").write_text("bread;x;*\nbeer;y;*\ncoffee;x;*\ncondom;y;*\n")
    with pytest.raises(PolicyError, match="the model or the options"):
        wh.sweep(SHOP, wh.Buckets(2), **asked, hierarchy="tree.csv")


def test_sweep__of_a_personal_model_keeps_who_wants_what_protected():
    table = wh.read(SHOP)
    wanted = {"constraints": wh.Constraints.of({0: ["condom"]}, table)}
    model = wh.PersonalRhoUncertainty("0.5")
    found = wh.sweep(table, model, vary={"rho": ["0.4"], "seed": [1, 2]}, **wanted)
    alone = wh.anonymize(table, wh.PersonalRhoUncertainty("0.4"), seed=1, **wanted).loss.removed
    assert alone > 0
    assert [point.fact(LOST).value for point in found.points] == [alone, alone]
