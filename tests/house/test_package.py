"""The package as others get it: built, installed in an environment of its own, and used there."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from withhold.cli import topics

ROOT = Path(__file__).parents[2]


# Not this source, and kernels as users compile them.
OF_OTHERS = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONPATH", "NUMBA_BOUNDSCHECK")
}


def run(*command: object, cwd: Path, code: int = 0) -> str:
    words = [str(each) for each in command]
    done = subprocess.run(words, cwd=cwd, env=OF_OTHERS, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the wheel and the sdist; no index is asked, the build backend is already here."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "hatchling", "build", "--directory", folder]
    run(*build, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory) -> Path:
    """The interpreter of an environment that has the wheel, and the dependencies of this one."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-deps", "--no-index", *built.glob("*.whl"), cwd=folder)
    # An environment inside another sees the outer one's interpreter only; give it the packages, too.
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    here = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    (site / "outer.pth").write_text(f"{here}\n")
    return python


def test_wheel__has_the_package_and_nothing_else(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"withhold"}
    assert "withhold/py.typed" in names
    # What withhold help shows, where the repository is not.
    pages = {Path(name).stem for name in names if name.startswith("withhold/docs/")}
    assert pages == set(topics.pages())
    assert "withhold/__init__.pyi" in names
    assert not [name for name in names if "test" in Path(name).name or "twin" in name]
    assert any(name.startswith("withhold/report/templates/") for name in names)


def test_sdist__can_be_built_from(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "Makefile"} <= names


def test_installed__comes_from_the_wheel_and_walks(installed, tmp_path):
    (tmp_path / "shop.dat").write_text("bread beer condom\nbeer condom\nbread coffee\ncoffee\n")
    where = "import withhold; print(withhold.__file__, withhold.__version__)"
    place, version = run(installed, "-c", where, cwd=tmp_path).split()
    assert str(installed.parent.parent) in place
    policy = ("--rho", "0.5", "--sensitive", "condom")
    made = run(
        installed, "-m", "withhold", "anonymize", "shop.dat", *policy, "-o", "out.dat", cwd=tmp_path
    )
    assert made.startswith("HOLDS")
    command = installed.with_name("withhold")
    assert run(command, "help", "formats", cwd=tmp_path).startswith("# File formats")
    assert run(command, "--version", cwd=tmp_path).split() == ["withhold", version]
    assert run(command, "verify", "out.dat", cwd=tmp_path).startswith("HOLDS")


def test_citation__says_the_version_of_the_package():
    said = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = next(
        line.split('"')[1]
        for line in (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
        if line.startswith("version")
    )
    assert f"\nversion: {version}\n" in said
