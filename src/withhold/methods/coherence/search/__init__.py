"""Which items to suppress everywhere until coherence holds.

Here: counting moles, choosing the items that go, and restoring what need not have gone. Not here: the check,
which no module of this folder imports.
"""
