"""Help that fits a screen, and examples that are what a command needs."""

from __future__ import annotations

import re
import shlex

import pytest

from typed import run
from withhold.registry import all_methods

LINES, WIDTH = 60, 80
MODELS = sorted({method.name for method in all_methods().values()})


def help_of(*words: str) -> list[str]:
    done = run(*words, "--help", prog_name="withhold")
    assert done.exit_code == 0
    return done.stdout.splitlines()


@pytest.mark.parametrize("verb", ["anonymize", "audit", "sweep", "verify"])
@pytest.mark.parametrize("model", MODELS)
def test_help__of_a_model_fits_a_screen(verb, model):
    lines = help_of(verb, "--model", model)
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert any(line.startswith(f"What must hold ({model}") for line in lines)


@pytest.mark.parametrize("verb", ["anonymize", "audit"])
@pytest.mark.parametrize("model", MODELS)
def test_help__of_a_model_has_its_own_example(verb, model):
    text = "\n".join(help_of(verb, "--model", model))
    words = shlex.split(text.partition("Example:")[2].replace("\\\n", " "))
    assert words[:2] == ["withhold", verb]
    assert words[words.index("--model") + 1] == model
    method = next(each for each in all_methods().values() if each.name == model)
    needed = {f"--{each.spelling}" for each in method.takes().values() if each.is_required}
    assert needed <= set(words)
    assert ("-o" in words) == (verb == "anonymize")


def test_help__says_what_each_verb_does_in_a_line_that_is_not_cut():
    listed = "\n".join(help_of()).partition("Commands:")[2].partition("Exit codes")[0]
    assert len(listed.strip().splitlines()) >= 10
    assert "..." not in listed


def test_help__shows_short_words_for_values():
    lines = help_of("anonymize", "--model", "k-anonymity")
    assert not [line for line in lines if re.match(r"  -.*<", line)]
    assert any(line.startswith("  --k N ") for line in lines)
