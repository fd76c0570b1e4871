"""Every model by the forms of the page: policy, typed options and the Python shown make the same bytes."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field

import pytest
from desk import Client
from typer.testing import CliRunner

from withhold.cli import anonymize  # noqa: F401  # the verb registers itself
from withhold.cli.app import app
from withhold.page.commands import python_code
from withhold.page.project import Project
from withhold.page.serving import Page
from withhold.registry import all_methods, own_name

BASKETS = (
    "E10 I10 J45\nE10 E11 J45\nE11 I10\nE10 I10 J45\nJ45 I25\n"
    "E11 I25 J44\nE11 I10 J44\nE10 J45\nI10 J44\nE11 I25\n"
)
ITEMS = sorted(set(BASKETS.split()))
SURVEY = "age,city,sick\n" + "".join(
    f"{age},{city},{sick}\n"
    for age, city, sick in zip(
        (30, 30, 31, 31, 40, 40, 41, 41, 30, 40),
        "ababababbb",
        ["flu", "cold", "flu", "flu", "cold", "flu", "cold", "cold", "flu", "cold"],
        strict=True,
    )
)
ROWS = zip(SURVEY.splitlines()[1:], BASKETS.splitlines(), strict=True)
PEOPLE = "age,city,sick,items\n" + "".join(f"{a},{b.replace(' ', ';')}\n" for a, b in ROWS)
FILES = {
    "records.dat": BASKETS,
    "table.csv": SURVEY,
    "people.csv": PEOPLE,
    "tree.csv": "".join(f"{item};{item[0]};*\n" for item in ITEMS),
    "wishes.csv": "record,item\n1,J45\n2,E10\n2,J45\n6,J44\n",
    "all.csv": SURVEY + SURVEY.partition("\n")[2],
}
SENSITIVE = ("J44", "J45")
KNOWN = ("known", "known", "drop")


@dataclass(frozen=True)
class Walk:
    """What is filled in for a model, and the same as it is typed."""

    file: str
    options: dict[str, str]
    typed: str
    items: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    wishes: str = ""
    outputs: tuple[str, ...] = field(default=(".dat",))


LISTED = f"--sensitive {','.join(SENSITIVE)}"
QUASI = "--quasi-identifiers age,city --drop sick"
TABLES = (".csv", ".parquet", ".jsonl")
WALKS = {
    "rho": Walk(
        "records.dat",
        {"o-rho": "0.4", "o-keep": "counts"},
        f"--rho 0.4 --keep counts {LISTED}",
        SENSITIVE,
        outputs=(".dat", ".csv", ".jsonl", ".spmf", ".dat.gz"),
    ),
    "personal-rho": Walk(
        "records.dat",
        {"o-rho": "0.4", "o-constraints": "wishes.csv"},
        "--rho 0.4 --constraints wishes.csv",
        wishes="wishes.csv",
    ),
    "personal-rho for all": Walk(
        "records.dat",
        {"o-rho": "0.5", "o-constraints": "wishes.csv", "o-hierarchy": "tree.csv"},
        "--rho 0.5 --constraints wishes.csv --hierarchy tree.csv --sensitive J44,",
        ("J44",),
        wishes="wishes.csv",
    ),
    "coherence": Walk(
        "records.dat",
        {"o-h": "0.6", "o-k": "2", "o-p": "2"},
        f"--h 0.6 --k 2 --p 2 --private {','.join(SENSITIVE)}",
        SENSITIVE,
    ),
    "km": Walk("records.dat", {"o-k": "2", "o-m": "2"}, "--k 2 --m 2"),
    "buckets": Walk(
        "records.dat", {"o-k": "2", "o-hierarchy": "tree.csv"}, "--k 2 --hierarchy tree.csv"
    ),
    "apart": Walk("records.dat", {"o-rho": "0.4"}, f"--rho 0.4 {LISTED}", SENSITIVE),
    "k-anonymity": Walk(
        "table.csv",
        {"o-k": "2", "o-hierarchy": "age=edges:31,41"},
        f"--k 2 {QUASI} --hierarchy age=edges:31,41",
        roles=KNOWN,
        outputs=TABLES,
    ),
    "k-anonymity among a population": Walk(
        "table.csv",
        {"o-k": "2", "o-presence": "0.3,0.8", "o-population": "all.csv"},
        f"--k 2 {QUASI} --presence 0.3,0.8 --population all.csv",
        roles=KNOWN,
        outputs=(".csv",),
    ),
    "people": Walk(
        "people.csv",
        {"o-rho": "0.4", "o-k": "2", "o-max-known": "1"},
        f"--rho 0.4 --k 2 --max-known 1 {QUASI} {LISTED}",
        SENSITIVE,
        KNOWN,
        outputs=TABLES,
    ),
    "people-apart": Walk(
        "people.csv",
        {"o-rho": "0.4"},
        f"--rho 0.4 {QUASI} {LISTED}",
        SENSITIVE,
        KNOWN,
        outputs=(".csv",),
    ),
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A page with data of every kind, each read once."""
    folder = tmp_path_factory.mktemp("walks")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    with Page(folder) as page:
        client = Client(page)
        client.enter()
        for kind in ("records.dat", "table.csv", "people.csv"):
            form = {"file": kind, "kind": kind.partition(".")[0]}
            assert client.post("/data", **form).status == 303
            client.get("/data", file=kind)
        client.settle()
        yield client


