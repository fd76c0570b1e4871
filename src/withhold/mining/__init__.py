"""Frequent and closed itemsets and association rules, exact.

Used to measure what a release is still good for; no decision about privacy is made here.
"""
