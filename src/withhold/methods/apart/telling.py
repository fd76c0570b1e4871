"""The sections of a release with sensitive items apart: what was lost, and the sizes of the groups."""

from __future__ import annotations

import numpy as np

from withhold.methods.apart.check import PublishedGroups
from withhold.methods.apart.measure import ApartLoss
from withhold.methods.apart.model import ApartModel
from withhold.methods.apart.secrets import records_of
from withhold.telling.plots import Bars, Line
from withhold.telling.sections import Content, Drawing, Facts, Paragraph, Section, Subject

SIZES_DRAWN = 12


def sections_of_apart(subject: Subject) -> list[Section]:
    """What was set apart and withheld."""
    loss = subject.measured.details
    assert isinstance(loss, ApartLoss)
    parts: list[Content] = [Paragraph(loss.in_words(), for_strangers=True)]
    parts += [Facts(subject.measured.facts), Drawing(_sizes(subject))]
    return [Section("apart", "What was set apart", tuple(parts))]


def _sizes(subject: Subject) -> Bars:
    """How many groups there are of each size, the smallest first."""
    release = subject.release
    model = release.model
    assert isinstance(model, ApartModel)
    stated = PublishedGroups(records_of(release.data, model.sensitive_column), model.secrets)
    sizes, counts = np.unique(stated.sizes[stated.sizes > 0], return_counts=True)
    labels = tuple(f"{size:,}" for size in sizes[:SIZES_DRAWN].tolist())
    line = Line("groups", "kept", tuple(counts[:SIZES_DRAWN].tolist()))
    return Bars("group-sizes", "Groups by the number of their records", "groups", labels, (line,))
