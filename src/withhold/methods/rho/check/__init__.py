"""The proof of ρ-uncertainty. Imports counting and the model, never the search or the audit."""
