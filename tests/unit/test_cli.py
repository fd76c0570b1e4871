"""The command line: what it prints where, how it ends, and what it leaves behind."""

from __future__ import annotations

import gzip
import inspect
import json
import os
import random
import re
import signal
import subprocess
from pathlib import Path

import pytest

from typed import run, start
from withhold.cli.app import app
from withhold.cli.options import HELP
from withhold.errors import (
    ImpossibleError,
    InputError,
    InternalError,
    NotVerifiedError,
    OutputError,
    PolicyError,
)

SHOP = "bread beer condom\nbeer condom\nbread coffee\ncoffee\n"
BROKEN = ("--rho", "0.5", "--sensitive", "condom")
HOLDS = ("--rho", "0.5", "--sensitive", "coffee")
posix = pytest.mark.skipif(os.name != "posix", reason="signals and closed streams as on POSIX")


def one_message(result):
    """The only line on stderr, with nothing on stdout."""
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("withhold: ")
    return lines[0]


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".part"))


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Whoever runs the tests first would see a note about compiling."""
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with baskets.dat in it, which is also the current directory."""
    (tmp_path / "baskets.dat").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- verbs, verdicts and JSON ---------------------------------------------------------------------


def test_inspect__counts_what_is_there(shop):
    found = json.loads(run("inspect", "baskets.dat", "--json").stdout)
    assert (found["records"], found["items"], found["occurrences"]) == (4, 4, 8)
    assert found["top"][0] == {"item": "beer", "records": 2}
    text = run("inspect", "baskets.dat", "--top", "1").stdout
    assert "basket, separated by space" in text
    assert "beer" in text
    assert "coffee" not in text


def test_audit__broken_is_exit_1_with_the_smallest_breach(shop):
    result = run("audit", "baskets.dat", *BROKEN)
    assert result.exit_code == 1
    assert result.stdout.startswith("BROKEN  baskets.dat: 4 records")
    assert "Smallest breach: {beer} → condom: 2 of 2 (100%)" in result.stdout
    assert result.stderr == ""


