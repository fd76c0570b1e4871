"""Ctrl-C and SIGTERM, at any moment of any verb; and that exit code 1 is a verdict's alone."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial

import pytest
from benchmarks.quest import quest
from typer.testing import CliRunner

import typed
from tables import example_share
from withhold import interruption, registry
from withhold.cli import anonymize, app, audit, console, inspect, verify  # noqa: F401
from withhold.counting.threads import INTERRUPTED, RUNNING, Stop, run_all
from withhold.errors import Interrupted
from withhold.formats import write

posix = pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
SHOP = "bread beer condom\nbeer condom\nbread coffee\ncoffee\n"
BROKEN = ("--rho", "0.5", "--sensitive", "condom")


def start(*arguments, before="", **options):
    before = f"print('started', flush=True)\n{before}"
    process = typed.start(*arguments, before=before, **options)
    assert process.stdout.readline() == "started\n"
    return process


@pytest.fixture(autouse=True)
def nobody_asked():
    yield
    interruption.forget_request()


@pytest.fixture(scope="module")
def clicks(tmp_path_factory):
    """A click stream: many short records, as many sensitive pages as make the restoring long."""
    folder = tmp_path_factory.mktemp("clicks")
    table = quest(80_000, length=3, pattern=2, items=600, patterns=900, seed=4)
    write(table, folder / "clicks.dat")
    order = sorted(range(len(table.vocabulary)), key=lambda code: -table.supports[code])
    sensitive = [table.vocabulary[code] for code in order[::4]]
    (folder / "sensitive.txt").write_text("\n".join(sensitive) + "\n")
    return folder


@pytest.fixture(scope="module")
def whole(clicks):
    """A run that nobody interrupts: how long it takes, and a release to look at."""
    began = time.monotonic()
    with start(*command(clicks, "anonymize", clicks / "release.dat")) as process:
        assert process.wait(300) == 0, process.stderr.read()
    return time.monotonic() - began


def command(clicks, verb, out):
    model = ["--rho", "0.4", "--sensitive", clicks / "sensitive.txt"]
    data = clicks / "clicks.dat"
    return {
        "anonymize": ["anonymize", data, *model, "-o", out, "--quiet"],
        "one thread": ["anonymize", data, *model, "-o", out, "--quiet", "--jobs", "1"],
        "polishing": ["anonymize", data, *model, "-o", out, "--quiet", "--polish", "600"],
        "audit": ["audit", data, *model, "--quiet"],
        "verify": ["verify", clicks / "release.dat", "--quiet"],
        "compare": ["compare", data, clicks / "release.dat", "--html", out, "--quiet"],
        "inspect": ["inspect", data],
    }[verb]


@posix
@pytest.mark.parametrize("kills", range(12 if example_share() == 1 else 7))
def test_signal__at_any_moment_ends_everything_at_once(clicks, whole, tmp_path, kills):
    """Half a second is the patience of the one who watches; a loaded machine may take longer."""
    generator = random.Random(kills)
    verbs = ["anonymize", "one thread", "anonymize", "audit", "verify", "anonymize", "compare"]
    verb = verbs[kills % len(verbs)]
    number = generator.choice([signal.SIGINT, signal.SIGTERM])
    with start(*command(clicks, verb, tmp_path / "out")) as process:
        try:
            publishing = verb in ("anonymize", "one thread")
            process.wait(generator.uniform(0.1, 0.8 * whole if publishing else 2.0))
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        began = time.monotonic()
        _, said = process.communicate(timeout=60)
        delay = time.monotonic() - began
    if process.returncode != 130:  # it was faster than the signal
        assert (process.returncode, said) == (1 if verb == "audit" else 0, "")
        return
    # Verbs that publish nothing say so only as long as nobody knows which verb it is.
    full, short = "withhold: interrupted; nothing was published\n", "withhold: interrupted\n"
    assert said == full or (said == short and not publishing)
    assert os.listdir(tmp_path) == []
    assert delay < 5


@posix
def test_signal__while_polishing_publishes_nothing(clicks, tmp_path):
    polishing = command(clicks, "polishing", tmp_path / "out")
    with start(*polishing, env={"WITHHOLD_PROGRESS": "json"}) as process:
        while '["polishing' not in (line := process.stderr.readline()):
            assert line, "ended before it polished"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    told = [line for line in said.splitlines() if not line.startswith('{"progress"')]
    assert told == ["withhold: interrupted; nothing was published"]
    assert os.listdir(tmp_path) == []
    assert time.monotonic() - began < 5


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("twice", [False, True])
def test_signal__in_code_that_never_looks_up_ends_it_all_the_same(tmp_path, number, twice):
    """As in a long kernel, or in a read that nobody answers."""
    before = (
        "import withhold.publish.publishing as publish\n"
        "def endless(*_, **__):\n"
        "    print('proving', flush=True)\n"
        "    while True:\n"
        "        time.sleep(0.01)\n"
        "publish.verify = endless\n"
        + (
            "from withhold.cli import interrupts\ninterrupts.GRACE_SECONDS = 60.0\n"
            if twice
            else ""
        )
    )
    (tmp_path / "baskets.dat").write_text(SHOP)
    arguments = ["anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", "--quiet"]
    with start(*arguments, before=before, cwd=tmp_path) as process:
        assert process.stdout.readline() == "proving\n"
        assert [name for name in os.listdir(tmp_path) if name.endswith(".part")]
        process.send_signal(number)
        if twice:
            time.sleep(0.3)
            assert process.poll() is None
            process.send_signal(number)
        began = time.monotonic()
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said == "withhold: interrupted; nothing was published\n"
    assert os.listdir(tmp_path) == ["baskets.dat"]
    assert time.monotonic() - began < 10


@posix
def test_signal__while_waiting_for_input_ends_it(tmp_path):
    with start("inspect", "-", stdin=subprocess.PIPE) as process:
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)  # communicate would close its input at once, which ends it too
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert len(said.splitlines()) == 1
    assert said.startswith("withhold: interrupted")


@posix
def test_signal__after_the_release_has_its_name_does_not_deny_it(tmp_path):
    before = (
        "import withhold.report.text as text\n"
        "def endless(*_, **__):\n"
        "    print('published', flush=True)\n"
        "    time.sleep(300)\n"
        "text.quiet_release_text = endless\n"
    )
    (tmp_path / "baskets.dat").write_text(SHOP)
    arguments = ["anonymize", "baskets.dat", *BROKEN, "-o", "out.dat", "--quiet"]
    with start(*arguments, before=before, cwd=tmp_path) as process:
        assert process.stdout.readline() == "published\n"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (
        130,
        "withhold: interrupted; out.dat was published already\n",
    )
    assert sorted(os.listdir(tmp_path)) == [
        "baskets.dat",
        "out.dat",
        "out.dat.internal.json",
        "out.dat.manifest.json",
    ]


def run(*arguments):
    return CliRunner().invoke(app.app, [str(argument) for argument in arguments])


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.dat").write_text(SHOP)
    return tmp_path


def test_request__is_seen_before_anything_gets_its_name(shop, monkeypatch):
    from withhold.publish import publishing as publish

    real = publish.make_manifest

    def asked(*arguments, **options):
        interruption.ask_to_stop()
        return real(*arguments, **options)

    monkeypatch.setattr(publish, "make_manifest", asked)
    result = run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "withhold: interrupted; nothing was published\n"
    assert os.listdir(shop) == ["baskets.dat"]


def test_request__is_seen_between_tasks_on_any_thread():
    done = []

    def task():
        done.append(1)
        interruption.ask_to_stop()

    for jobs in (1, 2):
        with Stop() as stop, pytest.raises(KeyboardInterrupt):
            run_all([task] * 3, stop, jobs=jobs)
        interruption.forget_request()
    assert done


def test_run_all__a_task_may_have_tasks_of_its_own():
    def outer(number):
        return run_all([lambda: number, lambda: -number], stop, jobs=2)

    with Stop() as stop:
        tasks = [partial(outer, number) for number in range(4)]
        assert run_all(tasks, stop, jobs=2) == [[0, 0], [1, -1], [2, -2], [3, -3]]


def test_run_all__nothing_runs_any_more_when_it_has_raised():
    done = []

    def late():
        time.sleep(0.2)
        done.append(1)

    def fails():
        raise ZeroDivisionError

    with Stop() as stop, pytest.raises(ZeroDivisionError):
        run_all([fails, late, late, late], stop, jobs=2)
    assert len(done) == 3


def test_run_all__ctrl_c_ends_what_is_running_before_it_is_waited_for():
    def endless():
        started.set()
        while stop.cause == RUNNING:
            time.sleep(0.01)
        causes.append(stop.cause)

    def interrupt(what, done, total):
        if started.is_set():
            raise KeyboardInterrupt

    started, causes = threading.Event(), []
    with Stop(limit_seconds=30) as stop, pytest.raises(KeyboardInterrupt):
        run_all([endless, endless], stop, jobs=2, progress=interrupt)
    assert causes == [INTERRUPTED, INTERRUPTED]


def test_verb__what_compiled_code_makes_of_ctrl_c_is_still_an_interruption(shop, monkeypatch):
    def call(*_, **__):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("CPUDispatcher returned a result with an exception set") from error

    method = registry.method_named("rho")
    own = replace(method, search=replace(method.search, function=call))
    monkeypatch.setattr(registry, "_loaded", lambda room: own)
    result = run("anonymize", "baskets.dat", *BROKEN, "-o", "out.dat")
    assert result.exit_code == Interrupted.exit_code
    assert result.stderr == "withhold: interrupted; nothing was published\n"


class Panic(BaseException):
    """As polars raises it: no Exception."""


@pytest.mark.parametrize(
    ("error", "code"),
    [(Panic("oh"), 70), (EOFError(), 70), (GeneratorExit(), 70), (MemoryError(), 3)],
)
def test_verb__whatever_is_raised_exit_code_1_is_not_it(shop, monkeypatch, error, code):
    def fail(*_, **__):
        raise error

    method = registry.method_named("rho")
    own = replace(method, audit=replace(method.audit, function=fail))
    monkeypatch.setattr(registry, "_loaded", lambda room: own)
    result = run("audit", "baskets.dat", *BROKEN)
    assert result.exit_code == code
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "Traceback" not in result.output


@pytest.mark.parametrize("error", ["ImportError('numba')", "BaseException('oh')"])
def test_main__what_cannot_be_imported_is_exit_code_70(tmp_path, error):
    before = (
        "class Broken:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == 'withhold.cli.{{}}': raise {error}\n"
        "sys.meta_path.insert(0, Broken())\n"
    )
    for module in ("audit", "app"):
        with start("audit", "x.dat", before=before.format(module)) as process:
            told, said = process.communicate(timeout=60)
        assert (process.returncode, told) == (70, "")
        assert len(said.splitlines()) == 1
        assert said.startswith("withhold: ")


@posix
def test_help__whose_reader_has_seen_enough_is_no_verdict(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    before = f"import os\nos.dup2({writing}, 1)\n"
    with start("--help", before=before, pass_fds=(writing,)) as process:
        os.close(writing)
        assert process.stderr.read() == ""
    assert process.returncode == 0


def test_usage__of_an_unknown_option_is_exit_code_2():
    with start("audit", "x.dat", "--rhoo\x1b[2J") as process:
        told, said = process.communicate(timeout=60)
    assert (process.returncode, told) == (2, "")
    assert "No such option" in said
    assert "\x1b" not in said


# --- what reaches the terminal --------------------------------------------------------------------

EVIL = "x\x1b[2J\x9b1m\u202ey\x7f"


@pytest.mark.parametrize("verb", ["audit", "inspect", "anonymize", "verify", "missing"])
@pytest.mark.parametrize("as_json", [False, True])
def test_names__of_files_cannot_control_the_terminal(shop, verb, as_json):
    name = f"{EVIL}.dat"
    if verb != "missing":
        (shop / name).write_text(SHOP.replace("bread", EVIL))
    out = f"out{EVIL}.dat"
    assert run("anonymize", "baskets.dat", *BROKEN, "-o", f"released{EVIL}.dat").exit_code == 0
    arguments = {
        "audit": ["audit", name, *BROKEN],
        "missing": ["audit", name, *BROKEN],
        "inspect": ["inspect", name],
        "anonymize": ["anonymize", name, *BROKEN, "-o", out],
        "verify": ["verify", f"released{EVIL}.dat"],
    }[verb]
    result = run(*arguments, *["--json"] * as_json)
    assert result.exit_code in (0, 1, 3)
    shown = set(result.stdout + result.stderr)
    assert shown.isdisjoint(
        EVIL.replace("x", "").replace("y", "").replace("[2J", "").replace("1m", "")
    )
    if as_json and verb == "anonymize":
        import json

        assert json.loads(result.stdout)["output"] == out
    manifests = [path.read_text(encoding="utf-8") for path in shop.glob("*.manifest.json")]
    assert manifests
    assert all(set(text).isdisjoint("\x1b\x9b\u202e\x7f") for text in manifests)


def test_note__is_one_line(capsys):
    console.note("a\nwithhold: HOLDS\tb")
    assert capsys.readouterr().err == "withhold: a\\nwithhold: HOLDS\\tb\n"
    console.say("a\n\tb\x85c\rd")
    assert capsys.readouterr().out == "a\n\tb\\x85c\\rd\n"


def test_import__is_over_before_a_signal_could_come_unheard():
    """Until the handlers are there Ctrl-C is a traceback, so nothing heavy is loaded before them."""
    script = (
        "import sys; before = set(sys.modules); import withhold.cli\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert set(done.stdout.split()) <= {"__future__", "withhold", "withhold.cli"}
