"""A form that is refused is shown again as it was filled in, with the message beside the field."""

from __future__ import annotations

import re

import pytest

FILE = {"file": "baskets.dat"}


@pytest.fixture
def ready(client):
    """Somebody who has got as far as the third step, with all that later steps ask for."""
    folder = client.page.folder.root
    (folder / "table.csv").write_text("age,sex,zip\n30,f,1\n31,m,1\n30,f,2\n31,m,2\n")
    (folder / "tree.csv").write_text("bread;food;*\nbeer;drink;*\n")
    for name, kind in (("baskets.dat", "records"), ("table.csv", "table")):
        client.post("/data", file=name, kind=kind)
        client.get("/data", file=name)
    client.settle()
    client.post("/protect/list", do="paste", list="pill", **FILE)
    client.post("/attack/questions", learn="item", amount="any", sure="0.5", crowd="5", **FILE)
    return client


def field(page: str, name: str) -> str:
    """The element of a field, as it is written."""
    found = re.search(rf'<(?:input|select|textarea)\b[^>]*\bname="{re.escape(name)}"[^>]*>', page)
    assert found is not None, name
    return found[0]


MISTAKES = [
    ("/attack/questions", {"learn": "item", "sure": "1.5", "crowd": "7"}, "sure", "strictly"),
    ("/attack/questions", {"learn": "item", "sure": "0,5"}, "sure", "must be a number"),
    ("/attack/questions", {"learn": "record", "crowd": "0", "amount": "2"}, "crowd", "at least"),
    ("/attack/questions", {"learn": "record", "crowd": "five"}, "crowd", "number"),
    ("/attack/options", {"model": "rho", "o-rho": "half"}, "o-rho", "must be a number"),
    ("/attack/options", {"model": "rho", "o-rho": "2"}, "o-rho", "between 0 and 1"),
    ("/attack/options", {"model": "rho", "o-rho": "0.5", "o-max-known": "-1"}, "o-max-known", ""),
    ("/attack/options", {"model": "rho", "o-hierarchy": "../secret.txt"}, "o-hierarchy", "within"),
    ("/attack/questions", {"learn": "both", "sure": "x", "amount": "2"}, "sure", "number"),
    ("/attack/options", {"model": "nothing"}, "model", "choose one"),
    ("/protect/people", {"consent": "../secret.txt"}, "consent", "within"),
    ("/protect/people", {"consent": "agreed.txt"}, "consent", "does not exist"),
    ("/protect/people", {"constraints": "wishes.csv"}, "constraints", "does not exist"),
    ("/protect/list", {"do": "hierarchy", "hierarchy": "no.csv"}, "hierarchy", "does not exist"),
    ("/trade-off/sweep", {"vary": "rho", "values-rho": "0.3,high"}, "values-rho", "number"),
    ("/trade-off/sweep", {"vary": "rho", "values-rho": " , "}, "values-rho", "values"),
    ("/trade-off/sweep", {"vary": "rho", "values-rho": "0.5,1"}, "values-rho", "between 0 and 1"),
    ("/publish/release", {"output": "../out.dat"}, "output", "within"),
    ("/publish/release", {"output": "no/out.dat"}, "output", "no such folder"),
    ("/publish/release", {"output": "out.docx"}, "output", "not written"),
    ("/publish/release", {"output": "baskets.dat"}, "output", "never overwritten"),
    ("/publish/release", {"output": "table.csv"}, "output", "already"),
    ("/attack/questions", {"learn": "record", "amount": "any", "crowd": "5"}, "amount", "number"),
    ("/protect/list", {"do": "paste", "list": ""}, "list", "at least one"),
    ("/publish/release", {"output": ""}, "output", "within"),
    ("/publish/parts", {"parts": "../", "into": "out"}, "parts", "within"),
    ("/publish/parts", {"parts": "no*.dat", "into": "out"}, "parts", "names no file"),
    ("/publish/parts", {"parts": "baskets.dat", "into": "../out"}, "into", "within"),
    ("/publish/parts", {"parts": "baskets.dat", "into": "a/b"}, "into", "no such folder"),
]


