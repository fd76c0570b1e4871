"""Many parts, one after the other or in several processes; who computes has no say in what comes out."""

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
from multiprocessing import get_context
from typing import Any

from withhold.errors import OutputError, PolicyError
from withhold.interruption import stop_if_asked
from withhold.parts.making import make_part

LOOKS_EVERY = 0.5
"""Seconds after which a process looks whether whoever started it is still there."""
Run = Callable[[Sequence[Any], Callable[[Any], Any]], Iterator[Any]]
"""(jobs, what makes one) → what comes out, in any order."""
DIED = "a worker was killed or ran out of memory; run it again with --resume to go on"


def run_here(jobs: Sequence[Any], make: Callable[[Any], Any] = make_part) -> Iterator[Any]:
    """In this process, one part after the other."""
    for job in jobs:
        stop_if_asked()
        yield make(job)


def run_in_processes(jobs: Sequence[Any], workers: int) -> Iterator[Any]:
    """In so many processes of this machine; in any order."""
    with processes(workers) as run:
        yield from run(jobs, make_part)


def run_with_dask(jobs: Sequence[Any], workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """On a cluster of Dask; in any order."""
    with cluster(workers, scheduler) as run:
        yield from run(jobs, make_part)


@contextmanager
def processes(workers: int) -> Iterator[Run]:
    """So many processes of this machine, each with its share of the cores."""
    threads = max((os.cpu_count() or 1) // workers, 1)
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (os.getpid(),))

    def run(jobs: Sequence[Any], make: Callable[[Any], Any]) -> Iterator[Any]:
        waiting = [replace(job, threads=job.threads or threads) for job in reversed(jobs)]
        running: set[Future[Any]] = set()
        while waiting or running:
            stop_if_asked()
            # One more than there are workers, so that none waits; the others stay here.
            while waiting and len(running) <= workers:
                running.add(pool.submit(make, waiting.pop()))
            done, running = wait(running, timeout=LOOKS_EVERY, return_when=FIRST_COMPLETED)
            for each in done:
                yield each.result()

    try:
        yield run
    except BrokenProcessPool as error:
        raise OutputError(DIED) from error
    finally:
        started = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in started:
            process.terminate()
        for process in started:
            process.join(LOOKS_EVERY)


@contextmanager
def cluster(workers: int | None, scheduler: str | None) -> Iterator[Run]:
    """A cluster of Dask, or a local one if none is named."""
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
        n_workers = workers or os.cpu_count() or 1
        own = LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    try:
        with Client(own if scheduler is None else scheduler, timeout=20) as client:
            threads = 1 if own is not None else None

            def run(jobs: Sequence[Any], make: Callable[[Any], Any]) -> Iterator[Any]:
                futures = [
                    client.submit(
                        make,
                        replace(job, threads=job.threads or threads),
                        key=f"withhold-{make.__name__}-{os.getpid()}-{job.number}",
                        pure=False,
                    )
                    for job in jobs
                ]
                for future in as_completed(futures):
                    stop_if_asked()
                    yield future.result()

            try:
                yield run
            except KilledWorker as error:
                raise OutputError(DIED) from error
    except OSError as error:
        raise OutputError(f"the scheduler {scheduler} cannot be reached: {error}") from error
    finally:
        if own is not None:
            own.close()


@contextmanager
def here() -> Iterator[Run]:
    """This process."""
    yield run_here


def _begin(parent: int) -> None:
    """In a new process: leave Ctrl-C to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOKS_EVERY)
    _leave()


def _leave() -> None:
    from withhold.atomic import abandon

    abandon()
    os._exit(1)
