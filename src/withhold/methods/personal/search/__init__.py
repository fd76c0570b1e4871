"""How to withhold until personalised ρ-uncertainty holds. Imports no check."""