def test_audit__json_is_one_object_with_the_verdict_on_top(shop):
    result = run("audit", "baskets.dat", *BROKEN, "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["verdict"]) == (1, "BROKEN")
    assert found["check"]["witness"] == {
        "antecedent": ["beer"],
        "consequent": "condom",
        "joint": 2,
        "support": 2,
        "confidence": 1.0,
        "confidence_exact": "1",
    }
    assert found["breaches_by_size"] == {"0": 0, "1": 1, "2": 1, "3": 0}
    assert found["exposed_records"] == 2


def test_audit__holds_is_exit_0(shop):
    result = run("audit", "baskets.dat", *HOLDS, "--json")
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (0, "HOLDS")


def test_audit__without_time_is_undecided(shop):
    result = run("audit", "baskets.dat", *HOLDS, "--limit-seconds", "0", "--json")
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (5, "UNDECIDED")
    text = run("audit", "baskets.dat", *HOLDS, "--limit-seconds", "0")
    assert text.exit_code == 5
    assert text.stdout.startswith("UNDECIDED")
    assert "It holds" not in text.stdout


def test_audit__reads_standard_input():
    result = run("audit", "-", *BROKEN, "--json", input=SHOP)
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (1, "BROKEN")


def test_anonymize__json_is_one_object_about_the_file_on_disk(shop):
    result = run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", "--json")
    told = json.loads(result.stdout)
    manifest = json.loads((shop / "out.dat.manifest.json").read_text(encoding="utf-8"))
    assert (result.exit_code, told["verdict"], told["loss"]["removed"]) == (0, "HOLDS", 1)
    assert told["sha256"] == manifest["output"]["sha256"]
    assert (told["output"], told["manifest"]) == ("out.dat", "out.dat.manifest.json")
    assert result.stderr == ""
    assert len((shop / "out.dat").read_text().splitlines()) == 4


def test_anonymize__says_how_to_prove_it_again_and_that_works(shop):
    result = run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat")
    assert result.stdout.startswith("HOLDS")
    assert "1 of 8 occurrences (12.50%)" in result.stdout
    advice = re.search(r"^withhold: to prove it again: withhold (.*)\n", result.stderr, re.M)
    again = run(*advice.group(1).split())
    assert again.exit_code == 0
    assert again.stdout.startswith("HOLDS  out.dat")


def test_anonymize__quiet_prints_no_note(shop):
    assert run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", "--quiet").stderr == ""


def test_verify__a_changed_byte_is_exit_1_though_it_may_still_hold(shop):
    run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat")
    published = shop / "out.dat"
    published.write_bytes(published.read_bytes().replace(b"coffee", b"toffee"))
    result = run("verify", "out.dat", "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["same_bytes"], told["verdict"]) == (1, False, "HOLDS")
    assert "CHANGED" in run("verify", "out.dat").stdout


def test_verify__another_file_that_is_unsafe_is_broken(shop):
    run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat")
    told = run("verify", "baskets.dat", "--manifest", "out.dat.manifest.json")
    assert told.exit_code == 1
    assert "CHANGED  baskets.dat" in told.stdout
    assert "BROKEN  baskets.dat" in told.stdout
    assert "{beer} → condom: 2 of 2" in told.stdout


def test_verify__without_time_is_undecided(shop):
    run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat")
    result = run("verify", "out.dat", "--limit-seconds", "0", "--json")
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (5, "UNDECIDED")


def test_verify__says_whose_manifest_it_is(shop):
    for name in ("q3.dat", "q4.dat"):
        run("anonymize", "baskets.dat", *BROKEN, "-o", name)
    Path("q4.dat").write_text("bread\nbeer\nbread\nbeer\n")
    other = run("verify", "q4.dat", "--manifest", "q3.dat.manifest.json")
    assert other.exit_code == 1
    assert "Warning: q3.dat.manifest.json is the manifest of q3.dat." in other.stdout
    assert "is the manifest of" not in run("verify", "q4.dat").stdout
    Path("moved.dat").write_bytes(Path("q3.dat").read_bytes())
    moved = run("verify", "moved.dat", "--manifest", "q3.dat.manifest.json")
    assert (moved.exit_code, "is the manifest of" in moved.stdout) == (0, False)


def test_demo__walks_the_road_and_its_release_verifies(shop):
    result = run("demo", "--baskets", "150", "--folder", "pharmacy")
    assert result.exit_code == 0
    assert "BROKEN" in result.stdout
    assert "HOLDS" in result.stdout
    assert run("verify", "pharmacy/published.dat").exit_code == 0
    for advice in re.findall(r"^  withhold (.*)$", result.stdout, flags=re.MULTILINE):
        assert run(*advice.split()).exit_code == 0, advice


def test_demo__names_the_program_as_the_shell_finds_it(shop, monkeypatch):
    from withhold.cli import demo

    monkeypatch.setattr("sys.argv", [".venv/bin/withhold", "demo"])
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert demo._as_typed() == ".venv/bin/withhold"
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert demo._as_typed() == "withhold"


def test_demo__replaces_with_force_only_what_a_demo_left(shop):
    Path("mine").mkdir()
    Path("mine/table.csv").write_text("precious\n")
    refused = run("demo", "--baskets", "20", "--folder", "mine", "--force")
    assert (refused.exit_code, "is not of a demo" in refused.stderr) == (2, True)
    assert os.listdir("mine") == ["table.csv"]
    Path("mine/table.csv").unlink()
    for force in ([], ["--force"]):
        assert run("demo", "--baskets", "20", "--folder", "mine", *force).exit_code == 0
    # In its own folder it begins anew, whatever was tried there.
    for _ in range(2):
        assert run("demo", "--baskets", "20").exit_code == 0
        Path("withhold-demo/published.dat").write_text("changed\n")


def test_demo__does_not_replace_what_somebody_else_put_there(shop):
    result = run("demo", "--baskets", "20", "--folder", ".")
    assert result.exit_code == 2
    assert "baskets.dat exists already" in one_message(result)
    assert (shop / "baskets.dat").read_text() == SHOP


def test_anonymize__says_that_there_is_a_release_of_the_file(shop):
    run("anonymize", "baskets.dat", *BROKEN, "-o", "first.dat")
    second = run("anonymize", "baskets.dat", *BROKEN, "-o", "second.dat")
    assert "withhold: warning: there is already a release of this file: first.dat" in second.stderr
    third = run("anonymize", "baskets.dat", *BROKEN, "-o", "third.dat", "--json", "--report")
    (warning,) = json.loads(third.stdout)["warnings"]
    assert "first.dat, second.dat" in warning
    assert "first.dat, second.dat" in (shop / "third.dat.report.html").read_text(encoding="utf-8")


def test_version__is_one_line():
    assert re.fullmatch(r"withhold \S+\n", run("--version").stdout)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("x"), 3),
        (PolicyError("x"), 2),
        (OutputError("x"), 3),
        (ImpossibleError("x"), 4),
        (NotVerifiedError("x"), 1),
        (NotVerifiedError("x", undecided=True), 5),
        (KeyboardInterrupt(), 130),
        (MemoryError(), 3),
        (InternalError("x"), 70),
        (RuntimeError("x"), 70),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_errors__end_in_one_message_and_their_exit_code(shop, monkeypatch, error, code):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("withhold.pipeline.audit", fail)
    result = run("audit", "baskets.dat", *BROKEN)
    assert result.exit_code == code
    one_message(result)


# --- what was typed -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rho", "0", "--sensitive", "condom"], "strictly between 0 and 1"),
        (["--rho", "1", "--sensitive", "condom"], "strictly between 0 and 1"),
        (["--rho", "1.5", "--sensitive", "condom"], "strictly between 0 and 1"),
        (["--rho", "-1", "--sensitive", "condom"], "strictly between 0 and 1"),
        (["--rho", "nan", "--sensitive", "condom"], "must be a number"),
        (["--rho", "half", "--sensitive", "condom"], "must be a number"),
        (["--rho", "0.5"], "--sensitive"),
        (["--sensitive", "condom"], "--rho"),
        (["--rho", "0.5", "--sensitive", " , "], "no sensitive items"),
        (["--rho", "0.5", "--sensitive", ""], "--sensitive is empty"),
        ([*BROKEN, "--model", "magic"], "unknown model 'magic'"),
        ([*BROKEN, "--max-known", "-1"], "max-known"),
        ([*BROKEN, "--max-known", "0", "--ignore-prior"], "nothing to protect"),
        ([*BROKEN, "--seed", "-1"], "--seed"),
        ([*BROKEN, "--jobs", "0"], "--jobs"),
        ([*BROKEN, "--limit-seconds", "-1"], "--limit-seconds"),
        ([*BROKEN, "--limit-seconds", "nan"], "--limit-seconds"),
        ([*BROKEN, "--no-such-option"], "--no-such-option"),
    ],
)
def test_usage__is_exit_2_and_says_what_is_wrong(shop, options, said):
    result = run("audit", "baskets.dat", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--keep", "all"], "keep must be"),
        (["--pick", "first"], "pick must be"),
        (["--parts", "99"], "99 parts of 4 records"),
        (["--parts", "2", "--max-cost", "3"], "not both"),
        (["--max-cost", "nan"], "--max-cost must be a number"),
        (["--budget", "0"], "budget must be above 0"),
        (["--budget", "nan"], "--budget must be a number"),
        (["--polish", "nan"], "--polish must be a number"),
        (["--polish", "0"], "polish must be above 0 seconds"),
        (["--polish", "-3"], "polish must be above 0 seconds"),
        (["--polish", "1e300"], "at most 604800 (a week)"),
        (["--polish", "1", "--polish-moves", "9"], "give either polish (seconds) or polish_moves"),
        (["--polish", "1", "--keep", "counts"], "polishing would undo what keep=counts is for"),
        (["--polish-moves", "1", "--keep", "distribution"], "choose keep=rules or keep=sensitive"),
    ],
)
def test_usage__of_anonymize_leaves_no_file(shop, options, said):
    result = run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", *options)
    assert result.exit_code == 2
    assert said in one_message(result)
    assert os.listdir(shop) == ["baskets.dat"]


