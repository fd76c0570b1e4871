"""What a room must offer: a model that says what must hold, and one typed value, ``Method``.

The road, the command line, sweep, compare and the report know a method by that value alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from withhold.arguments import fits
from withhold.by_parts import NOT_BY_PARTS, ByParts
from withhold.counting.threads import Progress, available_cores, quiet
from withhold.data.evidence import Evidence
from withhold.data.roles import PublishOption
from withhold.errors import PolicyError
from withhold.lazy import later
from withhold.options import Declared, Plain, options_of

if TYPE_CHECKING:
    from withhold.data.plan import AnyPlan
    from withhold.telling.facts import Fact, Measured, MeasureRequest
    from withhold.telling.sections import Section, Subject
    from withhold.telling.words import Words
    from withhold.verdict import Verdict

LOSS_OF_RECORDS = later("withhold.measure.loss:loss_of_records")
MEASURES_OF_SETS = later("withhold.measure.sets:measure_sets")
COUNTS_OF_ITEMS = later("withhold.data.records:counts_of_items")
NO_MARKS = later("withhold.data.marks:without_marks")
STATED_GROUPS = later("withhold.formats.stated_groups:with_stated_groups")
SECTIONS_OF_SETS = later("withhold.measure.telling:sections_of_sets")


@runtime_checkable
class Model(Protocol):
    """What must hold. Knows its parameters, validates them, prints its promise, and nothing else."""

    name: ClassVar[str]
    """As ``--model`` and manifests call it."""

    @property
    def needs(self) -> str:
        """What a proof needs beside the published file and its manifest, in words; mostly nothing."""
        ...

    @property
    def sensitive(self) -> frozenset[str]:
        """The items whose loss is counted apart."""
        ...

    def promise(self) -> str:
        """What holds for data that satisfies the model, in one sentence."""
        ...

    def parameters(self) -> dict[str, Plain]:
        """The parameters as plain values, enough to build the model again."""
        ...


class Finding(Protocol):
    """One violation of a model; its text says what an attacker could do."""

    def row(self) -> tuple[str, ...]:
        """The finding as cells of a table: antecedent, consequent, and then numbers."""
        ...

    def as_dict(self) -> dict[str, Plain]:
        """The finding as plain values for JSON."""
        ...


class AnyBound(Protocol):
    """What every lower bound of a loss provides."""

    @property
    def share(self) -> float:
        """The share that every release must withhold."""
        ...

    def sentence(self) -> str:
        """What is true of every release."""
        ...

    def as_dict(self) -> Mapping[str, Plain]:
        """All of it as plain values."""
        ...

    def facts(self) -> list[tuple[str, str]]:
        """The numbers of most interest to people, as pairs of texts."""
        ...

    def fact(self) -> Fact:
        """The bound as one number among the measures of a release."""
        ...


class AnyLadder(Protocol):
    """What every ladder of costs provides."""

    def rows(self) -> list[tuple[str, ...]]:
        """What the attacker knows, and what protecting from that costs, as cells of a table."""
        ...

    def head(self) -> tuple[str, ...]:
        """The header of these cells."""
        ...

    def note(self) -> str:
        """How the numbers were obtained, if that needs explaining."""
        ...

    def as_dict(self) -> dict[str, Plain]:
        """All of it as plain values."""
        ...


class AnyLoss(Protocol):
    """What every loss provides."""

    @property
    def share(self) -> float:
        """What was withheld, as the one number by which releases are compared."""
        ...

    def as_dict(self) -> dict[str, Plain]:
        """All of it as plain values."""
        ...

    def facts(self) -> list[tuple[str, str]]:
        """The numbers of most interest to people, as pairs of texts, the main ones first."""
        ...


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How to withhold; each method adds options of its own."""

    publish: PublishOption = ()

    def warnings(self) -> tuple[str, ...]:
        """Warnings to show each time these options are used."""
        return ()


