"""A release, an audit, a comparison or a sweep as text, JSON, HTML and plots.

Here: rendering of values that were computed before. Not here: anything that measures, or decides about
privacy; what a method says about its releases is in its own folder, as sections.
"""
