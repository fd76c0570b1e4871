"""The options of all models, each defined once; ``offers`` says which model takes which.

The help of an option says what it means; the names of its models are put before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

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
}
"""What must hold."""
SEARCH_OPTIONS: Mapping[str, Any] = {
    "keep": Annotated[
        str | None,
        typer.Option(
            help="rules (default): least loss; distribution: item frequencies stay alike."
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
}
"""How to withhold."""
AUDIT_OPTIONS: Mapping[str, Any] = {
    "max_size": Annotated[
        int | None,
        typer.Option(
            min=0,
            max=12,
            help="Count breaches of antecedents up to so many items (default 3).",
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
