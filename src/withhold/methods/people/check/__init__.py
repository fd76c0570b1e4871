"""The proof for people: groups counted, and ρ-uncertainty within each of them, as ``rho`` proves it.

It imports counting, the model and the check of ``rho``, never a search or an audit.
"""
