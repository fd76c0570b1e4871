"""One bar for a whole job: it never goes backwards, and says what is left as well as it can be known."""

from __future__ import annotations

import random
import threading

import pytest

from withhold.cli.bar import line
from withhold.cli.job import Job
from withhold.cli.shares import PLANS, STEP_SHARES, release_plan
from withhold.method import Method
from withhold.phases import listening, phase
from withhold.registry import all_methods


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = self.compiled = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def job_of(clock: Clock, **plan: float) -> Job:
    return Job(plan, clock=clock, compiled=lambda: clock.compiled)


def test_job__a_phase_takes_its_share_of_what_is_left(clock):
    job = job_of(clock, reading=1, searching=6, proving=3)
    job.begin("reading")
    job.end()
    assert job.share == pytest.approx(0.1)
    job.begin("searching")
    job.end()
    assert job.share == pytest.approx(0.7)
    job.begin("proving")
    job.end()
    assert job.share == pytest.approx(1)


def test_job__does_not_wait_for_phases_that_did_not_come(clock):
    job = job_of(clock, reading=1, searching=6, bounding=2, proving=1)
    job.begin("searching")
    job.end()
    assert job.share == pytest.approx(6 / 9)
    job.begin("proving")
    job.end()
    assert job.share == pytest.approx(1)


def test_job__estimates_what_is_left_of_all_of_it(clock):
    """Ten seconds of work, of which the plan is right about each part."""
    job = job_of(clock, reading=2, searching=6, proving=2)
    job.begin("reading")
    clock.now = 1.0
    assert job.left() is None
    clock.now = 2.0
    job.end()
    job.begin("searching")
    assert job.left() == pytest.approx(8)
    for second in range(1, 7):
        clock.now = 2.0 + second
        # Steps whose names nobody knows get half of what is left, so this one is told in one go.
        job._step_share = 1.0
        job("searching", second, 6)
    job.end()
    job.begin("proving")
    assert job.left() == pytest.approx(2)
    clock.now = 10.0
    job.end()
    assert job.left() == pytest.approx(0)
    assert job.seconds == {"starting": 0, "reading": 2, "searching": 6, "proving": 2}


def test_job__a_plan_that_is_wrong_is_corrected_by_what_was_seen(clock):
    job = job_of(clock, reading=1, searching=1)
    job.begin("reading")
    clock.now = 100.0
    job.end()
    job.begin("searching")
    assert job.left() == pytest.approx(100)
    clock.now = 150.0
    # Nothing is heard of it, so more is left than was thought, and it does not pretend otherwise.
    assert job.left() == pytest.approx(150)


@pytest.mark.parametrize("seed", range(30))
def test_job__never_goes_backwards_and_never_stands_at_nothing(clock, seed):
    """Phases left out or unexpected, steps that repeat, restart, or have no total."""
    chance = random.Random(seed)
    names = ["reading", "searching", "bounding", "writing", "proving"]
    job = job_of(clock, **{name: chance.randint(1, 9) for name in names})
    seen = [0.0]
    for name in names:
        if chance.random() < 0.2:
            continue
        job.begin(name if chance.random() < 0.8 else "unexpected")
        for _ in range(chance.randint(0, 6)):
            step = chance.choice(["looking", "fixing sets of 2", "fixing sets of 3", "parts: 7"])
            total = chance.choice([0, 1, 5])
            for done in range(total + 1):
                clock.now += chance.random()
                job(step, done, total)
                seen.append(job.share)
        job.end()
        seen.append(job.share)
        assert job.share > 0
    assert seen == sorted(seen)
    assert seen[-1] <= 1


def test_job__compiling_is_of_no_phase_and_of_no_estimate(clock):
    job = job_of(clock, reading=1, searching=1)
    job.begin("reading")
    clock.now = 4.0
    job.end()
    job.begin("searching")
    clock.now, clock.compiled = 34.0, 30.0
    assert job.left() == pytest.approx(4)
    clock.now = 38.0
    job.end()
    assert job.as_dict() == {"all": 38.0, "reading": 4.0, "searching": 4.0, "compiling": 30.0}
    assert job.took() == "38.0 s (4.0 s reading, 4.0 s searching, 30.0 s compiling)"


def test_job__the_time_is_what_was_waited(clock):
    clock.now = 3.0
    job = Job({"reading": 1}, clock=clock, started=2.0)
    job.begin("reading")
    clock.now = 3.5
    job.end()
    assert job.as_dict() == {"all": 1.5, "starting": 1.0, "reading": 0.5}
    assert job.took() == "1.50 s (1.00 s starting, 0.50 s reading)"


def test_job__names_the_three_longest_phases_in_order(clock):
    job = job_of(clock)
    for name, seconds in (("a", 3), ("b", 0.01), ("c", 1), ("d", 2), ("e", 4)):
        job.begin(name)
        clock.now += seconds
        job.end()
    assert job.took() == "10.0 s (3.0 s a, 2.0 s d, 4.0 s e)"


def test_line__fits_a_terminal_of_80_columns(clock):
    job = job_of(clock, searching=1)
    job.begin("searching")
    job("something with a very long name that goes on and on: " + "x" * 90, 1, 3)
    clock.now = 99999.0
    shown = line(job).plain
    assert len(shown) <= 80
    assert "16%" in shown  # rounded down: 100% only at the end
    assert "left" in shown


def test_line__says_that_it_compiles_and_does_not_guess(clock):
    job = Job({"searching": 1}, clock=clock, is_compiling=lambda: True)
    job.begin("searching")
    job("looking", 1, 2)
    clock.now = 10.0
    assert "compiling" in line(job).plain
    assert "time left unknown" in line(job).plain


def test_phase__of_a_phase_is_a_part_of_it(clock):
    job = job_of(clock, reading=1)
    with listening(job):
        with phase("proving"):
            with phase("reading"):
                clock.now = 2.0
            clock.now = 3.0
        with phase("reading"):
            clock.now = 4.0
    assert job.seconds == {"starting": 0, "proving": 3.0, "reading": 1.0}


def test_phase__of_another_thread_is_not_heard(clock):
    job = job_of(clock, reading=1)

    def elsewhere() -> None:
        with phase("reading"):
            pass

    with listening(job):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert job.phase == ""


def test_phase__ends_with_an_error_and_is_heard_again(clock):
    job = job_of(clock, reading=1)
    with listening(job):
        with pytest.raises(ValueError), phase("reading"):
            raise ValueError
        with phase("proving"):
            pass
    assert list(job.seconds) == ["starting", "reading", "proving"]
    with phase("reading"):
        pass
    assert job.phase == "proving"


@pytest.mark.parametrize("method", all_methods().values(), ids=all_methods())
def test_plans__have_shares_of_what_there_is(method: Method):
    plan = release_plan(method.model, {}, report=True)
    assert all(weight > 0 for weight in plan.values())
    assert ("bounding" in plan) == (method.bound is not None)
    assert "reporting" not in release_plan(method.model, {}, report=False)


def test_shares__are_shares():
    assert all(0 < share <= 1 for share in STEP_SHARES.values())
    assert all(plan and min(plan.values()) > 0 for plan in PLANS.values())
