"""Compiled code has names of its own in each process; small work is done before it is compiled."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numba.core import config
from numba.core.types.functions import BaseFunction

from withhold.counting import jit
from withhold.counting.bits import count_bits
from withhold.counting.jit import interpreting, kernel, maker, routine, step

NAME = """
import numpy as np
from withhold.counting.jit import kernel

def double(values):
    return values * 2

# What returns an array has constants of its own, which go by the name.
compiled = kernel(double)
compiled(np.arange(3))
((_, found),) = compiled._dispatcher.overloads.items()
print(found.environment.env_name)
"""


def test_kernels__have_other_names_in_every_process(tmp_path, monkeypatch):
    names = set()
    for process in ("one", "two"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / process))
        script = tmp_path / "script.py"
        script.write_text(NAME)
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, check=True
        )
        names.add(done.stdout)
    assert len(names) == 2


needs_jit = pytest.mark.skipif(config.DISABLE_JIT, reason="kernels run as Python")


@pytest.fixture
def total(tmp_path, monkeypatch):
    """A kernel with a step, a routine and a maker, none of them compiled."""
    monkeypatch.setattr(jit, "cache_directory", lambda module: tmp_path)

    @step
    def added(values, k, so_far):
        return so_far + values[k]

    @routine
    def sum_of(values):
        result = np.int64(0)
        for k in range(len(values)):
            result = added(values, k, result)
        return result

    @maker
    def doubled(values):
        result = np.empty(len(values), np.int64)
        for k in range(len(values)):
            result[k] = 2 * values[k]
        return result

    def total(values):
        return sum_of(doubled(values)) + np.int64(count_bits(np.uint64(7)))

    return lambda: kernel(total)


@needs_jit
def test_kernel__compiles_its_parts_and_leaves_numba_as_it_was(total):
    theirs = BaseFunction.get_call_type
    compiled = total()
    assert compiled(np.arange(5)) == 23
    assert len(compiled._dispatcher.overloads) == 1
    assert BaseFunction.get_call_type is theirs


@needs_jit
def test_interpreting__compiles_nothing_until_it_is_worth_it(total, monkeypatch):
    compiled = total()
    with interpreting():
        assert compiled(np.arange(5)) == 23
        assert not compiled._dispatcher.overloads
        monkeypatch.setattr(jit, "WORTH_COMPILING", 0)
        assert compiled(np.arange(5)) == 23
        assert len(compiled._dispatcher.overloads) == 1


@needs_jit
def test_interpreting__takes_what_was_compiled_before(total):
    assert total()(np.arange(5)) == 23
    jit._is_kept.cache_clear()
    again = total()
    with interpreting():
        assert again(np.arange(5)) == 23
    assert len(again._dispatcher.overloads) == 1


@needs_jit
def test_interpreting__ends(total):
    compiled = total()
    with interpreting(False):
        assert not jit._interpreting
    with interpreting(), interpreting():
        pass
    assert compiled(np.arange(5)) == 23
    assert len(compiled._dispatcher.overloads) == 1


def test_before_compiling__says_nothing_of_a_moment(monkeypatch):
    said: list[str] = []
    announcer = jit._Announcer(lambda: said.append("compiling"))
    for seconds, expected in ((0.0, 0), (jit.A_MOMENT / 2, 0), (jit.A_MOMENT, 1), (60.0, 1)):
        monkeypatch.setattr(jit, "seconds_compiled", lambda seconds=seconds: seconds)
        announcer.on_start(None)
        assert len(said) == expected
