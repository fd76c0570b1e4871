"""``withhold demo``: the road on a built-in example, nothing to prepare."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from withhold.cli.app import verb
from withhold.cli.console import say, working
from withhold.cli.shares import PLANS
from withhold.errors import OutputError, PolicyError
from withhold.exact import decimal_text

if TYPE_CHECKING:
    from withhold.cli.job import Job
    from withhold.data import People, Records
    from withhold.method import Model

OWN_FOLDER = Path("withhold-demo")
"""The demo's own folder, whose content may be replaced."""
BASKETS = PERSONS = 2000
KNOWN = ("SEX", "MARITAL", "OCCUPATION")
LEFT_OUT = ("BIRTHDATE", "POSTCODE")


@verb("demo", example="withhold demo --baskets 10000 --folder /tmp/pharmacy")
def demo(
    *,
    baskets: int = BASKETS,
    people: bool = False,
    persons: int = PERSONS,
    seed: int = 7,
    rho: str = "0.5",
    folder: Path = OWN_FOLDER,
    force: bool = False,
    jobs: int | None = None,
    quiet: bool = False,
) -> None:
    """Run the whole workflow on invented data."""
    if people and baskets != BASKETS:
        raise PolicyError("--baskets is for the pharmacy; use --persons with --people")
    if not people and persons != PERSONS:
        raise PolicyError("--persons requires --people")
    if people:
        _hospital(persons, seed, rho, folder, force=force, jobs=jobs, quiet=quiet)
        return
    from withhold.counting.jit import interpreting
    from withhold.data.demo_files import demo_files
    from withhold.data.pharmacy import pharmacy
    from withhold.data.survey import survey
    from withhold.formats import read, write
    from withhold.methods.rho.model import RhoUncertainty
    from withhold.publish.publishing import save_text

    invented, sensitive = pharmacy(baskets, seed=seed)
    # A small demo lacks some of them, and most of a list must occur.
    sensitive = sensitive.intersection(invented.occurring) or sensitive
    model = RhoUncertainty(rho, sensitive)
    others = demo_files(baskets) | {"sensitive.txt": "\n".join(sorted(sensitive)) + "\n"}
    file, listing, table_file, output = (
        folder / name for name in ("baskets.dat", "sensitive.txt", "table.csv", "published.dat")
    )
    paths = (file, table_file, output, *(folder / name for name in others))
    _refuse_existing(paths, output, force=force)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write(invented, file)
        write(survey(seed=seed), table_file)
        for name, text in others.items():
            save_text(folder / name, text, force=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror}") from error
    # This few baskets take less time in plain Python than the kernels take to compile.
    with (
        working(PLANS["demo"], silent=quiet) as progress,
        interpreting(baskets <= BASKETS),
    ):
        records = read(file)
        say(
            f"A pharmacy wants to publish {len(records):,} baskets (invented, seed {seed}).\n"
            f"Nobody should be able to infer one of {len(sensitive)} sensitive items\n"
            f"of a customer with more than {decimal_text(model.rho)} certainty.\n\n1. Is the file safe?\n"
        )
        _audit(records, model, str(file), jobs)
        say("\n2. Withhold as little as possible, prove the result, publish.\n")
        told = _release(records, model, output, seed, jobs, progress)
    say(told)
    _your_turn(
        3,
        f"verify {output}",
        f"inspect {file}",
        f"anonymize {file} --rho 0.3 --sensitive {listing} -o {folder / 'stricter.dat'}",
        f"inspect {table_file} --table",
    )


def _your_turn(step: int, *commands: str) -> None:
    """Say which commands to try next."""
    typed = _as_typed()
    say("\n".join([f"\n{step}. Your turn:", *(f"  {typed} {each}" for each in commands)]))


def _as_typed() -> str:
    """How the program can be called again: by its name, or by its path if the shell does not find it."""
    program = Path(sys.argv[0])
    if program.stem != "withhold" or shutil.which("withhold") is not None:
        return "withhold"
    return shlex.quote(str(program))


