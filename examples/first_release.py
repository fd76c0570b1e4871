"""From data to a proved release in Python: audit, anonymize, write, verify.

    python examples/first_release.py

The data is invented: baskets of a pharmacy. Everything is written to a temporary folder.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import withhold as wh


def main(folder: Path) -> None:
    """Walk the road once, and print what happened."""
    baskets, sensitive = wh.pharmacy(2000, seed=7)
    model = wh.RhoUncertainty(rho="0.5", sensitive=sensitive)

    # Is it safe as it is?
    audit = wh.audit(baskets, model)
    print(f"before:   {audit.verdict.status.value}, for instance {audit.breaches[0]}")
    print(f"exposed:  {audit.exposed_records:,} of {audit.records:,} records")

    # Withhold as little as possible. The table in the release has been proved.
    release = wh.anonymize(baskets, model, seed=7)
    loss = release.loss
    print(f"withheld: {loss.removed:,} of {loss.total:,} occurrences ({loss.occurrences:.1%})")

    # Every removal has a reason. Records count from 0.
    record, item = release.plan.removals(baskets)[2]
    print(f"why:      {item} left record {record} because of {release.plan.why(2, baskets)}")

    # Write it. The bytes on disk are read back and proved before the file gets its name.
    published = release.write(folder / "published.dat")
    print(f"wrote:    {published.path.name} and {published.manifest.name}")

    # Anybody who has the file and knows the model can check it.
    verdict = wh.verify(published.path, model)
    print(f"after:    {verdict.status.value}, {verdict.checked:,} closed sets checked")
    print(model.promise())


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
