"""What custodians do by mistake, or change their minds about: each leads on, and nothing is lost silently."""

from __future__ import annotations

import re
import threading
import tomllib
from html import unescape

import pytest

from withhold.page import data
from withhold.page.jobs import Job

FILE = {"file": "baskets.dat"}
SLEEP = ("timeit", "-n", "1", "-r", "1", "-s", "import time", "time.sleep(60)")


def policy(client) -> dict[str, object]:
    path = client.page.folder.root / "baskets.dat.page.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def latest(client, what: str) -> Job:
    found = client.page.queue.latest(what, "baskets.dat")
    assert found is not None
    return found


def said(page: str) -> str:
    """The words of a page."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main)))


def cancelled_before_it_began(client, ask) -> Job:
    """The job that ``ask`` asks for, cancelled while another one runs."""
    before = client.page.queue.add("verify", "f", SLEEP)
    ask()
    *_, job = client.page.queue.jobs.values()
    assert job is not before
    client.post(f"/jobs/{job.number}/cancel")
    client.page.queue.cancel(before)
    client.settle()
    return job


@pytest.fixture
def ready(client):
    """Somebody who has read a file and answered the questions."""
    client.post("/data", kind="records", **FILE)
    client.get("/data", **FILE)
    client.settle()
    client.post("/protect/list", do="paste", list="pill", **FILE)
    client.post("/attack/questions", learn="item", amount="any", sure="0.5", crowd="5", **FILE)
    return client


def test_ticks__of_two_tabs_at_once_are_all_kept(ready):
    items = ["bread", "beer", "coffee", "tea"]
    for on in ("1", ""):
        threads = [
            threading.Thread(
                target=ready.post, args=("/protect/tick",), kwargs={"item": item, "on": on, **FILE}
            )
            for item in items * 3
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        listed = (ready.page.folder.root / "baskets.dat.page.sensitive.txt").read_text()
        assert listed.split() == (sorted([*items, "pill"]) if on else ["pill"])


def test_reading__that_was_cancelled_can_begin_again(client):
    job = cancelled_before_it_began(client, lambda: client.get("/data", **FILE))
    assert job.what == "read"
    # It stays cancelled, and says so; there is nothing to choose from yet.
    page = client.get("/data", **FILE)
    assert "Reading was cancelled" in page.text
    assert "Next:" not in page.text
    assert client.get("/protect", **FILE).headers["location"] == "/data?file=baskets.dat"
    assert len(client.page.queue.jobs) == 2
    assert client.post("/data", kind="records", **FILE).status == 303
    client.get("/data", **FILE)
    client.settle()
    assert "Next: What to protect" in client.get("/data", **FILE).text


def test_audit__that_was_cancelled_can_begin_again(ready):
    cancelled_before_it_began(ready, lambda: ready.post("/attack/audit", **FILE))
    assert 'action="/attack/audit"' in ready.get("/attack", **FILE).text


def test_preview__whose_rows_were_cancelled_is_shown_at_the_next_try(ready):
    for _ in range(2):
        assert ready.post("/publish/preview", **FILE).status == 303  # a double click
    assert sum(job.what == "preview" for job in ready.page.queue.jobs.values()) == 1
    ready.settle()
    cancelled_before_it_began(ready, lambda: ready.get("/publish", **FILE))
    page = ready.get("/publish", **FILE).text
    assert "that was cancelled" in page
    assert 'action="/publish/preview"' in page
    ready.post("/publish/preview", **FILE)
    ready.settle()
    ready.get("/publish", **FILE)
    ready.settle()
    assert 'class="rows"' in ready.get("/publish", **FILE).text


def test_amount__any_number_is_not_taken_for_two(ready):
    form = {"learn": "record", "sure": "0.5", "crowd": "2", **FILE}
    assert ready.post("/attack/questions", amount="any", **form).status == 422
    assert policy(ready)["model"] == "rho"
    assert ready.post("/attack/questions", amount="3", **form).status == 303
    assert policy(ready)["m"] == 3


@pytest.mark.parametrize("learn", ["item", "record", "both"])
def test_amount__is_shown_as_it_was_answered(ready, learn):
    form = {"learn": learn, "amount": "3", "sure": "0.5", "crowd": "2"}
    assert ready.post("/attack/questions", **form, **FILE).status == 303
    page = ready.get("/attack", **FILE).text
    assert 'name="amount" value="3" checked' in page
    assert f'value="{learn}" required checked' in page


def test_unknown_items__are_taken_off_the_list_or_kept(ready):
    root = ready.page.folder.root
    ready.post("/protect/list", do="paste", list="Pill\nfar-away", **FILE)
    page = said(ready.get("/protect", **FILE).text)
    assert "If they are misspelt" in page
    # The verb says so as well, in the words of the page.
    ready.post("/publish/preview", **FILE)
    ready.settle()
    page = ready.get("/publish", **FILE)
    assert page.status == 422
    assert "“Keep them”" in said(page.text)
    for text in ("--allow-unknown", "withhold help", "--tidy"):
        assert text not in page.text
    ready.post("/protect/list", do="keep", **FILE)
    assert policy(ready)["allow-unknown"] is True
    assert "and are kept on purpose" in said(ready.get("/protect", **FILE).text)
    ready.post("/publish/preview", **FILE)
    ready.settle()
    assert latest(ready, "preview").state == "done"
    ready.post("/protect/list", do="known", **FILE)
    assert (root / "baskets.dat.page.sensitive.txt").read_text().split() == ["pill"]
    ready.post("/protect/list", do="clear", **FILE)
    assert "allow-unknown" not in policy(ready)


def test_missing__leads_to_the_step_that_asks_for_it(ready):
    ready.post("/protect/list", do="clear", **FILE)
    for step in ("/attack", "/trade-off", "/publish"):
        page = ready.get(step, **FILE).text
        assert "Still missing: the list of sensitive items." in said(page)
        assert '<a href="/protect?file=baskets.dat">Go to: What to protect</a>' in page
        assert "Prove and publish" not in page


@pytest.mark.parametrize(
    ("name", "content", "kind", "says"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\xff\xfe", "records", "“Encoding” cp1252"),
        ("empty.dat", b"", "records", "is empty"),
        ("swapped.csv", b"age\n30\n31\n", "people", "“Files with the items of the people”"),
    ],
)
def test_file__that_is_the_wrong_one_is_said_in_the_words_of_the_page(
    client, folder, name, content, kind, says
):
    (folder / name).write_bytes(content)
    client.post("/data", file=name, kind=kind)
    client.get("/data", file=name)
    client.settle()
    page = client.get("/data", file=name)
    assert page.status == 422
    alert = said(f"<main{page.text.partition('role=')[2].partition('</div>')[0]}</main>")
    assert says in alert
    assert name in alert
    for text in ("--", "_column", "Traceback", str(folder)):
        assert text not in alert


def test_hints__say_what_to_do_on_the_page(client, folder):
    rows = "".join(
        f"{1950 + n}-01-{1 + n % 28:02},p{n % 3},{'Male' if n % 2 else 'male'}\n" for n in range(60)
    )
    (folder / "people.csv").write_text(f"born,place,sex\n{rows}")
    client.get("/data", file="people.csv")
    client.settle()
    page = said(client.get("/data", file="people.csv").text)
    assert "born : holds dates" in page
    assert "(born=year)" in page
    assert "write sex=case into “Merge spellings”" in page
    assert " --" not in page


def test_releases__are_not_taken_for_originals(client, folder):
    (folder / "out.dat").write_text("bread\n")
    (folder / "out.dat.manifest.json").write_text("{}")
    home = said(client.get("/").text)
    assert "out.dat (a release)" in home
    assert "baskets.dat (a release)" not in home
    assert "is already a release" in client.get("/data", file="out.dat").text
    assert "is already a release" not in client.get("/data", **FILE).text


def test_points__that_are_none_are_refused(ready):
    for point in ("[", "1", '"x"', '{"rho": "much"}', '{"no": 1}'):
        assert ready.post("/trade-off/choose", point=point, **FILE).status == 422, point


def test_bugs__are_a_page_too(client, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(data, "rows_of", broken)
    client.get("/data", **FILE)
    client.settle()
    page = client.get("/data", **FILE)
    assert page.status == 500
    assert "This is a bug in withhold (ZeroDivisionError)." in said(page.text)
    assert "secret" not in page.text
    assert page.headers["content-security-policy"]


def test_data__only_the_reading_that_is_shown_is_warned_about(client):
    rows = "".join(
        f"R{n},K{n % 50},{item}\n" for n in range(90) for item in ("tea", "pill")[: n % 2 + 1]
    )
    (client.page.folder.root / "long.csv").write_text("receipt,client,product\n" + rows)
    client.get("/data", file="long.csv")
    client.settle()
    page = said(client.get("/data", file="long.csv").text)
    assert "each record is taken for a person" in page
    assert "each row is taken for a person" not in page
    # The warning names the field, not the option.
    assert "“Column that names the record” client" in page
    assert "--record-column" not in page


def test_attack__sends_to_the_items_first_and_then_asks_for_the_answers(client):
    client.get("/data", **FILE)
    client.settle()
    client.get("/data", **FILE)
    page = said(client.get("/attack", **FILE).text)
    assert "Still missing: the list of sensitive items. Go to: What to protect" in page
    client.post("/protect/list", do="paste", list="pill", **FILE)
    page = said(client.get("/attack", **FILE).text)
    assert "Still missing" not in page
    assert "The answers above are a proposal. Change them, or press “Take these answers”." in page
    client.post("/attack/questions", learn="item", amount="any", sure="0.5", crowd="5", **FILE)
    assert "are a proposal" not in said(client.get("/attack", **FILE).text)


def test_attack__a_mistake_names_the_field_as_it_is_shown(ready):
    form = {"learn": "item", "amount": "any", "crowd": "5", **FILE}
    page = said(ready.post("/attack/questions", sure="50", **form).text)
    assert "“How sure may they become?” must lie strictly between 0 and 1, not 50" in page
    page = said(ready.post("/attack/options", model="rho", o__rho="50", **FILE).text)
    assert "“How sure an attacker may become (rho)” must lie strictly between 0 and 1" in page


def test_protect__asks_whether_a_similar_item_was_meant(ready):
    ready.post("/protect/list", do="paste", list="coffe\nxyz", **FILE)
    page = said(ready.get("/protect", **FILE).text)
    assert "coffe (did you mean “coffee”?)" in page
    assert page.count("did you mean") == 1
