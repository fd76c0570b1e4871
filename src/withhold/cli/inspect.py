"""``withhold inspect``: what is in the file?"""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from withhold.cli import options
from withhold.cli.app import verb
from withhold.cli.console import say
from withhold.errors import PolicyError

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
    format: options.Format = None,
    separator: options.Separator = None,
    record_column: options.RecordColumn = None,
    item_column: options.ItemColumn = None,
    as_json: options.AsJson = False,
) -> None:
    """What is in the file: rows, items, lengths, the most frequent items, the format found."""
    from withhold.data.profile import profile
    from withhold.formats import read
    from withhold.formats.hierarchy import read_hierarchy
    from withhold.report.json import hierarchy_as_dict, profile_as_dict
    from withhold.report.text import hierarchy_text, profile_text

    if data is None and hierarchy is None:
        raise PolicyError("nothing to inspect; name a file, or a hierarchy with --hierarchy")
    found: dict[str, Any] = {}
    texts = []
    tree = None if hierarchy is None else read_hierarchy(hierarchy)
    if data is not None:
        table = read(
            data,
            format=format,
            separator=separator,
            record_column=record_column,
            item_column=item_column,
        )
        if tree is not None:
            tree.check_covers(table.vocabulary)
        seen = profile(table, top=top)
        found |= profile_as_dict(seen)
        texts.append(profile_text(seen, name=data))
    if tree is not None:
        found |= {"hierarchy": hierarchy_as_dict(tree)}
        texts.append(hierarchy_text(tree, name=str(hierarchy), most=NODES_DRAWN))
    say(json.dumps(found, ensure_ascii=False, indent=2) if as_json else "\n\n".join(texts))
