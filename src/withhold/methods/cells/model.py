"""k-anonymity of a table (Sweeney, Samarati), and on request what its groups must show of sensitive columns.

Rows with equal quasi-identifiers are a *group*. Every group must have at least k rows, and satisfy the
requirements of ``l``, ``t`` and ``beta`` for each sensitive column. A withheld cell counts as a value of its
own, which is the cautious reading: somebody who lets it match anything finds at least as many rows. With
``missing`` as ``"wildcard"`` it matches anything, but only for k: requirements hold for all unions of groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from withhold.arguments import checked, names_in
from withhold.data.by_fields import ByFields
from withhold.data.roles import (
    QuasiIdentifiersOption,
    known_columns,
    refuse_known,
    secret_columns,
)
from withhold.errors import PolicyError, option
from withhold.exact import exact_number, exact_threshold
from withhold.methods.cells.presence import Presence, wider
from withhold.methods.cells.requirements import (
    Closeness,
    Likeness,
    Requirement,
    diversity_value,
    less_diverse,
    parse_diversity,
)
from withhold.options import (
    K_HELP,
    K_MISSING,
    Option,
    Threshold,
    adds,
    lacks,
    looser,
    smaller,
)
from withhold.wording import listing

Missing = Literal["value", "wildcard"]
VALUE: Missing = "value"
WILDCARD: Missing = "wildcard"


@dataclass(frozen=True, init=False)
class KAnonymity(ByFields):
    """Each row shares its quasi-identifiers with k - 1 others.

    Parameters
    ----------
    k
        The fewest rows with the same quasi-identifiers.
    quasi_identifiers
        The columns that others may know of a person.
    label
        The column whose classes keep their statistics; it is never changed.
    l
        How diverse each sensitive column is in every group: 3, ``"entropy:3"`` or ``"recursive:C:L"``.
    t
        How far the frequencies of a group may be from those of the whole table (t-closeness).
    beta
        How much more frequent a value may be in a group than in the table: 1 means twice as frequent.
    sensitive_column
        The columns that ``l``, ``t`` and ``beta`` protect; the label if not given.
    ordered
        The sensitive columns whose values have an order, which ``t`` takes into account.
    missing
        What a withheld cell means: ``value``, a value of its own, or ``wildcard``, which matches anything.
    presence
        How probable it may be that somebody is in the file: ``"0.1,0.5"`` (δ-presence).

    Raises
    ------
    PolicyError
        A number outside its range, a column in two roles, or a requirement without a sensitive column.

    Examples
    --------
    >>> model = KAnonymity(5, ["age", "zip"], label="income")
    >>> print(model.promise())
    Whoever knows a person's age and zip finds at least 5 rows that fit equally well, or none.
    """

    name: ClassVar[str] = "k-anonymity"

    k: int
    quasi_identifiers: tuple[str, ...]
    """The columns that others may know of a person."""
    label: str | None
    """The class of each row, whose statistics are to survive; never changed, not protected by k."""
    l: int | str | None  # noqa: E741  # the letter that the field uses
    """How diverse the sensitive columns are in every group: different values, or as ``entropy:3``."""
    sensitive_column: tuple[str, ...]
    """The columns that ``l``, ``t`` and ``beta`` protect; the label if none was named."""
    t: Fraction | None
    """How far a group's frequencies may be from those of the whole table."""
    beta: Fraction | None
    """By how much a value's share of a group may exceed its share of the whole table."""
    ordered: tuple[str, ...]
    """The sensitive columns whose values have an order that ``t`` takes into account."""
    missing: Missing
    """How a withheld cell is counted: as a value of its own, or as one that matches anything."""
    presence: str | None
    """How probable it may be that somebody of the population is in the file: ``LOW,HIGH``."""

    @checked
    def __init__(
        self,
        k: Annotated[int, Option(K_HELP, at_least=2, missing=K_MISSING, weaker=smaller)],
        quasi_identifiers: QuasiIdentifiersOption,
        *,
        label: Annotated[
            str | None,
            Option("Column whose classes keep their statistics."),
        ] = None,
        l: Annotated[  # noqa: E741
            str | int | None,
            Option(
                "l-diversity of each sensitive column in a group: 3, entropy:3 or recursive:C:L.",
                weaker=less_diverse,
            ),
        ] = None,
        t: Annotated[
            Threshold | None,
            Option(
                "t-closeness of a group to the table, e.g. 0.3.",
                kind="threshold",
                weaker=looser,
            ),
        ] = None,
        beta: Annotated[
            Threshold | None,
            Option(
                "Basic beta-likeness; 1: at most twice as frequent.",
                kind="threshold",
                weaker=looser,
            ),
        ] = None,
        sensitive_column: Annotated[
            str | Iterable[str] | None,
            Option(
                "Columns that --l, --t and --beta protect; the label if not given.",
                kind="columns",
                weaker=lacks,
            ),
        ] = None,
        ordered: Annotated[
            Iterable[str] | None,
            Option(
                "Sensitive columns with distances, for --t.",
                kind="columns",
                weaker=adds,
            ),
        ] = None,
        missing: Annotated[
            Missing,
            Option(
                "What a withheld cell means: value (default), or wildcard (fits anything; promises "
                "less).",
                weaker=lambda offered, asked: (offered, asked) == (WILDCARD, VALUE),
            ),
        ] = VALUE,
        presence: Annotated[
            str | None,
            Option(
                "delta-presence: least and greatest chance that somebody of --population is in the file: "
                "0.1,0.5.",
                weaker=wider,
                varies=False,
            ),
        ] = None,
    ) -> None:
        columns = known_columns(quasi_identifiers, "k-anonymity needs at least one")
        sensitive = secret_columns(sensitive_column)
        asked = [name for name, value in (("l", l), ("t", t), ("beta", beta)) if value is not None]
        if asked and not sensitive and label is not None:
            sensitive = (label,)
        if asked and not sensitive:
            raise PolicyError(f"{asked[0]} needs a sensitive column; name one, or a label")
        if sensitive and not asked:
            raise PolicyError(
                "a sensitive column is protected by l, t or beta only; say how large one of them must be: "
                f"{option('l', 3)} (so many values in each group), {option('t', 0.3)} or {option('beta', 1)}"
            )
        in_order = tuple(dict.fromkeys(names_in(ordered or (), name="ordered")))
        _check_ordered(in_order, sensitive, t)
        refuse_known((label,), columns, "the label")
        refuse_known(sensitive, columns, "the sensitive column")
        if presence is not None and missing == WILDCARD:
            raise PolicyError(
                "presence is proved for withheld cells that are values of their own; leave missing=wildcard "
                "out"
            )
        exact_beta = None if beta is None else exact_number(beta, name="beta")
        if exact_beta is not None and exact_beta <= 0:
            raise PolicyError(f"beta must be above 0, not {beta}")
        self._set(
            k=_whole(k, "k"),
            quasi_identifiers=columns,
            label=label,
            l=None if l is None else diversity_value(parse_diversity(l)),
            t=None if t is None else exact_threshold(t, name="t"),
            beta=exact_beta,
            sensitive_column=sensitive,
            ordered=in_order,
            missing=missing,
            presence=None if presence is None else str(Presence.parse(presence)),
        )

    @property
    def sensitive(self) -> frozenset[str]:
        """No items: a table has none."""
        return frozenset()

    @property
    def needs(self) -> str:
        """What a proof needs beside the published file and its manifest."""
        return "" if self.presence is None else "the population (--population)"

    @property
    def presence_bounds(self) -> Presence | None:
        """How probable it may be that somebody is in the file."""
        return None if self.presence is None else Presence.parse(self.presence)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What every group must show of each sensitive column."""
        found: list[Requirement] = []
        found += [] if self.l is None else [parse_diversity(self.l)]
        found += [] if self.t is None else [Closeness(self.t)]
        found += [] if self.beta is None else [Likeness(self.beta)]
        return tuple(found)

    def promise(self) -> str:
        """What holds for a table that satisfies the model, in one sentence."""
        known = listing(self.quasi_identifiers)
        named = listing(self.sensitive_column)
        named = f"each of {named}" if self.sensitive_column[1:] else named
        has = listing([each.promise() for each in self.requirements])
        if self.missing == WILDCARD:
            diverse = f", and in all rows with the same cells {named} has {has}" if has else ""
            return (
                f"Every row agrees with at least {self.k:,} rows in {known}, if a withheld cell agrees with "
                f"anything{diverse}; whoever knows what was withheld of a person may find fewer."
            )
        fit = f"at least {self.k:,} rows that fit equally well"
        # After the requirements, "or none" would read as "or no values".
        finds = f"no row, or {fit}, in which {named} has {has}" if has else f"{fit}, or none"
        bounds = self.presence_bounds
        present = "" if bounds is None else f"; and {bounds.promise()}"
        return f"Whoever knows a person's {known} finds {finds}{present}."


def _check_ordered(ordered: tuple[str, ...], sensitive: tuple[str, ...], t: Any) -> None:
    """Refuse ordered columns whose order nothing uses."""
    if ordered and t is None:
        raise PolicyError("the order of values matters to t only; give t, or leave ordered out")
    if strange := [name for name in ordered if name not in sensitive]:
        raise PolicyError(f"column {strange[0]!r} is in ordered, but is not a sensitive column")


def _whole(value: Any, name: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 2:
        raise PolicyError(f"{name} must be a whole number of at least 2, not {value!r}")
    return int(value)
