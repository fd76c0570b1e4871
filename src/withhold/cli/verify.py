"""``withhold verify``: the same bytes, and still safe?"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import announce_compilation, progress_bar, say
from withhold.cli.offers import complete_released
from withhold.models import Status


@verb("verify", example="withhold verify published.dat")
def verify(
    published: Annotated[Path, typer.Argument(help="The published file.", show_default=False)],
    manifest: Annotated[
        Path | None, typer.Option(help="Its manifest; PUBLISHED.manifest.json if not given.")
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(help="[personal-rho] The file that the release was made from."),
    ] = None,
    constraints: Annotated[
        str | None, typer.Option(help="[personal-rho] Who fears what, as for anonymize.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="[personal-rho] What everybody fears, as for anonymize.")
    ] = None,
    hierarchy: Annotated[
        str | None,
        typer.Option(help="[personal-rho] Categories in the constraints, as for anonymize."),
    ] = None,
    consent: options.Consent = None,
    skip_missing_ids: options.SkipMissingIds = False,
    jobs: options.Jobs = None,
    limit_seconds: options.LimitSeconds = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Prove a release again, from the published file and its manifest.

    A personal-rho release needs the originals and the constraints too, which are not published; without
    them the verdict is UNDECIDED.
    """
    from withhold.publish import verify_file
    from withhold.report.json import recheck_as_dict
    from withhold.report.text import recheck_text

    announce_compilation(silent=quiet)
    with progress_bar(silent=quiet) as progress:
        found = verify_file(
            published,
            manifest,
            complete=partial(
                complete_released,
                original,
                constraints,
                sensitive,
                hierarchy,
                consent,
                skip_missing_ids=skip_missing_ids,
            ),
            jobs=jobs,
            limit_seconds=limit_seconds,
            progress=progress,
        )
    if as_json:
        say(json.dumps(recheck_as_dict(found), ensure_ascii=False, indent=2))
    else:
        say(recheck_text(found, name=str(published)))
    changed = 0 if found.same_bytes else Status.BROKEN.exit_code
    raise typer.Exit(changed or found.verdict.status.exit_code)
