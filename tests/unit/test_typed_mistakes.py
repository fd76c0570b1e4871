"""Mistakes in what is typed: options given twice, empty texts, keys twice in a policy; for every verb."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.main import get_command

import withhold as wh
from typed import run
from withhold.cli.app import app
from withhold.cli.empty import MAY_BE_EMPTY
from withhold.errors import PolicyError

NEEDED = {
    "data": ["in.dat"],
    "file": ["in.dat"],
    "published": ["in.dat"],
    "original": ["in.dat"],
    "column": ["age"],
    "topic": ["tables"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.dat").write_text("beer pill\nbeer\ntea\n")


HELPS = ("help", "help_all")
"""Help is no value of anything, and may be asked for twice."""


def verbs():
    """Every verb, with the words that name it."""
    for name, found in get_command(app).commands.items():
        for inner, command in getattr(found, "commands", {"": found}).items():
            yield [name, *([inner] if inner else [])], command


def declared(kind):
    """Every option of every verb that takes a value, or is a switch."""
    for words, command in verbs():
        for option in command.params:
            is_option = option.param_type_name == "option" and option.name not in HELPS
            if is_option and (kind == "switch") == bool(option.is_flag):
                yield pytest.param(words, command, option, id=f"{' '.join(words)} {option.opts[0]}")


def places(command):
    """The arguments that the verb is named with."""
    found = [NEEDED[each.name] for each in command.params if each.param_type_name == "argument"]
    return [word for words in found for word in words]


@pytest.mark.parametrize(("words", "command", "option"), declared("value"))
def test_an_option_given_twice_is_refused(words, command, option):
    typed = [option.opts[0], "1", f"{option.opts[0]}=2"]
    result = run(*words, *places(command), *typed)
    refused = "is given twice, as 1 and as 2; give it once" in result.output
    assert refused == (not option.multiple), result.output
    assert option.multiple or (result.exit_code == 2 and option.opts[0] in result.output)


@pytest.mark.parametrize(("words", "command", "option"), declared("switch"))
def test_a_switch_given_twice_is_refused(words, command, option):
    both = [*option.opts[:1], *(option.secondary_opts or option.opts)[:1]]
    result = run(*words, *places(command), *both)
    assert result.exit_code == 2
    expected = "contradict each other" if option.secondary_opts else "is given twice; give it once"
    assert expected in result.output


@pytest.mark.parametrize(("words", "command", "option"), declared("value"))
@pytest.mark.parametrize("nothing", ["", " "])
def test_an_empty_text_is_not_an_option_that_is_left_out(words, command, option, nothing):
    result = run(*words, *places(command), option.opts[0], nothing)
    may_be = option.name in MAY_BE_EMPTY or (option.name == "separator" and nothing)
    assert may_be or f"{option.opts[0]} is empty" in result.output
    assert may_be or result.exit_code == 2


@pytest.mark.parametrize(("words", "command"), verbs())
def test_an_empty_text_names_no_file(words, command):
    arguments = places(command)
    for place in range(len(arguments)):
        typed = [*arguments[:place], "", *arguments[place + 1 :]]
        result = run(*words, *typed)
        assert result.exit_code == 2
        assert "is empty" in result.output


def test_an_output_is_named_once(tmp_path):
    asked = ("anonymize", "in.dat", "--rho", "0.5", "--sensitive", "pill,")
    result = run(*asked, "-o", "a.dat", "-ob.dat")
    assert result.exit_code == 2
    assert "--output is given twice, as a.dat and as b.dat" in result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.dat"]


@pytest.mark.parametrize("twice", ["-h", "--help", "--help-all"])
def test_help_may_be_asked_for_twice(twice):
    assert run("audit", twice, twice).exit_code == 0
    assert run("audit", "-h", twice).exit_code == 0


SENSITIVE = 'sensitive = "pill"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rho = 0.3\nrho = 0.9\n" + SENSITIVE, "each key may be given once"),
        ("rho = 0.3\nmax-known = 1\nmax_known = 2\n" + SENSITIVE, "max-known and max_known"),
        ('rho = ""\n' + SENSITIVE, "rho is empty"),
        ('rho = 0.3\nsensitive = " "\n', "sensitive is empty"),
        ('rho = 0.3\nformat = ""\n' + SENSITIVE, "format is empty"),
        ('{"policy": {"rho": 0.3, "rho": 0.9, "sensitive": "pill"}}', "'rho' is given twice"),
    ],
)
def test_a_policy_says_each_thing_once(text, said):
    Path("policy").write_text(text)
    result = run("audit", "in.dat", "--policy", "policy")
    assert result.exit_code == 2
    assert said in result.output.replace("\n", " ")


def test_the_command_line_still_wins_over_a_policy():
    Path("policy").write_text("rho = 0.1\n" + SENSITIVE)
    result = run("audit", "in.dat", "--policy", "policy", "--rho", "0.9", "--json")
    assert '"rho": "0.9"' in result.output


TABLE = "age,sex,ill\n30,f,flu\n30,f,cold\n31,m,flu\n31,m,cold\n"
K_ANONYMITY = (
    "--model",
    "k-anonymity",
    "--k",
    "2",
    "--quasi-identifiers",
    "age,sex",
    "--publish",
    "all",
)


@pytest.mark.parametrize(
    "given",
    [
        ("--hierarchy", "nofile"),
        ("--hierarchy", "age=nofile"),
        ("--sensitive", "flu,"),
    ],
    ids=" ".join,
)
def test_compare__of_tables_refuses_what_is_about_items(given):
    Path("people.csv").write_text(TABLE)
    assert run("anonymize", "people.csv", *K_ANONYMITY, "-o", "out.csv").exit_code == 0
    result = run("compare", "people.csv", "out.csv", *given)
    assert result.exit_code == 2
    assert f"{given[0]} is about records of items" in result.output


def test_inspect__of_a_table_refuses_a_hierarchy_it_would_not_check():
    Path("people.csv").write_text(TABLE)
    Path("tree.csv").write_text("30;young;*\n31;young;*\n")
    result = run("inspect", "people.csv", "--table", "--hierarchy", "tree.csv")
    assert result.exit_code == 2
    assert "hierarchy suggest" in result.output


LONG = "id,item\n1,pill\n1,tea\n2,pill\n,beer\n3,tea\n3,beer\n4,tea\nNA,pill\n"


def test_compare__leaves_out_the_rows_that_the_release_left_out():
    Path("visits.csv").write_text(LONG)
    asked = ("--rho", "0.7", "--sensitive", "pill,", "--skip-missing-ids", "-o", "out.csv")
    assert run("anonymize", "visits.csv", *asked).exit_code == 0
    said = run("compare", "visits.csv", "out.csv", "--skip-missing-ids", "--json")
    assert run("compare", "visits.csv", "out.csv", "--json").output == said.output
    # Another file, with more rows without an id: nobody asked to leave these out.
    Path("visits.csv").write_text(LONG + ",beer\n")
    result = run("compare", "visits.csv", "out.csv")
    assert result.exit_code == 3
    assert "--skip-missing-ids" in result.output


def test_anonymize__names_no_pipe_as_the_original_of_a_proof():
    Path("wishes.csv").write_text("record,item\n1,pill\n")
    piped = "id,item\n1,pill\n1,tea\n2,pill\n3,tea\n3,beer\n4,tea\n"
    words = ["anonymize", "-", "--model", "personal-rho", "--rho", "0.7"]
    words += ["--constraints", "wishes.csv", "-o", "out.csv"]
    result = run(*words, input=piped)
    assert result.exit_code == 0, result.output
    assert "--original FILE --constraints wishes.csv" in result.output


@pytest.mark.parametrize(
    "text",
    ['q,s\n"a ",1\na,2\n', "q,s\na ,1\na,2\n", 'q,s\n "a ",1\na,2\n', 'q s\n"a " 1\na 2\n'],
)
def test_blanks_around_quasi_identifiers_tell_rows_apart(text):
    Path("people.csv").write_text(text)
    asked = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "q")
    result = run("audit", "people.csv", *asked)
    assert result.exit_code == 1
    assert run("verify", "people.csv", *asked).exit_code == 1
    # What is published has no such blanks, so nothing need be withheld.
    made = run("anonymize", "people.csv", *asked, "--publish", "all", "-o", "out.csv", "--json")
    assert made.exit_code == 0, made.output
    assert Path("out.csv").read_text().replace(" ", ",") == "q,s\na,1\na,2\n"
    assert run("verify", "out.csv", *asked).exit_code == 0


@pytest.mark.parametrize(
    "text",
    [
        'q,note\ny,"said, ""hi"""\ny ,b\n',
        'q,note\n"{a, ""b, c""}",1\n"{a, ""b, c""}",1\ny,1\n y,1\n',
        'q,note\ny, "x"\ny ,b\n',
        'q,note\ny,"two\n ""lines"""\n y,b\n',
    ],
)
def test_blanks_are_seen_whatever_cells_in_quotes_hold(text):
    Path("people.csv").write_text(text)
    asked = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "q")
    assert run("verify", "people.csv", *asked).exit_code == 1
    assert run("audit", "people.csv", *asked).exit_code == 1