def test_walks__are_there_for_every_model():
    assert {name.split(" ")[0] for name in WALKS} == {own_name(m) for m in all_methods().values()}


def filled_in(client: Client, name: str, walk: Walk) -> None:
    """Walk the first three steps."""

    def sent(path: str, **form: object) -> None:
        answer = client.post(path, file=walk.file, **form)
        assert answer.status == 303, answer.text

    sent("/protect/list", do="clear")
    if walk.items:
        sent("/protect/list", do="paste", list="\n".join(walk.items))
    if walk.wishes:
        sent("/protect/people", constraints=walk.wishes)
    model = name.split(" ")[0]
    sent("/attack/options", model=model)
    sent("/attack/options", model=model, **walk.options)
    if walk.roles:
        sent("/protect/roles", **{f"role-{n}": role for n, role in enumerate(walk.roles)})
    page = client.get("/publish", file=walk.file)
    assert page.status == 200
    assert "What the release will promise" in page.text


@pytest.mark.parametrize("name", WALKS)
def test_walk__forms_policy_typed_options_and_python_make_the_same_bytes(desk, name, monkeypatch):
    walk, root = WALKS[name], desk.page.folder.root
    monkeypatch.chdir(root)
    filled_in(desk, name, walk)
    policy = root / f"{walk.file}.page.toml"
    seed = tomllib.loads(policy.read_text())["seed"]
    for ending in walk.outputs:
        by_policy, by_hand, by_python = (f"{way}{ending}" for way in ("policy", "typed", "python"))
        model = name.split(" ")[0]
        typed = ["--model", model.replace("people-apart", "apart"), *walk.typed.split()]
        made = (
            ["anonymize", walk.file, "--policy", policy.name, "-o", by_policy],
            ["anonymize", walk.file, *typed, "--seed", str(seed), "-o", by_hand],
        )
        for words in made:
            done = CliRunner().invoke(app, [*words, "--force", "-q"])
            assert done.exit_code == 0, done.output
        code = python_code(Project(desk.page.folder, walk.file), by_python, report=False)
        assert code is not None
        exec(code.replace("release.write(", "release.write(force=True, path="), {})
        written = [(root / each).read_bytes() for each in (by_policy, by_hand, by_python)]
        assert written[0] == written[1] == written[2]
        # The command that the page shows and runs is the one with the policy.
        shown = desk.get("/publish", file=walk.file, output=by_policy).text
        assert f"withhold anonymize {walk.file} --policy {policy.name} -o {by_policy}" in shown


def test_publish__by_the_page_is_the_command_that_it_shows(desk, monkeypatch):
    """The job, the preview and the command line, once; releases of an upload can be compared as well."""
    root = desk.page.folder.root
    monkeypatch.chdir(root)
    (desk.page.folder.uploads / "mine.dat").write_text(BASKETS)
    mine = {"file": "upload:mine.dat"}
    desk.post("/data", kind="records", **mine)
    desk.get("/data", **mine)
    desk.settle()
    assert desk.post("/protect/list", do="paste", list="J45\nJ44", **mine).status == 303
    for rho, name in (("0.4", "strict.dat"), ("0.6", "loose.dat")):
        form = {"model": "rho", "o-rho": rho}
        assert desk.post("/attack/options", **form, **mine).status == 303
        assert desk.post("/publish/release", output=name, **mine).status == 303
        desk.settle()
    policy = root / "mine.dat.page.toml"
    command = ["anonymize", str(desk.page.folder.uploads / "mine.dat"), "--policy", policy.name]
    done = CliRunner().invoke(app, [*command, "-o", "again.dat", "-q"])
    assert done.exit_code == 0, done.output
    assert (root / "again.dat").read_bytes() == (root / "loose.dat").read_bytes()
    assert (root / "strict.dat").read_bytes() != (root / "loose.dat").read_bytes()
    answer = desk.post("/releases/compare", release=["strict.dat", "loose.dat"])
    assert answer.status == 303
    desk.settle()
    page = desk.ask("GET", answer.headers["location"]).text
    job = desk.page.queue.latest("compare", "strict.dat, loose.dat")
    facts = [each["facts"] for each in job.result["releases"]]
    assert job.result["unit"].keys() == job.result["label"].keys() == job.result["meaning"].keys()
    shares = [each["occurrences.all.share"] for each in facts]
    assert shares[0] > shares[1]
    for value in shares:
        assert f'<data class="p" value="{value}">' in page
    assert "What differs" in page
    assert "points" in page
    told = [path for path, unit in job.result["unit"].items() if unit == "share"]
    assert all(f'<data class="p" value="{facts[0][path]}">' in page for path in told)
    assert (
        json.loads((root / "loose.dat.manifest.json").read_text())["verdict"]["status"] == "HOLDS"
    )
