"""Compiled counting that everybody shares: rows as arrays, supports, bitmaps, walks over itemsets.

Nothing here decides about privacy and nothing here withholds. Importing loads numba.
"""