@pytest.mark.parametrize(
    ("values", "cells"), [([" e", " e", "a", "b}"], "sets"), ([' e, "b'] * 4, None)]
)
def test_write__blanks_before_values_and_quotes_inside_them_come_back(values, cells):
    frame = pl.DataFrame({"q": values, "r": ["z"] * 4})
    options = {} if cells is None else {"cells": cells}
    release = wh.anonymize(frame, wh.KAnonymity(2, ["q", "r"]), seed=1, **options)
    release.write("out.csv", mark="~~")
    assert wh.verify("out.csv", wh.KAnonymity(2, ["q", "r"]))


@pytest.mark.parametrize(
    "ignored", [("--consent", "nobody.txt"), ("--drop", "s"), ("--bin", "age")]
)
def test_verify__by_the_manifest_refuses_what_is_about_the_original(ignored):
    Path("people.csv").write_text("q,s\na,1\na,2\n")
    asked = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "q", "--publish", "all")
    assert run("anonymize", "people.csv", *asked, "-o", "out.csv").exit_code == 0
    assert run("verify", "out.csv").exit_code == 0
    result = run("verify", "out.csv", *ignored)
    assert result.exit_code == 2
    assert ignored[0] in result.output


def test_blanks_around_sensitive_values_make_no_other_value():
    Path("people.csv").write_text('q,s\nx,"flu "\nx,flu\ny,flu\ny,cold\n')
    asked = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "q")
    assert run("audit", "people.csv", *asked).exit_code == 0
    assert run("audit", "people.csv", *asked, "--l", "2", "--sensitive-column", "s").exit_code == 1


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_verify__in_python_takes_a_mark(name):
    Path("people.csv").write_text("q,s\n1,u\n2,v\n3,w\n")
    model = wh.KAnonymity(2, ["q"], missing="wildcard")
    wh.anonymize(wh.read_table("people.csv"), model, publish="all").write(name, mark="*")
    assert wh.verify(name, model, mark="*").status is wh.Status.HOLDS
    assert wh.verify(name, model).status is wh.Status.BROKEN
    assert wh.verify(name, model, mark="x").status is wh.Status.BROKEN
    with pytest.raises(PolicyError, match="a mark is for the cells of a table"):
        wh.verify([["a"]], wh.RhoUncertainty("0.5", ["a"]), mark="*")
    with pytest.raises(PolicyError, match="mark must be"):
        wh.verify(name, model, mark=1)


