"""(h,k,p)-coherence (Xu et al. 2008).

A public itemset of at most p items is a *mole* if some but fewer than k records hold it, or if a private
item follows from it, or from a part of it, with a probability above h. The empty set counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Protocol

from withhold.arguments import checked, names_in
from withhold.data.by_fields import ByFields
from withhold.data.names import clean_set
from withhold.errors import PolicyError
from withhold.exact import decimal_text, exact_threshold
from withhold.method import Model
from withhold.options import (
    ITEMS_HELP,
    K_HELP,
    K_MISSING,
    Option,
    Threshold,
    fewer,
    lacks,
    larger,
    smaller,
)
from withhold.wording import counted, none_of, so_many

KOption = Annotated[int, Option(K_HELP, at_least=2, missing=K_MISSING, weaker=smaller)]


@dataclass(frozen=True, init=False)
class Coherence(ByFields):
    """Nobody finds fewer than k records, or a private item above h.

    This holds for everybody who knows up to p public items of a record and looks for the records that have
    them.

    Parameters
    ----------
    h
        The largest probability of a private item; exact.
    k
        The fewest records that an attacker may find.
    p
        The most public items that an attacker may know; None: any number.
    private
        The names of the items that must not be inferred.

    Raises
    ------
    PolicyError
        A threshold outside its range, or no private items.

    Examples
    --------
    >>> model = Coherence(h="0.5", k=3, p=2, private={"insulin"})
    >>> print(model.promise())
    Whoever knows at most 2 public items of a person's record finds at least 3 records with them, and cannot \
infer the private item with a probability above 0.5.
    """

    name: ClassVar[str] = "coherence"
    needs: ClassVar[str] = ""

    h: Fraction
    k: int
    p: int | None
    """The attacker knows at most this many public items; None: any number."""
    private: frozenset[str]

    @checked
    def __init__(
        self,
        h: Annotated[
            Threshold,
            Option(
                "Largest probability of a private item, e.g. 0.5; exact.",
                kind="threshold",
                missing="use --h 0.5, the largest probability you allow",
                weaker=larger,
            ),
        ],
        k: KOption,
        p: Annotated[
            int | None,
            Option(
                "Most public items that an attacker may know, or any.",
                kind="any",
                missing="use --p 3, or --p any if no number is too large",
                weaker=fewer,
            ),
        ],
        private: Annotated[
            Iterable[str],
            Option(
                ITEMS_HELP,
                kind="items",
                missing="use --private FILE or --private a,b,c",
                weaker=lacks,
            ),
        ],
    ) -> None:
        items = clean_set(names_in(private, name="private"), "private")
        if not items:
            raise PolicyError("no private items were named; without any, use k^m-anonymity (km)")
        # 1 is allowed: it requires nothing of the private items.
        exact = Fraction(1) if str(h) in ("1", "1.0") else exact_threshold(h, name="h")
        self._set(
            h=exact,
            k=at_least_two(k),
            p=None if p is None else at_least_one(p, name="p"),
            private=items,
        )

    @property
    def sensitive(self) -> frozenset[str]:
        """The private items."""
        return self.private

    def promise(self) -> str:
        """What holds for a table that satisfies the model, in one sentence."""
        return (
            f"Whoever knows {so_many(self.p, 'public item')} of a person's record finds at least "
            f"{counted(self.k, 'record')} with them, and {none_of(len(self.private), 'private item')} with a "
            f"probability above {decimal_text(self.h)}."
        )


class Coherent(Model, Protocol):
    """What this room needs of a model; models other than ``Coherence`` that have it are proved here, too.

    An h of 1 requires nothing.
    """

    @property
    def h(self) -> Fraction: ...
    @property
    def k(self) -> int: ...
    @property
    def p(self) -> int | None: ...
    @property
    def private(self) -> frozenset[str]: ...


def at_least_two(k: int) -> int:
    """A k that hides somebody: with 1, whoever finds the record of a person has found that person."""
    if at_least_one(k, name="k") < 2:
        raise PolicyError(f"k must be 2 or more, not {k}, among which nobody would hide")
    return int(k)


def at_least_one(value: int, *, name: str) -> int:
    """A whole number of at least 1 that kernels can count with."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise PolicyError(f"{name} must be a whole number of at least 1, not {value!r}")
    if value >= 2**31:
        raise PolicyError(f"{name} must be below {2**31:,}, not {value:,}")
    return int(value)
