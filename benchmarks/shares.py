"""``python -m benchmarks.shares``: what phases and steps take, for the constants in ``cli/shares.py``.

Of each job: the seconds of its phases, and of its steps the share of what was left of their phase.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import time
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.bench import data_folder
from withhold.cli import console, job
from withhold.cli.app import VERBS, app

SETS = ("bms-webview-1", "bms-webview-2", "retail")
COLUMNS = "age,workclass,education,marital-status,occupation,race,sex,native-country"


class Recorded(job.Job):
    """A job that remembers when its steps began."""

    last: Recorded

    def begin(self, phase: str) -> None:
        super().begin(phase)
        Recorded.last = self
        self.__dict__.setdefault("log", []).append((phase, "", self._work()))

    def end(self) -> None:
        self.log.append((self.phase, "end", self._work()))
        super().end()

    def __call__(self, what: str, done: int, total: int) -> None:
        before = self._step
        super().__call__(what, done, total)
        if self._step != before:
            self.log.append((self.phase, self._step, self._work()))

    def _work(self) -> float:
        return time.monotonic() - self.compiled()


def jobs(data: Path, work: Path) -> dict[str, list[str]]:
    """The commands by kind."""
    found = {}
    out = str(work / "out")
    for name in SETS:
        file, listed = str(data / f"{name}.dat.gz"), str(data / f"{name}-sensitive.txt")
        rho = [file, "--rho", "0.5", "--sensitive", listed]
        found[f"anonymize rho {name}"] = ["anonymize", *rho, "-o", f"{out}-{name}.dat"]
        found[f"report rho {name}"] = ["anonymize", *rho, "-o", f"{out}-{name}.dat", "--report"]
        kept = ["--keep", "distribution", "-o", f"{out}-{name}-d.dat"]
        found[f"anonymize distribution {name}"] = ["anonymize", *rho, *kept]
        found[f"audit rho {name}"] = ["audit", *rho]
        found[f"verify rho {name}"] = ["verify", f"{out}-{name}.dat"]
        found[f"compare rho {name}"] = ["compare", file, f"{out}-{name}.dat"]
        coherent = [
            "--model",
            "coherence",
            "--h",
            "0.8",
            "--k",
            "10",
            "--p",
            "4",
            "--private",
            listed,
        ]
        found[f"anonymize coherence {name}"] = [
            "anonymize",
            file,
            *coherent,
            "-o",
            f"{out}-{name}-c.dat",
        ]
        km = ["--model", "km", "--k", "10", "--m", "2"]
        found[f"anonymize km {name}"] = ["anonymize", file, *km, "-o", f"{out}-{name}-k.dat"]
        apart = ["--model", "apart", "--rho", "0.5", "--sensitive", listed]
        found[f"anonymize apart {name}"] = [
            "anonymize",
            file,
            *apart,
            "-o",
            f"{out}-{name}-a.jsonl",
        ]
        wishes = work / f"{name}-constraints.csv"
        wishes.write_text(
            constraints(Path(listed).read_text(encoding="utf-8").split()), encoding="utf-8"
        )
        personal = ["--model", "personal-rho", "--rho", "0.5", "--max-known", "2"]
        personal += ["--constraints", str(wishes)]
        found[f"anonymize personal-rho {name}"] = [
            "anonymize",
            file,
            *personal,
            "-o",
            f"{out}-{name}-p.dat",
        ]
    groceries = [str(data / "groceries.csv.gz"), "--model", "buckets", "--k", "10"]
    groceries += ["--hierarchy", str(data / "groceries-hierarchy.csv")]
    found["anonymize buckets groceries"] = ["anonymize", *groceries, "-o", f"{out}-groceries.dat"]
    adult = [str(data / "adult.csv.gz"), "--model", "k-anonymity", "--k", "10"]
    adult += ["--quasi-identifiers", COLUMNS, "--publish", "all"]
    found["anonymize k-anonymity adult"] = ["anonymize", *adult, "-o", f"{out}-adult.csv"]
    found["report k-anonymity adult"] = ["anonymize", *adult, "-o", f"{out}-adult.csv", "--report"]
    found["audit k-anonymity adult"] = ["audit", *adult]
    for kind in ("coherence retail", "km retail", "personal-rho retail", "buckets groceries"):
        found[f"report {kind}"] = [*found[f"anonymize {kind}"], "--report"]
    found["demo people"] = ["demo", "--people", "--persons", "20000", "--folder", f"{work}/people"]
    found["demo"] = ["demo", "--baskets", "50000", "--folder", f"{work}/demo"]
    return found


def constraints(items: list[str]) -> str:
    """The wishes of 2,000 people: one listed item each, and every tenth person the first ten as well."""
    pairs = [(record, items[record % len(items)]) for record in range(1, 2001)]
    pairs += [(record, item) for record in range(10, 2001, 10) for item in items[:10]]
    return "record,item\n" + "".join(f"{record},{item}\n" for record, item in dict.fromkeys(pairs))


def measure(words: list[str]) -> Recorded:
    """The job of a command that runs in this process."""
    told = io.StringIO()
    words = [*words, *(["--force"] if words[0] in ("anonymize", "demo") else [])]
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        app(words, standalone_mode=False)
    return Recorded.last


def main() -> None:
    for name in VERBS:
        import_module(f"withhold.cli.{name}")
    console.Job = Recorded  # type: ignore[misc]
    shares: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for kind, words in jobs(data_folder(), Path(folder)).items():
            if not kind.startswith(tuple(sys.argv[1:] or [""])):
                continue
            measure(words)  # compiles
            found = measure(words)
            print(
                kind,
                {name: round(seconds, 3) for name, seconds in found.seconds.items()},
                flush=True,
            )
            log: list[tuple[str, str, Any]] = found.log
            for number, (phase, step, at) in enumerate(log[:-1]):
                if step not in ("", "end"):
                    over = next(when for _, what, when in log[number:] if what == "end")
                    share = (log[number + 1][2] - at) / max(over - at, 1e-9)
                    shares[f"{phase}: {step}"].append(share)
                    print(
                        f"    {phase}: {step} {log[number + 1][2] - at:.3f} s, {share:.0%} of what was left"
                    )
    for step, each in sorted(shares.items()):
        print(f"{step:<60} {sum(each) / len(each):.2f} of {len(each)}")


if __name__ == "__main__":
    main()
