"""k^m-anonymity: coherence without private items, so that only rare sets are moles.

With a hierarchy (Terrovitis, Mamoulis and Kalnis 2008) items are published as groups, and the model is about
these.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from withhold.arguments import checked
from withhold.data.by_fields import ByFields
from withhold.data.groups import Groups, GroupsOption
from withhold.methods.coherence.model import KOption, at_least_one, at_least_two
from withhold.options import Option, smaller
from withhold.wording import counted


@dataclass(frozen=True, init=False)
class KmAnonymity(ByFields):
    """Any m items or fewer of a record are in at least k records.

    So nobody who knows m items of a record can tell it from at least k - 1 others.

    Parameters
    ----------
    k
        As for ``Coherence``.
    m
        The most items that an attacker may know.
    groups
        As for ``RhoUncertainty``.

    Raises
    ------
    PolicyError
        k below 2 or m below 1.

    Examples
    --------
    >>> print(KmAnonymity(k=5, m=2).promise())
    Whoever knows at most 2 items of a person's record finds at least 5 records with them.
    """

    name: ClassVar[str] = "km"
    needs: ClassVar[str] = ""

    k: int
    m: int
    groups: Groups | None
    """What the items are published as; None: each as itself."""

    @checked
    def __init__(
        self,
        k: KOption,
        m: Annotated[
            int,
            Option(
                "Most items that an attacker may know.",
                at_least=1,
                missing="use --m 2, the most items that somebody may know",
                weaker=smaller,
            ),
        ],
        *,
        groups: GroupsOption = None,
    ) -> None:
        self._set(
            k=at_least_two(k),
            m=at_least_one(m, name="m"),
            groups=None if groups is None else Groups.of(groups),
        )

    @property
    def h(self) -> Fraction:
        """As coherence: nothing is required of private items, of which there are none."""
        return Fraction(1)

    @property
    def p(self) -> int | None:
        """As coherence: the attacker knows at most this many items."""
        return self.m

    @property
    def private(self) -> frozenset[str]:
        """As coherence: no item is private."""
        return frozenset()

    @property
    def sensitive(self) -> frozenset[str]:
        """None: all items are public."""
        return frozenset()

    def under(self, groups: Groups) -> KmAnonymity:
        """The same model of records whose items are published as these groups."""
        return KmAnonymity(self.k, self.m, groups=groups)

    def promise(self) -> str:
        """What holds for a table that satisfies the model, in one sentence.

        >>> print(KmAnonymity(k=5, m=2, groups={"drinks": ["beer", "tea"]}).promise())
        Whoever knows at most 2 items of a person's record, each seen as the group it is published under, \
finds at least 5 records with them, or none.
        """
        who = f"at most {counted(self.m, 'item')} of a person's record"
        found = f"at least {counted(self.k, 'record')} with them"
        if self.groups is None:
            return f"Whoever knows {who} finds {found}."
        seen = "each seen as the group it is published under"
        return f"Whoever knows {who}, {seen}, finds {found}, or none."
