"""Compiled loops: arrays and integers in, arrays out. Importing a module of this folder loads numba.

``jit.py`` holds the one decorator and the cache; ``layout.py`` prepares a table for the loops;
``antecedents.py``, ``closed.py`` and ``attack.py`` find; ``forced.py``, ``sweep.py``, ``closed_fix.py``,
``thinning.py`` and ``restore.py`` are the suppressor's; ``plain.py`` says in obvious Python what the
loops that decide must return.
"""
