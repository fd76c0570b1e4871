"""Curves as SVG with classes instead of styles, which the content security policy would not let through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from withhold.wording import percent

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 14, 52
GRID = Markup(
    '<line class="grid" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>'
    '<text class="tick end" x="{3}" y="{4:.1f}" data-share="{5}">{6}</text>'
)
PLACE = Markup('<text class="tick middle" x="{:.1f}" y="{}">{}</text>')
POINT = Markup(
    '<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}" data-choose="{}">'
    '<title data-share="{}" data-of="{}">{}</title></circle>'
)


@dataclass(frozen=True)
class Line:
    """A named line of shares; a gap where there is no number."""

    name: str
    values: Sequence[float | None]
    dashed: bool = False


def curve(
    title: str,
    places: Sequence[str],
    lines: Sequence[Line],
    *,
    across: str = "",
    chosen: int | None = None,
) -> Markup:
    """Shares against places, as a picture that needs nothing else; points carry the number of their place.

    Shares are also data attributes, so that the browser can write them in its reader's language.
    """
    drawn = [value for line in lines for value in line.values if value is not None]
    top = _nice(max(drawn, default=1.0))
    step = (WIDTH - LEFT - RIGHT) / max(len(places) - 1, 1)

    def x(place: int) -> float:
        return LEFT + (step * place if len(places) > 1 else (WIDTH - LEFT - RIGHT) / 2)

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top)

    head = '<svg class="curve" viewBox="0 0 {} {}" role="img" aria-label="{}">'
    parts = [Markup(head).format(WIDTH, HEIGHT, title)]
    for part in range(5):
        level = top * part / 4
        ends = LEFT, WIDTH - RIGHT, y(level), LEFT - 8, y(level) + 4
        parts.append(GRID.format(*ends, level, _shown(level)))
    for place, name in enumerate(places):
        parts.append(PLACE.format(x(place), HEIGHT - 26, name))
    parts.append(PLACE.format((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, across))
    for number, line in enumerate(lines):
        known = [(place, value) for place, value in enumerate(line.values) if value is not None]
        points = " ".join(f"{x(place):.1f},{y(value):.1f}" for place, value in known)
        kind = f"series-{number % 4}" + (" dashed" if line.dashed else "")
        parts.append(Markup('<polyline class="{}" points="{}"/>').format(kind, points))
        for place, value in known:
            is_chosen = place == chosen
            mark = f"{kind} chosen" if is_chosen else kind
            of = f"{line.name}: {places[place]}, "
            says = value, of, f"{of}{_shown(value)}"
            size = 8 if is_chosen else 5
            parts.append(POINT.format(mark, x(place), y(value), size, place, *says))
    parts.append(Markup("</svg>"))
    return Markup("").join(parts)


def _shown(share: float) -> str:
    return percent(round(share, 4), None)


def _nice(value: float) -> float:
    """The next round share above."""
    for level in (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0):
        if value <= level:
            return level
    return value or 1.0
