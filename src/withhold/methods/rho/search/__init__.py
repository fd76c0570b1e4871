"""How to withhold, as little as possible, until ρ-uncertainty holds.

Here: finding unsafe rules, choosing which occurrences go, restoring what need not have gone. Not here: the
check, which no module of this folder imports.
"""
