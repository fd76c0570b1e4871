"""People against brute force: verdicts of the check, and releases of the search, on small random worlds."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import oracle_people as oracle
import withhold as wh
from tables import example_share
from withhold.data import Records, Table
from withhold.data.table import WITHHELD, Column
from withhold.methods.people.model import PeopleUncertainty

WORLDS = max(40, round(2000 * example_share()))
KNOWN = (0, 1, 2, None)
RHOS = (Fraction(1, 3), Fraction(1, 2), Fraction(3, 5), Fraction(2, 3))
QUASI = ("sex", "home")
ITEMS = "abcdeXY"
SENSITIVE = frozenset("XY")
VALUES = (("f", "m"), ("n", "s", ""))


def draw_world(seed: int, *, withheld: bool) -> list[oracle.Person]:
    """Persons of few kinds, so that groups and rules have several of them; some without items."""
    rng = random.Random(seed)
    n_persons = rng.randint(3, 14)
    n_items = rng.randint(1, 5)
    public = ITEMS[:n_items]
    people = []
    for _ in range(n_persons):
        cells = tuple(
            None if withheld and rng.random() < 0.25 else rng.choice(values) for values in VALUES
        )
        items = {item for item in public if rng.random() < 0.5}
        items |= {item for item in SENSITIVE if rng.random() < 0.3}
        people.append((cells, frozenset(items)))
    return people


def as_people(world: list[oracle.Person]) -> wh.People:
    """The persons as withhold takes them."""
    columns = []
    for place, name in enumerate(QUASI):
        values = VALUES[place]
        codes = [WITHHELD if c[place] is None else values.index(c[place]) for c, _ in world]
        columns.append(Column(name, np.array(codes, dtype=np.int32), values))
    records = Records.from_lists([sorted(items) for _, items in world])
    return wh.People(Table(tuple(columns)), records)


def as_world(people: wh.People) -> list[oracle.Person]:
    """What is published, as the oracle takes it."""
    columns = [people.attributes.column(name) for name in QUASI]
    cells = zip(*(column.cells().tolist() for column in columns), strict=True)
    return [(tuple(c), frozenset(items)) for c, items in zip(cells, people.items, strict=True)]


def model_of(rho: Fraction, k: int, max_known: int | None) -> PeopleUncertainty:
    return PeopleUncertainty(rho, SENSITIVE, k=k, quasi_identifiers=QUASI, max_known=max_known)


@pytest.mark.parametrize("max_known", KNOWN)
def test_verify__agrees_with_every_knowledge_tried(max_known):
    outcomes = set()
    for seed in range(WORLDS):
        world = draw_world(seed, withheld=True)
        if seed % 3 == 0:
            # Twice the same persons: more of the groups are large enough.
            world += world
        rho, k = RHOS[seed % 4], 1 + seed % 2
        verdict = wh.verify(as_people(world), model_of(rho, k, max_known), allow_unknown=True)
        holds = oracle.is_safe(world, SENSITIVE, rho, k, max_known)
        assert verdict.status.value == ("HOLDS" if holds else "BROKEN"), seed
        outcomes.add(holds)
    assert outcomes == {True, False} or WORLDS < 100


@pytest.mark.parametrize("max_known", KNOWN)
def test_anonymize__leaves_nothing_to_any_attacker(max_known):
    changed = 0
    for seed in range(max_known or 0, WORLDS, 4):
        world = draw_world(seed, withheld=seed % 5 == 0)
        rho, k = RHOS[seed % 3], 1 + seed % 3
        release = wh.anonymize(
            as_people(world), model_of(rho, k, max_known), seed=seed, allow_unknown=True
        )
        published = as_world(release.data)
        assert oracle.is_safe(published, SENSITIVE, rho, k, max_known), seed
        original = [{cells[place] for cells, _ in world} for place in range(len(QUASI))]
        assert oracle.worst_share(published, SENSITIVE, max_known, wildcard=original) <= rho, seed
        for (cells, items), (shown, left) in zip(world, published, strict=True):
            assert all(now in (before, None) for before, now in zip(cells, shown, strict=True))
            assert left <= items
            assert items - left <= SENSITIVE
        changed += published != world
    assert changed


def draw_dated_world(seed: int, *, withheld: bool, beside: bool) -> list[oracle.Person]:
    """The same with dates of some items, several of one item too; without ``beside`` X@2019 may be alone."""
    rng = random.Random(seed)
    people = []
    for cells, items in draw_world(seed, withheld=withheld):
        # Few public items: the oracle tries every set of items and dates.
        items = {item for item in items if item in "abXY"}
        dated = {f"{i}@{y}" for i in items if i != "b" for y in (2019, 2020) if rng.random() < 0.4}
        gone = set() if beside else {oracle.undated(i) for i in dated if rng.random() < 0.3}
        people.append((cells, frozenset(items - gone | dated)))
    return people


@pytest.mark.parametrize("max_known", KNOWN)
def test_verify__agrees_with_every_knowledge_of_dates_tried(max_known):
    outcomes = set()
    for seed in range(max_known or 0, WORLDS, 2):
        world = draw_dated_world(seed, withheld=seed % 5 == 0, beside=seed % 3 == 0)
        rho = RHOS[seed % 4]
        verdict = wh.verify(as_people(world), model_of(rho, 1, max_known), allow_unknown=True)
        holds = oracle.is_safe(world, SENSITIVE, rho, 1, max_known)
        assert verdict.status.value == ("HOLDS" if holds else "BROKEN"), seed
        if (witness := verdict.witness) is not None:
            assert witness.confidence > rho
            assert witness.consequent not in {oracle.undated(item) for item in witness.antecedent}
        outcomes.add(holds)
    assert outcomes == {True, False}


@pytest.mark.parametrize("max_known", KNOWN)
def test_anonymize__leaves_neither_items_nor_dates_to_any_attacker(max_known):
    dates_alone = 0
    for seed in range(max_known or 0, WORLDS, 4):
        world = draw_dated_world(seed, withheld=seed % 5 == 0, beside=True)
        world += world[: seed % 5]
        rho, k = RHOS[seed % 3], 1 + seed % 3
        model = model_of(rho, k, max_known)
        release = wh.anonymize(as_people(world), model, seed=seed, allow_unknown=True)
        published = as_world(release.data)
        assert oracle.is_safe(published, SENSITIVE, rho, k, max_known), seed
        for (_, items), (_, left) in zip(world, published, strict=True):
            assert left <= items
            assert {oracle.undated(item) for item in items - left} <= SENSITIVE
            # Whoever withholds an item withholds its dates; a date can go alone.
            assert {oracle.undated(item) for item in left} <= left
            dates_alone += any(oracle.undated(item) in left for item in items - left)
        for number in range(len(release.plan.items)):
            assert release.plan.items.why(number, release.original.items).confidence > rho
    assert dates_alone or max_known == 0


@pytest.mark.parametrize("km", [1, 2, 3])
def test_km__every_set_of_public_items_is_counted(km):
    outcomes, changed = set(), 0
    for seed in range(km, WORLDS, 5):
        dated = seed % 3 == 0
        world = (
            draw_dated_world(seed, withheld=False, beside=True)
            if dated
            else draw_world(seed, withheld=seed % 2 == 0)
        )
        world = [((*cells[:1], "n"), items) for cells, items in world + world[: seed % 6]]
        if seed % 4 == 0:
            world += world
        rho, k, max_known = RHOS[seed % 4], 2 + seed % 2, KNOWN[seed % 4]
        model = replace(model_of(rho, k, max_known), km=km)
        safe = oracle.is_safe(world, SENSITIVE, rho, k, max_known)
        holds = safe and oracle.rarest(world, SENSITIVE, km) >= k
        verdict = wh.verify(as_people(world), model, allow_unknown=True)
        assert verdict.status.value == ("HOLDS" if holds else "BROKEN"), seed
        outcomes.add((safe, holds))
        release = wh.anonymize(as_people(world), model, seed=seed, allow_unknown=True)
        published = as_world(release.data)
        assert oracle.is_safe(published, SENSITIVE, rho, k, max_known), seed
        assert oracle.rarest(published, SENSITIVE, km) >= k, seed
        assert wh.verify(as_people(published), model, allow_unknown=True)
        for (_, items), (cells, left) in zip(world, published, strict=True):
            assert left <= items
            assert {oracle.undated(item) for item in left} <= {*left}
            # A public item goes from everybody in the group, or from nobody.
            others = {item for shown, row in published if shown == cells for item in row}
            assert {i for i in items - left if oracle.undated(i) not in SENSITIVE}.isdisjoint(
                others
            )
        changed += published != world
    assert changed
    assert (False, False) in outcomes
    # Where few worlds are drawn, none of them may break the sets of public items alone.
    assert (True, False) in outcomes or WORLDS < 100


@pytest.mark.parametrize("km", [1, 2, 3])
def test_km__public_items_that_only_dates_imply(km):
    went = 0
    for seed in range(km, WORLDS, 5):
        world = draw_dated_world(seed, withheld=False, beside=True)
        world = [
            (cells, frozenset(i for i in items if i != "a" or not {"a@2019", "a@2020"} & items))
            for cells, items in world + world[: seed % 6]
        ]
        rho, k, max_known = RHOS[seed % 4], 2 + seed % 2, KNOWN[seed % 4]
        model = replace(model_of(rho, k, max_known), km=km)
        release = wh.anonymize(as_people(world), model, seed=seed, allow_unknown=True)
        published = as_world(release.data)
        closed = [(cells, left | {oracle.undated(i) for i in left}) for cells, left in published]
        assert oracle.is_safe(closed, SENSITIVE, rho, k, max_known), seed
        assert oracle.rarest(closed, SENSITIVE, km) >= k, seed
        went += any(
            {i for i in items - left if i.startswith("a@")}
            for (_, items), (_, left) in zip(world, published, strict=True)
        )
    assert went


@pytest.mark.parametrize("km", [1, 2, 3])
def test_audit__lists_every_rare_set_of_public_items(km):
    some = 0
    for seed in range(km, WORLDS, 8):
        draw = draw_dated_world if seed % 3 == 0 else draw_world
        world = draw(seed, withheld=seed % 2 == 0, **({"beside": True} if seed % 3 == 0 else {}))
        world = [((*cells[:1], "n"), items) for cells, items in world + world[: seed % 6]]
        k = 2 + seed % 3
        model = replace(model_of(RHOS[seed % 4], k, KNOWN[seed % 4]), km=km)
        found = wh.audit(as_people(world), model, allow_unknown=True, show=10_000, samples=1)
        if found.verdict:
            assert found.others == ()
            assert not oracle.rare_sets(world, SENSITIVE, k, km)
            continue
        (rare,) = found.others
        expected = oracle.rare_sets(world, SENSITIVE, k, km)
        listed = {
            (tuple(value for _, value in each.cells), frozenset(each.items)): each.persons
            for each in rare.breaches
        }
        assert listed == expected, seed
        assert len(rare.breaches) == len(expected)
        sizes = [len(known) for _, known in expected]
        assert {size: each.count for size, each in rare.counts.items()} == {
            size: sizes.count(size) for size in range(1, km + 1)
        }
        closed = [(cells, {*items, *map(oracle.undated, items)}) for cells, items in world]
        exposed = [
            any(c == cells and known <= items for c, known in expected) for cells, items in closed
        ]
        assert rare.exposed_records == sum(exposed), seed
        assert [(len(each.items), each.persons) for each in rare.breaches] == sorted(
            (len(each.items), each.persons) for each in rare.breaches
        )
        some += len(expected) > 1
    assert some


JOBS = ("a", "b", "")


@pytest.mark.parametrize("max_known", KNOWN)
def test_anonymize__protects_sensitive_columns_and_climbs_hierarchies(max_known):
    towns = {"n1": "north", "n2": "north", "s1": "south", "s2": "south"}
    tree = wh.Hierarchy.from_edges([*towns.items(), ("north", "*"), ("south", "*")])
    shown = set()
    for seed in range(WORLDS // 10):
        rng = random.Random(seed)
        n_persons = rng.randint(4, 16)
        home = [rng.choice(list(towns)) for _ in range(n_persons)]
        job = [rng.choice(JOBS) for _ in range(n_persons)]
        items = [[item for item in "abX" if rng.random() < 0.4] for _ in range(n_persons)]
        people = wh.People(
            Table.from_columns({"home": home, "job": job}), Records.from_lists(items)
        )
        rho = RHOS[seed % 4]
        model = PeopleUncertainty(
            rho, {"X"}, k=2, quasi_identifiers=["home"], max_known=max_known, sensitive_column="job"
        )
        hierarchy = {"home": tree}
        options = {"hierarchy": hierarchy, "publish": ["job"], "allow_unknown": True}
        release = wh.anonymize(people, model, seed=seed, **options)
        homes, jobs = (release.data.attributes.column(n).cells().tolist() for n in ("home", "job"))
        # A value of a sensitive column is one more item; a withheld one is none.
        published = [
            ((where,), frozenset(left) | ({f"job={what}"} if what is not None else set()))
            for where, what, left in zip(homes, jobs, release.data.items, strict=True)
        ]
        protected = {"X", *(f"job={value}" for value in JOBS)}
        assert oracle.is_safe(published, protected, rho, 2, max_known), seed
        for before, after in zip(home, homes, strict=True):
            assert after in (before, towns[before], None)
        assert all(after in (before, None) for before, after in zip(job, jobs, strict=True))
        shown |= set(homes)
    assert {None, "north", "n1"} <= shown