def _audit(data: Records | People, model: Model, name: str, jobs: int | None) -> None:
    """Say what an attacker could do with the data."""
    from withhold import pipeline
    from withhold.report.text import brief_audit_text

    say(brief_audit_text(pipeline.audit(data, model, show=5, samples=1, jobs=jobs), name=name))


def _release(
    data: Records | People,
    model: Model,
    output: Path,
    seed: int,
    jobs: int | None,
    progress: Job,
) -> str:
    """Release the data, and return the text about the release."""
    from withhold import pipeline
    from withhold.publish.publishing import publish
    from withhold.publish.replacing import whatever_it_is
    from withhold.report.text import release_text

    release = pipeline.draft(data, model, seed=seed, jobs=jobs, progress=progress)
    is_own = whatever_it_is if output.parent == OWN_FOLDER else None
    published = publish(release, output, force=True, jobs=jobs, progress=progress, is_own=is_own)
    return release_text(release, published, took=progress.took())


def _refuse_existing(paths: Iterable[Path], output: Path, *, force: bool) -> None:
    """Refuse to replace a file of the user's; ``force`` is for a folder that has the release of a demo."""
    from withhold.publish.publishing import report_path
    from withhold.publish.replacing import own_files

    for path in paths:
        if path.exists() and path.parent != OWN_FOLDER:
            if not own_files(output, report_path(output))(output):
                raise PolicyError(
                    f"{path} exists already, and is not of a demo; choose another folder"
                )
            if not force:
                raise PolicyError(f"{path} exists already; use --force to replace it")


def _hospital(
    persons: int,
    seed: int,
    rho: str,
    folder: Path,
    *,
    force: bool,
    jobs: int | None,
    quiet: bool,
) -> None:
    """The same road with patients, who have attributes and diagnoses."""
    from withhold.counting.jit import interpreting
    from withhold.datasets import hospital
    from withhold.formats import read_people
    from withhold.laddering import ladder
    from withhold.methods.people.model import PeopleUncertainty
    from withhold.telling.layout import columns

    invented = hospital(persons, seed=seed)
    model = PeopleUncertainty(rho, invented.sensitive, k=5, quasi_identifiers=KNOWN, max_known=1)
    names = ("patients.csv", "conditions.csv", "drugs.csv", "sensitive.txt", "published.csv")
    patients, conditions, _, listing, output = (folder / name for name in names)
    _refuse_existing([folder / name for name in names], output, force=force)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        invented.write(folder)
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror}") from error
    with (
        working(PLANS["demo people"], silent=quiet) as progress,
        interpreting(persons <= PERSONS),
    ):
        found = read_people(patients, conditions, item_column="DESCRIPTION", drop=LEFT_OUT)
        say(
            f"A hospital wants to publish {len(found):,} patients with their diagnoses\n(invented, seed "
            f"{seed}). Nobody who knows a patient's {', '.join(KNOWN)}\nand one diagnosis should be able to "
            f"infer one of {len(model.sensitive)} sensitive ones\nwith more than {decimal_text(model.rho)} "
            "certainty.\n\n1. Are the files safe?\n"
        )
        _audit(found, model, str(patients), jobs)
        say("\n2. What would it cost against attackers who know more diagnoses, or fewer?\n")
        steps = ladder(found, model, seed=seed, jobs=jobs, progress=progress)
        say("\n".join(columns([steps.head(), *steps.rows()], right={1, 2})))
        say("\n3. Withhold as little as possible, prove the result, publish.\n")
        told = _release(found, model, output, seed, jobs, progress)
    say(told)
    data = f"{patients} --items {conditions} --item-column DESCRIPTION"
    _your_turn(
        4,
        f"verify {output}",
        f"inspect {data}",
        f"advise {data} --sensitive {listing} --quasi-identifiers {','.join(KNOWN)}",
        f"anonymize {data} --model people --rho 0.3 --k 5 --max-known 1 "
        f"--quasi-identifiers {','.join(KNOWN)} --drop {','.join(LEFT_OUT)} --sensitive {listing} "
        f"-o {folder / 'stricter.csv'}",
    )
