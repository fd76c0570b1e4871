"""What is measured: each function runs alone in a process of its own and returns plain values.

Kernels are warm before a clock starts: the same road is walked once with a tiny table and the same
options, so that compiled code is loaded. ``fill_cache`` compiles what is not in the cache yet.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks import personal_measures
from benchmarks.fresh import Taken

if TYPE_CHECKING:
    import withhold as wh

Result = dict[str, Any]
CLOSED_MINERS = ("fpgrowth",)
SHORT_SECONDS = 8.0
"""What takes less is measured a few times, and the median run counts."""
SEVERAL_PARTS = 4
TINY_RECORDS, TINY_ITEMS = 5000, 1200


def fill_cache() -> Result:
    """Compile every kernel that the suites use; a way that does not exist yet is passed over."""
    ways: list[Result] = [
        {},
        {"max_known": 2},
        {"budget": 1e-6},
        {"keep": "distribution"},
        {"keep": "counts"},
        {"keep": "sensitive", "polish": 1.0},
    ]
    began = time.perf_counter()
    for way in ways:
        try:
            _warm(**way)
        except Exception:  # the suite that needs this way says what is wrong with it
            continue
    _warm_audit()
    _warm_mining()
    return {"seconds": time.perf_counter() - began}


def reading(path: str, repeats: int) -> Result:
    """Seconds of ``wh.read`` and of polars for the same file as plain lines, the best of each.

    Kernels are loaded, as they are in a process that has audited, verified or suppressed something.
    """
    import polars as pl

    import withhold as wh

    _warm_audit()

    def lines() -> int:
        # A separator that no file holds makes every line one field.
        frame = pl.read_csv(
            path, separator="\x01", has_header=False, quote_char=None, schema={"line": pl.String}
        )
        return len(frame)

    wh.read(path)
    ours, theirs = [], []
    for _ in range(repeats):
        theirs.append(_time_of(lines).seconds)
        ours.append(_time_of(lambda: wh.read(path)).seconds)
    records = len(wh.read(path))
    if records != lines():
        raise AssertionError(f"{records} records read from {lines()} lines")
    return {"ours": min(ours), "polars": min(theirs), "records": records}


def check(path: str, sensitive: str, rho: str, repeats: int) -> Result:
    """Seconds of the exact check, the median of a few, and how much it looked at."""
    import withhold as wh

    _warm_audit()
    table, model = wh.read(path), _model(sensitive, rho)
    verdicts: list[wh.Verdict] = []
    taken = _usual(lambda: verdicts.append(wh.verify(table, model)), repeats)
    return {**taken, "status": verdicts[0].status.value, "checked": verdicts[0].checked}


def audit(path: str, sensitive: str, rho: str, repeats: int) -> Result:
    """Seconds of the audit as it is by default, the median of a few."""
    import withhold as wh

    _warm_audit()
    table, model = wh.read(path), _model(sensitive, rho)
    audits: list[Any] = []
    taken = _usual(lambda: audits.append(wh.audit(table, model)), repeats)
    return {**taken, "breaches": sum(audits[0].by_size.values())}


def anonymize(
    path: str,
    sensitive: str,
    rho: str,
    output: str,
    max_known: int | None = None,
    **options: Any,
) -> Result:
    """From reading the file to the proved release on disk: seconds of each step, and the loss.

    Without the lower bound, unless ``bound=True`` asks for it.
    """
    import withhold as wh
    from withhold.pipeline import draft

    options = {"bound": False, **options}
    _warm(max_known=max_known, **options)
    model = _model(sensitive, rho, max_known)
    with _loading() as loaded:
        used, clock = time.process_time(), [time.perf_counter()]
        table = wh.read(path)
        clock.append(time.perf_counter())
        release = draft(table, model, **options)
        clock.append(time.perf_counter())
        published = release.write(output, force=True, jobs=options.get("jobs"))
        clock.append(time.perf_counter())
        cpu = time.process_time() - used
    return {
        "seconds": clock[3] - clock[0],
        "cpu": cpu,
        "read": clock[1] - clock[0],
        "suppress": release.timings["suppress"],
        "verify": published.timings["verify"],
        "write": clock[3] - clock[2] - published.timings["verify"],
        "loss": release.loss.occurrences,
        "bound": None if release.bound is None else release.bound.as_dict(),
        "bound_seconds": release.timings.get("bound"),
        "sensitive_loss": release.loss.sensitive_occurrences,
        "symmetric_kl": release.loss.symmetric_kl,
        "sensitive_kept": release.loss.total_sensitive - release.loss.removed_sensitive,
        "moves": release.options.get("polish_moves") or 0,
        "records": len(table),
        "loaded": loaded[0],
    }


def generalise(path: str, hierarchy: str, k: int, fill: str, records: int | None = None) -> Result:
    """Seconds from a table in memory to a proved release by buckets, and what it lost."""
    import numpy as np

    import withhold as wh

    model = wh.Buckets(k)
    table = wh.read(path)
    if records is not None:
        table = table.only_records(np.arange(len(table)) < records)
    few = wh.Records.from_lists([["1"], ["2"], ["3"]] * 2 * k)
    wh.anonymize(few, model, hierarchy="fan-out:2", fill=fill)
    releases: list[Any] = []
    taken = _time_of(
        lambda: releases.append(wh.anonymize(table, model, hierarchy=hierarchy, fill=fill))
    )
    loss = releases[0].loss
    return {
        **taken._asdict(),
        "groups": len(loss.groups),
        "information loss": loss.information_loss,
        "invented items": loss.added,
        "of published": loss.added_share,
        "unchanged": loss.exact,
        "withheld": loss.withheld,
    }


def bucket_figures(path: str, tree: str, folder: str) -> Result:
    """The figures of the paper on buckets, drawn into a folder."""
    from benchmarks.bucket_figures import draw_figures

    taken = _time_of(lambda: draw_figures(Path(path), tree, Path(folder)))
    return {**taken._asdict()}


def suppress_items(
    path: str, private: str, output: str, model: dict[str, Any], **options: Any
) -> Result:
    """From reading the file to the proved release on disk, under coherence or k^m-anonymity."""
    import withhold as wh
    from withhold.methods.coherence.breach_store import larger_store, new_store

    def asked(items: frozenset[str]) -> Any:
        return wh.KmAnonymity(**model) if "m" in model else wh.Coherence(**model, private=items)

    with _tiny_file() as (tiny, sensitive):
        warm = wh.read(tiny)
        # Without records to spare, the nugget support of a large file would leave nothing to do.
        for support in (None, 5):
            wanted = {**options, "nugget_support": support}
            release = wh.anonymize(warm, asked(sensitive), **wanted)
            release.write(tiny.with_name(f"{support}.dat"))
        # What a tiny file may not call: both ways to prove, and a store that has to grow.
        for p in (1, None):
            wh.verify(release.data, wh.Coherence("0.5", 2, p, sensitive))
        larger_store(new_store(1))
    items = frozenset(Path(private).read_text(encoding="utf-8").split())
    with _loading() as loaded:
        clock = [time.perf_counter()]
        table = wh.read(path)
        release = wh.anonymize(table, asked(items), **options)
        release.write(output, force=True)
        clock.append(time.perf_counter())
    plan = release.plan
    return {
        "seconds": clock[1] - clock[0],
        "suppress": release.timings["suppress"],
        "gone": len(plan),
        "restored": len(plan.restored),
        "loss": release.loss.occurrences,
        "nuggets": plan.nuggets_before,
        "kept": plan.nuggets_kept,
        "loaded": loaded[0],
    }


def group_items(path: str, hierarchy: str, k: int, m: int, withhold: bool) -> Result:
    """From reading the file to the proved release, under k^m-anonymity with a hierarchy."""
    import withhold as wh

    wh.anonymize([["a", "b"]] * 4, wh.KmAnonymity(2, 3), hierarchy="fan-out:2")
    with _loading() as loaded:
        began = time.perf_counter()
        model = wh.KmAnonymity(k, m)
        release = wh.anonymize(wh.read(path), model, hierarchy=hierarchy, withhold=withhold)
        seconds = time.perf_counter() - began
    loss = release.loss
    return {
        "seconds": seconds,
        "cost": loss.cost,
        "ncp": loss.ncp,
        "bits": loss.bits,
        "groups": loss.groups,
        "loaded": loaded[0],
    }


def closed_itemsets(path: str, miner: str) -> Result:
    """Seconds that pyfim needs to list the closed itemsets of support 2 or more.

    Reading is not counted, and items are integers, which pyfim takes fastest.
    """
    import fim

    with Path(path).open(encoding="ascii") as file:
        records = [[int(item) for item in line.split()] for line in file]
    mine = getattr(fim, miner)
    found: list[Any] = []
    taken = _time_of(lambda: found.append(mine(records, target="c", supp=-2, zmin=1, report="")))
    return {**taken._asdict(), "closed": len(found[0])}


def mining(path: str, min_support: str, repeats: int) -> Result:
    """Seconds for the closed itemsets, ours and those of pyfim's miners in turn: the median of each.

    Reading is not counted; pyfim gets lists of integers, which it takes fastest, and we our own table.
    """
    import fim

    import withhold as wh
    from withhold.mining.miner import closed_itemsets, min_count

    _warm_mining()
    table = wh.read(path)
    with Path(path).open(encoding="ascii") as file:
        records = [[int(item) for item in line.split()] for line in file]
    least = min_count(min_support, len(table))
    ways: dict[str, Callable[[], Any]] = {
        "one_job": lambda: closed_itemsets(table, min_support, jobs=1),
        "all_cores": lambda: closed_itemsets(table, min_support),
        "fpgrowth": lambda: fim.fpgrowth(records, target="c", supp=-least, zmin=1, report=""),
        "eclat": lambda: fim.eclat(records, target="c", supp=-least, zmin=1, report=""),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    found = {}
    with _loading() as loaded:
        for _ in range(repeats):
            for way, mine in ways.items():
                began = time.perf_counter()
                result = mine()
                seconds[way].append(time.perf_counter() - began)
                found[way] = len(result)
    if len(set(found.values())) != 1:
        raise AssertionError(f"the miners disagree: {found}")
    medians = {way: median(runs) for way, runs in seconds.items()}
    return {**medians, "closed": found["eclat"], "least": least, "loaded": loaded[0]}


def rules(path: str, sensitive: str, rho: str, keep: str, min_support: str) -> Result:
    """What a release keeps of the association rules of confidence ρ or more."""
    import withhold as wh
    from withhold.measure import measure_utility

    _warm(keep=keep)
    _warm_mining()
    table, model = wh.read(path), _model(sensitive, rho)
    clock = [time.perf_counter()]
    release = wh.anonymize(table, model, keep=keep)
    clock.append(time.perf_counter())
    utility = measure_utility(
        table,
        release.data,
        sensitive=model.sensitive,
        min_support=min_support,
        min_confidence=rho,
    )
    clock.append(time.perf_counter())
    return {
        "jaccard": utility.rules.jaccard,
        "forbidden": _forbidden(table, model, min_support),
        "before": utility.rules.before,
        "kept": utility.rules.kept,
        "spurious": utility.rules.spurious,
        "loss": utility.occurrences.all.share,
        "symmetric_kl": utility.distribution.symmetric_kl,
        "suppress": clock[1] - clock[0],
        "measure": clock[2] - clock[1],
        "max_size": utility.itemsets.max_size,
        "seconds": clock[2] - clock[0],
    }


def _forbidden(table: wh.Records, model: wh.RhoUncertainty, min_support: str) -> int:
    """How many of the rules no release may keep: sensitive consequent, confidence above ρ."""
    import numpy as np

    from withhold.mining.miner import frequent_itemsets, rules_of

    found = rules_of(frequent_itemsets(table, min_support), model.rho)
    above = found.joint * model.rho.denominator > model.rho.numerator * found.support
    return int((above & np.isin(found.consequents, table.codes(model.sensitive))).sum())


MEASURES: dict[str, Callable[..., Result]] = {
    function.__name__: function
    for function in (
        fill_cache,
        reading,
        check,
        audit,
        anonymize,
        generalise,
        bucket_figures,
        suppress_items,
        closed_itemsets,
        mining,
        rules,
        personal_measures.personal,
        personal_measures.personal_samples,
    )
}


def _time_of(work: Callable[[], object]) -> Taken:
    began, used = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - began, time.process_time() - used)


def _usual(work: Callable[[], object], repeats: int) -> Result:
    """The median run's times, or the only one's if it is long, and how many kernels spoilt them."""
    with _loading() as loaded:
        runs = [_time_of(work)]
        while len(runs) < repeats and runs[0].seconds < SHORT_SECONDS:
            runs.append(_time_of(work))
    return {**sorted(runs)[len(runs) // 2]._asdict(), "loaded": loaded[0]}


def _model(sensitive: str, rho: str, max_known: int | None = None) -> wh.RhoUncertainty:
    import withhold as wh

    items = Path(sensitive).read_text(encoding="utf-8").split()
    return wh.RhoUncertainty(rho, items, max_known=max_known)


def _warm(max_known: int | None = None, **options: Any) -> None:
    """Walk the road once with a tiny file; what follows compiles and imports nothing."""
    import withhold as wh

    with _tiny_file() as (path, sensitive):
        model = wh.RhoUncertainty("0.5", sensitive, max_known=max_known)
        if options.get("budget") is not None:
            # A budget too small for anything calls the kernels that give up, an ample one the rest.
            wh.anonymize(wh.read(path), model, **{**options, "budget": 1e-6})
            options["budget"] = 60.0
        if options.pop("polish", None) is not None:
            options["polish_moves"] = 1
        # In one part, little is left to restore; in several, the kernels of restoring are called.
        several = () if options.get("keep") == "counts" else (SEVERAL_PARTS,)
        for parts in {options.get("parts"), *several}:
            release = wh.anonymize(wh.read(path), model, **{**options, "parts": parts})
            release.write(path.with_name(f"{parts}.dat"))


def _warm_audit() -> None:
    import withhold as wh

    with _tiny_file() as (path, sensitive):
        table = wh.read(path)
        wh.audit(table, wh.RhoUncertainty("0.5", sensitive))


def _warm_mining() -> None:
    import withhold as wh
    from withhold.measure import measure_utility
    from withhold.mining.miner import closed_itemsets

    with _tiny_file() as (path, _):
        table = wh.read(path)
        closed_itemsets(table, 2)
        measure_utility(table, table, min_support=5)


@contextmanager
def _tiny_file() -> Iterator[tuple[Path, frozenset[str]]]:
    """A file that calls every kernel with arrays of the kind that real files give.

    It has records enough to be split as real files are, and many sensitive items: every n-th of
    them is a strided array only if there are more than n, and numba compiles for each kind anew.
    """
    draw = random.Random(1).random
    records = [{int(TINY_ITEMS * draw() ** 4) for _ in range(6)} for _ in range(TINY_RECORDS)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.dat"
        lines = (" ".join(map(str, sorted(record))) + "\n" for record in records)
        path.write_text("".join(lines), encoding="ascii")
        yield path, frozenset(map(str, range(1, TINY_ITEMS, 2)))


@contextmanager
def _loading() -> Iterator[list[int]]:
    """Counts the kernels that are loaded or compiled meanwhile: they spoil what is measured."""
    from numba.core.event import install_recorder

    count = [0]
    with install_recorder("numba:compiler_lock") as recorder:
        yield count
    count[0] = sum(event.is_start for _, event in recorder.buffer)