def test_verify__takes_nothing_for_the_mark_of_null_too():
    Path("people.csv").write_text("q,s\n1,u\n2,v\n3,w\n")
    model = wh.KAnonymity(2, ["q"], missing="wildcard")
    wh.anonymize(wh.read_table("people.csv"), model, publish="all").write("out.parquet")
    assert wh.verify("out.parquet", model, mark="").status is wh.Status.HOLDS
    assert wh.verify("out.parquet", model).status is wh.Status.BROKEN


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0,5", "if you mean 0.5, write that"),
        ("50%", "if you mean 0.5, write that"),
        ("12,5 %", "if you mean 0.125, write that"),
        ("50", "not 50; if you mean 50%, write 0.5"),
        ("12.5", "if you mean 12.5%, write 0.125"),
        ("½", "must be a number such as 0.7 or 2/3, not '½'"),
        ("0.٣", "must be a number"),
        ("1_0/2_0", "must be a number"),
        ("nan", "must be a number"),
        ("-0.5", "strictly between 0 and 1"),
        ("1/0", "must be a number"),
        ("0.5.5", "must be a number"),
    ],
)
def test_numbers_are_refused_with_what_was_meant(typed, said):
    result = run("audit", "in.dat", "--sensitive", "pill,", f"--rho={typed}")
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--seed", "abc"), "--seed must be a whole number, not 'abc'"),
        (("--seed", "-1"), "--seed must be at least 0, not '-1'"),
        (("--k", "5.5"), "--k must be a whole number, not '5.5'"),
        (("--limit-seconds", "soon"), "--limit-seconds must be a number, not 'soon'"),
        (("--model", "kanonymity"), "did you mean k-anonymity? This version knows: rho"),
        (("--model", "magic"), "unknown model 'magic'; this version knows: rho"),
    ],
)
def test_what_is_no_number_or_model_is_refused_in_a_sentence(typed, said):
    result = run("audit", "in.dat", *typed)
    assert result.exit_code == 2
    assert said in result.output.replace("\n", " ")
    assert "Input should" not in result.output


