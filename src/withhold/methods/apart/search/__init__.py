"""How to group and withhold: similar records together, and as little withheld as possible.

Imports no check: what it finds is proved by others.
"""
