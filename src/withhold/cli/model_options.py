"""The options of all models, each defined once; ``offers`` says which model takes which.

The help of an option says what it means; the names of its models are put before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer


def _truthful_is_default(given: bool | None) -> None:
    if given is not None:
        raise typer.BadParameter(
            "truthful is the default now; --fill hash gives the paper's variant"
        )


MODEL_OPTIONS: Mapping[str, Any] = {
    "rho": Annotated[
        str | None,
        typer.Option(help="The largest confidence allowed, e.g. 0.7 or 2/3; exact."),
    ],
    "sensitive": Annotated[
        str | None,
        typer.Option(help="A text file with one item a line, or items separated by commas."),
    ],
    "constraints": Annotated[
        str | None,
        typer.Option(
            help="Who fears what: a CSV or parquet file with the columns record and item; record * is "
            "everybody, !item takes it back for one record."
        ),
    ],
    "max_known": Annotated[
        int | None,
        typer.Option(help="The attacker knows at most so many items; any number if not given."),
    ],
    "ignore_prior": Annotated[
        bool | None,
        typer.Option("--ignore-prior", help="Leave out what can be said without knowing anything."),
    ],
    "h": Annotated[
        str | None,
        typer.Option(help="The largest probability of a private item, e.g. 0.5 or 2/3; exact."),
    ],
    "k": Annotated[
        int | None, typer.Option(min=1, help="The fewest records or rows among which people hide.")
    ],
    "p": Annotated[
        str | None,
        typer.Option(help="The attacker knows at most so many public items; any: any number."),
    ],
    "m": Annotated[
        int | None, typer.Option(min=1, help="The attacker knows at most so many items.")
    ],
    "private": Annotated[
        str | None,
        typer.Option(help="A text file with one item a line, or items separated by commas."),
    ],
    "quasi_identifiers": Annotated[
        str | None,
        typer.Option(
            help="The columns that somebody may know of a person, with commas between; a name that "
            'holds a comma in double quotes: age,"income, yearly".'
        ),
    ],
    "label": Annotated[
        str | None,
        typer.Option(help="The column whose classes keep their statistics; it is never changed."),
    ],
    "l": Annotated[
        int | None,
        typer.Option(
            "--l", help="Every group has so many different values of the sensitive column, too."
        ),
    ],
    "sensitive_column": Annotated[
        str | None, typer.Option(help="The column that --l protects; the label if not given.")
    ],
    "drop": Annotated[
        str | None,
        typer.Option(help="Columns to leave out, such as names, with commas between."),
    ],
    "publish": Annotated[
        list[str] | None,
        typer.Option(
            "--publish",
            help="Columns to publish as they are although they may identify people, with commas between; "
            "all: every one. May be repeated.",
        ),
    ],
    "bin": Annotated[
        list[str] | None,
        typer.Option(
            "--bin", help="age=5: ranges so wide; age=18,65: cut at these edges. May be repeated."
        ),
    ],
    "mark": Annotated[
        str | None,
        typer.Option(help="What stands for a withheld cell; an empty field or null if not given."),
    ],
    "epsilon": Annotated[
        str | None,
        typer.Option(
            help="By samples: the share of adversaries that may still succeed, e.g. 0.05."
        ),
    ],
    "delta": Annotated[
        str | None,
        typer.Option(help="By samples: the chance that more of them would after all, e.g. 0.05."),
    ],
    "test": Annotated[
        str | None,
        typer.Option(
            help="By samples: honest (default) keeps delta for the release as it is; paper draws as "
            "the published algorithm does."
        ),
    ],
    "hierarchy": Annotated[
        str | None,
        typer.Option(
            help="What items can be generalised to: a file, prefix or prefix:1,3 (codes such as E11.9), "
            "or fan-out:10 (items without meaning). Of tables: COLUMN=FILE,COLUMN=FILE. For "
            "personal-rho a file: its categories in the constraints stand for their items."
        ),
    ],
}
"""What must hold, and how the data is to be read for it."""
SEARCH_OPTIONS: Mapping[str, Any] = {
    "keep": Annotated[
        str | None,
        typer.Option(
            help="rho: rules (default, least loss) or distribution (item frequencies stay alike); "
            "coherence, km: itemsets (default), items, or best of both."
        ),
    ],
    "pick": Annotated[
        str | None,
        typer.Option(
            help="Which records lose an item: longest or random. If not given: random for "
            "split records, else longest."
        ),
    ],
    "restoring": Annotated[
        bool | None,
        typer.Option(
            "--restore/--no-restore",
            help="Undo every deletion that can be undone (default).",
            show_default=False,
        ),
    ],
    "parts": Annotated[
        int | None,
        typer.Option(min=1, help="Split the records into so many parts; 4 for large files."),
    ],
    "max_cost": Annotated[
        float | None,
        typer.Option(help="Split in halves until each part costs less (the paper's rule)."),
    ],
    "budget": Annotated[
        float | None,
        typer.Option(help="Seconds to search; sensitive items not made safe by then are removed."),
    ],
    "cost": Annotated[
        str | None,
        typer.Option(
            help="What a merge costs: hybrid (default), mar (statistics), info or ham (cells)."
        ),
    ],
    "fill": Annotated[
        str | None,
        typer.Option(
            help="none (default): similar records become a group, published as what they have in common; "
            "hash: the paper's buckets, which adds items that people never had."
        ),
    ],
    "truthful": Annotated[
        bool | None, typer.Option("--truthful", hidden=True, callback=_truthful_is_default)
    ],
    "buckets": Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --fill hash: start with so many buckets; as many as fit if not given.",
        ),
    ],
    "to_root": Annotated[
        bool | None,
        typer.Option("--to-root", help="With --fill hash: generalise up to the root, if need be."),
    ],
    "nugget_support": Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Itemsets in so many records are worth keeping; if not given 0.1 % of the records, "
            "at least k.",
        ),
    ],
    "counting": Annotated[
        str | None,
        typer.Option(help="fast (default), or borders as the paper has it, for small files."),
    ],
}
"""How to withhold."""
AUDIT_OPTIONS: Mapping[str, Any] = {
    "max_size": Annotated[
        int | None,
        typer.Option(
            min=0,
            max=12,
            help="Count all breaches of antecedents up to so many items, however long it takes; if not "
            "given up to 3 (buckets: 5), and estimated where there are too many.",
        ),
    ],
    "show": Annotated[
        int | None, typer.Option(min=1, help="List so many of the worst breaches (default 10).")
    ],
    "samples": Annotated[
        int | None,
        typer.Option(
            min=1, help="Attacks to try for each point of the attack curve (default 2000)."
        ),
    ],
}
"""How to audit."""