def test_columns_with_semicolons_between_are_told_about_commas():
    Path("people.csv").write_text(TABLE)
    asked = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age;sex")
    result = run("audit", "people.csv", *asked)
    assert result.exit_code == 3
    assert "separate names with commas" in result.output


@pytest.mark.parametrize("typed", ["5e-1", "1/2", "0.50", ".5", " 0.5 "])
def test_numbers_may_be_written_in_several_ways(typed):
    result = run("audit", "in.dat", "--sensitive", "pill,", "--rho", typed, "--json")
    assert '"rho": "0.5"' in result.output


def test_data_and_list_that_are_swapped_are_refused():
    Path("baskets.dat").write_text("beer pill\nbeer tea\ntea wine\npill\n")
    Path("list.txt").write_text("pill\nbeer\n")
    result = run("audit", "list.txt", "--rho", "0.5", "--sensitive", "baskets.dat")
    assert result.exit_code == 3
    assert "the list looks like records" in result.output
    allowed = run("audit", "list.txt", "--rho=0.9", "--sensitive=baskets.dat", "--allow-unknown")
    assert allowed.exit_code == 0, allowed.output


def test_a_release_replaces_no_file_that_was_read():
    Path("list.txt").write_text("pill\n")
    Path("policy.txt").write_text("rho = 0.9\n")
    asked = ("--policy", "policy.txt", "--sensitive", "list.txt", "--force")
    for read in ("list.txt", "policy.txt", "in.dat"):
        before = Path(read).read_text()
        result = run("anonymize", "in.dat", *asked, "-o", read, "--format", "basket")
        assert result.exit_code == 2
        assert "it is never overwritten" in result.output
        assert Path(read).read_text() == before
    Path("people.csv").write_text(TABLE)
    Path("tree.csv").write_text("30;young;*\n31;young;*\n")
    asked = (*K_ANONYMITY, "--hierarchy", "age=tree.csv", "--force", "-o", "tree.csv")
    assert "it is never overwritten" in run("anonymize", "people.csv", *asked).output


def test_a_population_that_is_smaller_than_the_data_is_refused():
    Path("people.csv").write_text(TABLE)
    Path("part.csv").write_text("".join(TABLE.splitlines(keepends=True)[:3]))
    result = run("audit", "people.csv", *K_ANONYMITY, "--population", "part.csv")
    assert result.exit_code == 2
    assert "the population has 2 rows and the data 4" in result.output
    Path("part.dat").write_text("beer\n")
    asked = ("--rho", "0.5", "--sensitive", "pill,", "--population", "part.dat")
    assert "the population has 1 record and the data 3" in run("audit", "in.dat", *asked).output


@pytest.fixture
def spelt() -> None:
    """Items under another spelling than in the lists, in records, people, and a folder of parts."""
    Path("in.dat").write_text("beer Pill\nbeer Pill tea\ntea hiv\n")
    Path("p.csv").write_text("id,sex\n" + "".join(f"p{n},{'fm'[n % 2]}\n" for n in range(6)))
    for name, items in (("conditions", ["hiv", "flu"]), ("drugs", ["zinc", "flu"])):
        rows = [f"p{n},{items[n % 2]}" for n in range(6)]
        Path(f"{name}.csv").write_text("\n".join(["id,item", *rows]) + "\n")
    Path("parts").mkdir()
    for part in range(2):
        Path(f"parts/{part}.dat").write_text("beer Pill\nbeer Pill tea\ntea hiv\n" + "tea\n" * part)


