"""The suite of coherence and k^m-anonymity: time, loss and nuggets kept, on real and invented files."""

from __future__ import annotations

import random
import subprocess
import sys

from benchmarks import fresh
from benchmarks.bench import QUEST_ITEMS, QUICK_RECORDS, Bench, File
from benchmarks.tables import Table

REAL = ("bms-webview-1", "bms-webview-2", "retail")
H, K = "0.5", 5
QUEST_H, QUEST_K, QUEST_RECORDS = "0.4", 10, 100_000
KNOWN_SECONDS = 764.0
"""What the public implementation says it takes at best for T40I10D100K, 15% public, p = 4."""
COLUMNS = {
    "file": "",
    "model": "",
    "p": "",
    "keep": "",
    "suppress s": ".2f",
    "all s": ".2f",
    "items gone": ",",
    "restored": ",",
    "loss": ".3f",
    "nuggets": ",",
    "kept": ",",
    "peak MB": ".0f",
}


def coherence(bench: Bench) -> list[Table]:
    """Item suppression under coherence and k^m-anonymity."""
    return [_real(bench), _quest(bench)]


def _real(bench: Bench) -> Table:
    table = Table(
        f"Coherence, h = {H}, k = {K}, the listed items private, nugget support 0.1%; km, k = {K}",
        COLUMNS,
    )
    for file in bench.files(*REAL):
        for p in (1, 2, 3, 4, None):
            for keep in ("itemsets", "items"):
                _add(bench, table, file, {"h": H, "k": K, "p": p}, keep=keep)
        if file.name == "bms-webview-2":
            for m in (2, 3, 4):
                _add(bench, table, file, {"k": K, "m": m})
    return table


def _quest(bench: Bench) -> Table:
    records = QUICK_RECORDS if bench.quick else QUEST_RECORDS
    table = Table(
        f"Coherence, Quest, {records:,} records, h = {QUEST_H}, k = {QUEST_K}, nugget support 1%",
        COLUMNS,
        notes=[
            "Target: a hundredth of the 764 s that the public implementation reports for p = 4",
            "with 15% of the items public.",
        ],
    )
    for length, pattern, private, sizes in (
        (10, 4, 0.15, (2, 3, 4)),
        (40, 10, 0.85, (4,)),
        (40, 10, 0.15, (2, 3, 4)),
    ):
        file = quest_file(bench, records, length, pattern, private)
        for p in sizes:
            most = KNOWN_SECONDS / 100 if private == 0.85 else None
            model = {"h": QUEST_H, "k": QUEST_K, "p": p}
            _add(bench, table, file, model, most=most, nugget_support=records // 100)
    return table


def quest_file(bench: Bench, records: int, length: int, pattern: int, private: float) -> File:
    """Invented records and a share of their items as private, all from seed 1."""
    name = f"T{length}I{pattern}"
    path = bench.folder / f"{name}.dat"
    if not path.exists():
        options = f"--records {records} --length {length} --pattern {pattern} --seed 1"
        command = [sys.executable, "benchmarks/quest.py", *options.split()]
        bench.say(f"inventing {records:,} records of {name}")
        with path.open("wb") as target:
            subprocess.run(command, stdout=target, cwd=fresh.ROOT, check=True)
    items = [str(number) for number in range(QUEST_ITEMS)]
    listed = bench.folder / f"{name}-{private}.txt"
    drawn = random.Random(1).sample(items, round(private * QUEST_ITEMS))
    listed.write_text("\n".join(drawn) + "\n", encoding="utf-8")
    return File(f"{name}, {private:.0%} private", path, listed)


def _add(
    bench: Bench,
    table: Table,
    file: File,
    model: dict[str, object],
    *,
    most: float | None = None,
    **options: object,
) -> None:
    shown = " ".join(f"{name}={value}" for name, value in {**model, **options}.items())
    run = bench.run(
        f"suppress items of {file.name} {shown}",
        "suppress_items",
        path=str(file.path),
        private=str(file.sensitive),
        output=str(bench.folder / "published.dat"),
        model=model,
        **options,
    )
    if run is None:
        return
    p = model.get("p", model.get("m"))
    table.add(
        **{
            "file": file.name,
            "model": "km" if "m" in model else "coherence",
            "p": "any" if p is None else str(p),
            "keep": str(options.get("keep", "itemsets")),
            "suppress s": bench.judged(run["suppress"], most),
            "all s": run["seconds"],
            "items gone": run["gone"],
            "restored": run["restored"],
            "loss": run["loss"],
            "nuggets": run["nuggets"],
            "kept": run["kept"],
            "peak MB": run["peak_mb"],
        }
    )
