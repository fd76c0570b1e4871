"""Command lines as tests put them together: what is said later replaces what was said before."""

from __future__ import annotations

SEVERAL = ("--bin", "--publish", "--vary")
"""Options that may be repeated."""


def last_wins(words):
    """The words with only the last value of every option, since a verb takes each once.

    >>> last_wins(["audit", "--k", "5", "x.csv", "--k", "2"])
    ['audit', 'x.csv', '--k', '2']
    """
    words = [str(word) for word in words]
    found, place = [], 0
    while place < len(words):
        word = words[place]
        valued = word.startswith("--") and place + 1 < len(words) and words[place + 1][:2] != "--"
        later = word in words[place + 1 :] and word.startswith("--") and word not in SEVERAL
        length = 2 if valued else 1
        if not later:
            found += words[place : place + length]
        place += length
    return found
