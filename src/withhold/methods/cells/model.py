"""k-anonymity of a table (Sweeney, Samarati), and distinct ℓ-diversity (Machanavajjhala et al.) on request.

Rows with equal quasi-identifiers are a *group*. Every group must have at least k rows, and with ``l`` at
least so many different values of a sensitive column. A withheld cell counts as a value of its own, which is
the careful reading: who takes it to fit anything finds at least as many rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from withhold.arguments import checked, names_in
from withhold.errors import PolicyError
from withhold.method import parameters_of
from withhold.options import K_HELP, K_MISSING, Option, Plain, differs, lacks, smaller
from withhold.wording import counted


@dataclass(frozen=True, init=False)
class KAnonymity:
    """Every row shares its quasi-identifiers with at least k - 1 others.

    >>> model = KAnonymity(5, ["age", "zip"], label="income")
    >>> print(model.promise())
    Whoever knows a person's age and zip finds at least 5 rows that fit equally well, or none.
    """

    name: ClassVar[str] = "k-anonymity"
    needs: ClassVar[str] = ""

    k: int
    quasi_identifiers: tuple[str, ...]
    """The columns that somebody may know of a person."""
    label: str | None
    """The class of each row, whose statistics are to survive; never changed, not protected by k."""
    l: int | None  # noqa: E741  # the letter that the field uses
    """Every group has at least so many different values of the sensitive column."""
    sensitive_column: str | None
    """The column that ``l`` speaks of; the label if not named."""

    @checked
    def __init__(
        self,
        k: Annotated[int, Option(K_HELP, at_least=1, missing=K_MISSING, weaker=smaller)],
        quasi_identifiers: Annotated[
            Iterable[str],
            Option(
                "The columns that somebody may know of a person, with commas between; a name that "
                'holds a comma in double quotes: age,"income, yearly".',
                kind="columns",
                missing="use --quasi-identifiers age,sex,zip",
                weaker=lacks,
            ),
        ],
        *,
        label: Annotated[
            str | None,
            Option("The column whose classes keep their statistics; it is never changed."),
        ] = None,
        l: Annotated[  # noqa: E741
            int | None,
            Option(
                "Every group has so many different values of the sensitive column, too.",
                weaker=smaller,
            ),
        ] = None,
        sensitive_column: Annotated[
            str | None,
            Option("The column that --l protects; the label if not given.", weaker=differs),
        ] = None,
    ) -> None:
        columns = names_in(quasi_identifiers, name="quasi_identifiers")
        if not columns:
            raise PolicyError("no quasi-identifiers were named; k-anonymity needs at least one")
        if len(set(columns)) < len(columns):
            raise PolicyError("a quasi-identifier is named twice; name each once")
        if l is not None and sensitive_column is None:
            sensitive_column = label
        if l is not None and sensitive_column is None:
            raise PolicyError("l needs a sensitive column; name one, or a label")
        if l is None and sensitive_column is not None:
            raise PolicyError("a sensitive column is protected by l only; say how large l must be")
        for role, name in (("label", label), ("sensitive column", sensitive_column)):
            if name in columns:
                raise PolicyError(
                    f"column {name!r} cannot be a quasi-identifier and the {role} at once; "
                    "what an attacker may know is no secret"
                )
        object.__setattr__(self, "k", _whole(k, "k"))
        object.__setattr__(self, "quasi_identifiers", columns)
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "l", None if l is None else _whole(l, "l"))
        object.__setattr__(self, "sensitive_column", sensitive_column)

    @property
    def sensitive(self) -> frozenset[str]:
        """No items: a table has none."""
        return frozenset()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the model names."""
        named = (*self.quasi_identifiers, self.label, self.sensitive_column)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def promise(self) -> str:
        """What holds for a table that satisfies the model, in one sentence."""
        *first, last = self.quasi_identifiers
        known = f"{', '.join(first)} and {last}" if first else last
        diverse = ""
        if self.l is not None:
            diverse = (
                f", with at least {self.l} different values of {self.sensitive_column} among them"
            )
        return (
            f"Whoever knows a person's {known} finds at least {self.k:,} rows that fit equally "
            f"well{diverse}, or none."
        )

    def parameters(self) -> dict[str, Plain]:
        """The parameters as plain values, enough to build the model again."""
        return parameters_of(self)


@dataclass(frozen=True)
class SmallGroup:
    """A group that breaks the model: too few rows, or too few different sensitive values.

    >>> print(SmallGroup((("age", "30"), ("zip", None)), rows=2, needed=5))
    age=30, zip withheld: 2 rows (of 5 needed)
    """

    cells: tuple[tuple[str, str | None], ...]
    """The group's quasi-identifiers, by column; None where the cell is withheld."""
    rows: int
    needed: int
    """So many rows, or so many different values where ``values`` is given."""
    values: int | None = None
    """How many different sensitive values the group has, where these are too few."""

    @property
    def _what(self) -> str:
        return ", ".join(
            f"{name} withheld" if value is None else f"{name}={value}" for name, value in self.cells
        )

    def row(self) -> tuple[str, ...]:
        """The group as cells of a table."""
        values = "" if self.values is None else counted(self.values, "value")
        return self._what, values, counted(self.rows, "row"), f"of {self.needed:,}"

    def as_dict(self) -> dict[str, Plain]:
        """The group as plain values."""
        counts = {"rows": self.rows, "values": self.values, "needed": self.needed}
        return {"cells": dict(self.cells), **counts}

    def __str__(self) -> str:
        if self.values is None:
            return f"{self._what}: {counted(self.rows, 'row')} (of {self.needed:,} needed)"
        values = counted(self.values, "different sensitive value")
        rows = counted(self.rows, "row")
        return f"{self._what}: {values} in {rows} (of {self.needed:,} needed)"


def _whole(value: Any, name: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 2:
        raise PolicyError(f"{name} must be a whole number from 2 on, not {value!r}")
    return int(value)
