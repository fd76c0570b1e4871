"""``withhold verify``: is what was promised true of this file?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from withhold.cli import methods, options
from withhold.cli.app import verb
from withhold.cli.by_parts import verify_by_parts
from withhold.cli.console import json_of, say, working
from withhold.cli.shares import PLANS
from withhold.data import Evidence
from withhold.data.tidied import Tidied
from withhold.data.tidying import parse_tidy
from withhold.errors import PolicyError
from withhold.given import tidied_model
from withhold.method import Model
from withhold.options import options_of
from withhold.registry import all_methods, method_of
from withhold.verdict import Status

ONLY_PEOPLE = ("items", "person_column")
"""Options that say how the files of people are read."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from withhold.data import Records

COMPANIONS = frozenset(
    (
        *("constraints", "sensitive", "hierarchy", "drop", "bin", "mark", "population"),
        *(*ONLY_PEOPLE, "dates", "date_column"),
    )
)
"""Options that may go with a manifest's policy; any other option of a model states a policy."""


@verb("verify", example="withhold verify published.dat --policy policy.toml")
def verify(
    *,
    context: typer.Context,
    published: Path,
    given: methods.ModelOptions,
    policy: Path | None = None,
    manifest: Path | None = None,
    original: str | None = None,
    how: options.ReleaseInput,
    allow_unknown: bool = False,
    run: options.CheckRun,
    shown: options.Output,
) -> None:
    """Prove that a published file keeps a policy.

    State the policy (--policy, or the model's options) to know whether the file keeps what you expect; a
    manifest only says what the file says of itself. A personal-rho release needs the originals and the
    constraints too, which are not published; without them the verdict is UNDECIDED.
    """
    for ending in (".manifest.json", ".internal.json"):
        if published.name.endswith(ending):
            release = str(published).removesuffix(ending)
            raise PolicyError(
                f"{published} is a manifest; name the file that was published: withhold verify {release}"
            )
    stated = policy is not None or bool(given.keys() - COMPANIONS)
    model = methods.build_model(given) if stated else None
    if model is not None and how.tidy:
        from withhold.describing import MARK
        from withhold.formats.people_items import named_items

        parts = named_items(given.get("items"), published)
        prefixes = tuple(f"{part}{MARK}" for part in parts) if len(parts) > 1 else ()
        wanted = parse_tidy(how.tidy).items()
        model = tidied_model(model, [Tidied(*each, prefixes=prefixes) for each in wanted])
    source = context.get_parameter_source
    for name in ("dates", "date_column"):
        if name in given and _is_typed(name, source):
            raise PolicyError(
                f"--{name.replace('_', '-')} says how an original is read; a release has its dates "
                "in the names of its items; leave it out"
            )
    if model is not None:
        _refuse_searching(model, given, source)
    if published.is_dir():
        of_files = {"manifest": manifest, "original": original, **vars(how)}
        of_files |= {"limit_seconds": run.limit_seconds, **({} if stated else given)}
        if ignored := [name for name, value in of_files.items() if value not in (None, False, [])]:
            raise PolicyError(
                f"--{ignored[0].replace('_', '-')} is for a published file; {published} is a directory"
            )
        verify_by_parts(
            published,
            model,
            policy_from="the options given" if policy is None else f"the policy {policy.name}",
            allow_unknown=allow_unknown,
            jobs=run.jobs,
            shown=shown,
        )
    from withhold.publish.recheck import verify_file
    from withhold.publish.rereading import read_original
    from withhold.report.json import recheck_as_dict
    from withhold.report.text import recheck_text

    if original is None and how.consent is not None and _is_typed("consent", source):
        raise PolicyError(
            "--consent says which records of the original were published; give --original, or leave it out"
        )
    if how.tidy and not stated and original is None and "population" not in given:
        raise PolicyError(
            "--tidy is for the original, the population and the lists that you state; a release is read as "
            "it is; leave it out"
        )
    originals = None
    if original is not None:
        originals = partial(
            read_original,
            Path(original),
            published,
            how.reading(),
            consent=how.consent,
            skip_missing_ids=how.skip_missing_ids,
            tidy=how.tidy,
            allow_unknown=allow_unknown,
        )
    # Reading options of a policy file are about the original, not about the published file.
    reading = {**how.reading(), **{name: given[name] for name in ONLY_PEOPLE if name in given}}
    typed = {name: value for name, value in reading.items() if _is_typed(name, source)}
    if "population" in given and not _is_typed("population", source):
        # Used by audits only, unless the model needs it.
        given = {**given, **({} if model is None or model.needs else {"population": None})}
    mark = given.get("mark")
    with working(PLANS["verify"], silent=shown.quiet) as job:
        found = verify_file(
            published,
            manifest,
            model=model,
            hierarchy=given.get("hierarchy") if stated else None,
            policy_from="the options given" if policy is None else f"the policy {policy.name}",
            gather=lambda found: _evidence(
                found, given, originals, stated=stated, allow_unknown=allow_unknown, tidy=how.tidy
            ),
            reading=typed,
            safe_csv=how.safe_csv,
            mark=None
            if mark is None
            else lambda data, found: method_of(found).marked(data, found, mark),
            for_original=original is not None,
            allow_unknown=allow_unknown,
            **vars(run),
            progress=job,
        )
    name = str(published)
    if shown.as_json:
        say(json_of(recheck_as_dict(found) | {"seconds_waited": job.as_dict()}))
    else:
        say(recheck_text(found, name=name, took=job.took()))
    # Changed bytes break the manifest's own policy, but not a stated one.
    changed = 0 if stated or found.same_bytes else Status.BROKEN.exit_code
    raise typer.Exit(changed or found.verdict.status.exit_code)


