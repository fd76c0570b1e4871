"""Releases of data that need not fit in memory: made, proved, resumed and verified part by part.

Here: planning parts of files, making one, running many, the folder that holds them. Not here: what happens
within a part, which is the road that every release takes (``pipeline``, ``publish``).
"""