RHO_LISTED = ("--rho", "0.5", "--sensitive")
PEOPLE_LISTED = ("--model", "people", "--rho", "0.5", "--k", "2", "--quasi-identifiers", "sex")
OF_PEOPLE = ("p.csv", "--items", "conditions.csv", "--items", "drugs.csv", *PEOPLE_LISTED)
MISSPELT = [
    (("in.dat", *RHO_LISTED, "pill,hiv"), "'pill' (there: 'Pill')", "--tidy items=case"),
    (("in.dat", *RHO_LISTED, "pill,"), "'pill' (there: 'Pill')", "spell them as the data do"),
    (("in.dat", *RHO_LISTED, "p ill,hiv"), "'p ill' (there: 'Pill')", "spell them"),
    (
        ("in.dat", "--model", "apart", *RHO_LISTED, "pill,hiv"),
        "'pill' (there: 'Pill')",
        "spell them",
    ),
    (
        (*OF_PEOPLE, "--sensitive", "hiv,drugs: zinc"),
        "'hiv' (there: 'conditions: hiv')",
        "write the name of its file before each item",
    ),
    (
        (
            "p.csv",
            "--items",
            "conditions.csv",
            *PEOPLE_LISTED,
            "--sensitive",
            "conditions: hiv,flu",
        ),
        "'conditions: hiv' (there: 'hiv')",
        "spell them as the data do",
    ),
]


@pytest.mark.parametrize(("words", "both", "remedy"), MISSPELT)
def test_items_under_another_spelling__are_refused(spelt, words, both, remedy):
    for verb, more in (("anonymize", ("-o", "out.csv")), ("audit", ())):
        refused = run(verb, *words, *more)
        assert refused.exit_code == 3, refused.output
        assert "but the data have another spelling" in refused.output
        assert both in refused.output
        assert remedy in refused.output
        assert "--allow-unknown" in refused.output
    assert not Path("out.csv").exists()
    meant = run("anonymize", *words, "-o", "out.csv", "--allow-unknown", "--seed", 1)
    assert meant.exit_code == 0, meant.output


def test_items_under_another_spelling__by_parts_and_in_advice(spelt):
    asked = ("--rho", "0.5", "--sensitive", "pill,hiv")
    refused = run("anonymize", "parts", *asked, "-o", "out")
    assert (refused.exit_code, "'pill' (there: 'Pill')" in refused.output) == (3, True)
    refused = run("advise", "in.dat", "--sensitive", "pill,hiv")
    assert (refused.exit_code, "'pill' (there: 'Pill')" in refused.output) == (3, True)


def test_items_that_occur_in_both_spellings__are_meant_as_listed_if_somebody_says_so(spelt):
    Path("in.dat").write_text("beer Pill\nbeer pill\ntea\n")
    asked = ("anonymize", "in.dat", *RHO_LISTED, "pill,", "-o", "out.dat")
    refused = run(*asked)
    assert (refused.exit_code, "'Pill' (1)" in refused.output) == (3, True), refused.output
    made = run(*asked, "--allow-unknown")
    assert made.exit_code == 0, made.output
    # Of the release nobody can tell whether all of a listed item was withheld, or it was misspelt.
    assert run("verify", "out.dat").exit_code in (0, 4)
    tidied = run("anonymize", "in.dat", *RHO_LISTED, "PILL,", "--tidy", "items=case", "-o", "t.dat")
    assert tidied.exit_code == 0, tidied.output


def test_items_missing_in_an_encoding_that_was_given__are_refused():
    text = "record,item\n1,Plzeň\n1,Praha\n2,Praha\n"
    Path("in.csv").write_bytes(text.encode("cp1250"))
    asked = ("in.csv", "--rho", "0.9", "--sensitive", "Plzeň,Praha")
    refused = run("anonymize", *asked, "--encoding", "cp1252", "-o", "out.csv")
    assert refused.exit_code == 3, refused.output
    assert "the encoding of the data was given, cp1252" in refused.output
    made = run("anonymize", *asked, "--encoding", "cp1250", "-o", "out.csv", "--seed", 1)
    assert made.exit_code in (0, 4), made.output
    # What has no letter beside ASCII is not missing because of an encoding.
    asked = ("in.csv", "--rho", "0.9", "--sensitive", "Brno,Praha", "--encoding", "cp1252")
    assert run("anonymize", *asked, "-o", "other.csv").exit_code == 0


