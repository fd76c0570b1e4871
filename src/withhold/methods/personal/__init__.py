"""Personalised ρ-uncertainty: nothing that a person wants protected can be inferred about them."""
