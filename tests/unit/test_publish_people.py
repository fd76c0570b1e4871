"""Released people are several files with one manifest: written, proved, changed and replaced together."""

from __future__ import annotations

import errno
import json
import random
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

import withhold as wh
from killing import attempts, kill
from withhold.atomic import steps
from withhold.cli import anonymize, audit, compare, demo, inspect, sweep, verify  # noqa: F401
from withhold.cli.app import app
from withhold.errors import InputError, OutputError, PolicyError, WithholdError
from withhold.publish.publishing import manifest_path, release_files
from withhold.publish.recheck import verify_file

PERSONS = ["id,age,sex", *(f"p{n},{30 + n % 3},{'fm'[n % 2]}" for n in range(12))]
CONDITIONS = [
    "PATIENT,START,DESCRIPTION",
    *(f"p{n},2020-01-0{n % 9 + 1},{item}" for n in range(12) for item in ("flu", "HIV")[: n % 3]),
]
DRUGS = ["PATIENT,DESCRIPTION", *(f"p{n},{'aspirin' if n % 2 else 'zinc'}" for n in range(10))]
COLUMNS = {"record_column": "PATIENT", "item_column": "DESCRIPTION"}
MODEL = wh.PeopleUncertainty("0.5", {"HIV"}, k=2, quasi_identifiers=["age", "sex"], max_known=1)
BOTH = wh.PeopleUncertainty(
    "0.5", {"conditions: HIV"}, k=2, quasi_identifiers=["age", "sex"], max_known=1
)
TYPED = (
    *("--model", "people", "--rho", "0.5", "--k", "2", "--quasi-identifiers", "age,sex"),
    *("--max-known", "1", "--seed", "1", "--jobs", "1"),
)
ITEMS = ("--items", "conditions.csv", "--record-column", "PATIENT", "--item-column", "DESCRIPTION")
ONE = (*TYPED, *ITEMS, "--sensitive", "HIV,")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)
    for name, lines in (("patients", PERSONS), ("conditions", CONDITIONS), ("drugs", DRUGS)):
        Path(f"{name}.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def release(*items, model=None, **options):
    people = wh.read_people("patients.csv", list(items) or ["conditions.csv"], **COLUMNS)
    model = model or (BOTH if len(items) > 1 else MODEL)
    return wh.anonymize(people, model, seed=1, jobs=1, **options)


def run(*arguments):
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done


def test_write__all_files_and_one_manifest(folder):
    published = release("conditions.csv", "drugs.csv").write("out.csv")
    assert [path.name for path in published.items] == ["out.conditions.csv", "out.drugs.csv"]
    manifest = json.loads(published.manifest.read_text())
    assert {each["part"]: each["sha256"] for each in manifest["output"]["files"]} == {
        path.name.split(".")[1]: wh_digest(path) for path in published.items
    }
    assert manifest["output"]["persons"] == 12
    internal = json.loads(published.internal.read_text())
    assert [each["part"] for each in internal["input"]["files"]] == ["conditions", "drugs"]
    assert internal["record_ids"] == [f"p{n}" for n in range(12)]
    assert internal["input"]["items_of_nobody"] == 0
    text = "".join(
        path.read_text() for path in (published.path, *published.items, published.manifest)
    )
    assert "p1" not in text, "nobody's own id is published"
    assert "2020" not in text, "dates of items are left out"
    assert Path("out.csv").read_text().startswith("id,age,sex\n1,")
    found = verify_file("out.csv")
    assert (found.same_bytes, found.verdict.status) == (True, wh.Status.HOLDS)


def wh_digest(path):
    from withhold.atomic.files import sha256_of

    return sha256_of(path)


def test_write__ids_are_kept_on_request():
    published = release(ids="keep").write("out.csv")
    assert Path("out.csv").read_text().startswith("id,age,sex\np0,")
    assert "may identify people" in published.warnings[0]
    assert verify_file("out.csv").same_bytes


def test_verify__finds_a_second_file_that_changed(folder):
    release().write("out.csv")
    items = Path("out.conditions.csv")
    items.write_text(items.read_text().replace("flu", "gout"))
    found = verify_file("out.csv")
    assert (found.same_bytes, found.changed) == (False, ("out.conditions.csv",))
    done = run("verify", "out.csv")
    assert done.exit_code == 1
    assert "CHANGED  out.conditions.csv is not the file that was published." in done.output


def test_verify__proves_what_it_reads_in_the_second_file():
    release().write("out.csv")
    items = Path("out.conditions.csv")
    items.write_text("PATIENT,DESCRIPTION\n" + "".join(f"{n},HIV\n" for n in range(1, 13)))
    assert verify_file("out.csv", model=MODEL).verdict.status is wh.Status.BROKEN


def test_verify__finds_a_second_file_that_is_missing():
    release().write("out.csv")
    Path("out.conditions.csv").unlink()
    with pytest.raises(InputError, match=r"out\.conditions\.csv"):
        verify_file("out.csv")
    assert run("verify", "out.csv").exit_code == 3


def test_verify__finds_files_that_were_swapped():
    release("conditions.csv", "drugs.csv").write("out.csv")
    one, other = Path("out.conditions.csv"), Path("out.drugs.csv")
    texts = one.read_text(), other.read_text()
    one.write_text(texts[1])
    other.write_text(texts[0])
    found = verify_file("out.csv", allow_unknown=True)
    assert found.changed == ("out.conditions.csv", "out.drugs.csv")


def test_verify__speaks_of_files_beside_it_that_are_not_proved():
    release().write("out.csv")
    Path("out.drugs.csv").write_text("\n".join(DRUGS))
    (warning,) = verify_file("out.csv").warnings
    assert "out.drugs.csv is beside it but not part of this release" in warning


def test_verify__refuses_more_columns_and_items_of_nobody():
    release().write("out.csv")
    items, text = Path("out.conditions.csv"), Path("out.conditions.csv").read_text()
    items.write_text(text + "77,flu\n")
    with pytest.raises(InputError, match=r"1 item .* nobody's"):
        verify_file("out.csv")
    items.write_text(text.replace("\n", ",HIV\n"))
    with pytest.raises(InputError, match="other columns"):
        verify_file("out.csv")


def test_verify__a_stated_policy_with_and_without_the_manifest():
    release("conditions.csv", "drugs.csv").write("out.csv")
    stated = (*TYPED[:-4], "--sensitive", "conditions: HIV,")
    assert run("verify", "out.csv", *stated).exit_code == 0
    manifest_path(Path("out.csv")).unlink()
    files = ("--items", "out.conditions.csv", "--items", "out.drugs.csv", *ITEMS[2:])
    done = run("verify", "out.csv", *stated, *files)
    assert (done.exit_code, "HOLDS" in done.output) == (0, True), done.output
    assert run("verify", "out.csv", *stated).exit_code == 3, "there is no column of items"


def test_replace__old_files_of_items_go_and_strangers_stay(folder):
    release("conditions.csv", "drugs.csv").write("out.csv")
    Path("out.mine.csv").write_text("nobody's business\n")
    with pytest.raises(PolicyError, match="exists already"):
        release().write("out.csv")
    release().write("out.csv", force=True)
    assert not Path("out.drugs.csv").exists()
    assert Path("out.mine.csv").exists()
    records = wh.anonymize([["a", "b"], ["a"]], wh.RhoUncertainty("0.5", {"b"}), seed=1)
    records.write("out.csv", force=True)
    assert not Path("out.conditions.csv").exists()


def test_target__is_never_an_input():
    for name in ("patients.csv", "conditions.csv"):
        done = run("anonymize", "patients.csv", *ONE, "-o", name, "--force")
        assert done.exit_code == 2, done.output
    Path("patients.conditions.csv").write_text(Path("conditions.csv").read_text())
    items = ("--items", "conditions=patients.conditions.csv", *ITEMS[2:])
    Path("p.csv").write_text(Path("patients.csv").read_text())
    done = run(
        "anonymize", "p.csv", *TYPED, *items, "--sensitive", "HIV,", "-o", "patients.csv", "--force"
    )
    assert "patients.conditions.csv is" in done.output
    assert Path("patients.conditions.csv").read_text() == Path("conditions.csv").read_text()


@pytest.mark.parametrize("old", [None, ("conditions.csv",), ("conditions.csv", "drugs.csv")])
def test_kill__at_any_step_leaves_the_old_files_or_the_new_ones(folder, monkeypatch, old):
    new_items = (
        ("conditions.csv", "drugs.csv") if old == ("conditions.csv",) else ("conditions.csv",)
    )
    older, newer = None if old is None else release(*old), release(*new_items)
    outcomes = Counter()
    for last, where in attempts(folder):
        out = where / "out.csv"
        if older is not None:
            older.write(out)
        seen, killed = kill(monkeypatch, last, partial(newer.write, out, force=True))
        if not killed:
            break
        with monkeypatch.context() as patch:  # somebody who may only read
            patch.setattr("withhold.atomic.journal.is_ours", lambda found: False)
            if out.exists():
                assert verify_file(out).same_bytes, (last, seen[-1])
            else:
                assert older is None
        if release_files(out).journal.exists() or out.exists():
            found = verify_file(out)
            assert (found.same_bytes, found.warnings) == (True, ())
            outcomes[found.model.sensitive] += 1
        else:
            outcomes[None] += 1
        newer.write(out, force=True)
        parts = sorted(path.name for path in where.glob("out.*.csv"))
        assert parts == [f"out.{name}" for name in sorted(new_items)]
        assert not list(where.glob(".*"))
    assert last == len(seen) > 15
    assert len(outcomes) == 2, "some are stopped before, and some after"


def test_full_disk__leaves_everything_as_it_was(folder, monkeypatch):
    release().write("out.csv")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    newer = release("conditions.csv", "drugs.csv")
    number = 0
    while True:
        left = number

        def fill(what, path):
            nonlocal left
            if what == "write":
                left -= 1
                if left < 0:
                    raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(steps, "before", fill)
        try:
            newer.write("out.csv", force=True)
            break
        except OutputError as error:
            told = str(error)
        finally:
            monkeypatch.setattr(steps, "before", lambda *_: None)
        assert "No space left on device" in told
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        number += 1
    assert number >= 5, "persons, two files of items, and two manifests"


def wrecked(value, chance):
    """A manifest with something else in one place."""
    others = [None, "", "x", "../x", -1, 3.5, True, [], {}, ["a"], {"a": "b"}, "conditions", "id"]
    places = []

    def walk(node):
        keys = (
            node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        )
        for key in keys:
            places.append((node, key))
            walk(node[key])

    walk(value)
    node, key = chance.choice(places)
    if chance.random() < 0.3:
        del node[key]
    else:
        node[key] = chance.choice(others)
    return value


def test_fuzz__a_wrecked_manifest_is_refused_and_never_makes_a_broken_release_hold():
    release("conditions.csv", "drugs.csv").write("out.csv")
    items = Path("out.conditions.csv")
    items.write_text("PATIENT,DESCRIPTION\n" + "".join(f"{n},HIV\n" for n in range(1, 13)))
    where = manifest_path(Path("out.csv"))
    text, chance = where.read_text(), random.Random(5)
    outcomes = Counter()
    for _ in range(300):
        where.write_text(json.dumps(wrecked(json.loads(text), chance)))
        try:
            outcomes[verify_file("out.csv", model=BOTH).verdict.status] += 1
        except WithholdError as error:
            outcomes[error.exit_code] += 1
    assert outcomes[wh.Status.HOLDS] == outcomes[70] == 0
    assert outcomes[wh.Status.BROKEN] > 30


def test_command_line__publishes_and_says_how_to_prove_it(folder):
    Path("conditions.csv").write_text(Path("conditions.csv").read_text() + "p99,2020-01-01,flu\n")
    done = run("anonymize", "patients.csv", *ONE, "-o", "out.csv")
    assert done.exit_code == 0, done.output
    for line in (
        "1 item belongs to nobody in patients.csv and was left out",
        "4 persons have no items; they are published, too",
        "to prove it again: withhold verify out.csv\n",
        "out.conditions.csv",
    ):
        assert line in done.output
    assert json.loads(run("verify", "out.csv", "--json").stdout)["persons"] == 12
    again = run("anonymize", "patients.csv", "--policy", "out.csv.internal.json", "-o", "again.csv")
    assert again.exit_code == 0, again.output
    for name in ("csv", "conditions.csv"):
        assert Path(f"again.{name}").read_bytes() == Path(f"out.{name}").read_bytes()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("--items", "patients.csv"), "given twice"),
        (("--items", "nothing.csv"), "does not exist"),
        (("--items", ""), "empty"),
        (("--items", "conditions.csv", "--format", "long"), "--format is for records"),
        (("--items", "conditions.csv", "--drop", "id"), "names the persons"),
        (("--items", "conditions.csv", "--person-column", "ID"), "name 'id', if that"),
    ],
)
def test_command_line__mistakes(typed, words):
    done = run(
        *("anonymize", "patients.csv", *TYPED, "--sensitive", "HIV,", *ITEMS[2:], *typed),
        *("-o", "out.csv"),
    )
    assert done.exit_code in (2, 3), done.output
    assert words in done.output
    assert not list(Path().glob("out*"))


