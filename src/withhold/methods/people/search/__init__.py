"""How to withhold cells and sensitive items, as little as possible, until every group is safe alone.

Here: which groups to form, and what goes within them. Not here: the check, which no module of this folder
imports.
"""
