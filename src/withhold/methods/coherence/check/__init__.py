"""The proof of coherence.

Here: the exact verdict on published records, with a smallest mole if there is one. It imports counting and
the model, never the search or the audit; the rows and limits that both need are in ``cohorts`` above.
"""
