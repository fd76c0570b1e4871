"""The one list of rooms. Everything that depends on a method finds it here, by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from withhold.arguments import check_options, option_names
from withhold.counting.threads import Progress, quiet
from withhold.errors import PolicyError
from withhold.lazy import load
from withhold.method import AuditRun, Method, Model, SearchRun

if TYPE_CHECKING:
    from withhold.telling.facts import Asked, Measured
    from withhold.verdict import Verdict

ROOMS = {
    "rho": "withhold.methods.rho",
    "personal-rho": "withhold.methods.personal",
    "coherence": "withhold.methods.coherence",
    "km": "withhold.methods.km",
    "k-anonymity": "withhold.methods.cells",
    "buckets": "withhold.methods.buckets",
}
"""The folder of each method, whose ``METHOD`` says the rest. The first is the default."""


@cache
def _loaded(room: str) -> Method:
    method: Method = load(f"{room}:METHOD")
    return method


def method_named(name: str) -> Method:
    """The method that ``--model`` and manifests call so."""
    if name not in ROOMS:
        raise PolicyError(f"unknown model {name!r}; this version knows: {', '.join(ROOMS)}")
    return _loaded(ROOMS[name])


def method_of(model: Model) -> Method:
    """The method that a model belongs to."""
    return method_named(model.name)


def all_methods() -> Mapping[str, Method]:
    """Every method, by name."""
    return {name: method_named(name) for name in ROOMS}


def usual_method(data: str) -> Method:
    """The method whose measures serve for data of which nothing else is known: the first of its kind."""
    return next(method for method in all_methods().values() if method.data == data)


def model_from(parameters: Mapping[str, Any]) -> Model:
    """The model whose ``parameters()`` these are.

    >>> from withhold.methods.rho.model import RhoUncertainty
    >>> model = RhoUncertainty("0.7", {"condom"})
    >>> model_from(model.parameters()) == model
    True
    """
    name = parameters.get("model")
    if not isinstance(name, str) or name not in ROOMS:
        raise PolicyError(f"names a model that this version does not know ({name!r})")
    return method_named(name).build(parameters)


def check_search(
    model: Model,
    options: Mapping[str, Any],
    *,
    verb: str = "anonymize",
    also: Iterable[str] = (),
) -> None:
    """Refuse, before any work is done, options that neither the method's search nor the verb takes.

    ``also`` are the options of the verb itself.
    """
    declared = method_of(model).search_options
    _check(declared, SearchRun, options, f"{verb} with {model.name}", also)


def check_audit(model: Model, options: Mapping[str, Any], *, also: Iterable[str] = ()) -> None:
    """Refuse, before any work is done, options that neither the method's audit nor the verb takes."""
    declared = method_of(model).audit_options
    _check(declared, AuditRun, options, f"audit with {model.name}", also)


def _check(
    declared: type[Any],
    how: type[Any],
    options: Mapping[str, Any],
    what: str,
    also: Iterable[str],
) -> None:
    run = option_names(how)
    check_options(declared, options, what=what, also=(*also, *run))
    check_options(how, {name: options[name] for name in run if name in options}, what=what)
    declared(**{name: options[name] for name in option_names(declared) if name in options})


def verify(
    data: Any,
    model: Model,
    *,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Verdict:
    """HOLDS, BROKEN with a smallest witness, or UNDECIDED when the limit ran out first."""
    check = method_of(model).check
    return check(data, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress)


def measured(original: Any, published: Any, asked: Asked) -> Measured:
    """How a release compares with its original, in the measures of its method, or of its kind of data."""
    kind = type(original).__name__
    if kind != type(published).__name__:
        raise PolicyError(f"{kind} cannot be compared with {type(published).__name__}")
    method = usual_method(original.kind) if asked.model is None else method_of(asked.model)
    return method.measure(original, published, asked)
