"""Many parts, one after the other or in several processes; the engine does not affect the result."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from multiprocessing import get_context
from typing import Protocol, TypeVar

from withhold.errors import OutputError, PolicyError
from withhold.interruption import ask_to_stop, stop_if_asked

STREAM, DASK = ENGINES = ("stream", "dask")
CHECKS_EVERY = 0.5
"""Seconds between two checks whether the parent process is still there."""
CONNECTS_WITHIN = 20
"""Seconds in which a scheduler must answer."""
LEAVES_WITHIN = 5.0
"""Seconds in which a process that was asked to end does so, unless it is stuck."""
DIED = "a worker was killed or ran out of memory; run it again with --resume to go on"


class Task(Protocol):
    """A part of the work, numbered, that any process can do."""

    @property
    def number(self) -> int: ...
    @property
    def threads(self) -> int | None: ...


TaskT = TypeVar("TaskT", bound=Task)
ResultT = TypeVar("ResultT")


class Engine(Protocol):
    """Does work part by part; results come in any order."""

    def __call__(
        self, work: Callable[[TaskT], ResultT], tasks: Sequence[TaskT], /
    ) -> Iterator[ResultT]: ...


@contextmanager
def engine_for(name: str, workers: int | None, scheduler: str | None) -> Iterator[Engine]:
    """The engine that does the work, ready for any number of calls."""
    if name == DASK:
        with _cluster(workers, scheduler) as engine:
            yield engine
    elif workers is not None and workers > 1:
        with _processes(workers) as engine:
            yield engine
    else:
        yield _here


def n_workers(engine: str, workers: int | None) -> int:
    """How many parts are made at the same time, as far as that is known: a cluster may have more."""
    return workers or (1 if engine == STREAM else os.cpu_count() or 1)


def _here(work: Callable[[TaskT], ResultT], tasks: Sequence[TaskT]) -> Iterator[ResultT]:
    """In this process, one part after the other."""
    for task in tasks:
        stop_if_asked()
        yield work(task)


@contextmanager
def _processes(workers: int) -> Iterator[Engine]:
    """In ``workers`` processes of this machine, each with its share of the cores."""
    threads = max((os.cpu_count() or 1) // workers, 1)
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (os.getpid(),))

    def run(work: Callable[[TaskT], ResultT], tasks: Sequence[TaskT]) -> Iterator[ResultT]:
        waiting = [_with_threads(task, threads) for task in reversed(tasks)]
        running: set[Future[ResultT]] = set()
        while waiting or running:
            stop_if_asked()
            # One more than there are workers, so that none waits; the others stay here.
            while waiting and len(running) <= workers:
                running.add(pool.submit(work, waiting.pop()))
            done, running = wait(running, timeout=CHECKS_EVERY, return_when=FIRST_COMPLETED)
            if not done and _is_headless(pool):
                raise OutputError(DIED)
            for each in done:
                yield each.result()

    try:
        yield run
    except BrokenProcessPool as error:
        raise OutputError(DIED) from error
    finally:
        started = list((getattr(pool, "_processes", None) or {}).values())
        manager = getattr(pool, "_executor_manager_thread", None)
        pool.shutdown(wait=False, cancel_futures=True)
        for process in started:
            process.terminate()
        for process in started:
            process.join(LEAVES_WITHIN)
            if process.is_alive():
                process.kill()
                process.join()
        if manager is not None:
            # At exit Python wakes it up, and fails if it is just closing its pipe.
            manager.join(LEAVES_WITHIN)


def _is_headless(pool: ProcessPoolExecutor) -> bool:
    """Whether the thread that hands out work has died, as it does without memory: no result would come."""
    thread = getattr(pool, "_executor_manager_thread", None)
    return thread is not None and not thread.is_alive()


@contextmanager
def _cluster(workers: int | None, scheduler: str | None) -> Iterator[Engine]:
    """On a cluster of Dask, or on a local one if none is named."""
    try:
        from distributed import Client, LocalCluster, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise PolicyError(
            "--engine dask needs the package distributed; install withhold[dask]"
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    own = None
    if scheduler is None:
        own = LocalCluster(
            n_workers=n_workers(DASK, workers),
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    threads = 1 if own is not None else None
    calls = count()
    try:
        with Client(own if scheduler is None else scheduler, timeout=CONNECTS_WITHIN) as client:

            def run(work: Callable[[TaskT], ResultT], tasks: Sequence[TaskT]) -> Iterator[ResultT]:
                key = f"withhold-{os.getpid()}-{next(calls)}"
                futures = [
                    client.submit(
                        on_worker,
                        work,
                        _with_threads(task, threads),
                        key=f"{key}-{task.number}",
                        pure=False,
                    )
                    for task in tasks
                ]
                for future in as_completed(futures):
                    stop_if_asked()
                    result: ResultT = future.result()
                    # What was fetched is not kept on the cluster.
                    future.release()
                    yield result

            yield run
    except KilledWorker as error:
        raise OutputError(DIED) from error
    except (OSError, ValueError) as error:
        raise OutputError(f"the scheduler {scheduler} cannot be reached: {error}") from error
    finally:
        if own is not None:
            own.close()


def _with_threads(task: TaskT, threads: int | None) -> TaskT:
    changed: TaskT = replace(task, threads=task.threads or threads)  # type: ignore[type-var]  # dataclasses
    return changed


def on_worker(work: Callable[[TaskT], ResultT], task: TaskT) -> ResultT:
    """Do some work in a thread of a Dask worker; when the worker is shut down, kernels stop."""
    from distributed import get_worker
    from distributed.core import Status

    worker, over = get_worker(), threading.Event()

    def follow() -> None:
        while not over.wait(CHECKS_EVERY):
            if worker.status not in (Status.running, Status.paused):
                ask_to_stop()
                return

    threading.Thread(target=follow, daemon=True).start()
    try:
        return work(task)
    finally:
        over.set()


def _begin(parent: int) -> None:
    """In a new process: leave Ctrl-C to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    # A handler in Python would wait for the kernel that the main thread runs. What the signal writes to this
    # pipe is read by a thread that need not wait, since kernels run without the interpreter's lock.
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, lambda *_: None)
    threading.Thread(target=_leave_when_told, args=(heard,), daemon=True).start()


def _leave_when_told(heard: int) -> None:
    while os.read(heard, 1) != bytes([signal.SIGTERM]):
        pass
    _leave()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(CHECKS_EVERY)
    _leave()


def _leave() -> None:
    from withhold.atomic import abandon

    abandon()
    os._exit(1)
