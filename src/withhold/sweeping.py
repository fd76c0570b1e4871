"""A grid of models and options on the same data: how does the loss depend on them?

In: data, a model, and the values to vary. Out: a ``Sweep``. Nothing is published: releases of the same data
can be joined, so only their measures are kept. With a folder every finished point is saved at once, and the
same call resumes where it was interrupted.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from withhold.arguments import checked, did_you_mean, fits, option_names
from withhold.counting.threads import Progress, available_cores, quiet
from withhold.data import Constraints, Evidence
from withhold.errors import ImpossibleError, PolicyError
from withhold.formats.readable import Consent, Readable, ReadableTable
from withhold.given import as_data, given_evidence, tidied_model
from withhold.listed import check_listed, warn_of
from withhold.method import Model
from withhold.phases import phase
from withhold.pipeline import proved_draft
from withhold.registry import measured, method_of, search_call
from withhold.sweep_state import Case, Plain, Point, State, Sweep
from withhold.telling.facts import MeasureRequest, finite


@checked
def sweep(
    data: Readable | ReadableTable,
    model: Model | Callable[..., Model],
    *,
    vary: Mapping[str, Sequence[object]],
    constraints: Constraints | None = None,
    folder: str | Path | None = None,
    force: bool = False,
    min_support: str | float | None = None,
    min_confidence: str | float = "0.3",
    consent: Consent = None,
    allow_unknown: bool = False,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
    **options: object,
) -> Sweep:
    """The measures of a release for every combination of the varied values.

    Parameters
    ----------
    data, constraints
        As for ``anonymize``.
    model
        The model, or a function that takes the varied parameters by name and returns one.
    vary
        Parameters of the model or options of ``anonymize``, each with its values; several make a grid.
    folder
        Stores every finished point, so that the same call resumes after an interruption.
    force
        Start again, whatever the folder contains.
    min_support, min_confidence
        As for ``compare``.
    consent, allow_unknown, **options
        As for ``anonymize``.
    jobs, progress
        As for ``advise``.
    seed
        Random seed of all points; drawn if not given.

    Returns
    -------
    Sweep
        A point for every combination, with its measures; ``to_frame()`` makes a table of them.

    Raises
    ------
    PolicyError
        If nothing varies, or a name or a value does not fit the model.

    Examples
    --------
    >>> from withhold import RhoUncertainty
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
    >>> found = sweep(shop, RhoUncertainty("0.5", {"condom"}), vary={"rho": ["0.3", "0.7"]})
    >>> [(point.values["rho"], point.fact("occurrences.all.removed").value) for point in found.points]
    [('0.3', 2), ('0.7', 1)]
    """
    common = {"seed": seed, "allow_unknown": allow_unknown}
    cases = [
        replace(case, options={**common, **case.options}) for case in grid(model, vary, options)
    ]
    request = MeasureRequest(
        min_support=None if min_support is None else str(min_support),
        min_confidence=str(min_confidence),
        jobs=jobs,
        progress=progress,
    )
    original = as_data(data, cases[0].model, consent, allow_unknown=allow_unknown)
    where = None if folder is None else Path(folder)
    evidence = given_evidence(cases[0].model, constraints)
    found = run_cases(original, evidence, cases, request, folder=where, force=force)
    warn_of(found.warnings)
    return found


def grid(
    model: Model | Callable[..., Model],
    vary: Mapping[str, Sequence[object]],
    options: Mapping[str, object],
) -> list[Case]:
    """Every combination of the varied values; the first name changes slowest."""
    for name, values in vary.items():
        if not fits(values, Collection[Any]):
            raise PolicyError(f"vary[{name!r}] must be a list of values, not {values!r}")
    if not vary or any(len(values) == 0 for values in vary.values()):
        raise PolicyError("nothing varies; name a parameter and its values")
    make, known = _maker(model)
    cases = []
    for values in product(*vary.values()):
        chosen = dict(zip(vary, values, strict=True))
        made = make(**{name: value for name, value in chosen.items() if name in known})
        others = {name: value for name, value in chosen.items() if name not in known}
        can_vary = [*sorted(known), *method_of(made).searches(), "seed"]
        for name in others:
            if name not in can_vary:
                hint = did_you_mean(name, can_vary)
                takes = f"{hint} It can vary" if hint else "; it can vary"
                varies = ", ".join(can_vary)
                raise PolicyError(f"vary: {type(made).__name__} has no {name!r}{takes} {varies}")
        search_call(made, {**options, **others}, verb="sweep", also=option_names(sweep))
        plain = {name: _plain(value) for name, value in chosen.items()}
        cases.append(Case(plain, made, {**options, **others}))
    return cases


def _maker(model: Model | Callable[..., Model]) -> tuple[Callable[..., Model], frozenset[str]]:
    """What builds a model from varied parameters, and the names that it takes."""
    if callable(model):
        return model, frozenset(inspect.signature(model).parameters)
    kind: Callable[..., Model] = type(model)
    names = frozenset(inspect.signature(kind).parameters)
    fixed = {name: getattr(model, name) for name in names}
    return (lambda **varied: kind(**{**fixed, **varied})), names


@phase("sweeping")
def run_cases(
    data: Any,
    evidence: Evidence,
    cases: Sequence[Case],
    request: MeasureRequest,
    *,
    folder: Path | None = None,
    force: bool = False,
) -> Sweep:
    """Every case measured, several at a time; those already in the folder are not repeated."""
    varied = tuple(cases[0].values)
    cases = [replace(case, model=tidied_model(case.model, data.tidied)) for case in cases]
    warnings = _warnings(data, evidence, cases)
    state = State.open(folder, data, evidence, cases[0], request, force=force)
    if "seed" not in varied:
        cases = [replace(case, options={**case.options, "seed": state.seed}) for case in cases]
    found = {
        number: point for number, case in enumerate(cases) if (point := state.point(case.values))
    }
    left = {number: case for number, case in enumerate(cases) if number not in found}

    def report_progress() -> None:
        request.progress("sweeping", len(found), len(cases))

    report_progress()
    with closing(
        _finished(left, partial(_measure, data, evidence, request), request.jobs, report_progress)
    ) as finished:
        for number, point in finished:
            found[number] = point
            state.keep(point)
            report_progress()
    return Sweep(varied, tuple(found[number] for number in range(len(cases))), warnings)


def _warnings(data: Any, evidence: Evidence, cases: Sequence[Case]) -> tuple[str, ...]:
    """Warnings about listed names that the data do not have; raises if they have none of them."""
    unknown = (
        each
        for case in {id(case.model): case for case in cases}.values()
        for each in check_listed(
            case.model, data, evidence, allowed=bool(case.options.get("allow_unknown", False))
        )
    )
    return tuple(dict.fromkeys(str(each) for each in unknown if not each.allowed))


def _finished(
    cases: Mapping[int, Case],
    measure: Callable[[Case, int, Progress], Point],
    jobs: int | None,
    report_progress: Callable[[], None],
) -> Generator[tuple[int, Point], None, None]:
    """The points as they are finished, several at a time if there are several cores."""
    cores = jobs or available_cores()
    workers = min(cores, len(cases))
    if workers <= 1:
        for number, case in cases.items():
            yield number, measure(case, cores, lambda *_: report_progress())
        return
    stopped = threading.Event()

    def stop_if_asked(what: str, done: int, total: int) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt

    # At least two threads for each case: a single one does not check for interruption between kernels.
    threads = max(cores // workers, 2)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        tasks = {pool.submit(measure, case, threads, stop_if_asked): n for n, case in cases.items()}
        pending = set(tasks)
        try:
            while pending:
                done, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
                for task in done:
                    yield tasks[task], task.result()
                report_progress()
        except BaseException:
            stopped.set()
            for task in pending:
                task.cancel()
            raise


def _measure(
    data: Any,
    evidence: Evidence,
    request: MeasureRequest,
    case: Case,
    jobs: int,
    progress: Progress,
) -> Point:
    began = time.perf_counter()
    run: dict[str, Any] = {"jobs": jobs, "progress": progress}
    try:
        release = proved_draft(
            data, case.model, constraints=evidence.constraints, **case.options, **run
        )
    except ImpossibleError as error:
        return Point(case.values, (), (), time.perf_counter() - began, str(error))
    seconds = time.perf_counter() - began
    tree = getattr(release.plan, "hierarchy", None)
    about = replace(
        request, model=release.model, sensitive=release.protected, hierarchy=tree, **run
    )
    found = measured(data, release.data, about)
    facts = tuple(replace(fact, value=finite(fact.value)) for fact in found.facts)
    if release.bound is None:
        return Point(case.values, facts, found.plotted, seconds)
    plotted = (*found.plotted[:1], release.bound.fact().path, *found.plotted[1:])
    return Point(case.values, (*facts, release.bound.fact()), plotted, seconds)


def _plain(value: Any) -> Plain:
    """The value as JSON can hold it; an exact number as its text."""
    return value if value is None or isinstance(value, str | int | float) else str(value)