@pytest.mark.parametrize(
    "options", [["--polish", "soon"], ["--polish-moves", "1.5"], ["--polish-moves", "-1"]]
)
def test_usage__of_polish_names_the_option(shop, options):
    result = run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{options[0]} must be " in result.stderr
    assert os.listdir(shop) == ["baskets.dat"]


def test_rho__is_exact_not_a_float(shop):
    # beer→condom has confidence 2/3: allowed at 2/3, a breach at the decimals just below.
    (shop / "thirds.dat").write_text("beer condom\nbeer condom\nbeer\nx\nx\n")
    sensitive = ["--sensitive", "condom"]
    assert run("audit", "thirds.dat", "--rho", "2/3", *sensitive).exit_code == 0
    assert run("audit", "thirds.dat", "--rho", "0.666666666", *sensitive).exit_code == 1


def test_sensitive__a_file_means_one_item_a_line(shop):
    (shop / "secret.txt").write_bytes("\ufeffcondom\r\n\r\n  beer  \r\n".encode())
    found = json.loads(
        run("audit", "baskets.dat", "--rho", "0.5", "--sensitive", "secret.txt", "--json").stdout
    )
    assert found["model"]["sensitive"] == ["beer", "condom"]


def test_sensitive__a_list_may_be_longer_than_any_file_name(shop):
    items = ",".join(["condom", *(f"item{number}" for number in range(100))])
    result = run("audit", "baskets.dat", "--rho", "0.5", "--sensitive", items, "--json")
    assert (result.exit_code, len(json.loads(result.stdout)["model"]["sensitive"])) == (1, 101)


