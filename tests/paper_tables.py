"""Tables of the papers that several tests use."""

from __future__ import annotations

USERS = [
    ["milk", "bread", "medicine"],
    ["apple"],
    ["milk", "coffee", "bread"],
    ["milk", "medicine"],
    ["coffee", "bread", "apple"],
    ["orange", "medicine"],
]
"""Nakagawa, Arai, Nakagawa, Table 1: what each user bought."""
USERS_PUBLISHED = [
    ["bread", "medicine"],
    ["apple"],
    ["milk", "coffee"],
    ["milk", "medicine"],
    ["coffee", "bread", "apple"],
    ["orange"],
]
"""The same after suppression."""
