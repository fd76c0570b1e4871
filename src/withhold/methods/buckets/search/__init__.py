"""How to group and generalise records until each is one of k. Imports no check."""
