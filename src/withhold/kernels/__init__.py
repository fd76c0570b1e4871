"""Compiled loops: arrays and integers in, arrays out. Importing a module of this folder loads numba.

``jit.py`` holds the one decorator and the cache; ``layout.py`` prepares a table for the loops;
``antecedents.py``, ``closed.py`` and ``attack.py`` are the loops; ``plain.py`` says in obvious Python
what each of them must return.
"""