def test_command_line__items_are_for_people_alone():
    done = run(
        "anonymize", "patients.csv", "--rho", "0.5", "--sensitive", "a,", *ITEMS[:2], "-o", "o.csv"
    )
    told = "--items belongs to people or apart"
    assert (done.exit_code, told in done.output) == (2, True), done.output


def test_safe_csv__is_proved_both_ways_unless_somebody_says_which():
    lines = [line.replace("flu", "=flu") for line in CONDITIONS]
    Path("conditions.csv").write_text("\n".join(lines) + "\n")
    plain = release().write("plain.csv")
    assert any("formula" in warning for warning in plain.warnings)
    release().write("out.csv", safe_csv=True)
    assert "'=flu" in Path("out.conditions.csv").read_text()
    found = verify_file("out.csv")
    assert (found.same_bytes, found.verdict.status) == (True, wh.Status.HOLDS)
    assert "=flu" in found.table.vocabulary
    assert "'=flu" in verify_file("out.csv", safe_csv=False).table.vocabulary
    with pytest.raises(InputError, match="not written with --safe-csv"):
        verify_file("plain.csv", safe_csv=True)


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl", "out.parquet"])
def test_mark__withheld_cells_are_known_by_it(name):
    k_four = wh.PeopleUncertainty(
        "0.9", {"HIV"}, k=4, quasi_identifiers=["age", "sex"], max_known=0
    )
    made = release(model=k_four)
    assert made.data.attributes.n_withheld, "there is something to mark"
    made.write(name, mark="*")
    found = verify_file(name)
    assert found.verdict.status is wh.Status.HOLDS
    assert found.table.attributes.n_withheld == made.data.attributes.n_withheld
    stated = ("--rho", "0.9", "--k", "4", "--quasi-identifiers", "age,sex", "--max-known", "0")
    done = run("verify", name, "--model", "people", *stated, "--sensitive", "HIV,", "--mark", "*")
    assert done.exit_code == 0, done.output


