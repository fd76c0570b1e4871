"""Which cells to withhold or generalise until the model holds.

Here: choosing patterns, merging tuples or groups, splitting rows into ranges and sets, polishing, restoring
cells, and large tables in blocks; ``suppressor`` is the entry. Not here: the check, which no module of this
folder imports, and the groups of the audit.
"""
