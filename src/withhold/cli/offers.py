"""The models as the command line offers them: which options each takes, and how they build it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.cli.console import note
from withhold.data import Transactions
from withhold.data.column_lists import split_columns
from withhold.data.names import clean
from withhold.data.roles import ALL
from withhold.errors import InputError, PolicyError
from withhold.method import Model
from withhold.methods.buckets.model import FILLS, Buckets
from withhold.methods.cells.model import KAnonymity
from withhold.methods.coherence.model import Coherence
from withhold.methods.km.model import KmAnonymity
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.rho.model import RhoUncertainty

Given = Mapping[str, Any]
"""What was typed of the models' options, under their names."""


@dataclass(frozen=True)
class Offer:
    """One model as the command line offers it."""

    build: Callable[[Given], Model]
    takes: tuple[str, ...]
    """The options that say what must hold."""
    searches: tuple[str, ...]
    """The options that say how to withhold."""
    audits: tuple[str, ...]
    """The options that say how to audit."""

    complete: Callable[[Model, Given, Transactions, bool], Model] = lambda model, *_: model
    """What the model still needs that can be read only when the data is known; the last argument says
    whether lists may name what the data do not have."""

    def all(self) -> tuple[str, ...]:
        """Every option that belongs to the model."""
        return self.takes + self.searches + self.audits


K_REMEDY = "say --k 5, the fewest records or rows among which people hide"


def _rho(given: Given) -> Model:
    return RhoUncertainty(
        needed(given, "rho", "say --rho 0.5, the largest confidence you allow"),
        listed_items(needed(given, "sensitive", "say --sensitive FILE or --sensitive a,b,c")),
        max_known=given.get("max_known"),
        ignore_prior=given.get("ignore_prior", False),
    )


def _buckets(given: Given) -> Model:
    fill = given.get("fill", "none")
    if fill not in FILLS:
        raise PolicyError(f"--fill must be {' or '.join(FILLS)}, not {fill!r}")
    for option in ("buckets", "to_root"):
        if given.get(option) and fill != "hash":
            spelt = f"--{option.replace('_', '-')}"
            raise PolicyError(
                f"{spelt} requires --fill hash, which {FILLS['hash']}; leave {spelt} out, or choose "
                "that"
            )
    return Buckets(needed(given, "k", K_REMEDY))


def _coherence(given: Given) -> Model:
    return Coherence(
        needed(given, "h", "say --h 0.5, the largest probability you allow"),
        needed(given, "k", K_REMEDY),
        known_items(needed(given, "p", "say --p 3, or --p any if no number is too large")),
        listed_items(needed(given, "private", "say --private FILE or --private a,b,c")),
    )


def _km(given: Given) -> Model:
    return KmAnonymity(
        needed(given, "k", K_REMEDY),
        needed(given, "m", "say --m 2, the most items that somebody may know"),
    )


def _k_anonymity(given: Given) -> Model:
    columns = needed(given, "quasi_identifiers", "say --quasi-identifiers age,sex,zip")
    return KAnonymity(
        needed(given, "k", K_REMEDY),
        split_columns(columns, "--quasi-identifiers"),
        label=given.get("label"),
        l=given.get("l"),
        sensitive_column=given.get("sensitive_column"),
    )


def _personal(given: Given) -> Model:
    needed(given, "constraints", "say --constraints FILE, with the columns record and item")
    return PersonalRhoUncertainty(
        needed(given, "rho", "say --rho 0.5, the largest confidence you allow"),
        max_known=given.get("max_known"),
        epsilon=given.get("epsilon"),
        delta=given.get("delta"),
        test=given.get("test", "honest"),
    )


def _with_constraints(
    model: Model, given: Given, table: Transactions, allow_unknown: bool
) -> Model:
    from withhold.formats.constraints import read_constraints

    tree = None
    if "hierarchy" in given:
        from withhold.formats.hierarchy import read_hierarchy

        tree = read_hierarchy(given["hierarchy"])
    constraints = read_constraints(
        given["constraints"], table, hierarchy=tree, allow_unknown=allow_unknown
    )
    if "sensitive" in given:
        constraints = constraints.and_for_all(listed_items(given["sensitive"]))
    assert isinstance(model, PersonalRhoUncertainty)
    return model.with_constraints(constraints)


PRIVATE_FILES = ("constraints", "sensitive", "hierarchy")
"""What a personal-rho release is proved with beside the originals."""


