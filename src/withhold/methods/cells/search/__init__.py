"""Which cells to withhold until every row is one of k. Imports no check."""
