"""The one place that knows how kernels are compiled and where compiled code is kept.

numba's cache does not notice when a kernel that another kernel calls is edited, so each module's cache
directory is named after a hash of its source and of the kernel modules it imports: an edit, an upgrade
or another switch gets a new directory.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import gc
import hashlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from itertools import count
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config, event
from numba.core.bytecode import FunctionIdentity

from withhold.counting.compiling import KernelCompiler, PartCompiler
from withhold.kernel_cache import user_cache

IMPORTED = re.compile(r"^from (withhold\.[\w.]+) import", re.MULTILINE)
KERNELS = re.compile(r"^@(kernel|step|routine|maker)$", re.MULTILINE)
PACKAGE = Path(__file__).parents[1]
SHARED = "withhold.counting."
A_MOMENT = 1.5
"""Seconds of compiling that are not worth announcing."""
WORTH_COMPILING = 0.5
"""Seconds that a kernel may run as Python before it is compiled; large ones take one or two to compile."""

# Compiled functions are named after a number that numba counts from 1 in every process. Two processes that
# fill the cache side by side give the same name to two things, and code that refers to one finds the other.
FunctionIdentity._unique_ids = count(int.from_bytes(os.urandom(6), "big"))


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on first use, without the interpreter lock, cached for this user."""
    if config.DISABLE_JIT:
        return function
    directory = cache_directory(function.__module__)
    # The directory is numba's global setting and is read while decorating; a caller who uses numba
    # for other things gets their own setting back.
    theirs = config.CACHE_DIR
    config.CACHE_DIR = str(directory)
    try:
        dispatcher = numba.njit(
            pipeline_class=KernelCompiler, cache=True, nogil=True, no_cfunc_wrapper=True
        )(function)
    finally:
        config.CACHE_DIR = theirs

    spent: list[float] = []

    @wraps(function)
    def call(*arguments: Any) -> Any:
        if (
            not _interpreting
            or dispatcher.overloads
            or sum(spent) > WORTH_COMPILING
            or _is_kept(directory, function.__name__)
        ):
            return dispatcher(*arguments)
        began = time.thread_time()
        with np.errstate(over="ignore"):
            result = function(*arguments)
        spent.append(time.thread_time() - began)
        return result

    return _seen_as(dispatcher, call)


@contextmanager
def interpreting(for_now: bool = True) -> Iterator[None]:
    """Inside, kernels that are not compiled yet run as Python: for tasks that take less time than compiling.

    A kernel that has run for as long as it would take to compile is compiled.
    """
    _interpreting.extend([True] * for_now)
    try:
        yield
    finally:
        del _interpreting[len(_interpreting) - for_now :]


_interpreting: list[bool] = []


@cache
def _is_kept(directory: Path, name: str) -> bool:
    """Whether the kernel of that name was compiled before this process asked."""
    return any(directory.rglob(f"*.{name}-*.nbi"))


def step(function: Callable[..., Any]) -> Callable[..., Any]:
    """A part of a kernel that makes and returns no array: inlined into its callers, counts no references.

    Arrays can travel in named tuples to a step inside the innermost loop at no cost. As a kernel, each call
    would count the references of every array in them, which made the walk over itemsets five times as slow.
    """
    return _part(function, forceinline=True, _nrt=False)


def routine(function: Callable[..., Any]) -> Callable[..., Any]:
    """As a step, for long code that is called from several places: one copy of it is enough."""
    return _part(function, _nrt=False)


def maker(function: Callable[..., Any]) -> Callable[..., Any]:
    """As a routine, for code that makes or returns arrays."""
    return _part(function)


def _part(function: Callable[..., Any], **how: bool) -> Callable[..., Any]:
    """Compile ``function`` for the kernels that call it; called from Python it runs as Python.

    numba sees a dispatcher, which compiles once for all callers; an overload would for each kind of caller.
    """
    if not config.DISABLE_JIT:
        dispatcher = numba.njit(
            pipeline_class=PartCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True, **how
        )(function)
        return _seen_as(dispatcher, function)
    return function