@pytest.mark.parametrize("given", ["missing.txt", "lists/secret", "folder", "empty.txt", "raw.txt"])
def test_sensitive__a_file_that_cannot_be_used_is_never_taken_for_an_item(shop, given):
    (shop / "folder").mkdir()
    (shop / "empty.txt").write_text("\n \n")
    (shop / "raw.txt").write_bytes("пиво\n".encode("cp1251"))
    result = run("audit", "baskets.dat", "--rho", "0.5", "--sensitive", given)
    assert result.exit_code == 3
    assert given in one_message(result)


def test_warnings__an_absent_sensitive_item(shop):
    result = run("audit", "baskets.dat", "--rho", "0.5", "--sensitive", "contour,coffee", "--json")
    found = json.loads(result.stdout)
    assert found["absent_sensitive"] == ["contour"]
    assert found["promise"].endswith(" Of these 2 sensitive items, the data have 1.")
    assert one_warning(result) == (
        "withhold: warning: 1 of 2 sensitive items never occurs: 'contour'"
    )


def test_warnings__an_absent_sensitive_item_is_told_even_if_quiet(shop):
    named = "unicorn,condom"
    result = run("audit", "baskets.dat", "--rho", "0.5", "--sensitive", named, "--quiet")
    assert "'unicorn'" in one_warning(result)


def test_warnings__repeated_items(shop):
    (shop / "twice.dat").write_text("beer beer bread bread bread\nbeer\n")
    options = ["--rho", "0.5", "--sensitive", "bread"]
    result = run("audit", "twice.dat", *options, "--json")
    assert json.loads(result.stdout)["occurrences"] == 3
    assert one_warning(result) == "withhold: 3 repeated items within records were merged"
    assert run("audit", "twice.dat", *options, "--quiet").stderr == ""


