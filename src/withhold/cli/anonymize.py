"""``withhold anonymize``: the whole road, from a file to a proved release."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from withhold.auditing.risk.options import PopulationInfo
from withhold.cli import methods, options
from withhold.cli.app import verb
from withhold.cli.by_parts import MEMORY, anonymize_by_parts, chosen_engine
from withhold.cli.console import json_of, note, say, working
from withhold.cli.policy import files_read, typed_policy
from withhold.cli.reading import check_marks, read_data
from withhold.cli.shares import release_plan
from withhold.errors import PolicyError, UndecidedError
from withhold.formats.forms import check_extension
from withhold.phases import phase
from withhold.registry import method_of
from withhold.verdict import Status

if TYPE_CHECKING:
    from withhold.method import AnyLadder, Model
    from withhold.publish.publishing import Published
    from withhold.release import AnyRelease


@verb(
    "anonymize",
    example="withhold anonymize baskets.dat --rho 0.5 --sensitive sensitive.txt -o published.dat",
    publishes="output",
    searches=True,
    reports=True,
)
def anonymize(
    *,
    context: typer.Context,
    data: str,
    output: Path,
    given: methods.ModelOptions,
    report: bool = False,
    edition: str | None = None,
    safe_csv: bool = False,
    force: bool = False,
    policy: Path | None = None,
    how: options.Input,
    scale: options.Scale,
    ids: str = "renumber",
    allow_unknown: bool = False,
    seed: int | None = None,
    jobs: int | None = None,
    shown: options.Output,
) -> None:
    """Withhold as little as possible, prove the result, publish it."""
    model = methods.build_model(given)
    if str(output) == "-":
        raise PolicyError("a release is a file with a manifest beside it; name one with -o")
    engine = chosen_engine(data, scale, model, output, context.params)
    if engine != MEMORY:
        anonymize_by_parts(
            data,
            model,
            output,
            given=given,
            engine=engine,
            scale=scale,
            how=how,
            asked=context.params,
            shown=shown,
            ids=ids,
            seed=seed,
            force=force,
            allow_unknown=allow_unknown,
            jobs=jobs,
        )
        return
    check_extension(output.name, data, table=method_of(model).data != "records")
    if edition is not None and not report:
        raise PolicyError("--edition requires --report")
    about = {name: given[name] for name in methods.OF_THE_POPULATION if name in given}
    _check_population(about, report=report, asked=bool(model.needs))
    from withhold import pipeline
    from withhold.formats import form_for
    from withhold.publish.identifiers import check_ids
    from withhold.publish.publishing import check_target
    from withhold.report.content import check_edition
    from withhold.report.json import release_as_dict
    from withhold.report.text import quiet_release_text, release_text

    edition = edition or "internal"
    check_edition(edition)
    check_ids(ids)
    known: dict[str, Any] = {"allow_unknown": allow_unknown}
    with working(release_plan(model, given, report=report), silent=shown.quiet) as job:
        original = read_data(data, model, given, how, **known, silent=shown.quiet)
        written: dict[str, Any] = {"mark": given.get("mark"), "safe_csv": safe_csv}
        # Before any work is done, refuse an output that could not be written.
        form = form_for(original, output.name, like=original.source, **written)
        parts = [file.part for file in form.files]
        read = files_read(context.params)
        check_target(output, original.source, force=force, others=read, parts=parts)
        check_marks(original, model, output, given.get("mark"))
        evidence = methods.read_evidence(model, given, original, **known)
        run: dict[str, Any] = {"jobs": jobs, "progress": job}
        how_to = {**methods.search_options(given, model), **known, **run}
        release = pipeline.draft(
            original, model, constraints=evidence.constraints, ids=ids, seed=seed, **how_to
        )
        if shown.as_json or not shown.quiet:
            searched = {**how_to, "seed": release.seed}
            ladder = _ladder(original, model, searched, silent=shown.quiet)
            release = replace(release, ladder=ladder)
        asked = typed_policy(context, release)
        published = release.write(
            output,
            force=force,
            **written,
            report=report,
            edition=edition,
            **(about if report else {}),
            policy=asked,
            **run,
        )
        again = ""
        if not shown.as_json and not shown.quiet:
            with phase("reading back"):
                again = verify_command(release, published, context.params)
    told = getattr(original, "warnings", ())
    for warning in published.warnings[len(told) :]:
        note(f"warning: {warning}")
    if shown.as_json:
        steps = {} if ladder is None else {"ladder": ladder.as_dict()}
        waited = {"seconds_waited": job.as_dict()}
        say(json_of(release_as_dict(release, published) | steps | waited))
    else:
        say(
            quiet_release_text(published)
            if shown.quiet
            else release_text(release, published, took=job.took())
        )
        for line in release.advice:
            note(f"advice: {line}", silent=shown.quiet)
        note("to prove it again:", command=again, silent=not again)


def _ladder(
    data: Any, model: Model, search: Mapping[str, Any], *, silent: bool
) -> AnyLadder | None:
    """What protecting from more knowledge would cost, shown before anything is written; None if unknown."""
    if method_of(model).ladder is None:
        return None
    from withhold.laddering import ladder
    from withhold.telling.layout import columns

    found = ladder(data, model, **search)
    caption = "What this release would cost against attackers who know more, or less:"
    note(caption, *columns([found.head(), *found.rows()], right={1, 2}), silent=silent)
    note(found.note(), silent=silent or not found.note())
    return found


def _check_population(about: Mapping[str, Any], *, report: bool, asked: bool) -> None:
    """Refuse options about the population if nothing would use them."""
    PopulationInfo.from_options(**about)
    unused = [name for name in about if not report and not (asked and name == "population")]
    if unused:
        raise PolicyError(
            f"{_spelt(unused[0])} is for the risks in a report (--report)"
            + (", or for --presence" if unused[0] == "population" else "")
        )


def verify_command(release: AnyRelease, published: Published, params: Mapping[str, Any]) -> str:
    """The command that proves the release again; ``params`` are the options in force when it was made."""
    from withhold.formats import read_back, reading_of
    from withhold.formats.forms import SEPARATOR_NAMES
    from withhold.publish.doubting import doubted, known_to_original
    from withhold.publish.manifest import form_as_dict
    from withhold.publish.rereading import read_published

    form, model = published.form, release.model
    words = ["withhold", "verify", str(published.path)]
    try:  # as verify reads it without further options
        record = {"output": form_as_dict(form)}
        found = read_published(
            published.path, model, record, {}, same_bytes=True, safe_csv=form.safe_csv
        ).named
        # What a manifest says about people is needed in any case, and read.
        must_say = method_of(model).data != "people" and any(
            params.get(name) is not None for name in options.OF_RELEASES
        )
    except UndecidedError:
        found, must_say = read_back(published.path, form), True
    if must_say:
        separators = {mark: name for name, mark in SEPARATOR_NAMES.items()}
        for name, value in reading_of(form).items():
            words += [_spelt(name), separators.get(value, value)]
    if form.safe_csv:
        words.append("--safe-csv")
    strangers = False
    if model.needs:
        words += [word for each in release.original.tidied for word in ("--tidy", str(each))]
    if model.needs and "population" in params and not method_of(model).needs_evidence:
        words += ["--population", str(params["population"])]
        # The edges that were found: quantiles of a population differ from those of the table.
        words += [word for bins in release.original.binned for word in ("--bin", bins)]
    elif model.needs:
        # Data from a pipe have no name here; whoever proves the release inserts the file's name.
        words += ["--original", "FILE" if params["data"] == "-" else str(params["data"])]
        for name in ("constraints", "sensitive", "hierarchy", "consent"):
            if params.get(name) is not None:
                words += [_spelt(name), str(params[name])]
        if params.get("skip_missing_ids"):
            words.append("--skip-missing-ids")
        strangers = bool(release.unknown) and bool(params.get("allow_unknown"))
    # Otherwise verify would say UNDECIDED, since the file has none of the listed items.
    unknown = {"unknown": [each.as_dict() for each in release.unknown]}
    known = known_to_original(unknown, model, release.evidence)
    verdict = doubted(published.verdict, found, model, release.evidence, known_before=known)
    if strangers or verdict.status is Status.UNDECIDED:
        words.append("--allow-unknown")
    return shlex.join(words)


def _spelt(name: str) -> str:
    return "--" + name.replace("_", "-")
