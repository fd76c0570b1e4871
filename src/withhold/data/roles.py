"""The role of every column of a table: assigned by somebody, or none if the column is harmless.

In: a table, the model that names some of its columns, and those to be published as they are. Out: the role
of every column, and which columns may identify people and have no role yet.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from withhold.arguments import names_in
from withhold.data.column_lists import join_columns
from withhold.data.identifying import FEWEST, determining_columns, looks_identifying
from withhold.data.likely_known import known_alone, likely_known
from withhold.data.repeats import REPEATS, refuse_repeats
from withhold.data.table import Table
from withhold.data.tidied import ITEMS
from withhold.data.unknown import missing_column
from withhold.data.variants import alike
from withhold.errors import PolicyError, option
from withhold.options import Option, lacks
from withhold.wording import counted, percent

if TYPE_CHECKING:
    from withhold.data.people import People

QUASI_IDENTIFIER, SENSITIVE, LABEL = "quasi-identifier", "sensitive", "label"
PUBLISHED, DROPPED, ALL = "published", "dropped", "all"
MANY, SHOWN, MOST_LISTED = 8, 3, 100
"""From how many columns with one reason on not all are named, how many are then, and how many to paste."""
LARGE_PART = 10_000
"""In a smaller part, a unique row means nothing: it may not be unique among all rows."""
Publish = str | Iterable[str]
"""The columns to publish as they are: their names, or ``"all"``."""
QuasiIdentifiersOption = Annotated[
    Iterable[str],
    Option(
        'Columns that somebody may know of a person, e.g. age,sex,"income, yearly".',
        kind="columns",
        missing="use --quasi-identifiers age,sex,zip",
        weaker=lacks,
    ),
]
SensitiveColumnsOption = Annotated[
    str | Iterable[str],
    Option(
        "Columns whose values must not be inferred.",
        kind="columns",
        weaker=lacks,
    ),
]
ColumnTreesOption = Annotated[
    Mapping[str, Any] | str | None,
    Option(
        "What values are generalised to: COLUMN=FILE, or COLUMN=width:5, quantiles:8, edges:18,65, "
        "dates, prefix or frequency:0.01.",
        kind="file",
    ),
]
PublishOption = Annotated[
    Publish,
    Option(
        "Columns to publish although they may identify people; all; items: those of records; repeats: of "
        "rows. May be repeated.",
        kind="publish",
        varies=False,
    ),
]


def known_columns(given: Iterable[str], needed: str) -> tuple[str, ...]:
    """The quasi-identifiers as the user named them; refuses an empty list and duplicates."""
    columns = names_in(given, name="quasi_identifiers")
    if not columns:
        raise PolicyError(f"no quasi-identifiers were named; {needed}")
    if len(set(columns)) < len(columns):
        raise PolicyError("a quasi-identifier is named twice; name each once")
    return columns


def secret_columns(given: str | Iterable[str] | None) -> tuple[str, ...]:
    """The sensitive columns as the user named them, or the only one, each once."""
    if given is None or isinstance(given, str):
        given = () if given is None else (given,)
    return tuple(dict.fromkeys(names_in(given, name="sensitive_column")))


def refuse_known(
    names: Iterable[str | None], known: Collection[str], role: str, who: str = "an attacker"
) -> None:
    """Refuse columns that have this role and are quasi-identifiers, too."""
    if both := [name for name in names if name in known]:
        raise PolicyError(
            f"column {both[0]!r} cannot be a quasi-identifier and {role} at once; what {who} may know is "
            "not a secret"
        )


class NamesColumns(Protocol):
    """A model that names columns of a table."""

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that others may know of a person."""
        ...

    @property
    def label(self) -> str | None:
        """The column whose classes keep their statistics."""
        ...

    @property
    def sensitive_column(self) -> tuple[str, ...]:
        """The columns whose values must not be inferred."""
        ...

    @property
    def sensitive(self) -> frozenset[str]:
        """The items that must not be inferred."""
        ...


@dataclass(frozen=True)
class ColumnRoles:
    """The role of every column, and why some should not be published as they are."""

    roles: Mapping[str, str]
    """By column, those that are left out at the end."""
    undecided: Mapping[str, str]
    """The columns that may identify people and that nobody chose to publish, each with the reason."""


def named_columns(model: NamesColumns) -> tuple[str, ...]:
    """Every column that the model names, once."""
    named = (*model.quasi_identifiers, model.label, *model.sensitive_column)
    return tuple(dict.fromkeys(name for name in named if name is not None))


