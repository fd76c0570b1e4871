"""What is measured of tables; each function runs alone in a process of its own (see ``fresh``)."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import withhold as wh

Result = dict[str, Any]
QUASI_IDENTIFIERS = (
    *("age", "workclass", "education", "marital-status", "occupation", "race", "sex"),
    "native-country",
)
LABEL = "income"
TRAINING_ROWS = 32_561
"""Of Adult: the rows of adult.data; the rest is adult.test."""
MORE_COLUMNS = ("relationship", "hours-per-week")
ALL_COLUMNS = (*QUASI_IDENTIFIERS, *MORE_COLUMNS, "education-num", "capital-gain")
WIDTHS = {"age": 5, "hours-per-week": 10, "capital-gain": 1000}
"""Of the ranges that numbers are put into."""
DRAWN, DRAWN_AGAIN = 0.1, 0.5
"""The share of a column's cells that are drawn from all of it: of each column once, and of its copies."""


def adult(path: str, *, share: float = 1.0, blanks: bool = False) -> wh.Table:
    """Adult's training rows without ``?``, or with ``blanks`` all its rows; age in ranges of five."""
    import polars as pl

    import withhold as wh

    frame = pl.read_csv(path, infer_schema=False).select(*QUASI_IDENTIFIERS, LABEL)
    if not blanks:
        shown = ~pl.any_horizontal(pl.col(QUASI_IDENTIFIERS) == "?")
        frame = frame.head(TRAINING_ROWS).filter(shown)
    return wh.read_table(frame.head(round(len(frame) * share)), bins={"age": 5})


