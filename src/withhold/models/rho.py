"""ρ-uncertainty (Cao et al. 2010): no sensitive item can be inferred with confidence above ρ.

Whole numbers decide: ρ is an exact fraction, and a rule q→e is unsafe iff
``sup(qe) * denominator > numerator * sup(q)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar

from withhold.arguments import checked, names_in
from withhold.data.names import clean_set
from withhold.errors import PolicyError
from withhold.wording import counted, none_of

LARGEST_DENOMINATOR = 10**9
"""Up to here, with fewer than 2^31 records, every product fits into 64 bits."""
LONGEST_NUMBER = 40
"""Characters; what is longer is no threshold that anybody means."""


@dataclass(frozen=True, init=False)
class RhoUncertainty:
    """Nobody who knows any items of a record can infer a sensitive item with confidence above ρ.

    >>> model = RhoUncertainty(rho="0.7", sensitive={"condom"})
    >>> model.rho
    Fraction(7, 10)
    >>> print(model.promise())
    Whoever knows any items of a person's record, or nothing at all, cannot infer the 1 sensitive \
item with a confidence above 0.7.
    """

    name: ClassVar[str] = "rho"
    needs: ClassVar[str] = ""
    kinds: ClassVar[Mapping[str, Any]] = {
        "rho": str,
        "sensitive": list,
        "max_known": int | None,
        "ignore_prior": bool,
    }

    rho: Fraction
    sensitive: frozenset[str]
    max_known: int | None
    """The attacker knows at most so many items; None: any number."""
    ignore_prior: bool
    """Leave out the empty antecedent: what can be said of everybody without knowing anything."""

    @checked
    def __init__(
        self,
        rho: str | Fraction | Decimal | float | int,
        sensitive: Iterable[str],
        *,
        max_known: int | None = None,
        ignore_prior: bool = False,
    ) -> None:
        items = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
        if not items:
            raise PolicyError("no sensitive items were named; ρ-uncertainty needs at least one")
        if max_known == 0 and ignore_prior:
            raise PolicyError("max_known=0 with ignore_prior leaves nothing to protect from")
        object.__setattr__(self, "rho", exact_threshold(rho, name="rho"))
        object.__setattr__(self, "sensitive", items)
        object.__setattr__(self, "max_known", None if max_known is None else int(max_known))
        object.__setattr__(self, "ignore_prior", bool(ignore_prior))

    def for_records_up_to(self, longest: int) -> RhoUncertainty:
        """The same model, said more simply where knowing so many items is knowing any number."""
        if self.max_known is None or self.max_known < longest:
            return self
        return RhoUncertainty(self.rho, self.sensitive, ignore_prior=self.ignore_prior)

    def promise(self) -> str:
        """What holds for a table that satisfies the model, in one sentence."""
        if self.max_known is None:
            who = "any items of a person's record"
        else:
            who = f"at most {counted(self.max_known, 'item')} of a person's record"
        prior = "" if self.ignore_prior else ", or nothing at all,"
        return (
            f"Whoever knows {who}{prior} "
            f"{none_of(len(self.sensitive), 'sensitive item')} with a confidence above "
            f"{decimal_text(self.rho)}."
        )

    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values, enough to build the model again."""
        return {
            "model": self.name,
            "rho": decimal_text(self.rho),
            "sensitive": sorted(self.sensitive),
            "max_known": self.max_known,
            "ignore_prior": self.ignore_prior,
        }


def exact_threshold(value: str | Fraction | Decimal | float | int, *, name: str) -> Fraction:
    """The threshold as the exact number that the user wrote, strictly between 0 and 1.

    A float stands for the decimal it is shown as: 0.1 is one tenth.

    >>> exact_threshold("1/3", name="rho"), exact_threshold(0.1, name="rho")
    (Fraction(1, 3), Fraction(1, 10))
    """
    if (isinstance(value, str) and len(value) > LONGEST_NUMBER) or _has_large_exponent(value):
        raise PolicyError(f"{name} must be a number such as 0.7 or 2/3, not {str(value)[:30]!r}")
    try:
        exact = Fraction(repr(value) if isinstance(value, float) else value)
    except (ValueError, ZeroDivisionError, TypeError, OverflowError) as error:
        raise PolicyError(f"{name} must be a number such as 0.7 or 2/3, not {value!r}") from error
    if not 0 < exact < 1:
        raise PolicyError(f"{name} must lie strictly between 0 and 1, not {value}")
    if exact.denominator > LARGEST_DENOMINATOR:
        raise PolicyError(f"{name} = {value} is too fine; use at most nine decimal places")
    return exact


def _has_large_exponent(value: object) -> bool:
    """Whether reading the number would build one with millions of digits, as 1e99999999 would."""
    exponent = re.search(r"[eE]([+-]?\d+)", str(value))
    return exponent is not None and abs(int(exponent[1])) > LONGEST_NUMBER


def decimal_text(value: Fraction) -> str:
    """The shortest exact way to write the number: a decimal where there is one, else a fraction.

    >>> decimal_text(Fraction(7, 10)), decimal_text(Fraction(1, 3))
    ('0.7', '1/3')
    """
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    with localcontext() as context:
        context.prec = 60  # more than any allowed denominator needs
        return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
