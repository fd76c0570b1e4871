"""``withhold inspect``: what is in the file?"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import say


@verb("inspect", example="withhold inspect baskets.dat")
def inspect(
    data: options.Data,
    top: Annotated[int, typer.Option(min=1, help="Show so many of the most frequent items.")] = 10,
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    as_json: options.AsJson = False,
) -> None:
    """What is in the file: rows, items, lengths, the most frequent items, the format found."""
    from withhold.data.profile import profile
    from withhold.formats import read
    from withhold.report.json import profile_as_dict
    from withhold.report.text import profile_text

    table = read(
        data,
        format=format,
        separator=separator,
        record_column=record_column,
        item_column=item_column,
    )
    found = profile(table, top=top)
    if as_json:
        say(json.dumps(profile_as_dict(found), ensure_ascii=False, indent=2))
    else:
        say(profile_text(found, name=data))
