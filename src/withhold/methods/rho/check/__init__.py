"""The proof of ρ-uncertainty.

Here: the exact verdict on published records, by closed sets or by a survey of antecedents. It imports
counting and the model, never the search or the audit.
"""
