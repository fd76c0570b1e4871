"""The search for the groups of k^m-anonymity: which nodes are published, and which items are withheld.

Out comes the cut and what goes; no check is asked.
"""