def test_notes__the_first_run_says_why_it_takes_longer(shop, monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: announce())
    assert "compiling" in one_warning(run("audit", "baskets.dat", *BROKEN, "--json"))
    assert run("audit", "baskets.dat", *BROKEN, "--quiet").stderr == ""


def one_warning(result):
    (line,) = result.stderr.splitlines()
    return line


# --- policies -------------------------------------------------------------------------------------


def with_policy(shop, text, *options):
    (shop / "rules").mkdir(exist_ok=True)
    (shop / "rules" / "policy.toml").write_text(text, encoding="utf-8")
    return run("audit", "baskets.dat", "--policy", "rules/policy.toml", *options)


def test_policy__gives_what_was_not_typed(shop):
    found = with_policy(
        shop, 'rho = 0.1\nsensitive = ["condom"]\nmax-known = 1\nignore_prior = true\njson = true\n'
    )
    assert json.loads(found.stdout)["model"] == {
        "model": "rho",
        "rho": "0.1",
        "sensitive": ["condom"],
        "max_known": 1,
        "ignore_prior": True,
    }


def test_policy__an_option_that_is_typed_wins(shop):
    text = 'rho = 0.9\nsensitive = "condom"\nmax-known = 1\n'
    found = with_policy(shop, text, "--rho", "0.2", "--sensitive", "beer", "--json")
    model = json.loads(found.stdout)["model"]
    assert (model["rho"], model["sensitive"], model["max_known"]) == ("0.2", ["beer"], 1)


def test_policy__names_a_list_beside_itself(shop):
    (shop / "rules").mkdir()
    (shop / "rules" / "secret.txt").write_text("condom\nbeer\n")
    found = with_policy(shop, 'rho = 0.5\nsensitive = "secret.txt"\n', "--json")
    assert json.loads(found.stdout)["model"]["sensitive"] == ["beer", "condom"]


def test_policy__a_list_is_a_list_though_a_file_has_that_name(shop):
    (shop / "condom").write_text("coffee\n")
    found = with_policy(shop, 'rho = 0.5\nsensitive = ["condom"]\n', "--json")
    assert json.loads(found.stdout)["model"]["sensitive"] == ["condom"]


def test_policy__switches_may_be_named_either_way(shop):
    (shop / "p.toml").write_text('no-restore = true\nsensitive = "condom"\nrho = 0.5\n')
    command = ["anonymize", "baskets.dat", "--policy", "p.toml", "-o", "out.dat", "--json"]
    assert json.loads(run(*command).stdout)["options"]["restoring"] is False
    again = run(*command, "--force", "--restore")
    assert json.loads(again.stdout)["options"]["restoring"] is True


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('sensitiv = ["condom"]', "unknown key 'sensitiv'; did you mean sensitive?"),
        ("max_knwon = 2", "unknown key 'max_knwon'; did you mean max-known?"),
        ('policy = "other.toml"', "unknown key 'policy'"),
        ('ignore-prior = "false"', "ignore-prior must be true or false"),
        ("max-known = true", "max-known must be a number"),
        ("max-size = 1.5", "--max-size"),
        ("max-size = 99", "--max-size"),
        ('sensitive = ["beer, dark"]', "commas"),
        ("sensitive = {condom = true}", "sensitive must be"),
        ("[rho]\nvalue = 0.5", "rho must be"),
        ("rho = ", "not valid TOML"),
    ],
)
def test_policy__what_it_cannot_mean_is_exit_2(shop, line, said):
    given = "" if "rho" in line else "rho = 0.5\n"
    result = with_policy(shop, given + line + "\n", "--sensitive", "condom")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "policy.toml" in result.stderr or said.startswith("--")
    assert said in result.stderr


