"""A page of HTML that needs nothing else: no network, no script, light and dark, phone and paper.

In: a ``Page``, such as a ``Report``. Out: text. Whatever comes from the data is escaped by the template.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from withhold.report.content import Report
from withhold.report.figures import NARROW, WIDE, svg
from withhold.telling.plots import Plot, Scatter, rows_of, shares_of
from withhold.telling.sections import Listing, Page
from withhold.wording import percent

DECIMALS = 4
"""The decimals of the numbers next to a plot."""


def report_html(report: Report) -> str:
    """The report as a page."""
    return page_html(report)


def page_html(page: Page) -> str:
    """The page as text."""
    from markupsafe import Markup

    from withhold.report.templating import templates_of

    environment = templates_of("withhold.report")
    environment.filters |= {
        "exact": lambda value: "" if value is None else repr(value),
        "has_numbers": lambda plot: not isinstance(plot, Scatter),
        "kind": lambda part: type(part).__name__,
        "numbers": numbers,
        # Drawn by matplotlib, which escapes the texts of its SVG; the title is escaped by svg.
        "svg": lambda plot, wide: Markup(svg(plot, width=WIDE if wide else NARROW)),
    }
    css = files("withhold.report").joinpath("templates/page.css").read_text(encoding="utf-8")
    template = environment.get_template("page.html.jinja")
    return template.render(page=page, css=Markup(css))


def numbers(plot: Plot) -> Listing:
    """The numbers of a plot, for those who want them exactly."""
    head, rows = rows_of(plot)
    in_percent = shares_of(plot)
    cells = tuple((str(row[0]), *map(_number, row[1:], in_percent)) for row in rows)
    return Listing("", head, cells, right=frozenset(range(1, len(head))))


def _number(value: Any, in_percent: bool) -> str:
    if value is None:
        return "–"
    if in_percent:
        return percent(value, 2)
    return f"{value:,}" if float(value).is_integer() else f"{value:.{DECIMALS}g}"
