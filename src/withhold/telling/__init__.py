"""The plain values that a method reports: facts, sections, plots. ``report`` renders them.

Nothing here computes, and nothing here knows a file format.
"""
