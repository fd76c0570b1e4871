"""The suites of itemsets and rules: how fast they are mined, and how many rules a release keeps."""

from __future__ import annotations

from benchmarks.bench import Bench, File
from benchmarks.tables import Table

MINED = {"bms-webview-1": "0.05%", "retail": "0.02%"}
MOST_RATIO = 2.0
REPEATS = 7
FIRST_ITEMS = 5
MIN_SUPPORT = "0.05%"
RULE_FILES = ("bms-webview-2", "bms-pos-partial")
THRESHOLDS = ("0.3", "0.7")


def mining(bench: Bench) -> list[Table]:
    """Closed itemsets, against pyfim's two good miners in the same process, in turn."""
    table = Table(
        "Mining closed itemsets, reading not counted",
        {
            "file": "",
            "support": "",
            "closed sets": ",",
            "one job s": ".3f",
            "all cores s": ".3f",
            "fpgrowth s": ".3f",
            "eclat s": ".3f",
            "one job ratio": ".2f",
            "ratio": ".2f",
        },
        notes=[
            f"Medians of {REPEATS} runs in turn. Ratios: to the faster of pyfim's, ours with one job and",
            "with all cores.",
        ],
    )
    for file in bench.files(*MINED):
        share = MINED[file.name]
        run = bench.run(
            f"mining {file.name} {share}",
            "mining",
            once=True,
            path=str(file.path),
            min_support=share,
            repeats=REPEATS,
        )
        if run is None:
            continue
        theirs = min(run["fpgrowth"], run["eclat"])
        ours, all_cores = run["one_job"], run["all_cores"]
        seconds = {"fpgrowth s": run["fpgrowth"], "eclat s": run["eclat"]}
        ratio = bench.judged(ours / theirs, MOST_RATIO)
        table.add(
            file=file.name,
            support=f"{share} = {run['least']}",
            ratio=bench.judged(all_cores / theirs, MOST_RATIO),
            **{"closed sets": run["closed"], "one job s": ours, "all cores s": all_cores},
            **{**seconds, "one job ratio": ratio},
        )
    return [table]


def rules(bench: Bench) -> list[Table]:
    """Jia et al.'s experiment on rules: records cut to five items; then whole records."""
    cut = _rules_table(f"Rules kept, records cut to their first {FIRST_ITEMS} items")
    cut.notes.append(
        "The first five of each line; lines are in the order of item numbers, the order of clicks is lost."
    )
    whole = _rules_table("Rules kept, whole records")
    for file in bench.files(*RULE_FILES):
        _measure_rules(bench, first_items(bench, file), cut)
        _measure_rules(bench, file, whole)
    return [cut, whole]


def first_items(bench: Bench, file: File) -> File:
    """The file with only the first five items of each line."""
    path = bench.folder / f"{file.path.stem}-first-{FIRST_ITEMS}.dat"
    with file.path.open("rb") as lines, path.open("wb") as target:
        target.writelines(b" ".join(line.split()[:FIRST_ITEMS]) + b"\n" for line in lines)
    return File(file.name, path, file.sensitive)


def _rules_table(title: str) -> Table:
    return Table(
        f"{title}: support {MIN_SUPPORT}, confidence ρ",
        {
            "file": "",
            "ρ": "",
            "keep": "",
            "Jaccard": ".3f",
            "rules": ",",
            "forbidden": ",",
            "kept": ",",
            "spurious": ",",
            "loss": ".4f",
            "symmetric KL": ".5f",
            "suppress s": ".2f",
            "measure s": ".2f",
        },
        notes=[
            "Forbidden: rules with a sensitive consequent and a confidence above ρ; all must go."
        ],
    )


def _measure_rules(bench: Bench, file: File, table: Table) -> None:
    for rho in THRESHOLDS:
        for keep in ("rules", "distribution"):
            asked = {"rho": rho, "keep": keep, "min_support": MIN_SUPPORT}
            what = f"rules of {file.path.stem} ρ={rho} keep={keep}"
            if run := bench.run_on(file, what, "rules", **asked):
                row = {"file": file.name, "ρ": rho, "keep": keep, "rules": run["before"]}
                table.add_run(run, row)
