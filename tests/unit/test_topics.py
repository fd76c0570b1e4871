"""Every error names a page to read, and the page is there."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from typer.testing import CliRunner

from withhold import errors
from withhold.cli import audit, compare, hierarchy, sweep  # noqa: F401
from withhold.cli import help as _help  # noqa: F401  # importing a verb registers it
from withhold.cli.app import app
from withhold.cli.topics import OF_CLASSES, OF_MODELS, OF_MODULES, OF_WORDS, pages, topic_of
from withhold.registry import all_methods

KINDS = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, errors.WithholdError)
]
NOTHING_TO_READ = {errors.Interrupted, errors.InternalError}
POLICY = ("--rho", "0.5", "--sensitive", "condom")


def run(*words: str):
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_topic__of_every_kind_of_error(kind):
    topic = topic_of(kind("it is wrong"))
    assert (topic is None) == (kind in NOTHING_TO_READ)
    assert topic is None or topic in pages()


def test_topics__are_pages_that_exist_and_modules_that_exist():
    assert {*OF_CLASSES.values(), *OF_MODULES.values()} - {None} <= set(pages())
    assert {*OF_CLASSES, errors.WithholdError} == set(KINDS)
    for name in OF_MODULES:
        import_module(f"withhold.{name}")


@pytest.mark.parametrize(
    ("words", "topic"),
    [
        (("audit", "none.dat", *POLICY), "formats"),
        (("audit", "shop.dat", "--rho", "7", "--sensitive", "condom"), "first-release"),
        (("audit", "shop.dat", *POLICY, "--consent", "none.txt"), "consent"),
        (
            ("audit", "t.csv", "--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "b"),
            "tables",
        ),
        (("audit", "t.csv", "--model", "k-anonymity", "--k", "2"), "tables"),
        (("audit", "t.csv", "--model", "k-anonymity", "--k", "1"), "tables"),
        (("audit", "t.csv", "--model", "k-anon", "--k", "2"), "which-model"),
        (("hierarchy", "suggest", "t.csv", "a", "--by", "width:x"), "hierarchies"),
        (("sweep", "shop.dat", *POLICY, "--vary", "nonsense=1"), "deciding"),
        (("audit", "folder", *POLICY), "large"),
    ],
    ids=str,
)
def test_message__ends_with_the_page_to_read(words, topic, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.dat").write_text("beer condom\nbeer\n")
    (tmp_path / "t.csv").write_text("a,c\n1,2\n3,4\n")
    (tmp_path / "folder").mkdir()
    result = run(*words)
    assert result.exit_code in (2, 3), result.output
    (named,) = re.findall(r"\(more: withhold help ([\w-]+)\)$", result.stderr, re.MULTILINE)
    assert named == topic


def test_help__lists_pages_and_shows_one():
    listed = run("help").stdout
    assert all(name in listed for name in pages())
    shown = run("help", "deciding")
    assert shown.stdout.startswith("# Choosing parameters")
    assert "<!--" not in "".join(run("help", name).stdout for name in pages())


def test_help__of_a_page_that_is_not_there():
    result = run("help", "fromats")
    assert result.exit_code == 2
    assert "Did you mean 'formats'?" in result.stderr


def test_help__of_a_model_is_the_page_about_it():
    assert set(OF_MODELS) == {method.name for method in all_methods().values()}
    assert {*OF_MODELS.values(), *OF_WORDS.values()} <= set(pages())
    assert run("help", "k-anonymity").stdout == run("help", "tables").stdout
    assert run("help", "rho").stdout.startswith("# Which model do I need?")