BASKETS = ("--rho", "0.5", "--sensitive", "pill,")
BORN = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "born")
MISTAKES = {
    "a date in numbers": (
        ("audit", "born.csv", *BORN, "--bin", "born=5"),
        (3, "say born=5y for dates in periods of 5 years"),
    ),
    "several bins in one": (
        ("audit", "born.csv", *BORN, "--bin", "born=5y,zip=1000"),
        (2, "name each apart: --bin a=5 --bin b=year"),
    ),
    "a sensitive column without a bound": (
        ("audit", "born.csv", *BORN, "--sensitive-column", "ill"),
        (2, "say how large one of them must be: --l 3"),
    ),
    "decimal commas to vary": (
        ("sweep", "in.dat", "--sensitive", "pill,", "--vary", "rho=0,3,0,5", "-o", "out"),
        (2, "decimals have a point, as in rho=0.3,0.5"),
    ),
    "decimal commas in a policy": (
        ("audit", "in.dat", "--policy", "comma.toml"),
        (2, "decimals have a point, as in 0.5"),
    ),
    "a manifest instead of the file": (
        ("verify", "out.dat.manifest.json"),
        (2, "name the file that was published: withhold verify out.dat"),
    ),
    "a list that is not there": (
        ("audit", "in.dat", "--rho", "0.5", "--sensitive", "lits.txt"),
        (3, "lits.txt: there is no file of this name"),
    ),
    "several items in a line": (
        ("audit", "semicolons.txt", "--rho", "0.5", "--sensitive", "list.txt"),
        (3, "'pill;soap' holds several names"),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake__says_what_to_type(mistake):
    Path("born.csv").write_text("born;zip;ill\n01.02.1980;1;a\n03.04.1981;2;b\n")
    Path("comma.toml").write_text('rho = 0,5\nsensitive = ["pill"]\n')
    Path("semicolons.txt").write_text("beer;pill\nbeer;soap\n")
    Path("list.txt").write_text("pill;soap\n")
    words, (code, told) = MISTAKES[mistake]
    result = run(*words)
    assert result.exit_code == code, result.output
    assert told in " ".join(result.output.replace("│", " ").split())


def test_list__that_is_not_there_has_the_nearest_file():
    Path("list.txt").write_text("pill\n")
    assert "did you mean 'list.txt'?" in run("audit", "in.dat", *BASKETS[:3], "lits.txt").output


def test_quiet__says_the_verdict_and_the_file():
    assert run("anonymize", "in.dat", *BASKETS, "-o", "out.dat", "-q").stdout == "HOLDS  out.dat\n"


def test_nothing_protected__is_in_the_line_of_the_verdict():
    typed = ("--rho", "0.5", "--sensitive", "a,b", "--allow-unknown")
    result = run("anonymize", "in.dat", *typed, "-o", "out.dat")
    first = "HOLDS, but nothing was protected, since none of the 2 sensitive items occurs.  Whoever"
    assert result.stdout.startswith(first)
    assert "the data have" not in result.stdout
    assert "so there was nothing to protect." in run("audit", "in.dat", *typed).stdout


def test_nothing_protected__names_a_single_item():
    typed = ("--rho", "0.5", "--sensitive", "zzz", "--allow-unknown")
    told = run("anonymize", "in.dat", *typed, "-o", "out.dat").stdout
    assert told.startswith(
        "HOLDS, but nothing was protected, since the sensitive item 'zzz' does not"
    )
    assert "The data do not" not in told
    told = run("audit", "in.dat", *typed).stdout
    assert "The sensitive item 'zzz' does not occur, so there was nothing to protect." in told


def test_an_option_of_other_models__names_them_with_commas():
    told = run("audit", "in.dat", "--k", "5").stderr
    assert (
        "--k belongs to coherence, km, k-anonymity, buckets or people; add --model (without" in told
    )
    told = run("audit", "in.dat", "--t", "0.2").stderr
    assert (
        "--t belongs to k-anonymity; add --model k-anonymity (without it, the model is rho)" in told
    )


def test_compare__stops_if_the_release_comes_first():
    assert run("anonymize", "in.dat", *BASKETS, "-o", "out.dat", "-q").exit_code == 0
    swapped = run("compare", "out.dat", "in.dat")
    assert (swapped.exit_code, swapped.stdout) == (2, "")
    told = (
        "out.dat is a release, since its manifest lies beside it, and in.dat has none; the ORIGINAL"
    )
    assert told in swapped.stderr
    assert run("compare", "in.dat", "out.dat", "-q").exit_code == 0
    # A release of a release has a manifest, too.
    assert run("anonymize", "out.dat", *BASKETS, "-o", "again.dat", "-q").exit_code == 0
    assert run("compare", "out.dat", "again.dat", "-q").exit_code == 0
    with pytest.raises(wh.WithholdError, match="ORIGINAL comes first"):
        wh.compare("out.dat", "in.dat")


def test_compare__stops_if_the_folder_of_a_release_comes_first():
    Path("shops").mkdir()
    Path("shops/1.dat").write_bytes(Path("in.dat").read_bytes())
    assert run("anonymize", "shops", *BASKETS, "-o", "out", "-q").exit_code == 0
    swapped = run("compare", "out", "shops")
    assert (swapped.exit_code, "the ORIGINAL comes first" in swapped.stderr) == (2, True)
    assert run("compare", "shops", "out", "-q").exit_code == 0
    with pytest.raises(wh.WithholdError, match="ORIGINAL comes first"):
        wh.compare_parts("out", "shops")


def test_compare__of_a_table_without_a_manifest_names_no_option_that_it_lacks():
    rows = "".join(f"{n},{n % 7},{n % 5}\n" for n in range(60))
    Path("table.csv").write_text("age,sex,zip\n" + rows)
    told = run("compare", "table.csv", "table.csv").stderr
    assert "table.csv.manifest.json) beside it" in told
    assert "--table" not in told


def test_verify__asks_whether_the_original_was_named():
    told = run("verify", "in.dat").stderr
    assert "in.dat.manifest.json: does not exist" in told
    assert "check that in.dat is the published file, not its original; else name" in told


def test_page__says_that_it_needs_more_packages():
    assert "pip install 'withhold[page]'" in run("page", "--help").stdout


def test_python__says_how_to_list_what_a_file_holds():
    Path("list.txt").write_text("b\n")
    how = r"Path\('list.txt'\).read_text\(\).splitlines\(\)"
    with pytest.raises(wh.WithholdError, match=how):
        wh.RhoUncertainty("0.5", "list.txt")
    with pytest.raises(wh.WithholdError, match=how):
        wh.audit("in.dat", wh.RhoUncertainty("0.5", ["list.txt"]))
    Path("list.txt").unlink()
    with pytest.raises(wh.WithholdError, match=how):
        wh.audit("in.dat", wh.RhoUncertainty("0.5", ["list.txt"]))
    told = run("audit", "in.dat", "--rho", "0.5", "--sensitive", "list.txt,").stderr
    assert "read_text" not in told


def test_python__says_that_releases_are_given_one_by_one():
    release = wh.anonymize(wh.read("in.dat"), wh.RhoUncertainty("0.5", ["pill"]), seed=1)
    for listed in (
        [release, release],
        (release,),
        ["a.dat", "b.dat"],
        [Path("a.dat")],
        [release.data],
    ):
        with pytest.raises(wh.WithholdError, match=r"compare\(original, first, second\)"):
            wh.compare("in.dat", listed)
    assert len(wh.compare("in.dat", release.data.to_lists()).releases) == 1


def test_published_columns__are_said_to_be_in_ranges():
    Path("born.csv").write_text("born;zip;cost\n1980;1;10\n1980;2;11\n1980;2;12\n1980;2;12\n")
    typed = ("born.csv", *BORN, "--bin", "cost=5", "--publish", "cost,zip")
    told = "published as they are: zip, cost (in ranges)"
    assert f"would be {told}" in run("audit", *typed).stderr
    assert f"withhold: {told}" in run("anonymize", *typed, "-o", "out.csv").stderr
