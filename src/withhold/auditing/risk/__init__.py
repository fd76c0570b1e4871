"""Risk of re-identification, in the numbers that regulators ask for; for tables and for sets of items."""
