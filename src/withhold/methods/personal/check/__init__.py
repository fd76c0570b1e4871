"""The proof of personalised ρ-uncertainty.

Here: the verdict on published records with the originals and the constraints as evidence, exact or by
samples. It imports counting, the model and the check of ``rho``, never the search or the audit; the layouts
and walks that search and check both need are in the folder above.
"""
