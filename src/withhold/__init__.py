"""withhold: publish sets of items and tables without exposing anybody.

>>> import withhold as wh
>>> baskets = wh.read([["bread", "beer", "condom"], ["beer", "condom"], ["bread"], ["coffee"]])
>>> model = wh.RhoUncertainty(rho="0.5", sensitive={"condom"})
>>> wh.audit(baskets, model).verdict.status
<Status.BROKEN: 'BROKEN'>
"""

from __future__ import annotations

# Nothing is imported here: the command should spend no time on imports before it handles Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from withhold.data import Constraints, Evidence, Hierarchy, Records, Source, Table
    from withhold.data.breach import Breach
    from withhold.data.people import People
    from withhold.errors import WithholdError, WithholdWarning
    from withhold.methods.apart.model import SensitiveApart
    from withhold.methods.buckets.model import Buckets
    from withhold.methods.cells.model import KAnonymity
    from withhold.methods.coherence.model import Coherence
    from withhold.methods.coherence.mole import Mole
    from withhold.methods.km.model import KmAnonymity
    from withhold.methods.people.model import PeopleUncertainty
    from withhold.methods.people_apart.model import PeopleApart
    from withhold.methods.personal.model import PersonalRhoUncertainty
    from withhold.methods.rho.model import RhoUncertainty
    from withhold.verdict import Status, Verdict

    __version__: str

__all__ = [
    "Breach",
    "Buckets",
    "Coherence",
    "Constraints",
    "Evidence",
    "Hierarchy",
    "KAnonymity",
    "KmAnonymity",
    "Mole",
    "People",
    "PeopleApart",
    "PeopleUncertainty",
    "PersonalRhoUncertainty",
    "Records",
    "RhoUncertainty",
    "SensitiveApart",
    "Source",
    "Status",
    "Table",
    "Verdict",
    "WithholdError",
    "WithholdWarning",
    "advise",
    "anonymize",
    "anonymize_parts",
    "apply",
    "audit",
    "audit_parts",
    "compare",
    "compare_parts",
    "inspect",
    "ladder",
    "pharmacy",
    "read",
    "read_cell",
    "read_hierarchy",
    "read_people",
    "read_table",
    "sweep",
    "trade_off",
    "verify",
    "verify_parts",
]

# The verbs load numba or polars; they are imported when first used, so that importing is quick. The
# values load numpy; they are imported late, so that the command's Ctrl-C handler is installed before that.
_VALUES = {
    "withhold.errors": ("WithholdError", "WithholdWarning"),
    "withhold.data": ("Constraints", "Evidence", "Hierarchy", "Source", "Table", "Records"),
    "withhold.data.breach": ("Breach",),
    "withhold.data.people": ("People",),
    "withhold.methods.people.model": ("PeopleUncertainty",),
    "withhold.methods.rho.model": ("RhoUncertainty",),
    "withhold.methods.personal.model": ("PersonalRhoUncertainty",),
    "withhold.methods.coherence.model": ("Coherence",),
    "withhold.methods.coherence.mole": ("Mole",),
    "withhold.methods.km.model": ("KmAnonymity",),
    "withhold.methods.cells.model": ("KAnonymity",),
    "withhold.methods.buckets.model": ("Buckets",),
    "withhold.methods.apart.model": ("SensitiveApart",),
    "withhold.methods.people_apart.model": ("PeopleApart",),
    "withhold.verdict": ("Status", "Verdict"),
}
_VERBS = {
    "advise": "withhold.advising.measuring:advise",
    "anonymize": "withhold.pipeline:anonymize",
    "anonymize_parts": "withhold.parts.release:anonymize_parts",
    "apply": "withhold.data.plan:apply",
    "audit": "withhold.pipeline:audit",
    "audit_parts": "withhold.parts.examining:audit_parts",
    "compare": "withhold.comparison:compare",
    "compare_parts": "withhold.parts.examining:compare_parts",
    "inspect": "withhold.data.profile:inspect",
    "ladder": "withhold.laddering:ladder",
    "sweep": "withhold.sweeping:sweep",
    "trade_off": "withhold.pipeline:trade_off",
    "verify": "withhold.pipeline:verify",
    "verify_parts": "withhold.parts.proving:verify_parts",
    "read": "withhold.formats:read",
    "read_cell": "withhold.data.ranges:read_cell",
    "read_people": "withhold.formats:read_people",
    "read_table": "withhold.formats:read_table",
    "read_hierarchy": "withhold.formats.hierarchy:read_hierarchy",
    "pharmacy": "withhold.data.pharmacy:pharmacy",
}


def __getattr__(name: str) -> Any:
    from withhold.lazy import load

    if name == "__version__":
        globals()[name] = version = _version()
        return version
    if name in _VERBS:
        return load(_VERBS[name])
    for module, names in _VALUES.items():
        if name in names:
            globals()[name] = value = load(f"{module}:{name}")
            return value
    raise AttributeError(f"module 'withhold' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("withhold")
    except PackageNotFoundError:  # a checkout that was never installed
        return "0+unknown"
