"""Thresholds as the exact numbers that people wrote: fractions, never floating point."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction

from withhold.errors import PolicyError

LARGEST_DENOMINATOR = 10**9
"""Up to here, with fewer than 2^31 records, every product fits into 64 bits."""
LONGEST_NUMBER = 40
"""The most characters of a number; nobody means a longer one."""
PLAIN = re.compile(r"\s*[+-]?[0-9.]+([eE][+-]?[0-9]+|/[0-9]+)?\s*")
"""What a number looks like; digits of other scripts, or 1_0, are more likely a mistake than intended."""


def exact_threshold(value: str | Fraction | Decimal | float | int, *, name: str) -> Fraction:
    """The threshold as the exact number that the user wrote, strictly between 0 and 1.

    A float stands for the decimal it is shown as: 0.1 is one tenth.

    >>> exact_threshold("1/3", name="rho"), exact_threshold(0.1, name="rho")
    (Fraction(1, 3), Fraction(1, 10))
    """
    exact = exact_number(value, name=name)
    if not 0 < exact < 1:
        in_percent = 1 < exact < 100
        hint = f"; if you mean {value}%, write {decimal_text(exact / 100)}" if in_percent else ""
        raise PolicyError(f"{name} must lie strictly between 0 and 1, not {value}{hint}")
    return exact


def exact_number(value: str | Fraction | Decimal | float | int, *, name: str) -> Fraction:
    """The exact number that the user wrote, of any reasonable size.

    >>> exact_number("2.5", name="beta")
    Fraction(5, 2)
    """
    if isinstance(value, str) and (len(value) > LONGEST_NUMBER or not PLAIN.fullmatch(value)):
        hint = _as_meant(value)
        raise PolicyError(f"{name} must be a number such as 0.7 or 2/3, not {value[:30]!r}{hint}")
    if _has_large_exponent(value):
        raise PolicyError(f"{name} must be a number such as 0.7 or 2/3, not {str(value)[:30]!r}")
    try:
        exact = Fraction(repr(value) if isinstance(value, float) else value)
    except (ValueError, ZeroDivisionError, TypeError, OverflowError) as error:
        raise PolicyError(f"{name} must be a number such as 0.7 or 2/3, not {value!r}") from error
    if exact.denominator > LARGEST_DENOMINATOR:
        raise PolicyError(f"{name} = {value} is too fine; use at most nine decimal places")
    return exact


def _as_meant(written: str) -> str:
    """How to write a share that was given with a decimal comma or in per cent; empty for any other text."""
    found = re.fullmatch(r"\s*([0-9]{1,9})(?:[.,]([0-9]{1,9}))?\s*(%?)\s*", written)
    if found is None:
        return ""
    whole, rest, percent = found.groups()
    exact = Fraction(f"{whole}.{rest or 0}") / (100 if percent else 1)
    return f"; if you mean {decimal_text(exact)}, write that"


def _has_large_exponent(value: object) -> bool:
    """Whether reading the number would build one with millions of digits, as 1e99999999 would."""
    exponent = re.search(r"[eE]([+-]?\d+)", str(value))
    return exponent is not None and abs(int(exponent[1])) > LONGEST_NUMBER


def decimal_text(value: Fraction) -> str:
    """The shortest exact way to write the number: a decimal if there is one, else a fraction.

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
