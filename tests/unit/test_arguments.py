"""A wrong name or a wrong type in Python: always an error of ours, in the words of what was called."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

import pandas as pd
import polars as pl
import pytest

import withhold as wh
from withhold.arguments import check_options, checked, fits, names_in, words
from withhold.errors import InputError, PolicyError, WithholdError
from withhold.method import AuditRun, SearchRun
from withhold.registry import all_methods

SHOP = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
ROWS = pl.DataFrame({"age": [30, 30, 40, 40], "sex": list("ffmm"), "sick": list("abab")})
RHO = wh.RhoUncertainty("0.5", {"condom"})
RECORDS = wh.read(SHOP)
MODELS_MADE = {
    "rho": RHO,
    "personal-rho": wh.PersonalRhoUncertainty("0.5"),
    "coherence": wh.Coherence("0.5", 2, 1, ["condom"]),
    "km": wh.KmAnonymity(2, 1),
    "k-anonymity": wh.KAnonymity(2, ["age", "sex"]),
    "buckets": wh.Buckets(2),
    "people": wh.PeopleUncertainty("0.5", {"condom"}, k=2, quasi_identifiers=["age", "sex"]),
    "apart": wh.SensitiveApart("0.5", {"condom"}),
    "apart of people": wh.PeopleApart("0.5", {"condom"}, quasi_identifiers=["age", "sex"]),
}
FUNCTIONS = [
    name
    for name in wh.__all__
    if inspect.isfunction(getattr(wh, name)) and not inspect.isclass(getattr(wh, name))
]


PEOPLE = ROWS.with_columns(items=pl.Series(SHOP))


def data_for(name):
    return {"k-anonymity": ROWS, "people": PEOPLE, "apart of people": PEOPLE}.get(name, SHOP)


def refused(call, *args, **named):
    """The message of the error that the call raises, which must be one of ours."""
    with pytest.raises((PolicyError, InputError)) as caught:
        call(*args, **named)
    return str(caught.value)


def test_every_model_and_public_function_is_looked_at():
    assert set(MODELS_MADE) == set(all_methods())
    assert {*FUNCTIONS} == {
        *("advise", "anonymize", "apply", "audit", "compare", "inspect", "ladder", "pharmacy"),
        *("read", "read_hierarchy", "read_cell", "read_people", "read_table", "sweep"),
        *("trade_off", "verify"),
        *("anonymize_parts", "audit_parts", "compare_parts", "verify_parts"),
    }


@pytest.mark.parametrize("name", MODELS_MADE)
@pytest.mark.parametrize("verb", ["anonymize", "audit", "verify", "sweep"])
def test_unknown_option__names_those_of_the_model_and_the_verb(verb, name):
    more = {"vary": {"k" if hasattr(MODELS_MADE[name], "k") else "rho": ["0.5"]}}
    more = more if verb == "sweep" else {}
    if verb == "sweep" and "k" in more["vary"]:
        more["vary"]["k"] = [2]
    told = refused(
        getattr(wh, verb), data_for(name), MODELS_MADE[name], progres=print, zzz=1, **more
    )
    assert "has no option 'progres'; did you mean progress? It takes " in told
    assert "jobs" in told
    assert MODELS_MADE[name].name in told or verb == "verify"
    assert "suppress_" not in told
    assert "audit_" not in told


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: wh.anonymize(SHOP, RHO, kep="rules"),
            "did you mean keep? It takes publish, keep, pick",
        ),
        (
            lambda: wh.anonymize(SHOP, RHO, keep=3),
            "keep must be rules, distribution, counts or sensitive, not 3",
        ),
        (
            lambda: wh.anonymize(SHOP, RHO, keep="rule"),
            "keep must be rules, distribution, counts or sensitive",
        ),
        (
            lambda: wh.anonymize(SHOP, RHO, restoring="no"),
            "restoring must be True or False or None",
        ),
        (lambda: wh.anonymize(SHOP, RHO, budget="5"), "budget must be a number or None, not '5'"),
        (lambda: wh.anonymize(SHOP, RHO, budget=float("nan")), "budget must be a number or None"),
        (lambda: wh.anonymize(SHOP, RHO, seed="a"), "seed must be a whole number"),
        (lambda: wh.anonymize(SHOP, RHO, seed=1.5), "seed must be a whole number"),
        (lambda: wh.anonymize(SHOP, RHO, seed=True), "seed must be a whole number"),
        (lambda: wh.anonymize(SHOP, RHO, seed=-1), "seed must be 0 or more, not -1"),
        (lambda: wh.anonymize(SHOP, RHO, seed=2**64), "seed must be at most"),
        (lambda: wh.anonymize(SHOP, RHO, jobs=0), "jobs must be 1 or more, not 0"),
        (lambda: wh.anonymize(SHOP, RHO, jobs="2"), "jobs must be a whole number or None, not '2'"),
        (lambda: wh.anonymize(SHOP, RHO, progress=3), "progress must be a function, not 3"),
        (lambda: wh.anonymize(SHOP, RHO, truthful=True), 'fill="hash" gives'),
        (lambda: wh.anonymize(SHOP, RHO, truthfull=True), "has no option 'truthfull'"),
        (lambda: wh.anonymize(SHOP, wh.Buckets(2), hierarchy=3), "hierarchy must be"),
        (lambda: wh.anonymize(SHOP, wh.Buckets(2), truthful=True), "truthful is the default now"),
        (lambda: wh.anonymize(SHOP, wh.Buckets(2), fil="hash"), "did you mean fill?"),
        (lambda: wh.anonymize(SHOP), "anonymize needs model: a model made with its parameters"),
        (lambda: wh.anonymize(), "anonymize needs data"),
        (lambda: wh.anonymize(SHOP, RHO, 3), "at most 2 values without a name"),
        (lambda: wh.anonymize(SHOP, RHO, model=RHO), "anonymize got model twice"),
        (lambda: wh.trade_off(SHOP, RHO), "trade_off needs hierarchy"),
        (lambda: wh.advise(SHOP, sensitive=3), "sensitive must be"),
        (lambda: wh.advise(SHOP, limit_seconds="soon"), "limit_seconds must be"),
        (lambda: wh.inspect(SHOP), "data must be"),
        (lambda: wh.read(SHOP, tidy=3), "tidy must be"),
        (lambda: wh.trade_off(SHOP, RHO, hierarchy=3), "hierarchy must be"),
        (lambda: wh.anonymize(SHOP, RHO, detail=2), "detail must be"),
        (lambda: wh.anonymize(SHOP, RHO, cut=1.5), "cut must be"),
        (lambda: wh.RhoUncertainty("0.5", ["a"], groups=3), "groups must be"),
        (lambda: wh.audit(SHOP, "rho"), "model must be a model made with its parameters"),
        (lambda: wh.audit(SHOP, None), "not None"),
        (lambda: wh.audit(SHOP, wh.RhoUncertainty), "not the class RhoUncertainty"),
        (lambda: wh.audit(SHOP, pd.DataFrame({"a": [1]})), "model must be a model"),
        (lambda: wh.audit(SHOP, RHO, show=0), "show must be 1 or more"),
        (lambda: wh.audit(SHOP, RHO, samples=0), "samples must be 1 or more"),
        (lambda: wh.audit(SHOP, RHO, max_size=-1), "max_size must be 0 or more"),
        (lambda: wh.audit(SHOP, RHO, keep="rules"), "has no option 'keep'"),
        (lambda: wh.verify(SHOP, RHO, limit_seconds=-1), "limit_seconds must be 0 or more"),
        (lambda: wh.verify(SHOP, RHO, limit_seconds="1"), "limit_seconds must be a number"),
        (lambda: wh.verify(SHOP, RHO, seed=1), "verify has no option 'seed'"),
        (lambda: wh.RhoUncertainty("0.5", None), "sensitive must be a collection"),
        (
            lambda: wh.RhoUncertainty("0.5", "condom"),
            "sensitive must be a collection, such as a list, not 'condom'",
        ),
        (lambda: wh.RhoUncertainty("0.5", [1, None]), "sensitive must be a collection"),
        (lambda: wh.RhoUncertainty("0.5", (i for i in [1, None])), "sensitive must hold texts"),
        (lambda: wh.RhoUncertainty("0.5", [7.0]), "sensitive must be a collection"),
        (lambda: wh.RhoUncertainty("0.5", ROWS), "sensitive must be a collection"),
        (lambda: wh.RhoUncertainty("0.5", [True]), "sensitive must be a collection"),
        (lambda: wh.RhoUncertainty("0.5", []), "no sensitive items were named"),
        (
            lambda: wh.RhoUncertainty(None, ["a"]),
            "rho must be a number such as 0.7 or 2/3, not None",
        ),
        (lambda: wh.RhoUncertainty(True, ["a"]), "rho must be a number such as 0.7"),
        (lambda: wh.RhoUncertainty([0.5], ["a"]), "rho must be a number such as 0.7"),
        (lambda: wh.RhoUncertainty("0.5"), "RhoUncertainty needs sensitive"),
        (lambda: wh.RhoUncertainty(roh="0.5", sensitive="a"), "did you mean rho?"),
        (lambda: wh.RhoUncertainty("0.5", ["a"], max_known=-1), "max_known must be 0 or more"),
        (
            lambda: wh.RhoUncertainty("0.5", ["a"], max_known="1"),
            "max_known must be a whole number",
        ),
        (lambda: wh.RhoUncertainty("0.5", ["a"], ignore_prior=1), "ignore_prior must be True or"),
        (lambda: wh.PersonalRhoUncertainty("0.5", ["a"]), "at most 1 values without a name"),
        (lambda: wh.PersonalRhoUncertainty("0.5", seed=1), "has no option 'seed'"),
        (
            lambda: wh.anonymize(SHOP, wh.PersonalRhoUncertainty("0.5"), constraints=["a"]),
            "constraints must be a Constraints or",
        ),
        (lambda: wh.verify(SHOP, RHO, evidence=3), "evidence must be an Evidence or None"),
        (lambda: wh.Coherence("0.5", True, 1, ["a"]), "k must be a whole number, not True"),
        (lambda: wh.Coherence("0.5", "5", 1, ["a"]), "k must be a whole number, not '5'"),
        (lambda: wh.Coherence("0.5", 5, 1, "ab"), "private must be a collection"),
        (lambda: wh.KmAnonymity("5", 1), "k must be a whole number"),
        (lambda: wh.KmAnonymity(k=5, n=1), "KmAnonymity has no option 'n'"),
        (lambda: wh.KAnonymity(5, "age"), "quasi_identifiers must be a collection"),
        (lambda: wh.KAnonymity(5, [None]), "quasi_identifiers must be a collection"),
        (lambda: wh.KAnonymity(5, ["age"], label=3), "label must be a text or None, not 3"),
        (lambda: wh.Buckets(True), "k must be a whole number, not True"),
        (lambda: wh.Buckets("5"), "k must be a whole number, not '5'"),
        (lambda: wh.read(3), "neither a path nor a frame"),
        (lambda: wh.read(SHOP, format=3), "format must be a text or None"),
        (lambda: wh.read(SHOP, fromat="long"), "did you mean format?"),
        (lambda: wh.read_table(3), "neither a path nor a frame"),
        (lambda: wh.read_table(ROWS, drop="age"), "drop must be a collection"),
        (lambda: wh.read_table(ROWS, drop=[None]), "drop must be a collection"),
        (lambda: wh.read_hierarchy(3), "path must be a text or a path, not 3"),
        (lambda: wh.pharmacy("a lot"), "baskets must be a whole number"),
        (lambda: wh.pharmacy(-1), "baskets must be 0 or more"),
        (lambda: wh.compare(), "compare needs original"),
        (lambda: wh.compare(SHOP), "nothing to compare with"),
        (lambda: wh.compare(SHOP, SHOP, sensitive="beer"), "sensitive must be a collection"),
        (lambda: wh.compare(SHOP, SHOP, hierarchy=3), "hierarchy must be"),
        (lambda: wh.compare(SHOP, SHOP, names=["a", "b"]), "one name for each release"),
        (lambda: wh.compare(SHOP, SHOP, names="a"), "names must be a list"),
        (lambda: wh.compare(SHOP, SHOP, min_support=[3]), "min_support must be"),
        (lambda: wh.compare(SHOP, 3), "neither a path nor a frame"),
        (lambda: wh.sweep(SHOP, RHO), "sweep needs vary"),
        (lambda: wh.sweep(SHOP, RHO, vary={"rhoo": ["0.5"]}), "did you mean rho? It can vary"),
        (lambda: wh.sweep(SHOP, RHO, vary={"zzz": ["0.5"]}), "RhoUncertainty has no 'zzz'; it can"),
        (lambda: wh.sweep(SHOP, RHO, vary={"keep": "rules"}), "must be a list of values"),
        (lambda: wh.sweep(SHOP, RHO, vary={"rho": 0.5}), "must be a list of values"),
        (lambda: wh.sweep(SHOP, RHO, vary={"rho": ["0.5", None]}), "rho must be a number"),
        (
            lambda: wh.sweep(SHOP, RHO, vary={"keep": ["rules", 3]}),
            "keep must be rules, distribution, counts or sensitive",
        ),
        (lambda: wh.sweep(SHOP, RHO, vary=["rho"]), "vary must be a mapping"),
        (lambda: wh.sweep(SHOP, wh.RhoUncertainty, vary={"rho": ["0.5"]}), "not the class"),
        (lambda: wh.sweep(SHOP, "rho", vary={"rho": ["0.5"]}), "model must be a model"),
        (
            lambda: wh.anonymize(SHOP, RHO, consnt=[1]),
            "did you mean consent? It takes publish, keep, pick",
        ),
        (lambda: wh.anonymize(SHOP, RHO, allow_unknwn=True), "did you mean allow_unknown?"),
        (lambda: wh.anonymize(SHOP, RHO, idz="keep"), "did you mean ids?"),
        (lambda: wh.audit(SHOP, RHO, consnt=[1]), "did you mean consent?"),
        (lambda: wh.verify(SHOP, RHO, allow_unkown=True), "did you mean allow_unknown?"),
        (
            lambda: wh.sweep(SHOP, RHO, vary={"rho": ["0.5"]}, foldr="x"),
            "sweep with rho has no option 'foldr'; did you mean folder?",
        ),
        (
            lambda: wh.Constraints.of({0: ["a"]}, SHOP),
            "records must be a Records, not a list",
        ),
        (
            lambda: wh.Constraints.of({0: ["a"]}, record=RECORDS),
            "Constraints.of has no option 'record'; did you mean records? It takes source, records",
        ),
        (lambda: wh.Constraints.of({0: ["a"]}), "Constraints.of needs records"),
        (lambda: wh.Constraints.of({0: [None]}, RECORDS), "what record 0 wants protected must be"),
        (lambda: wh.Constraints.of({0: [True]}, RECORDS), "what record 0 wants protected must be"),
        (
            lambda: wh.Constraints.of({True: ["a"]}, RECORDS),
            "a key of the constraints is not a record",
        ),
        (
            lambda: wh.Constraints.of({None: ["a"]}, RECORDS),
            "a key of the constraints is not a record",
        ),
        (lambda: wh.Constraints.of({0: ["a"]}, RECORDS, hierarchy=3), "hierarchy must be"),
        (lambda: wh.Constraints.of(lambda _: [None], RECORDS), "wants protected must be texts"),
        (lambda: wh.Constraints.from_pairs(None, RECORDS), "pairs must be a collection"),
        (lambda: wh.Constraints.from_pairs([(0,)], RECORDS), "a pair must be (row, item"),
        (lambda: wh.Constraints.from_pairs([(0, None, False)], RECORDS), "a pair must be (row"),
        (lambda: wh.Constraints.from_matrix([[1]], RECORDS), "must be an array (found 'list')"),
        (lambda: wh.Constraints.from_function(5, RECORDS), "wishes_of must be a function, not 5"),
        (lambda: wh.Hierarchy.from_edges(None), "edges must be a collection"),
        (lambda: wh.Hierarchy.from_edges([("a",)]), "an edge is a pair of names"),
        (lambda: wh.Hierarchy.from_edges([("a", None)]), "an edge (child, parent) must be a"),
        (lambda: wh.Hierarchy.from_edges(["ab"]), "an edge (child, parent) must be a collection"),
        (lambda: wh.Hierarchy.from_paths(None), "paths must be a collection"),
        (lambda: wh.Hierarchy.from_paths([None]), "a path (from a leaf to the root) must be"),
        (lambda: wh.Hierarchy.by_prefix(None), "items must be a collection"),
        (lambda: wh.Hierarchy.by_fan_out(["a"], "2"), "fan_out must be a whole number"),
        (lambda: wh.Table.from_columns(None), "columns must be a mapping (dict), not None"),
        (lambda: wh.Table.from_columns({"a": None}), "each column is a name and a collection"),
        (lambda: wh.Table.from_columns({"a": "xy"}), "each column is a name and a collection"),
        (lambda: wh.Records.from_lists(None), "records must be a collection"),
        (lambda: wh.Records.from_lists([3]), "record 1 is not a collection of items"),
        (
            lambda: wh.read_table(ROWS, bins={5: 5}),
            "bins name columns by texts, such as 'age', not",
        ),
        (lambda: wh.read_table(ROWS, bins=[5]), "bins name columns by texts"),
        (
            lambda: wh.apply(wh.anonymize(SHOP, RHO).plan, wh.read_table(ROWS)),
            "records must be a Records, not a Table",
        ),
        (
            lambda: wh.apply(wh.anonymize(ROWS, MODELS_MADE["k-anonymity"]).plan, RECORDS),
            "table must be a Table, not a Records",
        ),
        (lambda: wh.apply(None, RECORDS), "plan must be the plan"),
        (lambda: wh.apply("plan", RECORDS), "plan must be the plan"),
        (
            lambda: wh.apply(wh.anonymize(SHOP, RHO).plan, SHOP),
            "data must be a Records, a Table or a People",
        ),
        (lambda: wh.anonymize(SHOP, RHO).write(3), "path must be a text or a path"),
        (lambda: wh.anonymize(SHOP, RHO).write("a.dat", report="yes"), "report must be True or"),
        (lambda: wh.anonymize(SHOP, RHO).write("a.dat", fromat="long"), "did you mean format?"),
        (lambda: wh.anonymize(SHOP, RHO).report(edition=None), "edition must be a text"),
    ],
)
def test_wrong_name_or_type(call, told):
    assert told in refused(call)


def values_for(name):
    """Arguments with which a public function does its work."""
    release = wh.anonymize(SHOP, RHO)
    return {
        "advise": {"data": SHOP},
        "anonymize": {"data": SHOP, "model": RHO},
        "apply": {"plan": release.plan, "data": RECORDS},
        "audit": {"data": SHOP, "model": RHO},
        "compare": {"original": SHOP},
        "inspect": {"data": RECORDS},
        "ladder": {"data": PEOPLE, "model": MODELS_MADE["people"]},
        "pharmacy": {"baskets": 10},
        "read": {"source": SHOP},
        "read_cell": {"text": "[1..2]"},
        "read_hierarchy": {"path": "tree.csv"},
        "read_people": {"persons": PEOPLE},
        "read_table": {"source": ROWS},
        "sweep": {"data": SHOP, "model": RHO, "vary": {"rho": ["0.5"]}},
        "trade_off": {"data": SHOP, "model": RHO, "hierarchy": "fan-out:2"},
        "verify": {"data": SHOP, "model": RHO},
        "anonymize_parts": {"data": "shop.dat", "model": RHO, "folder": "published"},
        "audit_parts": {"data": "shop.dat", "model": RHO},
        "compare_parts": {"original": "shop.dat"},
        "verify_parts": {"folder": "published"},
    }[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_none__is_refused_where_it_is_not_a_default(name):
    function = getattr(wh, name)
    for parameter in inspect.signature(function).parameters.values():
        # A cell may be null, which is a value as it is.
        if (name == "read_cell" and wh.read_cell(None) is None) or parameter.default is None:
            continue
        if parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        values = {**values_for(name), parameter.name: None}
        args = [values.pop("original"), SHOP] if name.startswith("compare") else []
        refused(function, *args, **values)


@pytest.mark.parametrize("name", MODELS_MADE)
def test_none__is_refused_by_models_and_their_options_alike(name):
    model = MODELS_MADE[name]
    made = {each: getattr(model, each) for each in inspect.signature(type(model)).parameters}
    for parameter in inspect.signature(type(model)).parameters.values():
        if parameter.default is not None and "None" not in str(parameter.annotation):
            refused(type(model), **{**made, parameter.name: None})
    method = all_methods()[name]
    for verb, declared, run in (
        (wh.anonymize, method.search.options, SearchRun),
        (wh.audit, method.audit.options, AuditRun),
    ):
        parameters = {**inspect.signature(declared).parameters, **inspect.signature(run).parameters}
        for parameter in parameters.values():
            drawn = verb is wh.anonymize and parameter.name == "seed"  # from the system, for None
            required = parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not None
            if required and not drawn:
                told = refused(verb, data_for(name), model, **{parameter.name: None})
                assert told.startswith(f"{parameter.name} must be ")


@pytest.mark.parametrize("name", MODELS_MADE)
def test_message__shows_every_model(name):
    assert type(MODELS_MADE[name]).__name__ in refused(wh.audit, SHOP, 3)


def test_what_fits__is_not_refused():
    import numpy as np

    sensitive = pd.Series(["condom"])
    assert wh.RhoUncertainty("0.5", sensitive).sensitive == {"condom"}
    assert wh.RhoUncertainty(0.5, {"condom": 1}, max_known=np.int64(2)).max_known == 2
    assert wh.RhoUncertainty("0.5", [7]).sensitive == {"7"}
    assert wh.anonymize(SHOP, RHO, seed=np.int64(3), jobs=1, budget=5).verdict
    assert wh.verify(SHOP, RHO, limit_seconds=10).status is wh.Status.BROKEN
    for number in (1, "1", 0.25, "0.25"):
        found = wh.compare(SHOP, SHOP, min_support=number, min_confidence=0.5)
        assert found.releases[0].measured.fact("rules.before").value == 11
    assert issubclass(PolicyError, WithholdError)


def test_machinery__by_itself():
    @checked
    def bake(loaves: int, *more: str, oven: float | None = None, **options: int) -> int:
        return loaves

    assert bake(2, "a", "b", oven=1, salt=3) == 2
    assert "oven must be a number or None" in refused(bake, 2, oven="hot")
    assert "bake needs loaves: a whole number" in refused(bake)

    def tool(table: object, *, speed: int = 1) -> None: ...

    check_options(tool, {"speed": 3}, what="the tool")
    assert "the tool has no option 'table'" in refused(
        check_options, tool, {"table": 3}, what="the tool"
    )
    assert words(str | None) == "a text or None"
    assert not fits(int, int)
    assert names_in(iter(["a"]), name="x") == ("a",)
    assert not fits("ab", Iterable[str])
