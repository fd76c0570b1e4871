"""The proof of personalised ρ-uncertainty.

Here: the verdict on published records with the originals and the constraints as evidence, exact or by
samples. It imports counting and the model, never the search or the audit.
"""
