"""The proof for people: groups counted, and ρ-uncertainty within each of them, as ``rho`` proves it.

It imports counting, the model and the checks of ``rho`` and ``km``, never a search or an audit.
"""