def test_one_file__is_published_as_one():
    frame = wh.read_people("patients.csv", "conditions.csv", **COLUMNS).to_polars()
    frame.drop("id").write_parquet("one.parquet")
    made = wh.anonymize("one.parquet", MODEL, seed=1, jobs=1)
    for name in ("out.parquet", "out.jsonl", "out.csv"):
        published = made.write(name)
        assert published.items == ()
        found = verify_file(name)
        assert (found.same_bytes, found.verdict.status) == (True, wh.Status.HOLDS), name
        assert found.table == made.data


def test_one_file__a_manifest_does_not_say_alone_which_column_holds_the_items():
    rows = [
        f"{30 + n % 3},{'fm'[n % 2]},{'HIV;flu' if n % 6 else 'flu;gout'},x;y" for n in range(12)
    ]
    Path("one.csv").write_text("\n".join(["age,sex,items,tags", *rows]) + "\n")
    typed = (*TYPED, "--item-column", "items", "--publish", "tags", "--sensitive", "HIV,")
    done = run("anonymize", "one.csv", *typed, "-o", "out.csv")
    assert done.exit_code == 0, done.output
    assert "to prove it again: withhold verify out.csv --item-column items" in done.output
    assert run("verify", "out.csv").exit_code == 5
    assert run("verify", "out.csv", "--item-column", "items").exit_code == 0


