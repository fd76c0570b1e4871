"""How to group and generalise records until each is one of k.

Here: which records go together, and along which nodes of the hierarchy they are generalised. Not here: the
check, which no module of this folder imports, and what generalising costs (``measure`` of the room).
"""
