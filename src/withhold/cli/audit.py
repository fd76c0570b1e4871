"""``withhold audit``: is this file safe, and if not, what gives people away?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from withhold.cli import methods, options
from withhold.cli.app import verb
from withhold.cli.by_parts import audit_by_parts
from withhold.cli.console import json_of, say, working
from withhold.cli.reading import read_data, warn_about_unknown
from withhold.cli.shares import PLANS
from withhold.errors import PolicyError
from withhold.given import tidied_model
from withhold.method import Method
from withhold.registry import audit_call, method_of


@verb(
    "audit",
    example="withhold audit baskets.dat --rho 0.5 --sensitive condom,pregnancy-test",
    audits=True,
)
def audit(
    *,
    context: typer.Context,
    data: str,
    given: methods.ModelOptions,
    policy: Path | None = None,
    how: options.Input,
    allow_unknown: bool = False,
    seed: int = 0,
    run: options.CheckRun,
    shown: options.Output,
) -> None:
    """Find what an attacker could infer from a file."""
    model = methods.build_model(given)
    method = method_of(model)
    asked = methods.typed_values(method.audits(), given)
    audit_call(model, asked)
    from withhold.parts.planning import is_many

    if is_many(data):
        _refuse_searching(context, given, method)
        audit_by_parts(
            data,
            model,
            given=given,
            asked=context.params,
            how=how,
            shown=shown,
            allow_unknown=allow_unknown,
            seed=seed,
            **vars(run),
            **asked,
        )
    from withhold import pipeline
    from withhold.report.json import audit_as_dict
    from withhold.report.text import audit_text

    known: dict[str, Any] = {"allow_unknown": allow_unknown}
    _refuse_searching(context, given, method)
    with working(PLANS["audit"], silent=shown.quiet) as job:
        # An audit publishes nothing; it says what would stop a release.
        records = read_data(data, model, given, how, **known, silent=shown.quiet, stops=False)
        model = tidied_model(model, records.tidied)
        records = method.marked(records, model, given.get("mark"))
        evidence = methods.read_evidence(model, given, records, **known)
        methods.tell_wishes(evidence, silent=shown.quiet)
        warn_about_unknown(model, records, evidence, allowed=allow_unknown)
        found = pipeline.audit(
            records,
            model,
            constraints=evidence.constraints,
            **asked,
            **known,
            seed=seed,
            **vars(run),
            progress=job,
        )
    if shown.as_json:
        say(json_of(audit_as_dict(found) | {"seconds_waited": job.as_dict()}))
    else:
        say(audit_text(found, name=data, took=job.took()))
    raise typer.Exit(found.verdict.status.exit_code)


def _refuse_searching(context: typer.Context, given: methods.ModelOptions, method: Method) -> None:
    """Refuse typed search options; a policy file may have them, for other verbs."""
    for name, declared in method.searches().items():
        typed = getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
        if name in given and typed and name not in {**method.takes(), **method.audits()}:
            raise PolicyError(
                f"--{declared.spelling} says how to withhold, and an audit withholds nothing"
            )
