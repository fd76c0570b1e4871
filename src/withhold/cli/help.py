"""``withhold help``: the pages of the documentation, also where there is no network."""

from __future__ import annotations

import re

from withhold.cli.app import verb
from withhold.cli.console import say
from withhold.cli.topics import OF_MODELS, OF_WORDS, pages
from withhold.data.names import nearest
from withhold.errors import PolicyError
from withhold.telling.layout import columns

COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)
"""What a page says to the test that runs it."""


@verb("help", example="withhold help formats")
def help_(*, topic: str | None = None) -> None:
    """Show a page of the documentation, or which pages there are.

    The name of a model shows the page about it.
    """
    found = pages()
    if topic is None:
        texts = {name: path.read_text(encoding="utf-8") for name, path in found.items()}
        titles = [(name, text.partition("\n")[0].lstrip("# ")) for name, text in texts.items()]
        say("\n".join(["Pages to read with withhold help TOPIC:", *columns(titles)]))
        return
    topic = {**OF_WORDS, **OF_MODELS}.get(topic, topic) if topic not in found else topic
    if topic not in found:
        near = nearest(topic, tuple(found))
        hint = f" Did you mean {near!r}?" if near else ""
        raise PolicyError(f"there is no page {topic!r}.{hint} There are {', '.join(found)}")
    say(COMMENT.sub("", found[topic].read_text(encoding="utf-8")).rstrip())
