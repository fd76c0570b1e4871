"""Who may talk to the page, and what it may touch."""

from __future__ import annotations

import os
import socket
import stat

import pytest
from desk import Client

from withhold.errors import InputError, PolicyError
from withhold.page.folder import Folder
from withhold.page.project import Project
from withhold.page.serving import Page
from withhold.page.words import WORDS

pages = pytest.mark.parametrize(
    "path", ["/", "/data?file=baskets.dat", "/releases", "/jobs", "/static/page.js", "/nowhere"]
)


@pages
def test_guard__lets_nobody_in_without_the_cookie(client, path):
    assert Client(client.page).ask("GET", path).status == 403
    wrong = Client(client.page, cookie=f"withhold-{client.page.port}=guessed")
    assert wrong.ask("GET", path).status == 403


def test_guard__token_works_once_and_becomes_a_strict_cookie(folder):
    with Page(folder) as page:
        address = page.address.partition(str(page.port))[2]
        wrong = Client(page).ask("GET", "/?token=guessed")
        assert wrong.status == 403
        assert "set-cookie" not in wrong.headers
        first, second = Client(page), Client(page)
        answer = first.ask("GET", address)
        assert answer.status == 200
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert address.partition("=")[2] not in cookie
        again = second.ask("GET", address)
        assert again.status == 403
        assert "set-cookie" not in again.headers
        # A bookmark of the first address is harmless in the browser that has the cookie.
        first.cookie = cookie.partition(";")[0]
        assert first.ask("GET", address).headers["location"] == "/"


def test_guard__token_is_for_the_first_page_alone(folder):
    with Page(folder) as page:
        path = page.address.partition(str(page.port))[2].replace("/?", "/jobs?")
        assert Client(page).ask("GET", path).status == 403
        assert page.guard.token is not None


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "localhost:1", "", None, "127.0.0.1.nip.io:{port}"]
)
def test_guard__answers_to_its_own_name_alone(client, host):
    named = None if host is None else host.format(port=client.page.port)
    # Without a Host header, the server itself refuses.
    assert client.ask("GET", "/", Host=named).status in (421, 400)
    assert client.ask("GET", "/", Host=f"localhost:{client.page.port}").status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", None, "https://127.0.0.1", "http://localhost"]
)
def test_guard__takes_forms_from_its_own_pages_alone(client, origin):
    form = b"file=baskets.dat&kind=table"
    kind = "application/x-www-form-urlencoded"
    assert client.ask("POST", "/data", form, Origin=origin, Content_Type=kind).status == 403
    assert not (client.page.folder.root / "baskets.dat.page.toml").exists()


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_guard__is_no_part_of_other_sites(client, site):
    # Another port of this machine is the same site, and somebody else's.
    assert client.ask("GET", "/data?file=baskets.dat", Sec_Fetch_Site=site).status == 403
    assert client.ask("GET", "/releases", Origin="http://evil.example").status == 403


def test_guard__takes_no_other_methods(client):
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        assert client.ask(method, "/", Origin=None).status == 405


@pages
def test_guard__sends_strict_headers_with_everything(client, path):
    for answer in (client.ask("GET", path), Client(client.page).ask("GET", path)):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in answer.headers


def test_page__is_on_loopback_alone(client):
    assert client.page.socket.getsockname()[0] == "127.0.0.1"
    elsewhere = socket.gethostbyname(socket.gethostname())
    if not elsewhere.startswith("127."):
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((elsewhere, client.page.port), timeout=5)


def test_page__two_custodians_do_not_see_each_other(folder, client):
    with Page(folder) as other:
        stranger = Client(other)
        stranger.enter()
        assert stranger.get("/").status == 200
        # With the cookie of the other page, under both names.
        assert Client(client.page, cookie=stranger.cookie).get("/").status == 403
        value = stranger.cookie.partition("=")[2]
        forged = Client(client.page, cookie=f"withhold-{client.page.port}={value}")
        assert forged.get("/").status == 403


OUTSIDE = [
    *("../secret.txt", "/etc/passwd", "a/../../secret.txt", "..", "", "..\\secret.txt", "link"),
    *("way/secret.txt", "baskets.dat\0", "upload:../secret.txt", "upload:/etc/passwd"),
    "C:secret.txt",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_folder__nothing_outside_is_read(client, folder, name):
    (folder / "link").symlink_to(folder.parent / "secret.txt")
    (folder / "way").symlink_to(folder.parent)
    with pytest.raises(InputError):
        client.page.folder.file(name)
    for path in ("/data", "/protect", "/attack", "/trade-off", "/publish", "/protect/items"):
        answer = client.get(path, file=name)
        assert answer.status == 422
        assert "nobody may read" not in answer.text
    assert client.get("/releases/report", release=name).status == 422


def test_folder__nothing_outside_is_written(client, folder):
    (folder / "way").symlink_to(folder.parent)
    project = Project(client.page.folder, "baskets.dat")
    project.change({"model": "rho", "rho": "0.9"})
    project.list_items(["pill"])
    before = sorted(path.name for path in folder.parent.iterdir())
    for name in [
        name for name in OUTSIDE if name != "link"
    ]:  # which is a name like any other, here
        answer = client.post("/publish/release", file="baskets.dat", output=name)
        assert answer.status == 422
        assert WORDS["folder.outside"] in answer.text
    assert client.page.queue.jobs == {}
    assert sorted(path.name for path in folder.parent.iterdir()) == before


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../secret.txt", "way/secret.txt", "x=../secret.txt"]
)
def test_options__name_no_file_outside(client, folder, name):
    (folder / "way").symlink_to(folder.parent)
    client.post("/data", file="baskets.dat", kind="people")
    assert client.post("/data", file="baskets.dat", kind="people", items=name).status == 422
    client.post("/data", file="baskets.dat", kind="records")
    for key in ("consent", "constraints"):
        assert client.post("/protect/people", file="baskets.dat", **{key: name}).status == 422
    form = {"o-hierarchy": name, "o-rho": "0.5"}
    assert client.post("/attack/options", file="baskets.dat", model="rho", **form).status == 422
    policy = (folder / "baskets.dat.page.toml").read_text()
    assert "secret" not in policy
    assert "passwd" not in policy


