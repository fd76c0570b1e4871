"""The rooms: one folder for each method, with all that it needs: model, search, check, audit, report.

What several methods share is in ``counting``, ``measure``, ``auditing`` and ``data``. The road knows a method
only through ``registry``; rooms do not import each other, except that a room may build on one other.
"""