def test_policy__missing_file_is_exit_2(shop):
    result = run("audit", "baskets.dat", *BROKEN, "--policy", "nowhere.toml")
    assert result.exit_code == 2
    assert "nowhere.toml does not exist" in result.stderr


# --- bad input ------------------------------------------------------------------------------------

NOISE = random.Random(7).randbytes(4096)
LONG_LINE = b"a b\n" + b"item " * (17 * 2**20 // 5)
BAD = {
    "empty.dat": (b"", "is empty", None),
    "noise.dat": (NOISE, "", None),
    "noise.parquet": (b"PAR1" + NOISE, "broken parquet", None),
    "cut.dat.gz": (gzip.compress(SHOP.encode() * 50)[:60], "gzip", None),
    "broken.dat.gz": (b"\x1f\x8b" + NOISE, "gzip", None),
    "zip.csv": (b"PK\x03\x04" + NOISE, "zip", None),
    "nul.dat": (b"a b\nc\0d\n", "NUL", 2),
    "dos.dat": (b"a b\nc\ncaf\x82\n", "UTF-8", 3),
    "long.dat": (LONG_LINE, "longer than 16 MiB", 2),
    "mixed.dat": (b"a,b c\nc;d\te|f\ng h\n", "separat", 2),
    "torn.jsonl": (b'["a"]\n["b"\n', "", 2),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input__one_message_with_the_file_the_line_and_the_remedy(shop, name):
    content, said, line = BAD[name]
    (shop / name).write_bytes(content)
    result = run("anonymize", name, *BROKEN, "-o", "out.dat")
    assert result.exit_code == 3
    message = one_message(result)
    assert message.startswith(f"withhold: {name}")
    assert f", line {line}:" in message or line is None
    assert said in message
    assert "To fix it: " in message
    assert sorted(os.listdir(shop)) == sorted(["baskets.dat", name])


@pytest.mark.parametrize("verb", ["inspect", "audit", "anonymize"])
@pytest.mark.parametrize(("name", "said"), [("nowhere.dat", "not exist"), ("folder", "directory")])
def test_bad_input__no_file_at_all(shop, verb, name, said):
    (shop / "folder").mkdir()
    options = {"inspect": [], "audit": BROKEN, "anonymize": [*BROKEN, "-o", "out"]}[verb]
    result = run(verb, name, *options)
    assert result.exit_code == 3
    message = one_message(result)
    assert message.startswith(f"withhold: {name}: ")
    assert said in message


def test_bad_input__columns_that_are_not_there(shop):
    (shop / "long.csv").write_text("order,product\n1,beer\n1,condom\n2,beer\n")
    result = run("audit", "long.csv", *BROKEN, "--record-column", "basket", "--item-column", "item")
    assert result.exit_code == 3
    message = one_message(result)
    for part in ("long.csv", "'basket'", "'order'", "'product'", "To fix it"):
        assert part in message


def test_bad_input__a_format_that_does_not_exist(shop):
    result = run("inspect", "baskets.dat", "--format", "bsket")
    assert result.exit_code in (2, 3)
    assert "'basket'" in one_message(result)


def changed(shop, section, name, value):
    """The manifest of out.dat with one field replaced."""
    run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", "--force")
    manifest = json.loads((shop / "out.dat.manifest.json").read_text(encoding="utf-8"))
    manifest[section][name] = value
    (shop / "changed.json").write_text(json.dumps(manifest))
    return run("verify", "out.dat", "--manifest", "changed.json")


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("model", "rho", 0.5),
        ("model", "rho", "2"),
        ("model", "sensitive", "condom"),
        ("model", "sensitive", []),
        ("model", "max_known", True),
        ("model", "max_known", 2.5),
        ("model", "ignore_prior", "false"),
        ("model", "model", "k-anonymity"),
        ("output", "sha256", None),
        ("output", "format", 5),
        ("output", "separator", 5),
        ("output", "columns", [1, 2]),
    ],
)
def test_verify__a_manifest_that_is_none_is_bad_input(shop, section, name, value):
    result = changed(shop, section, name, value)
    assert result.exit_code == 3
    assert one_message(result).startswith("withhold: changed.json: ")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"manifest": 2}', '{"manifest": 1}', "[" * 100_000],
    ids=["nothing", "list", "object", "later version", "empty manifest", "deep"],
)
def test_verify__a_manifest_that_is_no_manifest_is_bad_input(shop, text):
    (shop / "bad.json").write_text(text)
    result = run("verify", "baskets.dat", "--manifest", "bad.json")
    assert result.exit_code == 3
    assert one_message(result).startswith("withhold: bad.json: ")


