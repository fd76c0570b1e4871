"""Which page is about an error: by where it was raised, else by its kind; ``withhold help`` shows it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import withhold
from withhold.errors import (
    ImpossibleError,
    InputError,
    InternalError,
    Interrupted,
    ListError,
    NotVerifiedError,
    OutputError,
    PolicyError,
    UndecidedError,
    WithholdError,
)

OF_CLASSES: Mapping[type[WithholdError], str | None] = {
    InputError: "formats",
    ListError: "first-release",
    PolicyError: "first-release",
    OutputError: "first-release",
    ImpossibleError: "deciding",
    NotVerifiedError: "promise",
    UndecidedError: "formats",
    Interrupted: None,
    InternalError: None,
}
"""By the class of an error; None: there is no page about it."""
OF_MODULES = {
    "formats.consent": "consent",
    "formats.hierarchy": "hierarchies",
    "formats.column_trees": "hierarchies",
    "formats.item_trees": "hierarchies",
    "formats.people": "people",
    "formats.few_known": "people",
    "formats.constraints": "personal",
    "formats.table": "tables",
    "formats": "formats",
    "data.hierarchy": "hierarchies",
    "data.tree_building": "hierarchies",
    "data.constraints": "personal",
    "data.wishes": "personal",
    "data.people": "people",
    "data.roles": "tables",
    "data.unknown": "first-release",
    "data.tidying": "preparing",
    "data.binning": "preparing",
    "data.date_bins": "preparing",
    "methods.apart": "apart",
    "methods.buckets": "hierarchies",
    "methods.cells": "tables",
    "methods.coherence": "coherence",
    "methods.km": "coherence",
    "methods.people": "people",
    "methods.personal": "personal",
    "methods.rho.generalising": "hierarchies",
    "methods.rho.trade_off": "hierarchies",
    "auditing.risk": "risk",
    "listed": "first-release",
    "advising": "deciding",
    "candidates": "deciding",
    "comparison": "deciding",
    "sweeping": "deciding",
    "sweep_state": "deciding",
    "parts": "large",
    "page": "page",
    "cli.advise": "deciding",
    "cli.by_parts": "large",
    "cli.compare": "deciding",
    "cli.hierarchy": "hierarchies",
    "cli.page": "page",
    "cli.sweep": "deciding",
}
"""By the module that an error came from, or the beginning of its name; the longest that fits."""
OF_MODELS = {
    "rho": "which-model",
    "personal-rho": "personal",
    "coherence": "coherence",
    "km": "coherence",
    "k-anonymity": "tables",
    "buckets": "hierarchies",
    "people": "people",
    "apart": "apart",
}
"""By the name of a model."""
OF_WORDS = {"l-diversity": "tables", "t-closeness": "tables", "presence": "tables"}
"""By other words that people search for."""


def topic_of(error: WithholdError, model: str | None = None) -> str | None:
    """The page about an error, if there is one; the named model's page, if no other fits."""
    kind = next(each for each in type(error).__mro__ if each in OF_CLASSES or each is WithholdError)
    usual = OF_CLASSES.get(kind, "first-release")
    if usual is None:
        return None
    for module in reversed(_modules(error.__traceback__)):
        if fitting := [name for name in OF_MODULES if module.startswith(name)]:
            return OF_MODULES[max(fitting, key=len)]
    if usual != "first-release" or model is None:
        return usual
    return OF_MODELS.get(model, "which-model")


def _modules(place: TracebackType | None) -> list[str]:
    """The modules through which an error came, the one that raised it last, without the package's name."""
    found = []
    while place is not None:
        found.append(str(place.tb_frame.f_globals.get("__name__", "")).removeprefix("withhold."))
        place = place.tb_next
    return found


def pages() -> dict[str, Path]:
    """The pages that can be shown, by topic: those of the package, or of the repository it is run from."""
    package = Path(withhold.__file__).parent
    installed, docs = package / "docs", package.parents[1] / "docs"
    folder = installed if installed.is_dir() else docs
    found = [*folder.glob("guide/*.md"), *folder.glob("*.md")]
    return {path.stem: path for path in sorted(found) if path.stem not in NOT_FOR_HELP}


NOT_FOR_HELP = ("api", "architecture", "index")
"""Pages for those who read code."""
