"""The search: what no grouping can hide is withheld, then similar records become groups.

Of n records ρ·n, rounded down, may hold the same item. If more of all records hold it, the surplus must be
withheld whatever the groups are, since what they may hold adds up to no more. Nothing else is ever withheld:
the records that find no neighbours can always form one group.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from withhold.data import People, Records, Table
from withhold.data.array_types import Longs
from withhold.data.dated_items import undated
from withhold.data.evidence import Evidence
from withhold.data.plan import fingerprint, without
from withhold.data.roles import holding_items
from withhold.data.tree_building import some
from withhold.errors import InputError, PolicyError, option
from withhold.method import SearchOptions, SearchRun
from withhold.methods.apart.entries import reserved
from withhold.methods.apart.model import ApartModel
from withhold.methods.apart.plan import ApartPlan
from withhold.methods.apart.search.neighbours import Rows, cut_rest, group_neighbours
from withhold.methods.apart.secrets import Secrets, records_of

WINDOW = 10
"""Times the size of a group: how many of the nearest records are candidates, in each order and direction."""


def search_apart(
    data: Records | People,
    model: ApartModel,
    evidence: Evidence,
    options: SearchOptions,
    run: SearchRun,
) -> tuple[ApartPlan, dict[str, Any]]:
    """The groups and what is withheld, and the options in force."""
    if isinstance(data, People):
        _refuse_shown(data.attributes, model)
    secrets, records = model.secrets, records_of(data, model.sensitive_column)
    given = [name for name in records_of(data, ()).occurring if secrets.in_column(name)]
    if mixed := [*reserved(records.occurring, secrets), *given]:
        raise InputError(
            f"some items look like names of groups or their lists: {some(sorted(mixed))}",
            remedy="rename them; a release uses group=7 and ITEM=1/3 for its groups",
        )
    sensitive = secrets.codes(records)
    most = most_of(model.rho, len(records))
    implied = _implied(records, secrets)
    own = sensitive[implied[sensitive] < 0]
    withheld = _excess(records, own, int(most[-1]), np.random.default_rng(run.seed))
    withheld = _with_dates(records, implied, withheld)
    others = np.setdiff1d(np.arange(records.n_items), sensitive)
    private = without(withheld, records).without_items(others)
    public = records.without_items(sensitive)
    if isinstance(data, People):
        public = _with_cells(public, data.attributes, model.sensitive_column)
    group_of = form_groups(public, private, most)
    n_apart = int(records.supports[sensitive].sum())
    columns = model.sensitive_column
    plan = ApartPlan(group_of, sensitive, withheld, fingerprint(records), n_apart, columns)
    return plan, {"seed": run.seed, "groups": int(group_of.max(initial=-1)) + 1}


def _refuse_shown(attributes: Table, model: ApartModel) -> None:
    """Refuse attributes, which stay as they are, that show sensitive items."""
    stay = [name for name in attributes.names if name not in model.sensitive_column]
    for name, reason in holding_items(attributes, stay, model.sensitive).items():
        raise PolicyError(
            f"the column {name!r} {reason}, and attributes stay as they are; leave it out with "
            f"{option('drop', name)}, or name it in {option('sensitive_column', name)}"
        )


def most_of(rho: Fraction, n: int) -> Longs:
    """How many of 0, 1, … n records may hold the same item, exactly."""
    counts = np.arange(n + 1, dtype=object) * rho.numerator // rho.denominator
    return counts.astype(np.int64)


def form_groups(public: Records, private: Records, most: Longs) -> Longs:
    """The group of each record, numbered by their first records; -1 where nothing sensitive is near."""
    left = private.supports
    if not left.any():
        return np.full(len(public), -1, dtype=np.int64)
    # The smallest group that may hold an item at all, and never a single record.
    size = max(int(np.argmax(most >= 1)), 2)
    orders = np.stack([_order(public, -public.supports), _order(public, public.supports)])
    rows, secrets = Rows(public.offsets, public.items), Rows(private.offsets, private.items)
    found: Longs = group_neighbours(rows, secrets, orders, most, left, size, WINDOW * size)
    if left.any():
        rest = orders[0][found[orders[0]] < 0]
        begins = cut_rest(rest, secrets, most, left, size)
        found[rest] = found.max(initial=-1) + np.cumsum(begins)
    holds = np.zeros(found.max() + 1, dtype=bool)
    holds[found[private.lengths > 0]] = True
    found[(found >= 0) & ~holds[found]] = -1
    return _numbered(found)


def _with_cells(public: Records, attributes: Table, but: tuple[str, ...]) -> Records:
    """The records with their cells as items, so that those with the same attributes are similar, too."""
    columns = [column for column in attributes.columns if column.name not in but]
    if not columns:
        return public
    n_rows, n_columns = len(public), len(columns)
    codes, names = [], list(map(str, range(public.n_items)))
    for column in columns:
        # A withheld cell counts as one more value here, after the others.
        codes.append(column.codes % (len(column.values) + 1) + len(names))
        names += map(str, range(len(names), len(names) + len(column.values) + 1))
    items = np.insert(
        public.items, np.repeat(public.offsets[1:], n_columns), np.stack(codes, axis=1).reshape(-1)
    )
    offsets = public.offsets + np.arange(n_rows + 1) * n_columns
    return Records(offsets, items, tuple(names))


def _implied(records: Records, secrets: Secrets) -> Longs:
    """By code: the sensitive item of which this is a date, or -1; refuses dates without their item."""
    names = records.vocabulary
    code_of = {name: code for code, name in enumerate(names)}
    found = np.full(len(names), -1, dtype=np.int64)
    row_of = np.repeat(np.arange(len(records)), records.lengths)
    for code, name in enumerate(names):
        if (item := undated(name)) is None or item not in secrets.items:
            continue
        base = code_of.get(item, -1)
        rows, others = row_of[records.items == code], row_of[records.items == base]
        if not np.isin(rows, others).all():
            raise InputError(
                f"some records have {item!r} with a date after @, and not the item itself",
                remedy=f"add {item!r} to these records, or read dates with --dates, which does",
            )
        found[code] = base
    return found


def _with_dates(records: Records, implied: Longs, withheld: Longs) -> Longs:
    """What is withheld, with the dates of these items in the same records."""
    if not len(withheld) or (implied < 0).all():
        return withheld
    keys = np.repeat(np.arange(len(records)), records.lengths) * records.n_items
    dates = np.flatnonzero(implied[records.items] >= 0)
    gone = keys[withheld] + records.items[withheld]
    goes = dates[np.isin(keys[dates] + implied[records.items[dates]], gone)]
    return np.union1d(withheld, goes)


def _excess(records: Records, sensitive: Longs, most: int, rng: np.random.Generator) -> Longs:
    """The places of items beyond what one group of all records may hold, drawn at random."""
    gone = [np.zeros(0, dtype=np.int64)]
    for code in sensitive[records.supports[sensitive] > most].tolist():
        places = np.flatnonzero(records.items == code)
        gone.append(rng.permutation(places)[most:])
    return np.sort(np.concatenate(gone))


def _order(public: Records, keys: Longs) -> Longs:
    """The records sorted by their items, these by their keys: records with the same first items are near."""
    rank = np.empty(len(keys), dtype=np.int64)
    rank[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    row_of = np.repeat(np.arange(len(public)), public.lengths)
    ranks = rank[public.items]
    ranks = ranks[np.lexsort((ranks, row_of))].tolist()
    ends = public.offsets.tolist()
    return np.array(
        sorted(range(len(public)), key=lambda row: ranks[ends[row] : ends[row + 1]]), dtype=np.int64
    )


def _numbered(group_of: Longs) -> Longs:
    """The same groups, numbered in the order of their first records."""
    _, first, inverse = np.unique(group_of, return_index=True, return_inverse=True)
    is_group = group_of[first] >= 0
    rank = np.full(len(first), -1, dtype=np.int64)
    rank[np.flatnonzero(is_group)[np.argsort(first[is_group])]] = np.arange(is_group.sum())
    return rank[inverse]
