"""Items that may be another form of a listed one: they would be published although it is protected.

In: the listed names and the items that the data have, with their counts. Out: an error for other spellings
and for names one slip away, a warning for items with the same words (``pens of insulin``). Names that
the data do not have are the business of ``unknown``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from withhold.data.dated_items import undated
from withhold.data.misspelt import bare, meant_by, proposed_for, variants_of, whole
from withhold.data.same_things import same_things
from withhold.data.tidy_ways import how_to_tidy
from withhold.data.unknown import SHOWN, Unknown
from withhold.errors import InputError, option


def refuse_variants(listed: Collection[str], present: Mapping[str, int], *, what: str) -> None:
    """Raise if the data have a listed item under further spellings, or with a slip."""
    if not (others := _unlisted(listed, present)):
        return
    spelt = {whole(name): name for name in sorted(listed) if name in present}
    if spellings := [name for name in others if whole(name) in spelt]:
        raise InputError(
            f"the data have {what} in other spellings, too, which would not be protected: "
            f"{_shown(spellings, present, {})}",
            remedy=f"list them, too{how_to_tidy((name, spelt[whole(name)]) for name in spellings)}; or say "
            f"{option('allow_unknown', True)} if they are items of their own",
        )
    if slips := variants_of([name for name in listed if name in present], others):
        raise InputError(
            f"the data have items that hardly differ from {what} and would not be protected: "
            f"{_shown(slips, present, slips)}",
            remedy="list them, too, or correct their spelling in the file; or say "
            f"{option('allow_unknown', True)} if they are items of their own",
        )


def forms_of(
    listed: Collection[str], present: Mapping[str, int], *, what: str, allowed: bool = False
) -> Unknown | None:
    """The unlisted items that may be forms of a listed one that the data have, if there are any.

    >>> print(forms_of({"insulin"}, {"insulin": 9, "insulin pen": 4, "pen": 2}, what="secrets"))
    1 of 3 items may be a form of one of the secrets and is not listed: 'insulin pen' (listed: 'insulin')
    """
    others = [name for name in _unlisted(listed, present) if undated(name) not in listed]
    found = same_things([name for name in listed if name in present], others) if others else {}
    if not found:
        return None
    problem = f"may be a form of one of the {what} and is not listed"
    return Unknown(
        "items",
        tuple(found),
        len(present),
        tuple(found.values()),
        allowed=allowed,
        missing=problem,
        public=False,
        are_listed=True,
    )


def alike(listed: Iterable[str], present: Iterable[str]) -> list[str]:
    """The names that are present and listed, or listed under another spelling.

    >>> alike(["pill", "self test"], ["Pill", "beer", "conditions: selftest"])
    ['Pill', 'conditions: selftest']
    """
    wanted = frozenset(map(bare, listed))
    return sorted(name for name in present if bare(name) in wanted)


def related(listed: Iterable[str], present: Collection[str]) -> list[str]:
    """The names that are present and listed, or may be meant by one that is listed."""
    wanted = frozenset(listed)
    missing = sorted(wanted.difference(present))
    others = [name for name in present if name not in wanted]
    return sorted(
        {
            *alike(wanted, present),
            *meant_by(missing, present).values(),
            *proposed_for(missing, others).values(),
            *variants_of(wanted, others),
        }
    )


def _unlisted(listed: Collection[str], present: Mapping[str, int]) -> list[str]:
    """The other items that the data have, the most frequent first; none if all are numbers."""
    if (letters := "".join(present)).isascii() and letters.isdigit():
        return []  # Each number has one spelling.
    others = (name for name in present if name not in listed)
    return sorted(others, key=lambda name: (-present[name], name))


def _shown(names: Collection[str], present: Mapping[str, int], meant: Mapping[str, str]) -> str:
    """The first of these names, with the number of records that hold each and the listed name."""
    shown = []
    for name in list(names)[:SHOWN]:
        about = [f"{present[name]:,}"] if present[name] else []
        about += [f"listed: {meant[name]!r}"] if name in meant else []
        shown.append(repr(name) + (f" ({', '.join(about)})" if about else ""))
    return ", ".join(shown) + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")
