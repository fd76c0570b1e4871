"""The experiments of Jia and others, "ρ-uncertainty Anonymization by Partial Suppression", made again.

Figures 2 to 7 and 9, and Table 3. The paper's *Mine* is ``keep=rules``, its *Dist* ``keep=distribution``.
*Global*, *TDControl* and the permutation are baselines; *Counts* is our own ``keep=counts``. Figure 8 is
about a buffer that a walk in depth does not need.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.bench import SENSITIVE_SHARE, Bench, File
from benchmarks.papers import store
from benchmarks.patterns import MIN_SUPPORT, first_items
from benchmarks.tables import Table

WV, RETAIL, POS = "bms-webview-2", "retail", "bms-pos-partial"
SYN_RECORDS, SYN_ITEMS, SYN_LONGEST, SYN_MEAN = 493_193, 5000, 50, 4.2
METHODS: dict[str, dict[str, Any]] = {
    "Mine": {"keep": "rules"},
    "Dist": {"keep": "distribution"},
    "Global": {"globally": True},
    "Counts": {"keep": "counts"},
}
OURS = ("Mine", "Dist")
NO_GLOBAL = (POS, "syn")
"""Too large for what takes items from everywhere."""
PAPER_LOSS = {
    ("Mine", WV): "about 0.26",
    ("Mine", POS): "about 0.26",
    ("Mine", RETAIL): "about 0.35",
}
PAPER_SECONDS = {
    "TDControl": {POS: 183, WV: 30, RETAIL: 156, "syn": 476},
    "Global": {POS: 1027, WV: 81, RETAIL: 646},
    "Dist": {POS: 395, WV: 151, RETAIL: 171, "syn": 130},
    "Mine": {POS: 1554, WV: 478, RETAIL: 256, "syn": 132},
}
RHOS = tuple(f"0.{tenth}" for tenth in range(1, 10))
TWO_RHOS = ("0.3", "0.7")
DEGREES = (4, 6, 8, 10)


def paper_partial(bench: Bench) -> list[Table]:
    """All figures, each stored when it is done, those that others need first."""
    tables = []
    for figure in (figure_2, figures_3_and_4, figure_5, figure_6, figure_7, figure_9):
        made = figure(bench)
        store("paper-partial", made, quick=bench.quick)
        tables += made
    return tables


def figure_2(bench: Bench) -> list[Table]:
    """Loss, divergence and rules over ρ."""
    table = Table(
        "Figure 2: over ρ, BMS-WebView-2, whole records",
        {
            "ρ": "",
            "method": "",
            "loss": ".4f",
            "symmetric KL": ".5f",
            "Jaccard": ".3f",
            "rules": ",",
        },
        notes=[f"Rules of support {MIN_SUPPORT} and confidence ρ."],
    )
    for file in bench.files(WV):
        runs = [(rho, method) for rho in RHOS for method in OURS]
        for (rho, method), run in released(bench, file, runs, min_support=MIN_SUPPORT):
            values = {"loss": run["loss"], "Jaccard": run["jaccard"], "rules": run["before"]}
            table.add(**{"ρ": rho, "method": method, "symmetric KL": run["symmetric_kl"]}, **values)
    return [table]


def figures_3_and_4(bench: Bench) -> list[Table]:
    """Loss and divergence of all methods on all files, and the times of Table 3."""
    table = Table(
        "Figures 3 and 4: loss and divergence by file and method",
        {
            "file": "",
            "ρ": "",
            "method": "",
            "loss": ".4f",
            "paper's loss": "",
            "symmetric KL": ".5f",
        },
    )
    times = Table(
        "Table 3: seconds at ρ = 0.7",
        {"file": "", "method": "", "CPU s": ".1f", "paper's seconds": ""},
    )
    for file in (*bench.files(WV, RETAIL, POS), synthetic(bench)):
        _compare_methods(bench, file, table, times)
        store("paper-partial", [table, times], quick=bench.quick)
    return [table, times]


def _compare_methods(bench: Bench, file: File, table: Table, times: Table) -> None:
    """Add what each method loses of a file, and how long it takes."""
    methods = OURS if file.name in NO_GLOBAL else tuple(METHODS)
    found = list(released(bench, file, [(rho, method) for rho in TWO_RHOS for method in methods]))
    if file.name not in NO_GLOBAL:
        found += [((rho, "TDControl"), run) for rho, run in top_down(bench, file)]
    for (rho, method), run in sorted(found, key=lambda each: each[0][0]):
        name = {"file": file.name, "method": method}
        paper_loss = PAPER_LOSS.get((method, file.name))
        lost = {"loss": run["loss"], "symmetric KL": run["symmetric_kl"]}
        table.add(**name, **lost, **{"ρ": rho, "paper's loss": paper_loss})
        if rho == "0.7":
            paper = PAPER_SECONDS.get(method, {}).get(file.name)
            times.add(**name, **{"CPU s": run["cpu"], "paper's seconds": paper and str(paper)})


def figure_5(bench: Bench) -> list[Table]:
    """The rules that are alike before and after, records cut to five items."""
    table = Table(
        "Figure 5: similarity of rules (Jaccard), records cut to five items",
        {"file": "", "ρ": "", "method": "", "Jaccard": ".3f", "rules": ",", "kept": ","},
        notes=[f"Support {MIN_SUPPORT}, confidence ρ."],
    )
    for file in bench.files(WV, POS):
        runs = [(rho, method) for rho in RHOS for method in OURS]
        if file.name not in NO_GLOBAL:
            runs += [(rho, "Global") for rho in TWO_RHOS]
        cut = first_items(bench, file)
        for (rho, method), run in released(bench, cut, runs, min_support=MIN_SUPPORT):
            values = {"Jaccard": run["jaccard"], "rules": run["before"], "kept": run["kept"]}
            table.add(**{"file": file.name, "ρ": rho, "method": method}, **values)
    return [table]


def figure_6(bench: Bench) -> list[Table]:
    """Time over one to five fifths of a file, in one part and split by the paper's rule."""
    table = Table(
        "Figure 6: time over the size of the file, Retail, ρ = 0.7",
        {"records": ",", "method": "", "parts": "", "CPU s": ".2f", "loss": ".4f"},
    )
    for fifths in range(1, 6):
        file = bench.file(RETAIL, share=fifths / 5)
        if file is None:
            break
        for parts in (1, 4):
            runs = [("0.7", method) for method in OURS]
            for (_, method), run in released(bench, file, runs, parts=parts):
                row = {"records": file.records, "method": method, "parts": str(parts)}
                table.add(**row, **{"CPU s": run["cpu"], "loss": run["loss"]})
    return [table]


