"""ρ-uncertainty: no sensitive item can be inferred with a confidence above ρ."""
