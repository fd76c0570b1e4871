"""Counting code that methods share, mostly compiled: rows as arrays, supports, bitmaps, walks over itemsets.

Also here: how kernels are compiled (``jit``), threads and how they are stopped (``threads``), and counts over
parts (``rounds``). Not here: models, checks and searches; nothing here decides about privacy or withholds
anything. Importing a module with kernels loads numba.
"""
