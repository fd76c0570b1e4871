"""The proof of coherence.

Here: the exact verdict on published records, with a smallest mole if there is one. It imports counting, the
model and the closed sets of the check of ``rho``, never the search or the audit; the rows and limits that
search and check both need are in ``cohorts`` above.
"""