def test_demo__leaves_a_hospital_and_a_proved_release():
    done = run(
        "demo", "--people", "--persons", "300", "--folder", "there", "--quiet", "--jobs", "1"
    )
    assert done.exit_code == 0, done.output
    assert "HOLDS" in done.output
    assert run("verify", "there/published.csv").exit_code == 0
    again = run("demo", "--people", "--persons", "300", "--folder", "there")
    assert (again.exit_code, "exists already" in again.output) == (2, True)
    assert run("demo", "--people", "--baskets", "10").exit_code == 2
    assert run("demo", "--persons", "10").exit_code == 2


def test_verify__some_of_the_files_are_not_the_release():
    release("conditions.csv", "drugs.csv").write("out.csv")
    stated = (*TYPED[:-4], "--sensitive", "conditions: HIV,", "--item-column", "DESCRIPTION")
    done = run("verify", "out.csv", *stated, "--items", "conditions=out.conditions.csv")
    assert done.exit_code == 5, done.output
    assert "out.drugs.csv" in done.output


def test_verify__a_manifest_without_its_files_is_refused():
    published = release().write("out.csv")
    record = json.loads(published.manifest.read_text())
    del record["output"]["files"]
    published.manifest.write_text(json.dumps(record))
    done = run("verify", "out.csv")
    assert done.exit_code == 3, done.output
    assert "names neither files of items" in done.output
