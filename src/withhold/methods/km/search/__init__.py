"""The search for the groups of k^m-anonymity: which nodes are published, and which items are withheld.

Here: ``cover``, the order of work, ``moves``, the kernels, and ``published``, the state that they change. Not
here: the check, which no module of this folder imports.
"""