@dataclass(frozen=True, kw_only=True)
class NoOptions:
    """The options of a search or an audit that has none."""


@dataclass(frozen=True, kw_only=True)
class SearchRun:
    """How any search is run."""

    seed: int = 0
    jobs: int | None = None
    progress: Progress = quiet


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """How any check is run."""

    jobs: int | None = None
    limit_seconds: float | None = None
    progress: Progress = quiet

    @property
    def threads(self) -> int:
        """The largest number of threads: as requested, or one for each core."""
        return self.jobs or available_cores()


@dataclass(frozen=True, kw_only=True)
class AuditRun(CheckRun):
    """How any audit is run."""

    seed: int = 0

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the same data if they were already checked; otherwise the audit checks them."""
        return None


@dataclass(frozen=True, kw_only=True)
class AuditAfterProof(AuditRun):
    """How to audit data that have just been checked."""

    proof: Verdict

    @property
    def verdict(self) -> Verdict | None:
        return self.proof


@dataclass(frozen=True)
class Step:
    """A function of a method, and the options that people choose for it."""

    function: Callable[..., Any]
    options: type[Any]

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


@dataclass(frozen=True)
class Method:
    """A privacy model with everything that can be done with it; its functions are loaded when called.

    The defaults are those of methods that withhold items from records.
    """

    model: type[Any]
    """The parameters of its constructor, each with an ``Option``, are what people choose."""
    search: Step
    """(data, model, evidence, search options, run) → a plan, and the options in force."""
    check: Callable[[Any, Any, Evidence, CheckRun], Verdict]
    """(data, model, evidence, run) → the verdict, independent of the search."""
    audit: Step
    """(data, model, evidence, audit options, run) → what an attacker could do."""
    words: Words
    """What its audits call things."""
    limits: tuple[tuple[str, str], ...]
    """What it does not promise, as pairs of a heading and a sentence or two."""
    data: Literal["records", "table", "people"] = "records"
    """The kind of data: records of items, a table with named columns, or people, who have both."""
    loss: Callable[[Any, Any, Any, frozenset[str], AnyPlan], AnyLoss] = LOSS_OF_RECORDS
    """(original, published, model, protected items, plan) → what was lost."""
    measure: Callable[[Any, Any, MeasureRequest], Measured] = MEASURES_OF_SETS
    """(original, published, request) → the utility of the release."""
    bound: Callable[[Any, Any, Any, SearchRun], AnyBound | None] | None = None
    """(original, model, search options, run) → the least that any release withholds, if that is known."""
    reading_options: type[Any] = NoOptions
    """How the data is prepared before anything else."""
    files: type[Any] = NoOptions
    """What the command line reads besides the data, as evidence."""
    evidence: Callable[[Mapping[str, Any], Any, bool], Evidence] = lambda *_: Evidence()
    """(files given, data, allow_unknown) → the evidence in these files."""
    gather: Callable[[Any, Any, Any], Evidence] = lambda *_: Evidence()
    """(data, model, the population option) → evidence for a proof that comes from search options."""
    needs_evidence: bool = False
    """Whether a proof needs more than the published data and the model."""
    how_for_strangers: Callable[[Any], str] | None = None
    """(model) → how a release is checked, if the verdict itself says more than strangers may know."""
    about: Callable[[Any, Any], Any] = lambda model, _: model
    """(model, data) → the same model, its promise completed with what depends on the data."""
    promised: Callable[[Any, AnyPlan], Any] = lambda model, _: model
    """(model, plan) → the model that the release satisfies, if the search chooses a part of it."""
    stated: Callable[[Any, str | None, Any, Any], Any] = lambda model, *_: model
    """(model, hierarchy, published data, the manifest's model) → what a stated policy means for the file."""
    trade_off: Callable[[Any, Any, Any, SearchRun], Any] | None = None
    """(data, model, search options, run) → what each choice of groups costs, if groups can be chosen."""
    by_parts: ByParts = NOT_BY_PARTS
    """How data that does not fit in memory is released."""
    ladder: Callable[[Any, Any, Any, SearchRun], AnyLadder] | None = None
    """(data, model, search options, run) → what protecting from more knowledge costs, step by step."""
    column_roles: Callable[[Any, Any], dict[str, str]] = lambda *_: {}
    """(data, model) → what became of each column."""
    how_to_read: Callable[[Any, Any, Mapping[str, Plain]], Mapping[str, Any]] = lambda *_: {}
    """(published data, model, options in force) → what strangers must know to read the cells."""
    marked: Callable[[Any, Any, str | None], Any] = NO_MARKS
    """(data, model, mark) → the data, with cells that show the mark read as withheld."""
    advise: Callable[[Any, Any], tuple[str, ...]] = lambda *_: ()
    """(model, loss) → advice on a release with this loss, the most important first."""
    warnings: Callable[[Any, Any], tuple[str, ...]] = lambda *_: ()
    """(published data, model) → what a release discloses although the model holds."""
    added: frozenset[str] = frozenset()
    """The model's parameters that older manifests do not have."""
    counts: Callable[[Any, Any], Mapping[str, int]] = COUNTS_OF_ITEMS
    """(records, model) → how often each item occurs, as far as the records show."""
    listed: str = "sensitive items"
    """The word for the items that the model lists, if it lists any."""
    sections: Callable[[Subject], tuple[Section, ...] | list[Section]] = SECTIONS_OF_SETS
    """The sections of a report about what was lost and what is left."""
    attack_section: Callable[..., Section] | None = None
    """(subject, *, with_original) → the section about the attacker, if the usual one does not fit."""
    exposure: Callable[[Subject], tuple[Fact, ...]] | None = None
    """How many people were exposed before and are now, if the usual facts do not fit."""
    audit_text: Callable[..., str] | None = None
    """(audit, *, name, took) → the audit as text, if the usual text does not fit."""

    @property
    def name(self) -> str:
        """As ``--model`` and manifests call it."""
        return str(self.model.name)

    def parameters(self) -> Mapping[str, Declared]:
        """The options that say what must hold."""
        return options_of(self.model)

    def takes(self) -> Mapping[str, Declared]:
        """The options that say what must hold and how the data is prepared for it."""
        parts = (self.model, self.files, self.reading_options)
        return {name: each for part in parts for name, each in options_of(part).items()}

    def searches(self) -> Mapping[str, Declared]:
        """The options that say how to withhold."""
        return options_of(self.search.options)

    def audits(self) -> Mapping[str, Declared]:
        """The options that say how to audit."""
        return options_of(self.audit.options)

    def all_options(self) -> Mapping[str, Declared]:
        """Every option that belongs to the method."""
        return {**self.takes(), **self.searches(), **self.audits()}

    def build(self, parameters: Mapping[str, Any]) -> Model:
        """The model from plain values, as a manifest holds them; each value is checked.

        If a manifest is older than a parameter, the parameter gets its default.
        """
        chosen = {}
        for name, declared in self.parameters().items():
            is_new = declared.option.kind == "found" or name in self.added
            if name not in parameters and is_new:
                continue
            if name not in parameters or not fits(parameters[name], json_type(declared)):
                raise PolicyError(f"model.{name} is missing or has the wrong type")
            chosen[name] = parameters[name]
        return self.model(**chosen)  # type: ignore[no-any-return]  # a class of models


def json_type(declared: Declared) -> Any:
    """The type of a parameter in a manifest: exact shares are texts there, collections are lists."""
    if declared.option.kind in ("items", "columns"):
        return list[str] if declared.default is not None else declared.type
    if declared.option.kind == "found":
        return dict[str, Any]
    if declared.option.kind == "threshold":
        return str | None if declared.default is None else str
    return declared.type
