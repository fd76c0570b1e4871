"""The last step: what is written is proved, or it is not there."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
from fractions import Fraction

import numpy as np
import pytest

import withhold as wh
from withhold.data.plan import apply
from withhold.errors import (
    InputError,
    InternalError,
    NotVerifiedError,
    OutputError,
    PolicyError,
)
from withhold.formats.forms import OF_ONE_FORMAT
from withhold.publish.manifest import internal_path
from withhold.publish.publishing import Published, manifest_path
from withhold.publish.recheck import verify_file

ROWS = [
    ["condom", "beer", "bread"],
    ["beer", "condom"],
    [],
    ["coffee", "bread"],
    ["coffee"],
    ["condom"],
    ["tea"],
]
NAMES = [
    "out",
    "out.csv",
    "out.csv.gz",
    "out.dat",
    "out.dat.gz",
    "out.jsonl.zst",
    "out.parquet",
    *(f"out{extension}" for extension in OF_ONE_FORMAT),
]
MODEL = wh.RhoUncertainty("0.5", {"condom"})


@pytest.fixture
def baskets(tmp_path):
    """A file with the rows, one of them empty."""
    path = tmp_path / "baskets.dat"
    path.write_text("".join(" ".join(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def release(baskets):
    return wh.anonymize(baskets, MODEL)


@pytest.fixture(scope="module")
def pharmacy():
    """Enough records that they are split into parts, with the sensitive items."""
    return wh.pharmacy(5000, seed=11)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def supports(rows, itemset):
    return sum(itemset <= row for row in rows)


# --- what is written ------------------------------------------------------------------------------


def test_write__the_manifest_tells_strangers_what_a_proof_needs(release, tmp_path):
    out = tmp_path / "out.dat"
    published = release.write(out)
    assert published == Published(
        out,
        manifest_path(out),
        internal_path(out),
        hashlib.sha256(out.read_bytes()).hexdigest(),
        published.verdict,
        published.form,
        timings={**release.timings, "verify": published.verdict.seconds},
    )
    manifest = json.loads((tmp_path / "out.dat.manifest.json").read_text(encoding="utf-8"))
    # Nothing else: a digest of the input, a seed or an exact loss would help to work backwards.
    assert set(manifest) == {"manifest", "promise", "model", "verdict", "output", "ids", "unknown"}
    assert manifest["manifest"] == 2
    assert manifest["promise"] == MODEL.promise()
    assert manifest["model"] == {
        "model": "rho",
        "rho": "0.5",
        "sensitive": ["condom"],
        "max_known": None,
        "ignore_prior": False,
    }
    assert manifest["verdict"]["status"] == "HOLDS"
    left = 10 - len(release.plan)
    assert manifest["output"] == {
        "name": "out.dat",
        "sha256": published.sha256,
        "format": "basket",
        "container": "text",
        "compression": "",
        "separator": " ",
        "columns": [],
        "records": 7,
        "occurrences": left,
    }
    assert names(tmp_path) == [
        "baskets.dat",
        "out.dat",
        "out.dat.internal.json",
        "out.dat.manifest.json",
    ]


def test_write__the_internal_manifest_tells_the_custodian_the_rest(release, baskets, tmp_path):
    published = release.write(tmp_path / "out.dat")
    internal = json.loads(published.internal.read_text(encoding="utf-8"))
    assert internal["input"] == {
        "name": "baskets.dat",
        "sha256": hashlib.sha256(baskets.read_bytes()).hexdigest(),
        "format": "basket",
        "container": "text",
        "compression": "",
        "separator": " ",
        "columns": [],
        "records": 7,
        "occurrences": 10,
        "without_consent": None,
        "skipped_rows": 0,
    }
    assert internal["output"] == {"name": "out.dat", "sha256": published.sha256}
    assert internal["seed"] == release.options["seed"] == internal["policy"]["seed"]
    assert internal["loss"]["occurrences"] == pytest.approx(len(release.plan) / 10)
    assert sum(internal["withheld"].values()) == len(release.plan)
    assert set(internal["withheld"]) == {"condom"}
    assert set(internal["versions"]) == {"withhold", "python", "numpy", "numba", "polars"}
    assert "must not be published" in internal["warning"]


def test_write__of_rows_without_a_file_names_no_input(tmp_path):
    wh.anonymize(ROWS, MODEL).write(tmp_path / "out.dat")
    internal = json.loads((tmp_path / "out.dat.internal.json").read_text(encoding="utf-8"))
    assert (internal["input"]["name"], internal["input"]["sha256"]) == (None, None)
    assert verify_file(tmp_path / "out.dat").verdict.status is wh.Status.HOLDS


@pytest.mark.parametrize("source", ["baskets.dat", "orders.csv"])
@pytest.mark.parametrize("name", NAMES)
def test_write__every_format_is_proved_again_with_its_rows_in_order(
    baskets, tmp_path, source, name
):
    lines = [f"{number},{item}" for number, row in enumerate(ROWS, 1) for item in row]
    (tmp_path / "orders.csv").write_text("\n".join(["order_id,product", *lines]) + "\n")
    release = wh.anonymize(tmp_path / source, MODEL)
    release.write(tmp_path / name)
    again = verify_file(tmp_path / name)
    assert (again.same_bytes, again.verdict.status) == (True, wh.Status.HOLDS)
    assert again.table.to_lists() == release.data.to_lists()
    assert again.model == MODEL


def test_write__a_long_release_keeps_records_that_lost_everything(tmp_path):
    (tmp_path / "orders.csv").write_text("order,product\n1,condom\n2,beer\n2,condom\n3,tea\n")
    release = wh.anonymize(tmp_path / "orders.csv", wh.RhoUncertainty("0.1", {"condom"}))
    assert release.data.to_lists() == [[], ["beer"], ["tea"]]
    release.write(tmp_path / "out.csv")
    assert verify_file(tmp_path / "out.csv").table == release.data


def test_write__a_name_that_is_not_utf8_stands_in_the_manifest(release, tmp_path):
    name = os.fsdecode(b"caf\xe9.dat")
    try:
        release.write(tmp_path / name)
    except OutputError as error:
        pytest.skip(f"no such names here: {error}")
    manifest = json.loads(manifest_path(tmp_path / name).read_text(encoding="utf-8"))
    assert manifest["output"]["name"] == name
    assert verify_file(tmp_path / name).same_bytes


def test_release__only_removes(pharmacy):
    table, sensitive = pharmacy
    release = wh.anonymize(table, wh.RhoUncertainty("0.5", sensitive), seed=3)
    before, after = table.to_lists(), release.data.to_lists()
    assert len(before) == len(after)
    assert all(set(new) <= set(old) for old, new in zip(before, after, strict=True))
    gone = [
        (row, item)
        for row, (old, new) in enumerate(zip(before, after, strict=True))
        for item in sorted(set(old) - set(new))
    ]
    assert len(gone) == len(release.plan) == release.loss.removed > 0
    assert sorted(release.plan.removals(table)) == gone


@pytest.mark.parametrize("options", [{}, {"budget": 1e-9}], ids=["searched", "out of time"])
def test_release__the_same_seed_gives_the_same_bytes(pharmacy, tmp_path, options):
    table, sensitive = pharmacy
    model = wh.RhoUncertainty("0.3", sensitive)
    for number, jobs in enumerate([1, 2, 2]):
        release = wh.anonymize(table, model, seed=5, jobs=jobs, **options)
        release.write(tmp_path / f"{number}.dat", jobs=jobs)
    assert len({(tmp_path / f"{number}.dat").read_bytes() for number in range(3)}) == 1


def test_release__another_seed_gives_another_release(pharmacy):
    table, sensitive = pharmacy
    model = wh.RhoUncertainty("0.3", sensitive)
    first, second = (wh.anonymize(table, model, seed=seed).data for seed in (1, 2))
    assert first != second


def test_release__a_tiny_budget_costs_items_but_never_the_proof(pharmacy, tmp_path):
    table, sensitive = pharmacy
    model = wh.RhoUncertainty("0.3", sensitive)
    hasty = wh.anonymize(table, model, budget=1e-9)
    hasty.write(tmp_path / "out.dat")
    # No sensitive item is left: of a stated policy, that could also be another file's list.
    assert verify_file(tmp_path / "out.dat", model=model).verdict.status is wh.Status.UNDECIDED
    assert verify_file(tmp_path / "out.dat").verdict.status is wh.Status.HOLDS
    again = verify_file(tmp_path / "out.dat", model=model, allow_unknown=True)
    assert again.verdict.status is wh.Status.HOLDS
    assert hasty.loss.removed >= wh.anonymize(table, model).loss.removed


# --- the plan -------------------------------------------------------------------------------------


def test_plan__applied_again_gives_the_same_release(release, baskets):
    assert apply(release.plan, wh.read(baskets)) == release.data
    assert apply(release.plan, release.original).to_lists() == release.data.to_lists()


@pytest.mark.parametrize(
    "rows",
    [ROWS[:-1], [*ROWS, []], [["tea"], *ROWS[:-1]], [[*row, "x"] for row in ROWS]],
    ids=["one fewer", "one more", "another order", "another item"],
)
def test_plan__applied_to_other_rows_raises(release, rows):
    with pytest.raises(PolicyError, match="other rows"):
        apply(release.plan, wh.read(rows))


@pytest.mark.parametrize("keep", ["rules", "distribution"])
@pytest.mark.parametrize("rho", ["0.5", "0.2"])
def test_plan__why_is_a_breach_that_the_removal_answers(keep, rho):
    table, sensitive = wh.pharmacy(400, seed=2)
    release = wh.anonymize(table, wh.RhoUncertainty(rho, sensitive), keep=keep)
    rows = [frozenset(row) for row in table]
    removals = release.plan.removals(table)
    assert removals
    for number, (record, item) in enumerate(removals):
        breach = release.plan.why(number, table)
        known = frozenset(breach.antecedent)
        rule = known | {breach.consequent}
        assert breach.consequent in sensitive - known
        assert breach.confidence > Fraction(rho)
        assert breach.antecedent == tuple(sorted(known))
        # Removals only ever lower counts, so the original has at least those of the moment.
        assert 0 < breach.joint <= supports(rows, rule)
        assert breach.support <= supports(rows, known)
        assert item in rule <= rows[record]


# --- what was published is what is proved ---------------------------------------------------------


@pytest.mark.parametrize("place", [0, 3, -2])
def test_verify_file__notices_one_changed_byte(release, tmp_path, place):
    out = tmp_path / "out.dat"
    release.write(out)
    content = bytearray(out.read_bytes())
    content[place] = ord("z")
    out.write_bytes(content)
    assert verify_file(out).same_bytes is False


def test_verify_file__a_lost_line_is_noticed_and_judged(release, tmp_path):
    out = tmp_path / "out.dat"
    release.write(out)
    out.write_text("beer condom\n")
    again = verify_file(out)
    assert (again.same_bytes, again.verdict.status) == (False, wh.Status.BROKEN)
    assert again.verdict.witness.consequent == "condom"


def test_verify_file__without_time_is_undecided(release, tmp_path):
    release.write(tmp_path / "out.dat")
    again = verify_file(tmp_path / "out.dat", limit_seconds=0)
    assert (again.same_bytes, again.verdict.status) == (True, wh.Status.UNDECIDED)


def test_verify_file__takes_another_manifest(release, tmp_path):
    release.write(tmp_path / "out.dat")
    moved = manifest_path(tmp_path / "out.dat").rename(tmp_path / "proof.json")
    with pytest.raises(InputError, match=r"out\.dat\.manifest\.json: does not exist"):
        verify_file(tmp_path / "out.dat")
    assert verify_file(tmp_path / "out.dat", moved).verdict


# --- where nothing may be written -----------------------------------------------------------------


def test_write__refuses_what_exists_unless_forced(release, tmp_path):
    out = tmp_path / "out.dat"
    out.write_text("precious\n")
    with pytest.raises(PolicyError, match=r"out\.dat exists already"):
        release.write(out)
    with pytest.raises(PolicyError, match="is not as withhold wrote it, so it is never replaced"):
        release.write(out, force=True)
    assert out.read_text() == "precious\n"
    out.write_text("")
    release.write(out, force=True)
    release.write(out, force=True)
    assert verify_file(out).same_bytes


def test_write__never_replaces_a_file_that_it_cannot_read(release, tmp_path, monkeypatch):
    out = tmp_path / "out.dat"
    out.write_text("precious\n")
    monkeypatch.setattr("withhold.publish.replacing.digest_of", lambda path: None)
    with pytest.raises(PolicyError, match="is never replaced"):
        release.write(out, force=True)
    assert out.read_text() == "precious\n"


@pytest.mark.parametrize(
    ("name", "change", "replaced"),
    [
        ("out.dat", "changed", False),
        ("out.dat", "removed", True),
        ("out.dat.manifest.json", "changed", False),
        ("out.dat.manifest.json", "removed", True),
        ("out.dat.internal.json", "changed", False),
        ("out.dat.internal.json", "removed", True),
        ("out.dat.report.html", "changed", False),
        ("out.dat.report.html", "removed", True),
    ],
)
def test_write__replaces_only_what_is_as_it_wrote_it(release, tmp_path, name, change, replaced):
    """What somebody changed is theirs; a release that lost a file is still described by the others."""
    out = tmp_path / "out.dat"
    release.write(out, report=True)
    if change == "removed":
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text("precious\n")
    if replaced:
        release.write(out, force=True)
        assert verify_file(out).same_bytes
    else:
        with pytest.raises(
            PolicyError, match=f"{name} exists already, and is not as withhold wrote"
        ):
            release.write(out, force=True)
        assert (tmp_path / name).read_text() == "precious\n"


def test_write__a_file_without_manifests_is_not_replaced(release, tmp_path):
    out = tmp_path / "out.dat"
    published = release.write(out)
    published.manifest.unlink()
    published.internal.unlink()
    with pytest.raises(PolicyError, match="is never replaced"):
        release.write(out, force=True)


def test_write__warns_of_another_release_of_the_same_file(release, baskets, tmp_path):
    first = release.write(tmp_path / "first.dat")
    assert first.warnings == ()
    again = release.write(tmp_path / "first.dat", force=True)
    assert again.warnings == ()
    second = release.write(tmp_path / "second.dat")
    (warning,) = second.warnings
    assert "there is already a release of this file: first.dat; " in warning
    assert json.loads(second.internal.read_text(encoding="utf-8"))["warnings"] == [warning]
    assert "first.dat" not in second.manifest.read_text(encoding="utf-8")
    third = release.write(tmp_path / "third.dat")
    assert "already 2 releases of this file: first.dat, second.dat" in third.warnings[0]
    (tmp_path / "elsewhere").mkdir()
    assert release.write(tmp_path / "elsewhere" / "out.dat").warnings == ()


def test_write__only_releases_of_the_same_file_are_others(release, baskets, tmp_path):
    first, second = release.write(tmp_path / "first.dat"), tmp_path / "second.dat"
    baskets.write_text(baskets.read_text() + "wine\n")
    changed = wh.anonymize(baskets, MODEL)
    assert changed.write(second).warnings == ()
    assert wh.anonymize(ROWS, MODEL).write(tmp_path / "rows.dat").warnings == ()
    first.path.unlink()
    assert release.write(second, force=True).warnings == ()
    for noise in ("{", "[]", '{"internal": 1}'):
        internal_path(tmp_path / "rows.dat").write_text(noise)
        assert release.write(second, force=True).warnings == ()


@pytest.mark.parametrize("text", ["[]", "{", '{"manifest": 2}', '{"output": {"sha256": 3}}', "7"])
def test_write__takes_no_other_json_for_a_manifest(release, tmp_path, text):
    manifest_path(tmp_path / "out.dat").write_text(text)
    with pytest.raises(PolicyError, match="is never replaced"):
        release.write(tmp_path / "out.dat", force=True)
    assert manifest_path(tmp_path / "out.dat").read_text() == text


def test_write__refuses_a_manifest_that_exists_unless_forced(release, tmp_path):
    manifest_path(tmp_path / "out.dat").write_text("{}")
    with pytest.raises(PolicyError, match=r"out\.dat\.manifest\.json exists already"):
        release.write(tmp_path / "out.dat")
    assert not (tmp_path / "out.dat").exists()


@pytest.mark.parametrize("way", ["itself", "symlink", "hard link", "relative"])
def test_write__never_replaces_the_input(release, baskets, tmp_path, monkeypatch, way):
    target = {"itself": baskets, "relative": "folder/../baskets.dat"}.get(way, tmp_path / "other")
    (tmp_path / "folder").mkdir()
    if way == "symlink":
        target.symlink_to(baskets)
    elif way == "hard link":
        target.hardlink_to(baskets)
    monkeypatch.chdir(tmp_path)
    before = baskets.read_bytes(), names(tmp_path)
    with pytest.raises(PolicyError, match="is the input itself"):
        release.write(target, force=True)
    assert (baskets.read_bytes(), names(tmp_path)) == before


def test_write__never_replaces_an_input_that_is_named_like_a_manifest(tmp_path):
    source = tmp_path / "out.dat.manifest.json"
    source.write_text("beer condom\nbeer\n")
    release = wh.anonymize(source, MODEL)
    with pytest.raises(PolicyError, match="is the input itself"):
        release.write(tmp_path / "out.dat", force=True)
    assert source.read_text() == "beer condom\nbeer\n"
    assert names(tmp_path) == ["out.dat.manifest.json"]


def test_write__needs_a_folder_and_a_file_name(release, tmp_path):
    with pytest.raises(OutputError, match="does not exist; create it"):
        release.write(tmp_path / "missing" / "out.dat")
    with pytest.raises(OutputError, match="is a directory"):
        release.write(tmp_path)
    manifest_path(tmp_path / "out.dat").mkdir()
    with pytest.raises(OutputError, match="not an ordinary file"):
        release.write(tmp_path / "out.dat", force=True)
    assert names(tmp_path) == ["baskets.dat", "out.dat.manifest.json"]


@pytest.mark.skipif(os.name != "posix", reason="named pipes as on POSIX")
def test_write__never_replaces_a_device_or_a_pipe(release, tmp_path):
    os.mkfifo(tmp_path / "pipe.dat")
    with pytest.raises(OutputError, match="not an ordinary file"):
        release.write(tmp_path / "pipe.dat", force=True)
    assert (tmp_path / "pipe.dat").is_fifo()


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="for root every folder is writable"
)
def test_write__needs_a_folder_that_can_be_written(release, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(OutputError, match="cannot be written to"):
        release.write(folder / "out.dat")


def test_write__a_folder_where_no_file_can_be_made_is_refused_before_the_work(
    release, tmp_path, monkeypatch
):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("withhold.atomic.steps.create", refuse)
    monkeypatch.setattr(
        "withhold.publish.publishing.write", lambda *_, **__: pytest.fail("the work was begun")
    )
    with pytest.raises(OutputError, match="Read-only file system"):
        release.write(tmp_path / "out.dat")


# --- all or nothing -------------------------------------------------------------------------------


@pytest.fixture(params=["new", "replacing"])
def target(request, tmp_path):
    """Where to publish; what stands there already must survive a failure."""
    out = tmp_path / "out.dat"
    if request.param == "replacing":
        wh.anonymize(ROWS[:3], MODEL).write(out)
    return out


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_write__a_full_disk_leaves_everything_as_it_was(release, target, tmp_path, monkeypatch):
    def fill(table, path, form, file, others):
        path.write_text("condom beer\ncon")
        raise OSError(errno.ENOSPC, "No space left on device")

    before = content(tmp_path)
    monkeypatch.setattr("withhold.publish.publishing.write", fill)
    with pytest.raises(OutputError, match=r"No space left on device; nothing was published"):
        release.write(target, force=True)
    assert content(tmp_path) == before


def test_write__the_message_names_the_file_and_not_its_draft(release, tmp_path, monkeypatch):
    def fill(table, path, form, file, others):
        raise OutputError(f"{path} cannot be written: No space left on device")

    monkeypatch.setattr("withhold.publish.publishing.write", fill)
    with pytest.raises(OutputError, match=r"out\.dat cannot be written") as caught:
        release.write(tmp_path / "out.dat")
    assert ".part" not in str(caught.value)


@pytest.mark.parametrize("failing", [1, 2], ids=["of the data", "of the manifest"])
def test_write__a_flush_that_fails_leaves_everything_as_it_was(
    release, target, tmp_path, monkeypatch, failing
):
    calls = []

    def flush(handle, path):
        calls.append(path)
        if len(calls) == failing:
            raise OSError(errno.EIO, "Input/output error")

    before = content(tmp_path)
    monkeypatch.setattr("withhold.atomic.steps.sync", flush)
    with pytest.raises(OutputError, match="Input/output error"):
        release.write(target, force=True)
    assert content(tmp_path) == before


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("renames", [0, 1, 2, 3, 4])
def test_write__never_half_of_a_release(release, target, tmp_path, monkeypatch, error, renames):
    """An error before, between and after the renames: the file and its manifest as before, or neither."""
    replace, calls = os.replace, []

    def replace_some(*paths):
        calls.append(paths)
        if len(calls) == renames + 1 < 5:
            raise error
        replace(*paths)

    def sync(folder):
        if len(calls) == renames == 4:
            raise error

    before = content(tmp_path)
    monkeypatch.setattr("withhold.atomic.steps.os.replace", replace_some)
    monkeypatch.setattr("withhold.atomic.steps.sync_folder", sync)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        release.write(target, force=True)
    assert content(tmp_path) == before


def test_write__a_file_system_that_is_really_full(tmp_path):
    mount = tmp_path / "tiny"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(mount)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=10)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"needs the right to mount: {error}")
    try:
        rows = [[f"item-number-{row}-{place}" for place in range(5)] for row in range(2000)]
        rows[0] += ["condom"]
        release = wh.anonymize(rows, MODEL)
        with pytest.raises(OutputError, match="No space left on device"):
            release.write(mount / "out.dat")
        assert names(mount) == []
    finally:
        subprocess.run(["umount", str(mount)], check=True, timeout=10)


@pytest.mark.parametrize(
    ("status", "code"), [(wh.Status.BROKEN, 1), (wh.Status.UNDECIDED, 5)], ids=str
)
def test_write__what_does_not_verify_never_gets_its_name(
    release, target, tmp_path, monkeypatch, status, code
):
    seen = []

    def judge(table, *_):
        seen.append(table)
        witness = wh.Breach(("beer",), "condom", 2, 2) if code == 1 else None
        return wh.Verdict(status, "a look", 1, 0.0, witness)

    before = content(tmp_path)
    monkeypatch.setattr("withhold.publish.publishing.verify", judge)
    with pytest.raises(NotVerifiedError, match=status.value) as caught:
        release.write(target, force=True)
    assert caught.value.exit_code == code
    assert content(tmp_path) == before
    # It is the file that was judged, not the table in memory.
    assert [table.source.path.name.endswith(".part") for table in seen] == [True]


def test_write__what_reads_back_differently_never_gets_its_name(release, tmp_path, monkeypatch):
    from withhold.publish import publishing as publish

    write = publish.write

    def lose_a_row(table, path, form, file, others):
        written = write(table, path, form, file=file)
        path.write_bytes(path.read_bytes().split(b"\n", 1)[1])
        return written

    monkeypatch.setattr(publish, "write", lose_a_row)
    with pytest.raises(InternalError, match="not what was written"):
        release.write(tmp_path / "out.dat")
    assert names(tmp_path) == ["baskets.dat"]


def test_write__what_cannot_be_read_back_is_our_bug(release, tmp_path, monkeypatch):
    from withhold.publish import publishing as publish

    write = publish.write

    def tear(table, path, form, file, others):
        written = write(table, path, form, file=file)
        path.write_bytes(b"\xff\n")
        return written

    monkeypatch.setattr(publish, "write", tear)
    with pytest.raises(InternalError, match="cannot be read"):
        release.write(tmp_path / "out.dat")
    assert names(tmp_path) == ["baskets.dat"]


def test_anonymize__a_table_that_does_not_verify_is_never_returned(monkeypatch):
    from withhold import pipeline

    def nothing_removed(plan, table):
        return table

    monkeypatch.setattr(pipeline, "apply", nothing_removed)
    with pytest.raises(NotVerifiedError, match="BROKEN"):
        wh.anonymize(ROWS, MODEL)


def test_release__leaves_the_original_alone(release):
    assert release.original.to_lists() == [sorted(row) for row in ROWS]
    with pytest.raises(ValueError, match="read-only"):
        release.data.items[0] = np.int32(0)
