"""The local web page: the road in a browser, on this machine only.

The page decides nothing about privacy. It writes a policy file and runs withhold's own verbs in processes
of their own.
"""
