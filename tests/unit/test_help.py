"""Help that fits a screen, and examples that are what a command needs."""

from __future__ import annotations

import re
import shlex

import pytest

from typed import run
from withhold.registry import all_methods

LINES, WIDTH = 53, 80
MODELS = sorted({method.name for method in all_methods().values()})


READERS = ["advise", "anonymize", "audit", "compare", "inspect", "sweep", "verify"]
WITH_MODELS = ["anonymize", "audit", "sweep", "verify"]


def help_of(*words: str, option: str = "--help") -> list[str]:
    done = run(*words, option, prog_name="withhold")
    assert done.exit_code == 0
    return done.stdout.splitlines()


def described_in(lines: list[str]) -> set[str]:
    """The options that have a line of their own."""
    named = (re.match(r"  (?:-\w, )?(--[a-z][\w/-]+)", line) for line in lines)
    return {name for found in named if found for name in found[1].split("/")}


@pytest.mark.parametrize("verb", READERS)
def test_help__of_a_verb_fits_a_screen_and_names_every_shared_option(verb):
    short, full = help_of(verb), help_of(verb, option="--help-all")
    assert len(short) <= LINES < len(full)
    assert max(map(len, short)) <= WIDTH
    shared = "\n".join(full).partition("\nWhat must hold (")[0].splitlines()
    listed = "\n".join(short).partition("More options")[2].partition("\n\n")[0]
    only_named = set(re.findall(r"--[a-z][a-z-]+", listed)) - {"--help-all"}
    assert only_named
    assert described_in(short) | only_named == described_in(shared)


@pytest.mark.parametrize("verb", WITH_MODELS)
def test_help_all__describes_the_options_of_every_model(verb):
    full = described_in(help_of(verb, option="--help-all"))
    for model in MODELS:
        own = help_of(verb, "--model", model)
        assert described_in(own) <= full
        in_full = help_of(verb, "--model", model, option="--help-all")
        assert described_in(in_full) > described_in(own)
        of_models = [line for line in in_full if line.startswith("What must hold (")]
        assert all(line.startswith(f"What must hold ({model}") for line in of_models)


@pytest.mark.parametrize("verb", WITH_MODELS)
def test_help__lists_each_model_in_one_line(verb):
    listed = "\n".join(help_of(verb)).partition("Models:\n")[2].partition("\n\n")[0]
    names = [method.name for method in all_methods().values()]
    assert [line.split()[0] for line in listed.splitlines()] == names


@pytest.mark.parametrize("verb", WITH_MODELS)
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
