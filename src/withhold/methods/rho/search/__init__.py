"""How to withhold, as little as possible, until ρ-uncertainty holds. Imports no check."""
