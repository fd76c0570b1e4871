"""Random hierarchies for hypothesis: uneven, with lone children, and with leaves that no record holds."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

import withhold as wh


@st.composite
def trees(draw: st.DrawFn, items: Iterable[str]) -> wh.Hierarchy:
    """A tree with these items among its leaves."""
    leaves = [*items, *draw(st.sampled_from([(), ("y",), ("y", "z")]))]
    lower, upper = ["G0", "G1", "G2", "G3"], ["H0", "H1"]
    parents = {leaf: draw(st.sampled_from([*lower, *upper, "*"])) for leaf in leaves}
    parents |= {group: draw(st.sampled_from([*upper, "*"])) for group in lower}
    parents |= dict.fromkeys(upper, "*")
    used = {parents[leaf] for leaf in leaves}
    used |= {parents[group] for group in used & {*lower}}
    kept = [*leaves, *(group for group in [*lower, *upper] if group in used)]
    return wh.Hierarchy.from_edges([(name, parents[name]) for name in kept])
