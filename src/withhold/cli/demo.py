"""``withhold demo``: the road on a built-in example, nothing to prepare."""

from __future__ import annotations

from pathlib import Path

from withhold.cli.app import verb
from withhold.cli.console import say, working
from withhold.errors import OutputError, PolicyError

OWN_FOLDER = Path("withhold-demo")
"""Whatever stands in it may be replaced."""


@verb("demo", example="withhold demo --baskets 10000 --folder /tmp/pharmacy")
def demo(
    *,
    baskets: int = 2000,
    seed: int = 7,
    rho: str = "0.5",
    folder: Path = OWN_FOLDER,
    force: bool = False,
    jobs: int | None = None,
    quiet: bool = False,
) -> None:
    """Walk the whole road with a pharmacy's baskets, invented from a seed."""
    from withhold import pipeline
    from withhold.data.demo_files import demo_files
    from withhold.data.pharmacy import pharmacy
    from withhold.data.survey import survey
    from withhold.exact import decimal_text
    from withhold.formats import read, write
    from withhold.methods.rho.model import RhoUncertainty
    from withhold.publish.publishing import save_text
    from withhold.report.text import audit_text, release_text

    invented, sensitive = pharmacy(baskets, seed=seed)
    model = RhoUncertainty(rho, sensitive)
    others = demo_files(baskets)
    file, listing, table_file, output = (
        folder / name for name in ("baskets.dat", "sensitive.txt", "table.csv", "published.dat")
    )
    for there in (file, table_file, output, *(folder / name for name in others)):
        if there.exists() and folder != OWN_FOLDER and not force:
            raise PolicyError(f"{there} exists already; use --force to replace it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write(invented, file)
        write(survey(seed=seed), table_file)
        for name, text in others.items():
            save_text(folder / name, text, force=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror}") from error
    with working(silent=quiet) as progress:
        records = read(file)
        say(
            f"A pharmacy wants to publish {len(records):,} baskets (invented, seed {seed}). Nobody "
            f"should be able\nto infer one of {len(sensitive)} sensitive items of a customer with more "
            f"than {decimal_text(model.rho)} certainty.\n\n1. Is the file safe?\n"
        )
        say(audit_text(pipeline.audit(records, model, show=6, jobs=jobs), name=str(file)))
        say("\n2. Withhold as little as possible, prove the result, publish.\n")
        release = pipeline.draft(records, model, seed=seed, jobs=jobs, progress=progress)
        published = release.write(output, force=True, jobs=jobs, progress=progress)
    say(release_text(release, published))
    say(
        f"\n3. Your turn:\n"
        f"  withhold verify {output}\n"
        f"  withhold inspect {file}\n"
        f"  withhold anonymize {file} --rho 0.3 --sensitive {listing} -o {folder / 'stricter.dat'}\n"
        f"  withhold inspect {table_file} --table"
    )
