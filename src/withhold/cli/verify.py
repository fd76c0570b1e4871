"""``withhold verify``: is what was promised true of this file?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from withhold.cli import methods, options
from withhold.cli.app import verb
from withhold.cli.console import announce_compilation, progress_bar, say
from withhold.cli.typed import Given
from withhold.escaping import json_text
from withhold.verdict import Status

if TYPE_CHECKING:
    from withhold.data import Records

COMPANIONS = frozenset(("constraints", "sensitive", "hierarchy", "drop", "bin", "mark"))
"""Options that may go with a manifest's policy; any other option of a model states a policy."""


@verb("verify", example="withhold verify published.dat --policy policy.toml")
@methods.takes_method()
def verify(
    context: typer.Context,
    published: Annotated[Path, typer.Argument(help="The published file.", show_default=False)],
    given: Given,
    policy: options.Policy = None,
    manifest: Annotated[
        Path | None, typer.Option(help="Its manifest; PUBLISHED.manifest.json if not given.")
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            help="[personal-rho] The file that the release was made from. Options of reading are for it "
            "alone where the release is read safely without them."
        ),
    ] = None,
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    safe_csv: options.SafeCsv = None,
    consent: options.Consent = None,
    skip_missing_ids: options.SkipMissingIds = False,
    allow_unknown: options.AllowUnknown = False,
    jobs: options.Jobs = None,
    limit_seconds: options.LimitSeconds = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Prove that a published file keeps a policy: the one you state, or the one that its manifest describes.

    State the policy (--policy, or the model's options) to know whether the file keeps what you expect; a
    manifest only says what the file says of itself. A personal-rho release needs the originals and the
    constraints too, which are not published; without them the verdict is UNDECIDED.
    """
    stated = policy is not None or bool(given.keys() - COMPANIONS)
    model = methods.build_model(given) if stated else None
    from withhold.publish.recheck import verify_file
    from withhold.report.json import recheck_as_dict
    from withhold.report.text import recheck_text

    reading = {
        "format": format,
        "separator": separator,
        "record_column": record_column,
        "item_column": item_column,
    }
    # What a policy file says about reading is about the original, not about what was published.
    typed = {name: value for name, value in reading.items() if _was_typed(context, name)}
    read_original = (
        None
        if original is None
        else partial(
            _original,
            original,
            published,
            reading,
            consent=consent,
            skip_missing_ids=skip_missing_ids,
            allow_unknown=allow_unknown,
        )
    )
    announce_compilation(silent=quiet)
    with progress_bar(silent=quiet) as progress:
        found = verify_file(
            published,
            manifest,
            model=model,
            policy_from="the options given" if policy is None else f"the policy {policy.name}",
            complete=partial(
                methods.complete_released,
                given=given,
                original=read_original,
                stated=stated,
                allow_unknown=allow_unknown,
            ),
            reading=typed,
            safe_csv=safe_csv,
            for_original=original is not None,
            allow_unknown=allow_unknown,
            jobs=jobs,
            limit_seconds=limit_seconds,
            progress=progress,
        )
    if as_json:
        say(json_text(recheck_as_dict(found)))
    else:
        say(recheck_text(found, name=str(published)))
    # Bytes that are not the manifest's are broken by the manifest's word, not by a stated policy.
    changed = 0 if stated or found.same_bytes else Status.BROKEN.exit_code
    raise typer.Exit(changed or found.verdict.status.exit_code)


def _was_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _original(
    original: str,
    published: Path,
    reading: dict[str, Any],
    **people: Any,
) -> Records:
    """The originals, read as when the release was made if the internal manifest tells how."""
    from withhold.publish.rereading import read_original

    return read_original(Path(original), published, reading, **people)
