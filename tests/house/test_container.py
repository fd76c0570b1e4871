"""The Dockerfile, read as docker would: without root, with the page, and with files that there are."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from withhold.cli.demo import BASKETS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def steps() -> list[tuple[str, str]]:
    """The instructions with their arguments; lines that go on are joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


def test_container__runs_without_root(steps):
    kinds = [kind for kind, _ in steps]
    last_stage = steps[len(kinds) - 1 - kinds[::-1].index("FROM") :]
    users = [rest for kind, rest in last_stage if kind == "USER"]
    assert users == ["custodian"]
    assert any(
        kind == "RUN" and "useradd" in rest and users[0] in rest for kind, rest in last_stage
    )
    # What is compiled, and what runs, is that user's.
    after = last_stage[[kind for kind, _ in last_stage].index("USER") :]
    # The usual demo runs kernels as Python, and compiles nothing.
    sizes = [
        int(size) for _, rest in after for size in re.findall(r"--(?:baskets|persons) (\d+)", rest)
    ]
    assert len(sizes) == 2
    assert min(sizes) > BASKETS
    assert [json.loads(rest) for kind, rest in after if kind == "ENTRYPOINT"] == [["withhold"]]


def test_container__has_the_page_and_only_extras_that_there_are(steps):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [
        set(found.split(",")) for _, rest in steps for found in re.findall(r"\[([\w,]+)\]", rest)
    ]
    installed = [each for each in asked if "page" in each]
    assert len(installed) == 2
    assert installed[0] == installed[1] <= set(project["optional-dependencies"])


def test_container__copies_what_there_is_and_docker_may_see(steps):
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = [name for kind, rest in steps if kind == "COPY" for name in shlex.split(rest)[:-1]]
    assert copied
    assert all((ROOT / name).exists() and name not in ignored for name in copied)
    # The wheel has pages in it, so building it needs them.
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    for source in build["build"]["targets"]["wheel"]["force-include"]:
        assert source.split("/")[0] in copied


def test_container__publishes_no_port_since_the_page_listens_on_loopback_alone(steps):
    assert not any(kind == "EXPOSE" for kind, _ in steps)
    assert "--network host" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "--network host" in (ROOT / "docs/guide/page.md").read_text(encoding="utf-8")
