"""Tell: one value, several renderings, none of which computes anything about privacy."""
