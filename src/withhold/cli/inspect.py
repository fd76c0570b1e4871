"""``withhold inspect``: what is in the file?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import say
from withhold.errors import PolicyError
from withhold.escaping import json_text

NODES_DRAWN = 60


@verb("inspect", example="withhold inspect baskets.dat")
def inspect(
    data: Annotated[
        str | None,
        typer.Argument(
            help="The file to read; - for standard input.", metavar="[DATA]", show_default=False
        ),
    ] = None,
    hierarchy: Annotated[
        str | None,
        typer.Option(help="Draw this hierarchy; with DATA, check that it has every item."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Show so many of the most frequent items.")] = 10,
    table: Annotated[
        bool,
        typer.Option("--table", help="DATA is a table with named columns, not records of items."),
    ] = False,
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    skip_missing_ids: options.SkipMissingIds = False,
    as_json: options.AsJson = False,
) -> None:
    """What is in the file: rows, items, lengths, the most frequent items, the format found.

    With --table: the columns, their values, and which of them look as if they named people.
    """
    from withhold.data.profile import profile, profile_table
    from withhold.formats import read, read_table
    from withhold.formats.hierarchy import read_hierarchy
    from withhold.methods.cells.text import table_profile_text
    from withhold.report.json import hierarchy_as_dict, profile_as_dict
    from withhold.report.text import hierarchy_text, profile_text

    if data is None and hierarchy is None:
        raise PolicyError("nothing to inspect; name a file, or a hierarchy with --hierarchy")
    found: dict[str, Any] = {}
    texts = []
    tree = None if hierarchy is None else read_hierarchy(hierarchy)
    if data is not None and table:
        named = {
            "format": format,
            "record-column": record_column,
            "item-column": item_column,
            "skip-missing-ids": skip_missing_ids or None,
        }
        if used := [name for name, value in named.items() if value is not None]:
            raise PolicyError(f"--{used[0]} is for records of items, not for a table")
        columns = profile_table(read_table(data, separator=separator), top=top)
        found |= asdict(columns)
        texts.append(table_profile_text(columns, name=data))
    elif data is not None:
        records = read(
            data,
            format=format,
            separator=separator,
            record_column=record_column,
            item_column=item_column,
            skip_missing_ids=skip_missing_ids,
        )
        if tree is not None:
            tree.check_covers(records.vocabulary)
        seen = profile(records, top=top)
        found |= profile_as_dict(seen)
        texts.append(profile_text(seen, name=data))
    if tree is not None:
        found |= {"hierarchy": hierarchy_as_dict(tree)}
        texts.append(hierarchy_text(tree, name=str(hierarchy), most=NODES_DRAWN))
    say(json_text(found) if as_json else "\n\n".join(texts))