def complete_released(
    model: Model,
    given: Given,
    original: Callable[[], Transactions] | None,
    *,
    stated: bool,
    allow_unknown: bool,
) -> Model:
    """The model of a release with what is not published, as far as it was given.

    ``original`` reads the originals; ``stated`` says that the model came from the options themselves.
    """
    if not isinstance(model, PersonalRhoUncertainty):
        named = [name for name in PRIVATE_FILES if name in given and not stated]
        if original is not None or named:
            raise PolicyError(
                f"--{named[0] if named else 'original'} is for personal-rho releases; this one is "
                f"{model.name}. To prove a policy of your own, state it whole (--rho, --sensitive and so "
                "on, or --policy)"
            )
        return model
    if original is None:
        if "constraints" in given:
            raise PolicyError("the constraints are of the originals; give --original FILE too")
        return model
    table = original()
    bound = model.with_originals(table)
    if "constraints" not in given:
        return bound
    return _with_constraints(bound, given, table, allow_unknown)


OFFERS: Mapping[str, Offer] = {
    "rho": Offer(
        _rho,
        takes=("rho", "sensitive", "max_known", "ignore_prior"),
        searches=("keep", "pick", "restoring", "parts", "max_cost", "budget"),
        audits=("max_size", "show", "samples"),
    ),
    "personal-rho": Offer(
        _personal,
        takes=(
            "rho",
            "constraints",
            "sensitive",
            "hierarchy",
            "max_known",
            "epsilon",
            "delta",
            "test",
        ),
        searches=("keep", "pick", "restoring", "budget"),
        audits=("max_size", "show", "samples"),
        complete=_with_constraints,
    ),
    "coherence": Offer(
        _coherence,
        takes=("h", "k", "p", "private"),
        searches=("keep", "nugget_support", "counting", "restoring"),
        audits=("max_size", "show", "samples"),
    ),
    "km": Offer(
        _km,
        takes=("k", "m"),
        searches=("keep", "nugget_support", "counting", "restoring"),
        audits=("max_size", "show", "samples"),
    ),
    "k-anonymity": Offer(
        _k_anonymity,
        takes=(
            *("k", "quasi_identifiers", "label", "l", "sensitive_column"),
            *("drop", "publish", "bin", "mark"),
        ),
        searches=("cost", "hierarchy", "publish"),
        audits=("show", "publish"),
    ),
    "buckets": Offer(
        _buckets,
        takes=("k",),
        searches=("hierarchy", "fill", "buckets", "to_root"),
        audits=("max_size", "show", "samples"),
    ),
}


def needed(given: Given, option: str, remedy: str) -> Any:
    """The option's value; without it, an error that says how to give it."""
    if option not in given:
        raise PolicyError(f"--{option.replace('_', '-')} is missing: {remedy}")
    return given[option]


def known_items(given: str) -> int | None:
    """How many items somebody may know: a whole number, or ``any``."""
    if given == "any":
        return None
    if not given.isascii() or not given.isdigit():
        raise PolicyError(f"p must be a whole number from 1 on, or any, not {given!r}")
    return int(given)


def columns_to_publish(given: list[str]) -> str | tuple[str, ...]:
    """The columns that are published as they are, from one or several lists; ``all`` means every one.

    >>> columns_to_publish(["city,job", '"all"']), columns_to_publish(["all"])
    (('city', 'job', 'all'), 'all')
    """
    if [text.strip() for text in given] == [ALL]:
        return ALL
    if ALL in (text.strip() for text in given):
        raise PolicyError(
            "--publish all is every column; leave the other --publish out, or write a column of "
            "that name as '\"all\"'"
        )
    return tuple(name for text in given for name in split_columns(text, "--publish"))


def listed_items(given: str) -> frozenset[str]:
    """The items that a file lists, or that were typed with commas between them."""
    path = Path(given)
    # Not Path.is_file: a long list of items is no proper path, and that is no error.
    if os.path.isfile(given):
        if not path.suffix and path.name == given:
            note(
                f"the items are read from the file {given}; to name the item {given} itself, type "
                f"{given}, (with a comma)"
            )
        from withhold.formats.items import read_item_list

        return read_item_list(path)
    if os.path.isdir(given):
        raise InputError("is a directory, not a list of items", path=path)
    if "/" in given or "\\" in given or path.suffix in {".txt", ".csv", ".dat"}:
        raise InputError(
            "does not exist",
            path=path,
            remedy="name an existing file with one item a line, or the items themselves",
        )
    return frozenset({clean(item) for item in given.split(",")} - {""})