def table_run(
    path: str, k: int, cost: str, seeds: list[int], share: float = 1.0, blanks: bool = False
) -> Result:
    """Time against scikit-learn's naive Bayes, interleaved; loss and errors by seed."""
    import withhold as wh
    from withhold.methods.cells.utility import measure_table

    table = adult(path, share=share, blanks=blanks)
    model = wh.KAnonymity(k, QUASI_IDENTIFIERS, label=LABEL)
    wh.anonymize(
        adult(path, share=0.01),
        wh.KAnonymity(2, QUASI_IDENTIFIERS, label=LABEL),
        cost=cost,
        search="paper",
    )
    runs, ours, theirs = [], [], []
    for seed in seeds:
        theirs.append(_naive_bayes_seconds(table))
        began = time.perf_counter()
        release = wh.anonymize(table, model, cost=cost, search="paper", seed=seed, bound=False)
        ours.append(time.perf_counter() - began)
        found = measure_table(table, release.data, model)
        runs.append(
            {
                "kl": found.loss.kl,
                "share": found.loss.withheld_share,
                "bayes": found.naive_bayes.release.mean,
                "bayes_before": found.naive_bayes.original.mean,
                "tree": found.tree.release.mean,
                "tree_before": found.tree.original.mean,
                "leak": found.leak.by_pattern.mean,
            }
        )
    means = {name: sum(run[name] for run in runs) / len(runs) for name in runs[0]}
    spread = {
        f"{name}_spread": max(run[name] for run in runs) - min(run[name] for run in runs)
        for name in runs[0]
    }
    return {
        **means,
        **spread,
        "rows": len(table),
        "seconds": sorted(ours)[len(ours) // 2],
        "sklearn": sorted(theirs)[len(theirs) // 2],
    }


def table_patterns(path: str, k: int, with_trees: bool) -> Result:
    """Patterns against merging, without a label; ``with_trees`` along the hierarchies of ARX."""
    import withhold as wh

    table = _adult(path)
    model = wh.KAnonymity(k, QUASI_IDENTIFIERS)
    folder = Path(path).parent / "adult-hierarchies"
    trees = {name: str(folder / f"{name}.csv") for name in QUASI_IDENTIFIERS}
    options: Any = {"hierarchy": trees if with_trees else None, "publish": "all", "bound": False}
    # Once for what is compiled, then on the clock.
    wh.anonymize(table, model, seed=0, **options)
    _naive_bayes_seconds(table)
    losses, seconds, theirs = [], [], []
    for seed in (1, 2, 3):
        began = time.process_time()
        losses.append(wh.anonymize(table, model, seed=seed, **options).loss.ncp)
        seconds.append(time.process_time() - began)
        began = time.process_time()
        _naive_bayes_seconds(table)
        theirs.append(time.process_time() - began)
    merged = wh.anonymize(table, model, seed=1, search="paper", **options).loss.ncp
    bounded = wh.anonymize(table, model, seed=1, **{**options, "bound": True}).bound
    return {
        "seconds": sum(seconds),
        "cpu_ours": sorted(seconds)[1],
        "lost": sum(losses) / len(losses),
        "merging": merged,
        "bound": bounded.share,
        "sklearn": sorted(theirs)[1],
    }


def table_sets(path: str, k: int) -> Result:
    """Ranges and sets, without a label."""
    import withhold as wh

    table, model = _adult(path), wh.KAnonymity(k, QUASI_IDENTIFIERS)
    options: Any = {"cells": "sets", "publish": "all"}
    # Once for what is compiled, then on the clock.
    wh.anonymize(table, model, seed=0, **options)
    losses, seconds = [], []
    for seed in (1, 2, 3):
        began = time.process_time()
        losses.append(wh.anonymize(table, model, seed=seed, **options).loss)
        seconds.append(time.process_time() - began)
    lost = [loss.ncp for loss in losses]
    return {
        "seconds": sum(seconds),
        "cpu_ours": sorted(seconds)[1],
        "lost": sum(lost) / len(lost),
        "spread": max(lost) - min(lost),
        "changed": sum(loss.share for loss in losses) / len(losses),
    }


def _adult(path: str) -> Any:
    """The training rows of Adult without '?', age as it is."""
    import polars as pl

    import withhold as wh

    frame = pl.read_csv(path, infer_schema=False).select(*QUASI_IDENTIFIERS, LABEL)
    shown = ~pl.any_horizontal(pl.col(QUASI_IDENTIFIERS) == "?")
    return wh.read_table(frame.head(TRAINING_ROWS).filter(shown))


def table_million(path: str, rows: int, k: int, cost: str, folder: str) -> Result:
    """The whole road on a large file; ``invent_rows`` makes it."""
    import withhold as wh

    source = Path(folder) / "million.csv"
    names = (*QUASI_IDENTIFIERS, *MORE_COLUMNS)
    invent_rows(path, source, rows)
    began = time.perf_counter()
    table = wh.read_table(source, bins={"age": 5, "hours-per-week": 10})
    release = wh.anonymize(table, wh.KAnonymity(k, names, label=LABEL), cost=cost)
    release.write(Path(folder) / "million.published.csv", force=True)
    return {
        "rows": len(table),
        "seconds": time.perf_counter() - began,
        "suppress": release.timings["suppress"],
        "share": release.loss.withheld_share,
        "kl": release.loss.kl,
    }


def table_growth(path: str, rows: int, columns: int, k: int) -> Result:
    """Processor time and loss of the defaults on a table of this size; ``multiplied`` makes it."""
    import withhold as wh

    table = multiplied(path, rows, columns)
    model = wh.KAnonymity(k, [column.name for column in table.columns])
    # Once for what is compiled, then on the clock.
    wh.anonymize(multiplied(path, 1000, columns), model, publish="all")
    began = time.process_time()
    release = wh.anonymize(table, model, publish="all")
    return {
        "rows": len(table),
        "columns": columns,
        "seconds": time.process_time() - began,
        "suppress": release.timings["suppress"],
        "share": release.loss.withheld_share,
    }


def multiplied(path: str, rows: int, columns: int, *, seed: int = 1) -> wh.Table:
    """Rows of Adult drawn again, with noise; beyond twelve columns, the same ones with more noise."""
    import numpy as np
    import polars as pl

    import withhold as wh

    frame, draw = pl.read_csv(path, infer_schema=False), np.random.default_rng(seed)
    drawn = draw.integers(0, len(frame), size=rows)
    cells, bins = {}, {}
    for number in range(columns):
        copy, place = divmod(number, len(ALL_COLUMNS))
        source = ALL_COLUMNS[place]
        name = f"{source}-{copy + 1}" if copy else source
        noisy = draw.random(rows) < (DRAWN_AGAIN if copy else DRAWN)
        taken = np.where(noisy, draw.integers(0, len(frame), size=rows), drawn)
        cells[name] = frame[source].gather(taken)
        if source in WIDTHS:
            bins[name] = WIDTHS[source]
    return wh.read_table(pl.DataFrame(cells), bins=bins)


def invent_rows(path: str, target: Path, rows: int, *, seed: int = 1) -> None:
    """Adult resampled with noise: rows drawn again, and in each some cells drawn from the whole column."""
    import polars as pl

    names = (*QUASI_IDENTIFIERS, *MORE_COLUMNS, LABEL)
    columns = pl.read_csv(path, infer_schema=False).select(names).to_dict(as_series=False)
    generator = random.Random(seed)
    n = len(columns[LABEL])
    with target.open("w", encoding="utf-8") as lines:
        lines.write(",".join(names) + "\n")
        for _ in range(rows):
            row = generator.randrange(n)
            cells = [columns[name][row] for name in names]
            place = generator.randrange(len(names))
            cells[place] = columns[names[place]][generator.randrange(n)]
            lines.write(",".join(cells) + "\n")


def _naive_bayes_seconds(table: wh.Table) -> float:
    """What scikit-learn takes to cross-validate its CategoricalNB on the same codes, ten folds."""
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import CategoricalNB

    cells = table.cells(QUASI_IDENTIFIERS)
    labels = table.column(LABEL).cells().astype(str)
    began = time.perf_counter()
    cross_val_score(CategoricalNB(min_categories=cells.max(axis=0) + 1), cells, labels, cv=10)
    return time.perf_counter() - began


TABLE_MEASURES = {
    "table_run": table_run,
    "table_patterns": table_patterns,
    "table_sets": table_sets,
    "table_million": table_million,
    "table_growth": table_growth,
}
