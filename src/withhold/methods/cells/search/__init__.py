"""Which cells to withhold until every row is one of k.

Here: tuples of equal rows, which of them to merge, and what a merge costs. Not here: the check, which no
module of this folder imports, and the groups of the audit.
"""
