"""Files that are replaced whole or not at all, alone or as a set.

Everything is written to drafts beside its target. A set gets its names through a journal: the journal's own
rename is the one moment at which the new set replaces the old one. Whoever was killed before it has changed
nothing; whoever was killed after it is completed by the next to come.
"""

from withhold.atomic.drafts import Draft, Drafts, abandon, drafting, save, was_committed
from withhold.atomic.files import FileSet, refuse_links
from withhold.atomic.journal import current, settle

__all__ = [
    "Draft",
    "Drafts",
    "FileSet",
    "abandon",
    "current",
    "drafting",
    "refuse_links",
    "save",
    "settle",
    "was_committed",
]
