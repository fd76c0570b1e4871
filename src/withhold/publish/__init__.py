"""Write, read back, prove, rename: how a release becomes files, and how files are proved again.

The manifests are made and read here. What a method must hold, and how reports look, is not.
"""
