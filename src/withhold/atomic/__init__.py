"""Files that are replaced whole or not at all, alone or as a set.

Everything is written to drafts beside its target. A set gets its names through a journal: the journal's own
rename is the one moment at which the new set replaces the old one. A run that is killed before it has changed
nothing; one that is killed after it is completed by the next process that comes to these files.
"""

from withhold.atomic.drafts import Draft, Drafts, abandon, drafting, save, was_committed
from withhold.atomic.files import FileSet, digest_of, refuse_links
from withhold.atomic.journal import current, settle

__all__ = [
    "Draft",
    "Drafts",
    "FileSet",
    "abandon",
    "current",
    "digest_of",
    "drafting",
    "refuse_links",
    "save",
    "settle",
    "was_committed",
]
