"""Buckets: every published record is one of at least k equal ones, by generalising items."""
