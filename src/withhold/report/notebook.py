"""Values as notebooks show them: HTML with the verdict in colour, frames, figures.

The class of a value is recognised by its name: most of these classes are defined in layers above this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from withhold.listed import told_promise
from withhold.report.advice import cost_text, promise_text
from withhold.report.attack import attack_plots
from withhold.report.figures import draw, svg_file
from withhold.report.side_by_side import comparison_rows
from withhold.report.text import audit_text
from withhold.report.trade_off import sweep_table, trade_off
from withhold.telling.plots import Plot
from withhold.verdict import Status, Verdict
from withhold.wording import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from polars import DataFrame

COLOURS = {
    Status.HOLDS: "#1a7f37",
    Status.CONFIRMED: "#1a7f37",
    Status.BROKEN: "#cf222e",
    Status.UNDECIDED: "#9a6700",
}


def html_of(value: Any) -> str:
    """The value as HTML; names of items and files are escaped."""
    return "\n".join(_found(HTML, value)(value))


def frame_of(value: Any) -> DataFrame:
    """The value's rows as a frame."""
    import polars as pl

    return pl.DataFrame(list(_found(ROWS, value)(value)), infer_schema_length=None)


def figure_of(value: Any) -> Figure:
    """The value drawn."""
    return draw(_found(PLOTS, value)(value))


def _found(functions: Mapping[str, Callable[[Any], Any]], value: Any) -> Callable[[Any], Any]:
    return next(
        functions[each.__name__] for each in type(value).__mro__ if each.__name__ in functions
    )


def _badge(verdict: Verdict, promise: str = "") -> str:
    colour = COLOURS[verdict.status]
    words = f'<strong style="color: {colour}">{escape(verdict.words)}</strong>'
    return f"<p>{words} {escape(promise)}</p>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _warned(warnings: Iterable[str]) -> Iterable[str]:
    return (f"<p>⚠ {escape(each)}</p>" for each in warnings)


def _verdict(verdict: Verdict) -> Iterable[str]:
    yield _badge(verdict, "" if verdict.witness is None else str(verdict.witness))
    yield f"<p>{verdict.checked:,} {escape(verdict.unit)} checked: {escape(verdict.method)}</p>"


def _audit(audit: Any) -> Iterable[str]:
    yield _badge(audit.verdict, told_promise(audit.model, audit.unknown))
    if audit.breaches:
        rows = [each.row() for each in audit.breaches]
        yield _table(["the worst", *[""] * (max(map(len, rows)) - 1)], rows)
    whole = escape(audit_text(audit, name="the data"))
    yield f"<details><summary>All of it</summary><pre>{whole}</pre></details>"


def _release(release: Any) -> Iterable[str]:
    yield _badge(release.verdict, told_promise(release.model, release.unknown))
    bound = release.bound.facts() if release.bound is not None else ()
    yield _table(("", ""), [*release.loss.facts(), *bound])
    yield from _warned(release.warnings)


def _comparison(comparison: Any) -> Iterable[str]:
    names = [each.name for each in comparison.releases]
    yield f"<p>Against {escape(comparison.original)}</p>"
    yield _table(
        ["", *names], [(fact.label, *cells) for fact, cells in comparison_rows(comparison)]
    )
    yield from _warned(comparison.warnings)


def _sweep(sweep: Any) -> Iterable[str]:
    yield _table(*sweep_table(sweep))
    if sweep.plotted:
        drawn = svg_file(trade_off(sweep))
        yield drawn[drawn.index("<svg") :]
    yield from _warned(sweep.warnings)


def _ladder(ladder: Any) -> Iterable[str]:
    yield _table(ladder.head(), ladder.rows())
    yield f"<p>{escape(ladder.note())}</p>"


def _curve(curve: Any) -> Iterable[str]:
    rows = [
        (percent(each.withheld), f"{each.ncp:.4f}", f"{each.bits:.4f}", f"{len(each.nodes):,}")
        for each in curve.points
    ]
    yield _table(("sensitive withheld", "detail given up (NCP)", "in bits", "groups"), rows)


def _advice(advice: Any) -> Iterable[str]:
    yield from (f"<p>{escape(text)}</p>" for text in advice.assumed)
    rows = [
        (each.knows, promise_text(each), cost_text(each), each.command) for each in advice.choices
    ]
    yield _table(
        ("if attackers know", "which model promises what", "withheld for it", "to run next"), rows
    )


def _audit_rows(audit: Any) -> Iterable[dict[str, Any]]:
    return (each.as_dict() for each in audit.breaches)


def _comparison_rows(comparison: Any) -> Iterable[dict[str, Any]]:
    for each in comparison.releases:
        yield {"release": each.name, **dict(each.measured.values())}


def _sweep_rows(sweep: Any) -> Iterable[dict[str, Any]]:
    paths = dict.fromkeys(fact.path for point in sweep.points for fact in point.facts)
    for point in sweep.points:
        found = {fact.path: fact.value for fact in point.facts}
        values = {
            name: None if value is None else str(value) for name, value in point.values.items()
        }
        facts = {path: found.get(path) for path in paths}
        yield {**values, **facts, "seconds": point.seconds, "problem": point.problem}


def _attack_plot(audit: Any) -> Plot:
    """The attack curve: what is inferred, if the model forbids inferring; else who is unique."""
    return attack_plots(audit.model, (), audit.attack_curve)[-1]


HTML: Mapping[str, Callable[[Any], Iterable[str]]] = {
    "Verdict": _verdict,
    "Audit": _audit,
    "TableAudit": _audit,
    "Release": _release,
    "Comparison": _comparison,
    "Sweep": _sweep,
    "Ladder": _ladder,
    "Curve": _curve,
    "Advice": _advice,
}
ROWS: Mapping[str, Callable[[Any], Iterable[dict[str, Any]]]] = {
    "Audit": _audit_rows,
    "TableAudit": _audit_rows,
    "Comparison": _comparison_rows,
    "Sweep": _sweep_rows,
    "Ladder": lambda ladder: (vars(each) for each in ladder.rungs),
    "Curve": lambda curve: (each.as_dict() for each in curve.points),
    "Advice": lambda advice: (vars(each) for each in advice.choices),
}
PLOTS: Mapping[str, Callable[[Any], Plot]] = {"Audit": _attack_plot, "Sweep": trade_off}
