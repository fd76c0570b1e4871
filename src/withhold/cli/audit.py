"""``withhold audit``: is this file safe, and if not, what gives people away?"""

from __future__ import annotations

import typer

from withhold.cli import methods, options
from withhold.cli.app import verb
from withhold.cli.console import announce_compilation, progress_bar, say
from withhold.cli.reading import read_data, warn_about_unknown, with_marks
from withhold.cli.typed import Given
from withhold.escaping import json_text


@verb("audit", example="withhold audit baskets.dat --rho 0.5 --sensitive condom,pregnancy-test")
@methods.takes_method(audits=True)
def audit(
    data: options.Data,
    given: Given,
    policy: options.Policy = None,
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    consent: options.Consent = None,
    skip_missing_ids: options.SkipMissingIds = False,
    allow_unknown: options.AllowUnknown = False,
    seed: options.FixedSeed = 0,
    jobs: options.Jobs = None,
    limit_seconds: options.LimitSeconds = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Is the file safe? The verdict, the worst breaches, and the attack curve."""
    wanted = methods.build_model(given)
    from withhold import pipeline
    from withhold.report.json import audit_as_dict
    from withhold.report.text import audit_text

    table = read_data(
        data,
        wanted,
        given,
        format=format,
        separator=separator,
        record_column=record_column,
        item_column=item_column,
        consent=consent,
        allow_unknown=allow_unknown,
        skip_missing_ids=skip_missing_ids,
        silent=quiet,
        stops=False,  # an audit publishes nothing; it says what would stop a release
    )
    table = with_marks(table, wanted, given.get("mark"))
    wanted = methods.complete_model(wanted, given, table, allow_unknown=allow_unknown)
    warn_about_unknown(wanted, table, allowed=allow_unknown)
    announce_compilation(silent=quiet)
    with progress_bar(silent=quiet) as progress:
        found = pipeline.audit(
            table,
            wanted,
            **methods.audit_options(given, wanted),
            allow_unknown=allow_unknown,
            seed=seed,
            jobs=jobs,
            limit_seconds=limit_seconds,
            progress=progress,
        )
    if as_json:
        say(json_text(audit_as_dict(found)))
    else:
        say(audit_text(found, name=data))
    raise typer.Exit(found.verdict.status.exit_code)
