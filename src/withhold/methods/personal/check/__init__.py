"""The proof of personalised ρ-uncertainty. Imports counting and the model only."""