def _is_typed(name: str, source: Callable[[str], Any]) -> bool:
    """Whether an option was typed, and does not come from a policy file."""
    return getattr(source(name), "name", "") == "COMMANDLINE"


def _refuse_searching(
    model: Model, given: methods.ModelOptions, source: Callable[[str], Any]
) -> None:
    """Refuse typed search options; a policy file may have them, for other verbs."""
    method = method_of(model)
    # If items are published as groups, the hierarchy defines them.
    proved = {*method.takes(), *(["hierarchy"] if "groups" in method.parameters() else [])}
    for name in method.searches().keys() - proved:
        if name in given and _is_typed(name, source):
            raise PolicyError(
                f"--{method.searches()[name].spelling} says how to withhold, and a proof withholds nothing"
            )


def _evidence(
    model: Model,
    given: methods.ModelOptions,
    original: Callable[[], Records] | None,
    *,
    stated: bool,
    allow_unknown: bool,
    tidy: list[str] | None,
) -> Evidence:
    """The evidence that a proof of the model needs besides the published file, as far as it was given.

    ``original`` reads the originals; ``stated`` says that the model came from the options themselves.
    """
    method = method_of(model)
    files = options_of(method.files)
    if not model.needs:
        if ignored := [name for name in ("drop", "bin") if not stated and given.get(name)]:
            raise PolicyError(
                f"--{ignored[0]} says how an original is read, and a proof by the manifest reads the release "
                "as it is; leave it out"
            )
        if given.get("population") is not None:
            raise PolicyError(
                "--population is for releases with --presence; this one promises nothing of the kind"
            )
        private = {name for each in all_methods().values() for name in options_of(each.files)}
        named = [name for name in given if name in private and not stated]
        if original is not None or named:
            raise PolicyError(
                f"--{named[0] if named else 'original'} is for personal-rho releases; this one is "
                f"{model.name}. To prove a policy of your own, state it whole (--rho, --sensitive and so "
                "on, or --policy)"
            )
        return Evidence()
    if "population" in files:
        if original is not None:
            raise PolicyError(
                "--original is for personal-rho releases; this one needs the --population"
            )
        typed = methods.typed_values(method.takes(), given)
        return method.evidence({**typed, "tidy": tidy}, None, allow_unknown)
    required = [declared.name for declared in files.values() if declared.is_required]
    if original is None:
        if any(name in given for name in required):
            raise PolicyError(f"the {required[0]} are of the originals; give --original FILE too")
        return Evidence()
    records = original()
    if any(name not in given for name in required):
        return Evidence(originals=records)
    known = methods.read_evidence(model, given, records, allow_unknown=allow_unknown)
    return known.of(records)