def test_verify__names_what_is_missing(shop):
    assert "out.dat: cannot be read: No such file" in one_message(run("verify", "out.dat"))
    unproved = one_message(run("verify", "baskets.dat"))
    assert "baskets.dat.manifest.json: does not exist" in unproved
    assert "--policy" in unproved
    run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", "--quiet")
    result = run("verify", "nowhere.dat", "--manifest", "out.dat.manifest.json")
    assert result.exit_code == 3
    assert one_message(result).startswith("withhold: nowhere.dat: cannot be read")
    result = run("verify", ".", "--manifest", "out.dat.manifest.json")
    assert result.exit_code == 2
    assert "--manifest is for a published file; . is a directory" in one_message(result)


def test_verify__a_broken_archive_is_called_changed(shop):
    run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat.gz")
    packed = bytearray((shop / "out.dat.gz").read_bytes())
    packed[-6] ^= 1
    (shop / "out.dat.gz").write_bytes(packed)
    result = run("verify", "out.dat.gz")
    assert result.exit_code == 3
    assert "is not the file that was published" in one_message(result)


# --- output that is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ("baskets.dat", 2, "the input itself"),
        ("there.dat", 2, "there.dat exists already"),
        ("folder", 3, "is a directory"),
        ("nowhere/out.dat", 3, "the folder nowhere does not exist"),
        ("n" * 240 + ".dat", 3, "could not be written"),
        ("-", 2, "name one with -o"),
    ],
)
def test_anonymize__refuses_the_output_before_any_work(shop, monkeypatch, output, code, said):
    def never(*_, **__):
        raise AssertionError("the work was begun")

    monkeypatch.setattr("withhold.pipeline.draft", never)
    (shop / "there.dat").write_text("precious\n")
    (shop / "folder").mkdir()
    before = sorted(os.listdir(shop))
    result = run("anonymize", "baskets.dat", *BROKEN, "-o", output)
    assert result.exit_code == code
    assert said in one_message(result)
    assert sorted(os.listdir(shop)) == before
    assert (shop / "there.dat").read_text() == "precious\n"


def test_anonymize__force_replaces_a_release_but_never_the_input(shop):
    assert run("anonymize", "baskets.dat", *BROKEN, "-o", "baskets.dat", "--force").exit_code == 2
    (shop / "out.dat").write_text("notes\n")
    refused = run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", "--force")
    assert (refused.exit_code, "delete it yourself" in refused.stderr) == (2, True)
    assert (shop / "out.dat").read_text() == "notes\n"
    (shop / "out.dat").unlink()
    for _ in range(2):
        again = run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", "--force")
        assert again.exit_code == 0
    assert run("verify", "out.dat").exit_code == 0
    assert (shop / "baskets.dat").read_text() == SHOP