def figure_7(bench: Bench) -> list[Table]:
    """What parts cost and save."""
    table = Table(
        "Figure 7: parts, Retail, ρ = 0.7",
        {"parts": "", "method": "", "restoring": "", "loss": ".4f", "CPU s": ".2f"},
    )
    for file in bench.files(RETAIL):
        for parts in (1, 4, 16, 32):
            for restoring in (True, False):
                runs = [("0.7", method) for method in OURS]
                how = {"parts": parts, "restoring": restoring}
                for (_, method), run in released(bench, file, runs, **how):
                    said = "after the parts" if restoring else "no"
                    row = {"parts": str(parts), "method": method, "restoring": said}
                    table.add(**row, **{"loss": run["loss"], "CPU s": run["cpu"]})
    return [table]


def figure_9(bench: Bench) -> list[Table]:
    """Against permutation: what can still be told, and the time."""
    table = Table(
        "Figure 9: against permutation, BMS-WebView-2, ρ = 1/p",
        {"p": "", "method": "", "symmetric KL": ".5f", "reconstruction": ".5f", "CPU s": ".1f"},
    )
    for file in bench.files(WV):
        where = {"path": str(file.path), "sensitive": str(file.sensitive)}
        for p in DEGREES:
            ours = {"rho": f"1/{p}", **where}
            for method, measure, arguments in (
                ("permutation", "permutation", {"p": p, **where}),
                ("Mine", "reconstruction", {"keep": "rules", **ours}),
                ("Dist", "reconstruction", {"keep": "distribution", **ours}),
            ):
                if run := bench.run(f"{method}, p = {p}", measure, once=True, **arguments):
                    row = {"p": str(p), "method": method, "symmetric KL": run["symmetric_kl"]}
                    table.add(**row, **{"reconstruction": run["error"], "CPU s": run["cpu"]})
    return [table]


def released(
    bench: Bench, file: File, runs: Sequence[tuple[str, str]], **options: Any
) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Each (ρ, method) with what its release lost."""
    asked = [{"rho": rho, **METHODS[method], **options} for rho, method in runs]
    where = {"path": str(file.path), "sensitive": str(file.sensitive)}
    what = f"{len(runs)} releases of {file.path.stem} {options or ''}"
    found = bench.run(what.rstrip(), "releases", once=True, runs=asked, **where)
    yield from zip(runs, found["releases"] if found else [], strict=False)


def top_down(bench: Bench, file: File) -> Iterator[tuple[str, dict[str, Any]]]:
    """TDControl for each ρ."""
    for rho in TWO_RHOS:
        where = {"path": str(file.path), "sensitive": str(file.sensitive)}
        run = bench.run(f"TDControl {file.name} ρ={rho}", "tdcontrol", once=True, rho=rho, **where)
        if run is not None:
            yield rho, run


def synthetic(bench: Bench) -> File:
    """Records of up to fifty items, all equally likely; long ones are rarer, as in the paper's Figure 1."""
    draw = random.Random(1)
    path, sensitive = bench.folder / "syn.dat", bench.folder / "syn-sensitive.txt"
    items = [str(number) for number in range(SYN_ITEMS)]
    with path.open("w", encoding="ascii") as target:
        for _ in range(10_000 if bench.quick else SYN_RECORDS):
            length = min(1 + int(draw.expovariate(1 / (SYN_MEAN - 0.5))), SYN_LONGEST)
            target.write(" ".join(sorted(draw.sample(items, length), key=int)) + "\n")
    drawn = draw.sample(items, round(SENSITIVE_SHARE * SYN_ITEMS))
    sensitive.write_text("\n".join(drawn) + "\n", encoding="ascii")
    return File("syn", path, sensitive)
