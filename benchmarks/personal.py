"""The suite of personalised ρ-uncertainty: the paper's experiments, and what the paper could not do."""

from __future__ import annotations

from statistics import mean, stdev
from typing import Any

from benchmarks.bench import Bench, File
from benchmarks.tables import Table

FILES = ("bms-webview-1", "bms-webview-2", "bms-pos-partial")
LONGEST = 5
"""The paper leaves out longer records; a dash says so: bms-webview-2′."""
SAMPLES = 10
MOST_SECONDS, MOST_MB = 60.0, 1000.0
LOSSES = {"personalized+": 0.267, "personalized": 0.567}
COLUMNS = {"file": "", "setting": "", "loss": ".4f", "KL": ".4f", "seconds": ".1f", "CPU s": ".1f"}


def personal(bench: Bench) -> list[Table]:
    """All tables."""
    return [
        whole(bench),
        few_wishes(bench),
        first_experiment(bench),
        all_records(bench),
        *second_experiment(bench),
        sampled(bench),
    ]


def release(bench: Bench, file: File, setting: str, **options: Any) -> dict[str, Any] | None:
    """From reading the file to the proved release; the constraints are there already."""
    shown = " ".join(f"{name}={value}" for name, value in options.items())
    return bench.run(
        f"{file.name} {setting} {shown}",
        "personal",
        once=True,
        path=str(file.path),
        output=str(bench.output(file)),
        setting=setting,
        **options,
    )


def whole(bench: Bench) -> Table:
    """Whole uncut BMS-WebView-2, any number of known items, exact."""
    table = Table(
        "Personal: bms-webview-2 uncut, ρ = 0.5, any number of known items, file to proved release",
        {**COLUMNS, "peak MB": ".0f"},
    )
    for file in bench.files("bms-webview-2"):
        for setting, share in (("personalized+", 0.1), ("personalized", 0.4)):
            if run := release(bench, file, setting, share=share, rho="0.5"):
                table.add_run(
                    run,
                    {
                        "file": file.name,
                        "setting": setting,
                        "loss": bench.judged(run["loss"], LOSSES[setting]),
                        "seconds": bench.judged(run["seconds"], MOST_SECONDS),
                        "peak MB": bench.judged(run["peak_mb"], MOST_MB),
                    },
                )
    return table


def few_wishes(bench: Bench) -> Table:
    """Whole files, where 2,000 random people want anything protected."""
    table = Table(
        "Personal: 2,000 random people have wishes, 40 % of the items or five each, ρ = 0.5",
        {"known": "", **COLUMNS, "peak MB": ".0f"},
    )
    for file in bench.files("bms-webview-1", "bms-webview-2"):
        for setting in ("few", "few, five items"):
            for known, options in (("at most 2", {"max_known": 2}), ("any", {})):
                if run := release(bench, file, setting, share=0.4, rho="0.5", **options):
                    row = {"known": known, "file": file.name, "setting": setting}
                    table.add_run(run, row | {"peak MB": run["peak_mb"]})
    return table


def first_experiment(bench: Bench) -> Table:
    """Samples of a tenth of the short records, several seeds: means and deviations."""
    table = Table(
        "Personal, experiment 1: 10% samples of records of at most 5 items, ρ = 0.5, 40%",
        {
            "file": "",
            "setting": "",
            "keep": "",
            "loss": ".4f",
            "± loss": ".4f",
            "KL": ".4f",
            "± KL": ".4f",
        },
        notes=["The paper leaves 75 to 90% of the items."],
    )
    seeds = 2 if bench.quick else SAMPLES
    table.notes.append(f"{seeds} samples each.")
    for file in bench.files(*FILES):
        for setting in ("fixed", "personalized"):
            for keep in ("rules", "distribution"):
                run = bench.run(
                    f"{file.name}′ {setting} {keep}, {seeds} samples",
                    "personal_samples",
                    once=True,
                    path=str(file.path),
                    output=str(bench.output(file)),
                    setting=setting,
                    keep=keep,
                    longest=LONGEST,
                    seeds=seeds,
                )
                if run:
                    table.add(
                        file=f"{file.name}′",
                        setting=setting,
                        keep=keep,
                        loss=mean(run["losses"]),
                        KL=mean(run["kls"]),
                        **{"± loss": stdev(run["losses"]), "± KL": stdev(run["kls"])},
                    )
    return table


def all_records(bench: Bench) -> Table:
    """The same on all records, and on records of any length with at most three known items."""
    table = Table("Personal: all records, ρ = 0.5, 40%", {"known": "", **COLUMNS})
    for file in bench.files(*FILES):
        for setting in ("fixed", "personalized"):
            for known, options in (
                ("any", {"longest": LONGEST}),
                ("at most 3", {"max_known": 3}),
            ):
                run = release(bench, file, setting, share=0.4, rho="0.5", **options)
                if run:
                    name = file.name + ("′" if "longest" in options else "")
                    table.add_run(run, {"known": known, "file": name, "setting": setting})
    return table


def second_experiment(bench: Bench) -> list[Table]:
    """What personal wishes save, compared with protecting for all what anybody wants protected."""
    tables = []
    vary = [("0.3", 0.1), *(("0.5", share) for share in (0.05, 0.1, 0.2, 0.4)), ("0.7", 0.1)]
    for longest, name in ((LONGEST, "bms-webview-2′"), (None, "bms-webview-2 uncut")):
        table = Table(
            f"Personal, experiment 2: {name}",
            {"ρ": "", "share": ".2f", **COLUMNS, "rules": ",", "kept": ",", "1 − J": ".3f"},
            notes=["Rules of support ≥ 0.05% (of the whole rule) and confidence ≥ 30%."],
        )
        for file in bench.files("bms-webview-2"):
            for rho, share in vary[:2] if bench.quick else vary:
                for setting in ("fixed+", "personalized+"):
                    options = {} if longest is None else {"longest": longest}
                    run = release(bench, file, setting, share=share, rho=rho, rules=True, **options)
                    if run:
                        row = {"ρ": rho, "share": share, "file": name, "setting": setting}
                        rules = {"rules": run["before"], "1 − J": run["distance"]}
                        table.add_run(run, row | rules)
        tables.append(table)
    return tables


def sampled(bench: Bench) -> Table:
    """The sampled model on the uncut file."""
    table = Table(
        "Personal, sampled: bms-webview-2 uncut, personalized+, at most 5 known items",
        {"ε = δ": "", "test": "", **COLUMNS, "rounds": "d", "unsafe": ".4f"},
        notes=[
            "Unsafe: the share of 20,000 fresh adversaries of each size that succeed, the worst size."
        ],
    )
    for file in bench.files("bms-webview-2"):
        for small in ("0.05", "0.02", "0.01"):
            for test in ("honest", "paper") if small == "0.05" else ("honest",):
                run = release(
                    bench,
                    file,
                    "personalized+",
                    share=0.1,
                    rho="0.5",
                    max_known=5,
                    epsilon=small,
                    delta=small,
                    test=test,
                )
                if run:
                    row = {"file": file.name, "setting": "personalized+", "rounds": run["round"]}
                    table.add_run(run, {"ε = δ": small, "test": test, **row})
    return table