def test_text__no_item_can_forge_a_line_of_the_report(shop):
    rows = [["a\nHOLDS  everything\x1b[2J", "condom"], ["beer", "condom"], ["x"], ["y"], ["z"]]
    (shop / "forged.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    result = run("audit", "forged.jsonl", *BROKEN)
    assert result.exit_code == 1
    assert not re.search("^HOLDS", result.stdout, flags=re.MULTILINE)
    assert "a\\nHOLDS  everything\\x1b[2J" in result.stdout


# --- streams and signals, in processes of their own -----------------------------------------------


@posix
def test_stdout__closed_early_changes_neither_verdict_nor_stderr(shop):
    with start("audit", "baskets.dat", *BROKEN, "--quiet") as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_stdout__full_disk_is_exit_3(shop):
    command = ["audit", "baskets.dat", *BROKEN, "--quiet"]
    with open("/dev/full", "w") as full, start(*command, stdout=full) as process:
        (message,) = process.stderr.read().splitlines()
    assert process.returncode == 3
    assert message.startswith("withhold: standard output cannot be written: No space left")


@posix
def test_stderr__closed_changes_neither_verdict_nor_exit_code(shop):
    code = "import os; os.close(2); sys.stderr = None"
    with start("audit", "baskets.dat", *BROKEN, "--json", before=code) as process:
        assert json.loads(process.stdout.read())["verdict"] == "BROKEN"
    assert process.returncode == 1


@posix
def test_stdout__is_utf8_whatever_the_locale(shop):
    (shop / "ρ.dat").write_text("ρ-item condom\nρ-item condom\nx\ny\n", encoding="utf-8")
    latin = {"PYTHONIOENCODING": "latin-1"}
    with start("audit", "ρ.dat", *BROKEN, "--json", env=latin) as process:
        found, _ = process.communicate()
    assert json.loads(found)["breaches"][0]["antecedent"] == ["ρ-item"]
    assert process.returncode == 1


def hard_table(records=20_000, items=26, length=13):
    """Random dense rows: more closed sets than anybody can wait for."""
    generator = random.Random(3)
    rows = (sorted(generator.sample(range(items), length)) for _ in range(records))
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


ANNOUNCE = {
    "suppressing": """
import withhold.pipeline as pipeline
import dataclasses
from withhold import registry
method = registry.method_named("rho")
real = method.search
def announced(*arguments, **options):
    print("suppressing", file=sys.stderr, flush=True)
    return real(*arguments, **options)
step = dataclasses.replace(real, function=announced)
registry._loaded = lambda room: dataclasses.replace(method, search=step)
""",
    "publishing": """
import withhold.publish.publishing as publish
def endless(*_, **__):
    print("publishing", file=sys.stderr, flush=True)
    time.sleep(300)
publish.verify = endless
""",
}


@posix
@pytest.mark.parametrize(
    ("moment", "number"), [("suppressing", signal.SIGINT), ("publishing", signal.SIGTERM)]
)
def test_interrupt__publishes_nothing_and_leaves_nothing(tmp_path, moment, number):
    content = hard_table() if moment == "suppressing" else SHOP
    sensitive = ",".join(map(str, range(10))) if moment == "suppressing" else "condom"
    source = tmp_path / "baskets.dat"
    source.write_text(content)
    command = ["anonymize", "baskets.dat", "--rho", "0.4", "--sensitive", sensitive]
    with start(*command, "-o", "out.dat", before=ANNOUNCE[moment], cwd=tmp_path) as process:
        try:
            while moment not in (line := process.stderr.readline()):
                assert line, "ended before it was interrupted"
            assert bool(leftovers(tmp_path)) == (moment == "publishing")
            if moment == "suppressing":
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(0.4)
            process.send_signal(number)
            told, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, told) == (130, "")
    assert said == "withhold: interrupted; nothing was published\n"
    assert os.listdir(tmp_path) == ["baskets.dat"]
    assert source.read_text() == content


def test_help__has_no_text_of_an_option_that_is_gone():
    taken = set()
    verbs = [(command.name, command) for command in app.registered_commands]
    for group in app.registered_groups:
        commands = group.typer_instance.registered_commands
        verbs += [(f"{group.name} {command.name}", command) for command in commands]
    for verb, command in verbs:
        names = inspect.signature(command.callback).parameters
        taken |= {*names, *(f"{verb}.{name}" for name in names)}
    assert set(HELP) <= taken
