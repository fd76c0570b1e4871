"""How to group records and what to withhold: similar records together, and as little withheld as possible.

Here: ``suppressor``, the order of work, and ``neighbours``, the kernels that form groups. Not here: the
check, which no module of this folder imports.
"""
