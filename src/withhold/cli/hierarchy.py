"""``withhold hierarchy suggest``: a hierarchy for a column, drawn, checked and written."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from withhold.cli.app import verb
from withhold.cli.console import say
from withhold.data.column_lists import join_pairs
from withhold.escaping import json_text

NODES_DRAWN = 40


@verb("hierarchy suggest", example="withhold hierarchy suggest people.csv age -o age.csv")
def suggest(
    *,
    data: str,
    column: str,
    by: str | None = None,
    output: Path | None = None,
    force: bool = False,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
    as_json: bool = False,
) -> None:
    """A hierarchy for a column of a table: drawn, checked against the data, and ready to use."""
    from withhold.formats import read_table
    from withhold.formats.column_trees import arx_lines, column_tree, counts_of
    from withhold.formats.column_trees import suggest as suggestion
    from withhold.publish.publishing import check_free, save_text
    from withhold.report.json import hierarchy_as_dict
    from withhold.report.text import hierarchy_text

    if output is not None:
        check_free(output, force=force, sources=[Path(data)], is_own=_is_hierarchy)
    table = read_table(data, separator=separator, encoding=encoding, sheet=sheet, decimal=decimal)
    chosen = table.column(column)
    way, why = suggestion(chosen) if by is None else (by, "as asked for")
    tree = column_tree(chosen, way)
    tree.check_covers(counts_of(chosen), what="values of the column")
    if output is not None:
        save_text(output, arx_lines(tree), force=force, sources=[Path(data)], is_own=_is_hierarchy)
    use = f"--hierarchy {join_pairs({column: way})}"
    blank = len(chosen.codes) - sum(counts_of(chosen).values())
    found: dict[str, Any] = {"column": column, "by": way, "why": why, "use": use, "blank": blank}
    if as_json:
        say(json_text({**found, "hierarchy": hierarchy_as_dict(tree)}))
        return
    lines = [
        hierarchy_text(tree, name=column, most=NODES_DRAWN),
        "",
        f"Built by {way}: {why}. It has every value of the column.",
    ]
    if tree.height == 1:
        lines.append("Nothing is between the values and the root, so each is shown or withheld.")
    if blank:
        lines.append(f"Blank cells, {blank:,}, need no place in it: they are shown or withheld.")
    written = "" if output is None else f", or --hierarchy {join_pairs({column: str(output)})}"
    say("\n".join([*lines, f"Use it: {use}{written}"]))


def _is_hierarchy(path: Path) -> bool:
    """Whether a file is a hierarchy as this verb writes it: lines of equal length that end with the root."""
    from withhold.data.tree_building import ROOT

    try:
        rows = list(
            csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter=";", strict=True)
        )
    except (OSError, ValueError, csv.Error):
        return False
    return all(len(row) == len(rows[0]) > 1 and row[-1] == ROOT for row in rows)