def _seen_as(dispatcher: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; kernels that call it use the dispatcher instead."""
    # The type refers to the dispatcher weakly, so it is kept alive here.
    vars(function).update(_dispatcher=dispatcher, _numba_type_=numba.types.Dispatcher(dispatcher))
    return function


def before_compiling(announce: Callable[[], None]) -> None:
    """Call ``announce`` once compiling for this machine takes longer than a moment."""
    for earlier in _announcers:
        event.unregister("numba:compile", earlier)
    _announcers[:] = [_Announcer(announce)]
    event.register("numba:compile", _announcers[0])


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no types
    """Speaks once, if compiling takes longer than a moment; kernels from the cache are silent."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self.announce, self.spoken = announce, False

    def on_start(self, event: Any) -> None:
        if not self.spoken and seconds_compiled() >= A_MOMENT:
            self.spoken = True
            self.announce()

    def on_end(self, event: Any) -> None:
        pass


_announcers: list[_Announcer] = []


class _RareCollections(event.Listener):  # type: ignore[misc]  # numba has no types
    """Collects garbage rarely while numba compiles: it would scan the same objects again and again.

    Most objects that it makes stay. It compiles in one thread at a time, and kernels inside kernels.
    """

    def __init__(self) -> None:
        self.thresholds: list[tuple[int, int, int]] = []

    def on_start(self, event: Any) -> None:
        self.thresholds.append(gc.get_threshold())
        if self.thresholds[-1][0]:  # 0: somebody switched it off
            gc.set_threshold(50_000, 20, 50)

    def on_end(self, event: Any) -> None:
        gc.set_threshold(*self.thresholds.pop())


class _CompileClock(event.Listener):  # type: ignore[misc]  # numba has no types
    """Measures the time that this process spends compiling."""

    def __init__(self) -> None:
        self.depth, self.began, self.total = 0, 0.0, 0.0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.began = time.monotonic()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.total += time.monotonic() - self.began


_clock = _CompileClock()
for _listener in (_RareCollections(), _clock):
    event.register("numba:compile", _listener)


def seconds_compiled() -> float:
    """How long this process has spent compiling so far, including what is being compiled now."""
    return _clock.total + (time.monotonic() - _clock.began if _clock.depth else 0.0)


def is_compiling() -> bool:
    """Whether a kernel is being compiled now."""
    return _clock.depth > 0


@cache
def cache_directory(module: str) -> Path:
    """The directory of one module's compiled kernels; created if need be."""
    name = module.removeprefix("withhold.").replace(".", "-")
    directory = user_cache() / f"kernels-{name}-{_fingerprint(module)}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        # Nowhere to keep them: a private directory for this process. Not a fixed name in a place that
        # others can write to, since loading compiled code from there would be running theirs.
        return Path(tempfile.mkdtemp(prefix="withhold-kernels-"))


def _fingerprint(module: str) -> str:
    digest = hashlib.sha256()
    for source in _sources(module):
        digest.update(source.read_bytes())
    for switch in (numba.__version__, sys.version, config.BOUNDSCHECK):
        digest.update(str(switch).encode())
    return digest.hexdigest()[:16]


def _sources(module: str) -> list[Path]:
    """The files of a module with kernels and of what it imports; those with kernels lead on to theirs.

    A module without kernels can only give a kernel a constant, so what it imports itself does not matter.
    Shared kernels are called with named tuples of many modules, and their cache refers to these: so for them
    all files that define named tuples count.
    """
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        source = PACKAGE.joinpath(*waiting.pop().split(".")[1:]).with_suffix(".py")
        if source in found or not source.exists():
            continue
        found.add(source)
        text = source.read_text(encoding="utf-8")
        if KERNELS.search(text):
            waiting += IMPORTED.findall(text)
    return sorted(found | _naming_tuples() if module.startswith(SHARED) else found)


@cache
def _naming_tuples() -> frozenset[Path]:
    """The files that may define a named tuple; looked for once in a process, since there are many files."""
    return frozenset(path for path in PACKAGE.rglob("*.py") if b"NamedTuple" in path.read_bytes())
