from __future__ import annotations

from importlib.util import find_spec

import pytest

MISSING = [name for name in ("starlette", "uvicorn", "multipart") if find_spec(name) is None]
# Without the packages of withhold[page] there is no page to test.
collect_ignore_glob = ["*.py"] if MISSING else []
if not MISSING:
    from desk import Client

    from withhold.page.serving import Page

BASKETS = "bread beer pill\nbeer pill\nbread coffee\ncoffee\nbread beer\ntea coffee\n"


@pytest.fixture(autouse=True)
def jobs_do_not_wait(request, monkeypatch):
    """Where other tests run beside, a job that gives way waits for all of them."""
    if not MISSING and request.path.name != "test_jobs.py":
        monkeypatch.setattr("withhold.page.jobs.NICE", 0)


@pytest.fixture
def folder(tmp_path):
    """The folder that the page may touch; its parent it may not."""
    (tmp_path / "secret.txt").write_text("nobody may read this")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "baskets.dat").write_text(BASKETS)
    return inside


@pytest.fixture
def client(folder):
    """A browser that was let in."""
    with Page(folder, most_upload_bytes=1000) as page:
        found = Client(page)
        assert found.enter().status == 200
        yield found