def test_mistakes__keep_what_was_typed_and_say_it_beside_the_field(ready):
    policy = ready.page.folder.root / "baskets.dat.page.toml"
    before, jobs = policy.read_text(), len(ready.page.queue.jobs)
    for path, form, name, says in MISTAKES:
        answer = ready.post(path, **form, **FILE)
        assert answer.status == 422, (path, form)
        shown = field(answer.text, name)
        if name == "amount":  # a group of radio buttons
            assert '<fieldset aria-describedby="amount-mistake">' in answer.text
        else:
            assert 'aria-invalid="true"' in shown, (path, form)
            assert f'aria-describedby="{name}-mistake' in shown
        message = re.search(rf'id="{name}-mistake">([^<]*)<', answer.text)
        assert message is not None
        assert says in message[1], (form, message[1])
        for key, value in form.items():
            if key in ("do", "learn", "amount", "vary", "model", "hierarchy", "list"):
                continue
            assert f'value="{value}"' in field(answer.text, key), (path, key)
        # One field is wrong, and nothing was saved or started.
        assert answer.text.count('class="mistake"') == 1
        assert policy.read_text() == before
        assert len(ready.page.queue.jobs) == jobs


def test_mistakes__keep_boxes_and_choices(ready):
    form = {"output": "x.docx", "force": "1"}
    page = ready.post("/publish/release", **form, **FILE).text
    assert "checked" in field(page, "force")
    assert "checked" not in field(page, "report")
    page = ready.post("/attack/questions", learn="record", amount="3", crowd="x", **FILE).text
    assert re.search(r'value="record" required checked', page)
    assert re.search(r'name="amount" value="3" checked', page)
    form = {"role-0": "label", "role-1": "known", "role-2": "label"}
    answer = ready.post("/protect/roles", file="table.csv", **form)
    assert answer.status == 422
    assert 'aria-invalid="true"' in field(answer.text, "role-2")
    assert answer.text.count('<option value="label" selected>') == 2
    assert answer.text.count('<option value="known" selected>') == 1


def test_values__that_the_model_refuses_are_not_saved_but_what_is_missing_may_come_later(ready):
    assert ready.post("/attack/options", file="table.csv", model="k-anonymity").status == 303
    answer = ready.post("/attack/options", file="table.csv", model="k-anonymity", **{"o-k": "1"})
    assert answer.status == 422
    form = {"model": "k-anonymity", "o-k": "2"}
    assert ready.post("/attack/options", file="table.csv", **form).status == 303
    assert "Not complete yet" in ready.get("/attack", file="table.csv").text


def test_people__can_be_published_apart(client):
    """Two models have that name; the page tells them apart by the kind of data."""
    root = client.page.folder.root
    (root / "p.csv").write_text("age,items\n30,a;b\n31,b;c\n30,a;c\n31,a\n")
    client.post("/data", file="p.csv", kind="people")
    client.get("/data", file="p.csv")
    client.settle()
    form = {"learn": "apart", "amount": "any", "sure": "0.5", "crowd": "2"}
    assert client.post("/attack/questions", file="p.csv", **form).status == 303
    page = client.get("/attack", file="p.csv").text
    assert '<option value="people-apart" selected>apart</option>' in page
    assert 'value="apart" required checked' in page
    assert 'model = "people-apart"' in (root / "p.csv.page.toml").read_text()


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        ("record,item\n1,Café\n2,Müsli\n", {}, "data.csv is not UTF-8 and was read as cp1252"),
        ("record,item\n1,a\n,b\n2,a\n", {"skip-missing-ids": "1"}, "1 row without an id was left"),
        (
            "record,item\n1,Café\n\n2,b\n",
            {"format": "long"},
            "data.csv is not UTF-8 and was read as cp1252",
        ),
    ],
    ids=["a guess", "rows left out", "a guess, and a mistake"],
)
def test_what_is_assumed_of_a_file_is_a_plain_note(client, folder, text, form, said):
    (folder / "data.csv").write_bytes(text.encode("cp1252"))
    asked = {"file": "data.csv", "kind": "records"}
    client.post("/data", **asked, **form)
    client.get("/data", file="data.csv")
    client.settle()
    page = client.get("/data", file="data.csv").text
    assert page.count(said) == 1
    assert "Warning" not in page
    assert ".py" not in page
    assert ("is blank" in page) == ("\n\n" in text)


def test_no_file_is_a_sentence_with_one_point(client):
    page = client.get("/data").text
    assert "No file was chosen." in page
    assert "chosen.." not in page
