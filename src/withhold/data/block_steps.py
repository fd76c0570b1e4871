"""What a method must offer whose tables are released in blocks: the steps, as functions of plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Blocks:
    """How a table that is read part by part is released in blocks of rows from all parts."""

    refusal: Callable[[Any, Any], str]
    """(model, search options) → why it cannot be released so; nothing where it can."""
    survey: Callable[[Any, Any, Any, int], tuple[Any, Any]]
    """(part, model, search options, seed) → what the part tells of the whole, and its rows as codes."""
    join: Callable[[Any, Any, Any], Any]
    """(surveys, model, search options) → what is known of the whole table."""
    deal: Callable[[Any, Any, Any, Any], Any]
    """(codes, survey, whole, model) → which row of the part is in which block."""
    spans: Callable[[Any, Any, Any, Any], list[tuple[int, int]]]
    """(sizes, sensitive counts, whole, model) → the blocks that can be searched on their own."""
    search: Callable[[Any, Any, Any, Any, Any], Any]
    """(codes of a block, whole, model, search options, run) → which cells are shown."""
    plan: Callable[[Any, Any, Any], Any]
    """(part, model, cells shown) → the plan for the part."""
    count: Callable[[Any, Any], Any]
    """(part read back, model) → the rows of its groups."""
    values: Callable[[Any, Any], tuple[dict[Any, int], ...]]
    """(counts of a part, model) → by sensitive column, how often each value occurs."""
    judge: Callable[[Any, Any, Any], Any]
    """(counts of all parts, or of some shelves of them, model, how often values occur) → what these are."""
    verdict: Callable[[Any, Any, float], Any]
    """(all that was judged, model, seconds) → the verdict on all parts together."""
