"""A release replaces another at one moment: whoever is killed leaves the old set or the new one."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

import withhold as wh
from killing import Killed, attempts, kill, stop_at
from withhold.atomic import FileSet, abandon, drafting, drafts, journal, steps
from withhold.candidates import candidate
from withhold.errors import OutputError, PolicyError
from withhold.publish.publishing import (
    internal_of,
    manifest_of,
    manifest_path,
    release_files,
    report_path,
    save_text,
)
from withhold.publish.recheck import verify_file
from withhold.report import trade_off
from withhold.report.trade_off import sweep_files, write_files

ROWS = [
    *(["condom", "beer", "bread"], ["beer", "condom"], ["condom"]),
    *(["coffee", "bread"], ["coffee"], ["tea"]),
]
OLD, NEW = wh.RhoUncertainty("0.5", {"condom"}), wh.RhoUncertainty("0.3", {"condom"})
PAGE = '<meta name="generator" content="withhold">'
SET = ["out.dat", "out.dat.internal.json", "out.dat.manifest.json"]
DRAFT = re.compile(r"\.out\.dat\.[0-9a-f]{16}\.part")
posix = pytest.mark.skipif(os.name != "posix", reason="links, modes and signals as on POSIX")


@pytest.fixture(scope="module")
def releases():
    return {model: wh.anonymize(ROWS, model) for model in (OLD, NEW)}


@pytest.fixture(autouse=True)
def pieces(monkeypatch):
    """Files are written in several pieces, so that a stop can tear one."""
    monkeypatch.setattr(steps, "BLOCK", 500)


@pytest.fixture(autouse=True)
def page(monkeypatch):
    """A report that says which release it is about; the real one takes long to draw."""

    def tell(release, manifest, *_):
        return None, f"{PAGE}about {manifest['output']['sha256']}"

    monkeypatch.setattr("withhold.publish.publishing._tell", tell)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def judged(out, was):
    """Which of the two releases stands there, with everything that belongs to it; None for nothing."""
    found = verify_file(out)
    assert (found.same_bytes, found.verdict.status) == (True, wh.Status.HOLDS)
    digest = json.loads(manifest_of(out).read_text(encoding="utf-8"))["output"]["sha256"]
    internal = json.loads(internal_of(out).read_text(encoding="utf-8"))
    assert internal["output"]["sha256"] == digest
    page = report_path(out)
    if page.exists():
        assert page.read_text() == f"{PAGE}about {digest}"
    assert page.exists() == was[found.model]
    return found.model


# --- killed at every step -------------------------------------------------------------------------

CASES = [
    (older, older_page, newer_page)
    for older in (False, True)
    for older_page in ((False, True) if older else (False,))
    for newer_page in (False, True)
]


@pytest.mark.parametrize(("older", "older_page", "newer_page"), CASES)
def test_kill__at_any_step_leaves_the_old_set_or_the_new_one(
    releases, tmp_path, monkeypatch, older, older_page, newer_page
):
    was = {OLD: older_page, NEW: newer_page}
    outcomes = Counter()
    for last, folder in attempts(tmp_path):
        out = folder / "out.dat"
        if older:
            releases[OLD].write(out, report=older_page)
        publish = partial(releases[NEW].write, out, report=newer_page, force=True)
        seen, killed = kill(monkeypatch, last, publish)
        if not killed:
            break
        # Somebody who may only read finds a release and its manifest too, and changes nothing.
        before = content(folder)
        with monkeypatch.context() as patch:
            patch.setattr(journal, "is_ours", lambda found: False)
            if out.exists():
                found = verify_file(out)
                assert found.same_bytes
                assert candidate(out).model == found.model
            else:
                assert not older
        assert content(folder) == before
        assert not [name for name in before if name.endswith(".html")] or judged_page(folder)
        # Somebody who may write completes it.
        if release_files(out).journal.exists() or out.exists():
            outcomes[judged(out, was)] += 1
        else:
            assert not manifest_path(out).exists()
            outcomes[None] += 1
        assert not release_files(out).journal.exists()
        # And the next run is an ordinary one.
        publish()
        assert judged(out, was) == NEW
        assert sorted(content(folder)) == SET + [report_path(out).name] * newer_page
    assert last == len(seen) > 15
    assert {outcome for outcome, count in outcomes.items() if count} == {
        OLD if older else None,
        NEW,
    }


def judged_page(folder):
    """Without the journal as well, no page stands beside another release."""
    (page,) = [path for path in folder.iterdir() if path.name.endswith(".html")]
    return page.read_text() == f"{PAGE}about {journal.digest_of(folder / 'out.dat')}"


def test_kill__there_are_enough_of_them(releases, tmp_path, monkeypatch):
    steps_taken = 0
    for older, older_page, newer_page in CASES:
        out = tmp_path / f"{older}{older_page}{newer_page}" / "out.dat"
        out.parent.mkdir()
        if older:
            releases[OLD].write(out, report=older_page)
        killer = stop_at(monkeypatch, None)
        releases[NEW].write(out, report=newer_page, force=True)
        steps_taken += len(killer.seen)
    assert steps_taken >= 200


@pytest.mark.parametrize("again", [1, 2, 3, 4, 5])
def test_kill__while_completing_is_completed_by_the_next(releases, tmp_path, monkeypatch, again):
    out = tmp_path / "out.dat"
    releases[OLD].write(out, report=True)
    pending(releases[NEW], out, monkeypatch)
    stop_at(monkeypatch, again - 1)
    with pytest.raises(Killed):
        verify_file(out)
    stop_at(monkeypatch, None)
    assert judged(out, {OLD: True, NEW: True}) == NEW
    assert not release_files(out).journal.exists()


def pending(release, out, monkeypatch, moves=0):
    """Killed just after the commit point, with so many files in place."""
    seen = []

    def before(what, path):
        seen.append(what == "replace" and path.name)
        if (
            release_files(out).journal.exists()
            and seen.count(out.name) + seen.count(manifest_path(out).name) > moves
        ):
            raise Killed

    monkeypatch.setattr(steps, "before", before)
    with pytest.raises(Killed):
        release.write(out, report=True, force=True)
    stop_at(monkeypatch, None)
    assert release_files(out).journal.exists()


def swept(tmp_path, **options):
    return wh.sweep(ROWS, OLD, vary={"rho": ["0.3", "0.5"]}, folder=tmp_path, **options)


def sweep_into(folder):
    write_files(swept(folder), folder, name="rows", promise="")


def test_kill__a_sweep_goes_on_wherever_it_was_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(trade_off, "svg_file", lambda plot: "<svg/>")
    monkeypatch.setattr(trade_off, "sweep_html", lambda sweep, **_: f"<p>{sweep.points}</p>")
    old = wh.sweep(ROWS, OLD, vary={"rho": ["0.7"]})
    for last, folder in attempts(tmp_path):
        write_files(old, folder, name="rows", promise="")
        first = content(folder)
        seen, killed = kill(monkeypatch, last, partial(sweep_into, folder))
        second = content(folder)
        if not killed:
            break
        journal.settle(sweep_files(folder))
        shown = {path.name: path.read_bytes() for path in sweep_files(folder).members}
        new = json.loads(shown["sweep.json"])["points"]
        assert (shown == first) == (len(new) == 1)
        assert len(shown["sweep.csv"].splitlines()) == len(new) + 1
        assert shown["sweep.html"].count(b"Point(") == len(new)
        sweep_into(folder)
        assert sorted(content(folder)) == sorted([*first, "points.jsonl"])
        assert len(json.loads(content(folder)["sweep.json"])["points"]) == 2
    assert last == len(seen) > 25
    assert sorted(second) == sorted([*first, "points.jsonl"])


# --- errors that are no kills ---------------------------------------------------------------------


@pytest.mark.parametrize("older", [False, True], ids=["new", "replacing"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_error__at_any_step_leaves_everything_as_it_was(
    releases, tmp_path, monkeypatch, older, number
):
    for last, folder in attempts(tmp_path):
        out = folder / "out.dat"
        if older:
            releases[OLD].write(out, report=True)
        before = content(folder)
        seen = []

        def fail(what, path, seen=seen, last=last):
            if what != "unlink" or path.name.startswith("out"):  # drafts can be removed
                seen.append(what)
                if len(seen) == last + 1:
                    raise OSError(number, os.strerror(number))

        monkeypatch.setattr(steps, "before", fail)
        try:
            releases[NEW].write(out, report=True, force=True)
        except OutputError as error:
            message = str(error)
            assert content(folder) == before
        else:
            message = os.strerror(number)
            assert verify_file(out).model == NEW
            assert not [name for name in content(folder) if name.startswith(".")]
            if len(seen) <= last:
                break
            assert seen[last] == "link"  # no second names here: copies do
        assert os.strerror(number) in message
    assert last > 15


def test_error__that_cannot_be_undone_is_told_and_completed_later(releases, tmp_path, monkeypatch):
    out = tmp_path / "out.dat"
    releases[OLD].write(out)

    def fail(what, path):
        if what == "replace" and release_files(out).journal.exists():
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(steps, "before", fail)
    with pytest.raises(OutputError, match=r"only partly replaced .*run withhold verify"):
        releases[NEW].write(out, force=True)
    stop_at(monkeypatch, None)
    assert verify_file(out).model == NEW
    assert not release_files(out).journal.exists()


def test_append__a_full_disk_leaves_whole_lines(tmp_path, monkeypatch):
    path = tmp_path / "points.jsonl"
    path.write_bytes(b"first\n")
    real = os.write

    def some(handle, block):
        if path.stat().st_size > 8:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, block[:3])

    monkeypatch.setattr(steps.os, "write", some)
    with pytest.raises(OSError, match="No space"):
        steps.append(path, b"second\n")
    assert path.read_bytes() == b"first\n"


# --- whose files these are ------------------------------------------------------------------------


def test_leftovers__of_the_living_and_of_others_stay(tmp_path, monkeypatch):
    files = FileSet(tmp_path / "out.dat")
    (tmp_path / ".out.dat.0123456789abcdef.part").write_text("dead")
    (tmp_path / ".out.dat.part").write_text("not ours")
    (tmp_path / ".other.dat.0123456789abcdef.part").write_text("dead, of another file")
    with drafting(files) as living:
        draft = living.new()
        with drafting(files) as others:
            others.new()
            assert draft.path.exists()
        assert len([name for name in content(tmp_path) if DRAFT.fullmatch(name)]) == 1
    assert sorted(content(tmp_path)) == [".other.dat.0123456789abcdef.part", ".out.dat.part"]
    (tmp_path / ".out.dat.0123456789abcdef.part").write_text("of another user")
    monkeypatch.setattr("withhold.atomic.files.is_ours", lambda found: False)
    with drafting(files):
        pass
    assert (tmp_path / ".out.dat.0123456789abcdef.part").exists()


def forged(out, **changes):
    move = {"draft": ".out.dat.0123456789abcdef.part", "target": "out.dat"} | changes.pop(
        "move", {}
    )
    path = out.parent / move["draft"]
    if "/" not in move["draft"]:
        path.write_text("forged")
    move.setdefault("sha256", journal.digest_of(path) or "")
    record = {"journal": 1, "removals": [], "moves": [move]} | changes
    release_files(out).journal.write_text(json.dumps(record))


@pytest.mark.parametrize(
    "changes",
    [
        {"removals": ["../victim"]},
        {"removals": ["victim"]},
        {"removals": [["out.dat"]]},
        {"removals": "out.dat"},
        {"move": {"target": "victim"}},
        {"move": {"target": "../victim"}},
        {"move": {"draft": "../victim"}},
        {"move": {"draft": "victim"}},
        {"move": {"draft": ".out.dat.x/../0123456789abcdef.part"}},
        {"move": {"sha256": "0" * 64}},
        {"move": {"more": 1}},
        {"journal": 2},
        {"moves": None},
        {"moves": [1]},
    ],
    ids=str,
)
def test_journal__is_believed_only_as_far_as_it_names_the_set(releases, tmp_path, changes):
    folder = tmp_path / "inner"
    folder.mkdir()
    out = folder / "out.dat"
    for victim in (tmp_path / "victim", folder / "victim"):
        victim.write_text("precious")
    releases[OLD].write(out)
    before = out.read_bytes()
    forged(out, **changes)
    for victim in (tmp_path / "victim", folder / "victim"):
        victim.write_text("precious")
    assert verify_file(out).model == OLD
    assert out.read_bytes() == before
    releases[NEW].write(out, force=True)
    assert verify_file(out).model == NEW
    assert (tmp_path / "victim").read_text() == (folder / "victim").read_text() == "precious"
    assert sorted(content(folder)) == [*SET, "victim"]


@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b"null", b"[" * 5000, b" " * 70_000, b"\xff"])
def test_journal__that_is_none_is_dropped(releases, tmp_path, junk):
    out = tmp_path / "out.dat"
    release_files(out).journal.write_bytes(junk)
    releases[OLD].write(out)
    assert sorted(content(tmp_path)) == SET


def test_journal__of_another_user_is_not_acted_upon(releases, tmp_path, monkeypatch):
    out = tmp_path / "out.dat"
    releases[OLD].write(out)
    pending(releases[NEW], out, monkeypatch)
    before = content(tmp_path)
    monkeypatch.setattr(journal, "is_ours", lambda found: False)
    assert verify_file(out).model == OLD
    with pytest.raises(OutputError, match="interrupted run of another user"):
        releases[NEW].write(out, force=True)
    assert content(tmp_path) == before


def test_journal__a_reader_who_may_not_write_finds_the_manifest(releases, tmp_path, monkeypatch):
    out = tmp_path / "out.dat"
    releases[OLD].write(out)
    pending(releases[NEW], out, monkeypatch, moves=1)

    def refuse(what, path):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(steps, "before", refuse)
    assert manifest_of(out).name.endswith(".part")
    found = verify_file(out)
    assert (found.same_bytes, found.model) == (True, NEW)


def test_commit__two_runs_at_once_do_not_overwrite_each_other(releases, tmp_path):
    out = tmp_path / "out.dat"
    with drafting(release_files(out)) as first:
        draft = first.new_text("late")
        releases[OLD].write(out)
        with pytest.raises(PolicyError, match="exists already"):
            first.commit([(draft, out)], overwrite=False)
    assert verify_file(out).model == OLD


# --- names, links and modes -----------------------------------------------------------------------


@posix
def test_drafts__are_private_and_cannot_be_guessed(tmp_path):
    names = set()
    for _ in range(3):
        with drafting(FileSet(tmp_path / "out.dat")) as drafts:
            draft = drafts.new()
            names.add(draft.path.name)
            assert stat.S_IMODE(draft.path.stat().st_mode) == 0o600
            assert str(os.getpid()) not in draft.path.name.split(".")
    assert len(names) == 3
    assert all(DRAFT.fullmatch(name) for name in names)


@posix
def test_drafts__never_follow_a_link_that_waits_for_them(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    tokens = iter(["0" * 16, "1" * 16])
    monkeypatch.setattr(drafts.secrets, "token_hex", lambda _: next(tokens))
    (tmp_path / f".out.dat.{'0' * 16}.part").symlink_to(victim)
    save_text(tmp_path / "out.dat", "text", force=True)
    assert victim.read_text() == "precious"
    assert (tmp_path / "out.dat").read_text() == "text"


@posix
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_mode__is_what_the_umask_gives_or_what_was_there(releases, tmp_path, umask):
    out = tmp_path / "out.dat"
    before = os.umask(umask)
    try:
        releases[OLD].write(out)
        assert stat.S_IMODE(out.stat().st_mode) == 0o666 & ~umask
        out.chmod(0o640)
        releases[NEW].write(out, force=True, report=True)
        modes = [stat.S_IMODE(path.stat().st_mode) for path in release_files(out).members]
        # The internal manifest and the internal edition of the report are for their owner alone.
        assert modes == [0o640, 0o666 & ~umask, 0o600, 0o600]
        assert os.umask(umask) == umask
    finally:
        os.umask(before)


@posix
@pytest.mark.parametrize("suffix", ["", ".manifest.json", ".report.html"])
@pytest.mark.parametrize("dangling", [False, True])
def test_target__that_is_a_link_is_refused(releases, tmp_path, suffix, dangling):
    elsewhere = tmp_path / "elsewhere"
    if not dangling:
        elsewhere.write_text("precious")
    (tmp_path / f"out.dat{suffix}").symlink_to(elsewhere)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(OutputError, match="is a symbolic link, which is never written through"):
        releases[OLD].write(tmp_path / "out.dat", force=True)
    assert sorted(os.listdir(tmp_path)) == before
    assert dangling or elsewhere.read_text() == "precious"
    if not suffix:
        with pytest.raises(OutputError, match="is a symbolic link"):
            save_text(tmp_path / "out.dat", "page", force=True)


@posix
def test_draft__that_was_swapped_is_not_published(tmp_path):
    out = tmp_path / "out.dat"
    with drafting(FileSet(out)) as drafts:
        draft = drafts.new_text("ours")
        draft.path.unlink()
        draft.path.write_text("theirs")
        with pytest.raises(OutputError, match="was replaced by another process"):
            drafts.commit([(draft, out)], overwrite=True)
    assert content(tmp_path) == {}


def test_abandon__removes_all_drafts_and_lets_nothing_follow(tmp_path, monkeypatch):
    import threading

    monkeypatch.setattr(drafts, "leaving", threading.RLock())
    with drafting(FileSet(tmp_path / "out.dat")) as some:
        some.new_text("text")
        thread = threading.Thread(target=abandon)
        thread.start()
        thread.join()
        assert content(tmp_path) == {}
        assert not drafts.leaving.acquire(blocking=False)


# --- killed for real ------------------------------------------------------------------------------

KILL = """
import os, signal, sys
import withhold as wh
from withhold.atomic import steps
seen = []
def kill(what, path):
    seen.append(what)
    if len(seen) > int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
release = wh.anonymize({rows!r}, wh.RhoUncertainty("0.3", {{"condom"}}))
steps.before = kill
release.write(sys.argv[1], force=True)
"""


@posix
@pytest.mark.parametrize("last", [3, 14, 16, 18, 19])
def test_sigkill__leaves_the_old_set_or_the_new_one(releases, tmp_path, last):
    out = tmp_path / "out.dat"
    releases[OLD].write(out)
    environment = {**os.environ, "PYTHONPATH": str(Path(wh.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", KILL.format(rows=ROWS), str(out), str(last)],
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert [name for name in content(tmp_path) if name.startswith(".")]
    assert judged(out, {OLD: False, NEW: False}) in (OLD, NEW)
    releases[NEW].write(out, force=True)
    assert sorted(content(tmp_path)) == SET
    assert verify_file(out).model == NEW
