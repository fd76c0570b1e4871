"""``withhold advise``: what would protection cost, whatever the model?"""

from __future__ import annotations

import shlex
from typing import Any

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import json_of, note, say, working
from withhold.cli.methods import listed_items
from withhold.cli.reading import (
    options_of_records,
    options_of_table,
    people_asked,
    people_reading,
)
from withhold.cli.shares import PLANS
from withhold.data.column_lists import split_columns
from withhold.errors import PolicyError


@verb("advise", example="withhold advise baskets.dat --sensitive sensitive.txt")
def advise(
    *,
    data: str,
    kind: options.Kind,
    sensitive: str | None = None,
    quasi_identifiers: str | None = None,
    drop: str | None = None,
    bin: list[str] | None = None,
    how: options.Input,
    limit_seconds: float = 60.0,
    seed: int = 0,
    jobs: int | None = None,
    shown: options.Output,
) -> None:
    """Show what each promise would cost, by how much attackers know.

    Measured on a sample of at most 10,000 records, over the models that fit the data, with the commands to
    run next. It asks nothing and publishes nothing. With --people or --items: of persons with attributes and
    items.
    """
    secrets = None if sensitive is None else listed_items(sensitive)
    columns = (
        None
        if quasi_identifiers is None
        else split_columns(quasi_identifiers, "--quasi-identifiers")
    )
    prepared: dict[str, Any] = {"bins": bin or ()}
    prepared["drop"] = split_columns(drop, "--drop") if drop else ()
    if (drop or bin) and not (kind.table or kind.people or kind.items):
        raise PolicyError(
            "--drop and --bin are for columns of a table or of people; records have none"
        )
    of_people, people = kind.of_people(), people_asked(data, kind)
    from withhold.advising.candidates import CommandWords
    from withhold.advising.measuring import advise_on
    from withhold.data.tidied import ITEMS
    from withhold.data.tidying import tidied_name
    from withhold.formats import read, read_people, read_table
    from withhold.report.advice import advice_text

    words = ["FILE" if data == "-" else data]
    for name, value in {**vars(how), **dict.fromkeys(("tidy",))}.items():
        if value not in (None, False):
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    words += [word for each in how.tidy or () for word in ("--tidy", each)]
    for each in kind.items or ():
        words += ["--items", each]
    for name in ("person_column", "dates", "date_column"):
        words += [f"--{name.replace('_', '-')}", str(of_people[name])] if of_people[name] else []
    original: Any
    chosen: dict[str, Any] = {"consent": how.consent, "tidy": how.tidy}
    with working(PLANS["advise"], silent=shown.quiet) as job:
        if people:
            chosen |= prepared | people_reading(of_people, how)
            original = read_people(data, allow_unknown=True, **chosen)
            for warning in (*original.warnings, *original.unknown):
                note(f"warning: {warning}")
        elif kind.table:
            chosen |= prepared
            original = read_table(data, **options_of_table(how, how.skip_missing_ids), **chosen)
        else:
            chosen["skip_missing_ids"] = how.skip_missing_ids
            original = read(data, **options_of_records(how), **chosen)
        if secrets is not None:
            tidied = [each for each in original.tidied if each.name == ITEMS]
            secrets = frozenset(tidied_name(item, tidied) for item in secrets)
        advice = advise_on(
            original,
            secrets,
            columns,
            CommandWords(shlex.join(words), shlex.quote(sensitive or ""), how.consent or ""),
            limit_seconds=limit_seconds,
            seed=seed,
            jobs=jobs,
            progress=job,
        )
    say(json_of(advice.as_dict()) if shown.as_json else advice_text(advice, name=data))