def roles_of(table: Table, model: NamesColumns) -> dict[str, str]:
    """The role of every column, those that are left out at the end.

    A column that is the label and is protected by ``l`` as well is called sensitive.
    """
    named = {model.label: LABEL} | dict.fromkeys(model.sensitive_column, SENSITIVE)
    named |= dict.fromkeys(model.quasi_identifiers, QUASI_IDENTIFIER)
    roles = {name: named.get(name, PUBLISHED) for name in table.names}
    return roles | dict.fromkeys(table.dropped, DROPPED)


def roles_of_people(people: People, model: NamesColumns) -> dict[str, str]:
    """The role of every column of people's attributes, those that are left out at the end."""
    return roles_of(people.attributes, model)


def columns_by_role(roles: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each role with its columns, in words; roles that no column has are left out."""
    found = {role: [name for name, own in roles.items() if own == role] for role in _CAPTIONS}
    return [(_CAPTIONS[role], ", ".join(names)) for role, names in found.items() if names]


def column_roles(
    table: Table, model: NamesColumns, publish: Publish = (), *, is_part: bool = False
) -> ColumnRoles:
    """The roles, and the columns about which somebody still has to decide.

    ``is_part``: there are more rows elsewhere, so a row that is unique here may not be unique among all.
    """
    named = check_named(table, model, publish)
    roles = roles_of(table, model)
    open_ones = [name for name, role in roles.items() if role == PUBLISHED and name not in named]
    undecided = looks_identifying(table, open_ones)
    in_roles = _shown_in_a_role(roles, named)
    in_a_role = looks_identifying(table, in_roles)
    telling = determining_columns(table, open_ones, model.quasi_identifiers)
    for name in open_ones:
        if name in telling and name not in undecided:
            undecided[name] = _tells(telling[name])
    if (k := getattr(model, "k", None)) is not None:
        # Sensitive items apart have no k: their promise is the same whatever is known of attributes.
        rest = [name for name in open_ones if name not in undecided]
        fewest = LARGE_PART if is_part else FEWEST
        in_a_role = known_alone(table, in_roles, k, fewest=fewest) | in_a_role
        undecided |= likely_known(table, rest, model.quasi_identifiers, k, fewest=fewest)
    for name, reason in in_a_role.items():
        undecided[name] = f"{reason}, and is published as {_AS[roles[name]]}"
    undecided |= holding_items(table, open_ones, model.sensitive)
    # In the order of the table, which is how people look for them.
    return ColumnRoles(roles, {name: undecided[name] for name in roles if name in undecided})


def _shown_in_a_role(roles: Mapping[str, str], named: Collection[str]) -> list[str]:
    """The label and the sensitive columns, which a release shows, without those to be published."""
    return [
        name for name, role in roles.items() if role in (LABEL, SENSITIVE) and name not in named
    ]


def holding_items(
    table: Table, columns: Iterable[str], sensitive: Collection[str]
) -> dict[str, str]:
    """The columns that show sensitive items openly, each with the reason."""
    wanted = [name for name in sensitive if any(mark.isalpha() for mark in name)]
    found = {}
    for name in columns if wanted else ():
        values = table.column(name).values
        if shown := alike(wanted, [value for value in values if value is not None]):
            found[name] = f"shows sensitive items, such as {shown[0]!r}"
    return found


def telling_columns(table: Table, model: NamesColumns) -> dict[str, str]:
    """Why the label or the sensitive column, which are never changed, determine a quasi-identifier."""
    named = [name for name in (model.label, *model.sensitive_column) if name is not None]
    found = determining_columns(table, dict.fromkeys(named), model.quasi_identifiers)
    return {name: _tells(others) for name, others in found.items()}


def undecided_in_most(parts: Sequence[tuple[int, Mapping[str, str]]]) -> dict[str, str]:
    """The columns that may identify people in parts with at least half of all rows.

    ``parts`` has, for each, its number of rows and its columns with reasons. In a part of few rows one column
    often determines another by chance; one that does so in the whole does so in the parts.

    >>> undecided_in_most([(10, {"zip": "tells 'city'"}), (5, {"pay": "tells 'age'"})])
    {'zip': "tells 'city'"}
    """
    reasons = {name: why for _, undecided in parts for name, why in undecided.items()}
    rows = {name: sum(n for n, undecided in parts if name in undecided) for name in reasons}
    total = sum(n for n, _ in parts)
    return {name: why for name, why in reasons.items() if 2 * rows[name] >= total}


def decided_columns(table: Table, model: NamesColumns, publish: Publish) -> Publish:
    """The columns to publish as they are.

    Those that may identify people must be among them, or have a role in the model, or be gone.
    """
    publish = publish if isinstance(publish, str) else tuple(publish)
    refuse_undecided(column_roles(table, model, columns_of(publish, table)).undecided)
    refuse_repeats(table.repeats, model.quasi_identifiers, publish)
    return publish


def plain_list(publish: Publish) -> str | list[str]:
    """What is published, as options in force hold it."""
    return publish if isinstance(publish, str) else list(publish)


def columns_of(publish: Publish, table: Table) -> Publish:
    """What is published of people's attributes: ``items`` is not one, unless a column has that name."""
    if isinstance(publish, str):
        return publish
    return tuple(name for name in publish if name != ITEMS or name in table.names)


def refuse_undecided(undecided: Mapping[str, str]) -> None:
    """Stop if somebody has to decide, naming all such columns and the options that settle it."""
    if not undecided:
        return
    one = len(undecided) == 1
    what = counted(len(undecided), "column")
    by_reason: dict[str, list[str]] = {}
    for name, reason in undecided.items():
        by_reason.setdefault(reason, []).append(name)
    reasons = []
    for reason, names in by_reason.items():
        if len(names) <= MANY:
            reasons += [f"  {name!r} {reason}" for name in names]
        else:
            shown = ", ".join(map(repr, names[:SHOWN]))
            reasons.append(f"  {shown} and {len(names) - SHOWN:,} more, each: {reason}")
    listed = shlex.quote(join_columns(undecided)) if len(undecided) <= MOST_LISTED else "A,B,…"
    lines = [
        f"{what} may identify people, and nobody has said what to do with {'it' if one else 'them'}:",
        *reasons,
        *_ways_out(undecided, listed),
        "A column that others may know of a person can also become a quasi-identifier.",
    ]
    raise PolicyError(*lines)


def _ways_out(undecided: Mapping[str, str], listed: str) -> list[str]:
    """The options that settle what becomes of these columns, as the reader would give them."""
    them = "it" if len(undecided) == 1 else "them"
    ways = [
        f"  --drop {listed}     leaves {them} out",
        f"  --publish {listed}  publishes {them} unchanged",
    ]
    every = ["  --publish all  publishes every column unchanged"] if len(undecided) > MANY else []
    if not option("drop").startswith("--"):
        names = list(undecided) if len(undecided) <= MOST_LISTED else "[…]"
        ways = [
            f"  drop={names}     leaves {them} out (read_table, read_people)",
            f"  publish={names}  publishes {them} unchanged (anonymize)",
        ]
        every = ["  publish='all'  publishes every column unchanged (anonymize)"] if every else []
    return ["To fix it, choose for each column one of these options:", *ways, *every]


def check_named(table: Table, model: NamesColumns, publish: Publish = ()) -> Collection[str]:
    """The columns to publish as they are; whatever is named must exist, and have one role only."""
    path = None if table.source is None else table.source.path
    in_model = named_columns(model)
    for name in in_model:
        if name in table.dropped:
            is_quasi = name in model.quasi_identifiers
            role = QUASI_IDENTIFIER if is_quasi else "label or sensitive column"
            out = f"column {name!r} is named twice: it is left out ({option('drop')} or {option('consent')})"
            raise PolicyError(f"{out}, and it is a {role}; choose one")
        table.column(name)
    publish = (REPEATS,) if publish == REPEATS else publish
    if isinstance(publish, str):
        if publish != ALL:
            raise PolicyError(f"publish is a list of columns, 'repeats' or 'all', not {publish!r}")
        return table.names
    names = tuple(name for name in publish if name != REPEATS or name in table.names)
    for name in names:
        if name in table.dropped:
            raise PolicyError(
                f"column {name!r} is named in both {option('drop')} and {option('publish')}; choose one"
            )
        # A label or a sensitive column that may identify people needs both options.
        if name in model.quasi_identifiers:
            raise PolicyError(
                f"column {name!r} is named in both {option('publish')} and {option('quasi_identifiers')}; "
                "choose one"
            )
        if name not in table.names:
            raise missing_column(name, table.names, path)
    return names


_CAPTIONS = {
    QUASI_IDENTIFIER: "quasi-identifiers",
    SENSITIVE: "sensitive",
    LABEL: "label",
    PUBLISHED: "published as is",
    DROPPED: "dropped",
}
_AS = {SENSITIVE: "a sensitive column", LABEL: "the label"}


def _tells(others: Mapping[str, float]) -> str:
    return "reveals the value of " + " and ".join(
        repr(name) if share == 1 else f"{name!r} in {percent(share)} of the rows"
        for name, share in others.items()
    )
