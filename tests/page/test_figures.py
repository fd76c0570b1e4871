"""Figures side by side: each in its unit, and what differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from withhold.page.figures import side_by_side
from withhold.page.site import change, in_unit

TOLD = {
    "label": {"a": "lost", "b": "records", "c": "divergence"},
    "meaning": {"a": "share lost", "b": "records of the original", "c": "how far apart"},
    "unit": {"a": "share", "b": "count", "c": "number"},
}


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.0244, "share", "2.44%"),
        (0.52857, "share", "52.9%"),
        (0.0, "share", "0%"),
        (1200.0, "count", "1,200"),
        (0.00169, "number", "0.00169"),
        (0.0, "number", "0"),
        (123.4, "number", "123"),
        (None, "share", "–"),
        (None, "count", "–"),
    ],
)
def test_numbers__are_shown_in_their_unit(value, unit, shown):
    assert Markup(in_unit(value, unit)).striptags() == shown


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.0123, "share", "+1.23 points"),
        (-0.5, "share", "−50.00 points"),
        (0.0, "share", "0.00 points"),
        (-12.0, "count", "−12"),
        (0.02, "number", "+0.0200"),
        (None, "number", "–"),
    ],
)
def test_differences__have_a_sign_and_a_unit(value, unit, shown):
    assert Markup(change(value, unit)).striptags() == shown


values = st.dictionaries(
    st.sampled_from("abc"), st.none() | st.floats(0, 1, allow_nan=False), max_size=3
)


@given(values, values)
def test_side_by_side__has_every_figure_once_and_says_what_differs(one, other):
    found = side_by_side([TOLD], one, other)
    assert [each.label for each in found] == [
        TOLD["label"][path] for path in "abc" if path in one or path in other
    ]
    for each in found:
        path = next(path for path in "abc" if TOLD["label"][path] == each.label)
        assert each.values == (one.get(path), other.get(path))
        if None in each.values:
            assert each.difference is None
            assert each.group == ("alike" if each.values == (None, None) else "one")
        else:
            assert each.group == ("alike" if one[path] == other[path] else "differ")


def test_meanings__speak_of_percent_where_shares_are_shown_in_percent():
    told = {
        "label": {"a": "kept"},
        "meaning": {"a": "share kept (1 = all)"},
        "unit": {"a": "share"},
    }
    (found,) = side_by_side([told], {"a": 1.0}, {"a": 1.0})
    assert found.meaning == "share kept (100% = all)"
