"""How to withhold until personalised ρ-uncertainty holds.

Here: finding what can be inferred about somebody, fixing it, restoring what need not be withheld. Not here:
the check, which no module of this folder imports.
"""
