"""The rooms: one folder for each method, with all that it needs: model, search, check, audit, report.

What several methods share is in ``counting``, ``measure``, ``auditing`` and ``data``. The road knows a method
only through ``registry``. Rooms do not import each other, except where one builds on another;
``pyproject.toml`` lists these imports, with the reasons.
"""
