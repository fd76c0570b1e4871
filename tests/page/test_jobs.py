"""Jobs: progress, cancelling, one at a time, and requests that do not wait for them."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import time

import pytest
from desk import Client

import withhold as wh
from withhold.formats import write
from withhold.page.jobs import Queue
from withhold.page.project import Project
from withhold.page.serving import Page


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """A queue whose jobs are scripts."""
    monkeypatch.setattr("withhold.page.jobs.PYTHON", (sys.executable, "-P", "-c"))
    (tmp_path / "private").mkdir()
    made = Queue(tmp_path, tmp_path / "private")
    yield made
    made.close()


def script(text: str) -> tuple[str, ...]:
    return (textwrap.dedent(text),)


def until(holds, seconds: float = 60.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def test_job__tells_its_progress_and_its_result(queue):
    job = queue.add("x", "f", script("""
        import sys, time
        print('{"progress": ["counting: a", 1, 4], "left": 9.5}', file=sys.stderr, flush=True)
        time.sleep(1.0)
        print("withhold: a note", file=sys.stderr)
        print('{"verdict": "BROKEN"}')
        sys.exit(1)
    """))  # fmt: skip
    until(lambda: job.share is not None)
    assert (job.step, job.share) == ("counting: a", 0.25)
    assert 1.0 <= job.seconds_left <= 9.5
    until(lambda: job.is_over)
    assert job.state == "done"
    assert job.result == {"verdict": "BROKEN"}
    assert job.notes == ["a note"]


@pytest.mark.skipif(os.name != "posix", reason="priorities of POSIX")
def test_job__gives_way_to_requests(queue):
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    job = queue.add("x", "f", script("""
        import json, os, threading, time
        time.sleep(0.2)
        found = []
        look = lambda: found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        look()
        print(json.dumps({"nice": found}))
    """))  # fmt: skip
    until(lambda: job.is_over)
    assert job.result is not None
    assert all(each > ours or each == 19 for each in job.result["nice"])


def test_job__that_fails_has_no_result(queue):
    job = queue.add("x", "f", script("import sys; print('{}'); sys.exit(3)"))
    until(lambda: job.is_over)
    assert (job.state, job.result) == ("failed", None)


def test_jobs__run_one_after_the_other(queue):
    first = queue.add("x", "f", script("import time; time.sleep(60)"))
    second = queue.add("y", "f", script("print('{}')"))
    until(lambda: first.state == "running")
    assert second.state == "waiting"
    assert queue.add("y", "f", second.words) is second  # asked for twice, done once
    queue.cancel(first)
    until(lambda: second.is_over)
    assert (first.state, second.state) == ("cancelled", "done")


def test_job__that_waits_can_be_cancelled(queue):
    first = queue.add("x", "f", script("import time; time.sleep(0.5); print('{}')"))
    second = queue.add("y", "f", script("open('made', 'w')"))
    queue.cancel(second)
    until(lambda: first.is_over)
    time.sleep(0.2)
    assert second.state == "cancelled"
    assert not (queue.folder / "made").exists()


def test_job__runs_no_file_of_the_folder(tmp_path):
    (tmp_path / "withhold.py").write_text("open('ran', 'w')")
    (tmp_path / "numpy.py").write_text("open('ran', 'w')")
    private = tmp_path / "private"
    private.mkdir()
    made = Queue(tmp_path, private)
    job = made.add("x", "f", ("withhold", "--version"))
    until(lambda: job.is_over)
    made.close()
    assert job.output.read_text().startswith("withhold ")
    assert not (tmp_path / "ran").exists()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    records, sensitive = wh.pharmacy(30_000, seed=1)
    write(records, folder / "large.dat")
    return folder, sorted(sensitive)


def test_publishing__that_is_cancelled_leaves_nothing_and_requests_do_not_wait(large):
    folder, sensitive = large
    with Page(folder) as page:
        client = Client(page)
        client.enter()
        project = Project(page.folder, "large.dat")
        project.change({"model": "rho", "rho": "0.2"})
        project.list_items(sensitive)
        before = sorted(path.name for path in folder.iterdir())
        assert client.post("/publish/release", file="large.dat", output="out.dat").status == 303
        (job,) = page.queue.jobs.values()
        until(lambda: job.state == "running")
        client.get("/publish", file="large.dat")  # templates are compiled once
        took = []
        for _ in range(30):
            began = time.perf_counter()
            answer = client.get("/publish", file="large.dat")
            took.append(time.perf_counter() - began)
            assert answer.status == 200
            if job.is_over:
                break
        # The median: the machine has other things to do, and one slow request is theirs.
        assert sorted(took)[len(took) // 2] < 0.1
        if not job.is_over:
            back = client.post(f"/jobs/{job.number}/cancel", back="/publish?file=large.dat")
            assert back.headers["location"] == "/publish?file=large.dat"
            until(lambda: job.process is not None and job.process.poll() is not None)
            assert job.state == "cancelled"
            assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("back", ["//evil.example", "/\\evil.example", "https://evil.example", ""])
def test_cancel__leads_back_to_this_page_alone(client, back):
    client.page.queue.add("read", "f", ("withhold", "--version"))
    answer = client.post("/jobs/1/cancel", back=back)
    assert answer.headers["location"] == "/jobs"


def test_events__tell_how_a_job_goes_until_it_is_over(client):
    client.page.queue.add("read", "f", ("withhold", "--version"))
    answer = client.get("/jobs/1/events")  # ends with the job
    assert answer.headers["content-type"].startswith("text/event-stream")
    states = [json.loads(line[6:])["state"] for line in answer.text.splitlines() if line]
    assert states[-1] == "done"


def test_page__that_ends_takes_its_jobs_along(folder):
    with Page(folder) as page:
        job = page.queue.add("x", "f", ("withhold", "demo", "--baskets", "200000"))
        until(lambda: job.state == "running")
        assert job.process is not None
    until(lambda: job.process.poll() is not None, 10)