def test_folder__does_not_list_what_links_lead_out_to(client, folder):
    (folder / "link.dat").symlink_to(folder.parent / "secret.txt")
    (folder / "way").symlink_to(folder.parent)
    assert client.page.folder.data_files() == ["baskets.dat"]


def test_upload__goes_to_a_private_folder_that_is_removed(folder):
    with Page(folder) as page:
        client = Client(page)
        client.enter()
        answer = client.ask("POST", "/upload?name=mine.dat", b"a b\nb\n")
        assert (answer.status, answer.text) == (200, "upload:mine.dat")
        private = page.folder.private
        kept = private / "uploads" / "mine.dat"
        assert kept.read_bytes() == b"a b\nb\n"
        if os.name == "posix":
            assert stat.S_IMODE(private.stat().st_mode) == 0o700
            assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert client.get("/data", file="upload:mine.dat").status == 200
        client.settle()
    assert not private.exists()
    assert not (folder / "mine.dat").exists()


@pytest.mark.parametrize(
    "name", ["../escaped.dat", "..", "", "a/../../escaped.dat", "/tmp/escaped.dat"]
)
def test_upload__cannot_leave_its_folder(client, name):
    client.ask("POST", f"/upload?name={name}", b"a b\n")
    uploads = client.page.folder.uploads
    assert not list(uploads.parent.rglob("../escaped.dat"))
    assert {path.parent for path in uploads.rglob("*")} <= {uploads}


def test_upload__that_is_too_large_is_refused(client):
    large = b"x" * 2000
    assert client.ask("POST", "/upload?name=large.dat", large).status == 413
    # The length that is stated may be a lie, or not be there.
    chunks = b"3e8\r\n" + b"x" * 1000 + b"\r\n3e8\r\n" + b"x" * 1000 + b"\r\n0\r\n\r\n"
    answer = client.ask(
        "POST", "/upload?name=large.dat", chunks, Transfer_Encoding="chunked", Content_Length=None
    )
    assert answer.status in (413, 422)
    assert list(client.page.folder.uploads.iterdir()) == []
    assert list(client.page.folder.private.glob("*.part")) == []


def test_names__that_are_markup_stay_text(client, folder):
    nasty = "<script>alert(1)</script>"
    (folder / "nasty.dat").write_text(f"{nasty} pill\n{nasty}\npill x\n")
    (folder / "<img src=x>.dat").write_text("a b\n")
    client.get("/data", file="nasty.dat")
    client.settle()
    client.post("/protect/list", file="nasty.dat", do="paste", list=f"{nasty}\n'\"><b>")
    pages = [
        client.get("/"),
        client.get("/data", file="nasty.dat"),
        client.get("/protect", file="nasty.dat"),
    ]
    pages.append(client.get("/protect/items", file="nasty.dat", q="<script>"))
    for page in pages:
        assert page.status == 200
        assert "<script>alert" not in page.text
        assert "<img src=x>" not in page.text
        assert "<b>" not in page.text
    assert "alert(1)" in pages[1].text


def test_names__that_are_markup_stay_text_to_the_end_of_the_road(client, folder):
    """In breaches, rows, reports, releases and jobs, and in the names of files."""
    image, name = "<img src=x>", "<b>a&b.dat"
    records = [f"{image}|bread", f"{image}|bread", "bread|tea", "tea", f"{image}|tea", "bread"]
    (folder / name).write_text("\n".join(records * 3) + "\n")
    client.post("/data", file=name, kind="records", separator="pipe")
    client.get("/data", file=name)
    client.settle()
    client.post("/protect/list", file=name, do="paste", list=image)
    client.post("/attack/questions", file=name, learn="item", amount="any", sure="0.4", crowd="2")
    client.post("/attack/audit", file=name)
    client.post("/publish/preview", file=name)
    client.settle()
    client.get("/publish", file=name)
    client.post("/publish/release", file=name, output="<i>out.dat", report="1")
    client.settle()
    jobs = client.page.queue.jobs.values()
    assert [job.notes for job in jobs if job.state != "done"] == []
    pages = [client.get(path, file=name) for path in ("/attack", "/trade-off", "/publish")]
    pages += [client.get(path) for path in ("/", "/releases", "/jobs", "/jobs/2")]
    pages.append(client.get("/releases/report", release="<i>out.dat"))
    for page in pages:
        assert page.status == 200
        assert "<img" not in page.text
        assert "<b>" not in page.text
        assert "<i>" not in page.text
    assert "infers &lt;img src=x&gt;" in pages[0].text
    assert "&lt;img src=x&gt;</del>" in pages[2].text


def test_port__that_is_taken_is_said(folder, client):
    with pytest.raises(PolicyError, match="cannot be used"):
        Page(folder, port=client.page.port)


def test_policy__of_somebody_else_is_not_replaced(client, folder):
    theirs = folder / "baskets.dat.page.toml"
    theirs.write_text("rho = 0.5\n")
    answer = client.post("/data", file="baskets.dat", kind="table")
    assert answer.status == 422
    assert theirs.read_text() == "rho = 0.5\n"


def test_folder__private_one_is_new_each_time(tmp_path):
    one, other = Folder(tmp_path), Folder(tmp_path)
    assert one.private != other.private
    one.remove_private()
    other.remove_private()
    assert not one.private.exists()
