"""k-anonymity of a table by withholding or generalising cells."""
