"""The one list of rooms. Everything that depends on a method finds it here, by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from withhold.arguments import check_options, did_you_mean, option_names
from withhold.data.evidence import Evidence
from withhold.errors import PolicyError
from withhold.lazy import load
from withhold.method import AuditRun, CheckRun, Method, Model, SearchOptions, SearchRun
from withhold.phases import phase

if TYPE_CHECKING:
    from withhold.telling.facts import Measured, MeasureRequest
    from withhold.verdict import Verdict

D = TypeVar("D")
R = TypeVar("R")

ROOMS = {
    "rho": "withhold.methods.rho",
    "personal-rho": "withhold.methods.personal",
    "coherence": "withhold.methods.coherence",
    "km": "withhold.methods.km",
    "k-anonymity": "withhold.methods.cells",
    "buckets": "withhold.methods.buckets",
    "people": "withhold.methods.people",
    "apart": "withhold.methods.apart",
}
"""The folder of each method, whose ``METHOD`` describes it. The first is the default."""
OF_PEOPLE = {"apart": "withhold.methods.people_apart"}
"""The same for people, if a method for records of items has a counterpart of the same name."""
OLD_NAMES = {"people-apart": "withhold.methods.people_apart"}
"""Names in older manifests and policies, and what they are called now."""


@cache
def _loaded(room: str) -> Method:
    method: Method = load(f"{room}:METHOD")
    return method


def method_named(name: str) -> Method:
    """The method of this name, as ``--model`` and manifests have it; of two, the one for records."""
    if name not in ROOMS and name not in OLD_NAMES:
        meant = did_you_mean(name, ROOMS) or ";"
        known = f"{'This' if meant.endswith('?') else 'this'} version knows: {', '.join(ROOMS)}"
        raise PolicyError(f"unknown model {name!r}{meant} {known}")
    return _loaded(ROOMS.get(name) or OLD_NAMES[name])


def method_for(name: str, parameters: Iterable[str]) -> Method:
    """The method of this name; of two, the one for people if only that one has these parameters."""
    method = method_named(name)
    if name in OF_PEOPLE and not method.all_options().keys() >= {*parameters}:
        return _loaded(OF_PEOPLE[name])
    return method


def method_of(model: Model) -> Method:
    """The method that a model belongs to."""
    method = method_named(model.name)
    of_people = None if isinstance(model, method.model) else OF_PEOPLE.get(model.name)
    return method if of_people is None else _loaded(of_people)


def all_methods() -> Mapping[str, Method]:
    """Every method, by name; if two share a name, the one for people is ``NAME of people``."""
    of_people = {f"{name} of people": _loaded(room) for name, room in OF_PEOPLE.items()}
    return {name: method_named(name) for name in ROOMS} | of_people


def own_name(method: Method) -> str:
    """A name under which ``method_named`` finds exactly this method."""
    return next(name for name in (*ROOMS, *OLD_NAMES) if method_named(name) is method)


def usual_method(data: str) -> Method:
    """The method whose measures are used if only the kind of data is known: the first of that kind."""
    return next(method for method in all_methods().values() if method.data == data)


def model_from(parameters: Mapping[str, Any]) -> Model:
    """The model that has these ``parameters()``.

    >>> from withhold.methods.rho.model import RhoUncertainty
    >>> model = RhoUncertainty("0.7", {"condom"})
    >>> model_from(model.parameters()) == model
    True
    """
    name = parameters.get("model")
    if not isinstance(name, str) or name not in {**ROOMS, **OLD_NAMES}:
        raise PolicyError(f"names a model that this version does not know ({name!r})")
    return method_for(name, parameters.keys() - {"model"}).build(parameters)


def search_call(
    model: Model,
    options: Mapping[str, object],
    *,
    verb: str = "anonymize",
    also: Iterable[str] = (),
) -> tuple[SearchOptions, SearchRun]:
    """The options of the method's search, and how to run it; refuses options that nothing takes.

    ``also`` are the options of the verb itself.
    """
    declared = method_of(model).search.options
    return _split(declared, SearchRun, options, f"{verb} with {model.name}", also)


def audit_call(
    model: Model, options: Mapping[str, object], *, also: Iterable[str] = ()
) -> tuple[Any, AuditRun]:
    """The same for the method's audit."""
    declared = method_of(model).audit.options
    return _split(declared, AuditRun, options, f"audit with {model.name}", also)


def _split(
    declared: type[D], run: type[R], options: Mapping[str, object], what: str, also: Iterable[str]
) -> tuple[D, R]:
    names = option_names(run)
    check_options(declared, options, what=what, also=(*also, *names))
    how = {name: options[name] for name in names if name in options}
    check_options(run, how, what=what)
    own = {name: options[name] for name in option_names(declared) if name in options}
    return declared(**own), run(**how)


def verify(data: Any, model: Model, evidence: Evidence, run: CheckRun) -> Verdict:
    """HOLDS, BROKEN with a smallest witness, or UNDECIDED when the limit ran out first."""
    with phase("proving"):
        return method_of(model).check(data, model, evidence, run)


def measured(original: Any, published: Any, request: MeasureRequest) -> Measured:
    """A release measured against its original, with the measures of its method or of its kind of data."""
    kind = type(original).__name__
    if kind != type(published).__name__:
        raise PolicyError(f"{kind} cannot be compared with {type(published).__name__}")
    method = usual_method(original.kind) if request.model is None else method_of(request.model)
    return method.measure(original, published, request)
