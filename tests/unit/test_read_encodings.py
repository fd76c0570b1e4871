"""Texts that are not UTF-8: found where that is clear, said where it is not, written in UTF-8."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path

import pytest

import typed
import withhold as wh
from withhold.errors import AssumedWarning, InputError, PolicyError

NAMES = "record,item\n1,Café\n1,Müsli\n2,Straße\n3,Crème brûlée\n"
ITEMS = [["Café", "Müsli"], ["Straße"], ["Crème brûlée"]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    return typed.run


def put(folder: Path, data: bytes, name: str = "data.csv") -> Path:
    (path := folder / name).write_bytes(data)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_what_a_file_says_itself_needs_no_option(tmp_path: Path, encoding: str, ends: str) -> None:
    path = put(tmp_path, NAMES.replace("\n", ends).encode(encoding))
    records = wh.read(path)
    assert records.to_lists() == ITEMS
    assert records.source is not None
    assert not records.source.assumed


@pytest.mark.parametrize(
    "encoding", ["cp1252", "latin-1", "ISO-8859-1", "cp850", "mac-roman", "utf-16-le", "utf-16-be"]
)
def test_any_encoding_can_be_named(tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path, NAMES.encode(encoding))
    assert wh.read(path, encoding=encoding).to_lists() == ITEMS
    assert wh.read_table(path, encoding=encoding).rows()[0] == ("1", "Café")


def test_western_text_is_found_and_said(tmp_path: Path) -> None:
    path = put(tmp_path, NAMES.encode("cp1252"))
    with pytest.warns(AssumedWarning, match="was read as cp1252") as said:
        records = wh.read(path)
    assert records.to_lists() == ITEMS
    assert records.source is not None
    assert (records.source.encoding, records.source.assumed) == ("cp1252", True)
    assert len(said) == 1


UNCLEAR = {
    "Russian": "пиво,хлеб\n".encode("cp1251"),
    "Greek": "μπύρα,ψωμί\n".encode("cp1253"),
    "Polish": "łódź,gęś\n".encode("cp1250"),
    "Czech": "řeřicha,člověk\n".encode("cp1250"),
    "Turkish": "çiğ,ışık\n".encode("cp1254"),
    "DOS": "Müsli,Käse\n".encode("cp850"),
    "an old Mac": "Café,Müsli\n".encode("mac-roman"),
    "Japanese": "ビール,パン\n".encode("shift-jis"),
    "UTF-8 that is cut": "Müsli,Caf\u00e9".encode()[:-1],
    "pasted together": "Müsli\n".encode() + "Müsli\n".encode("cp1252"),
}


@pytest.mark.parametrize("text", UNCLEAR)
def test_nothing_is_guessed_where_it_is_not_clear(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="is not UTF-8 text") as refused:
        wh.read(put(tmp_path, UNCLEAR[text]))
    assert "encoding='cp1252'" in str(refused.value)
    assert refused.value.line in (1, 2)


def test_wrong_encodings_are_refused(tmp_path: Path) -> None:
    path = put(tmp_path, NAMES.encode())
    with pytest.raises(InputError, match="is UTF-8 text, not cp1252"):
        wh.read(path, encoding="cp1252")
    with pytest.raises(InputError, match="is UTF-8 text, not utf-16"):
        wh.read(put(tmp_path, b"tid,item\n1,beer\n"), encoding="utf-16")
    with pytest.raises(InputError, match="begins with the mark of utf-16"):
        wh.read(put(tmp_path, NAMES.encode("utf-16")), encoding="latin-1")
    western = put(tmp_path, NAMES.encode("cp1252"))
    with pytest.raises(InputError, match=r"is not UTF-8 text.*leave encoding out"):
        wh.read(western, encoding="utf-8")
    for wrong, words in {
        "cp1522": "did you mean 'cp1252'",
        "rot13": "no encoding",
        "": "no",
    }.items():
        with pytest.raises(PolicyError, match=words):
            wh.read(western, encoding=wrong)
    with pytest.raises(InputError, match="is not a text file"):
        wh.read([["a"]], encoding="cp1252")


@pytest.mark.parametrize("encoding", [None, "utf-8", "latin-1"])
def test_a_mark_of_utf_8_before_other_bytes_is_said_once(
    tmp_path: Path, encoding: str | None
) -> None:
    text = NAMES.encode("cp1252")
    with pytest.raises(InputError, match="begins with the mark of UTF-8 but has") as refused:
        wh.read(put(tmp_path, BOM_UTF8 + text), encoding=encoding)
    assert refused.value.line is not None
    # Both ways that the message names lead out.
    assert "delete the mark" in str(refused.value)
    assert wh.read(put(tmp_path, text), encoding="cp1252").to_lists()
    assert wh.read(put(tmp_path, BOM_UTF8 + NAMES.encode())).to_lists()


def test_lists_have_an_encoding_of_their_own(run, tmp_path: Path) -> None:
    put(tmp_path, NAMES.encode("utf-16"))
    put(tmp_path, "Café\n".encode("cp1252"), "list.txt")
    asked = ("--rho", "0.5", "--sensitive", "list.txt", "--json")
    found = run("audit", "data.csv", *asked)
    assert found.exit_code == 1, found.output
    assert "list.txt is not UTF-8 and was read as cp1252" in found.stderr
    assert found.stderr.count("cp1252") == 1
    assert "never occur" not in found.stderr


def test_a_guess_that_makes_an_item_unknown_is_refused(run, tmp_path: Path) -> None:
    """A list in UTF-8 and data in an encoding that was taken for another: nothing would be protected."""
    words = "record,item\n1,Plzeň\n1,Praha\n2,Praha\n"
    put(tmp_path, words.encode("cp1250"))
    put(tmp_path, "Plzeň\nPraha\n".encode(), "list.txt")
    asked = ("data.csv", "--rho", "0.9", "--sensitive", "list.txt")
    found = run("anonymize", *asked, "-o", "out.csv")
    assert found.exit_code == 3
    assert "the encoding of the data is a guess, cp1252" in found.stderr
    assert not (tmp_path / "out.csv").exists()
    told = run("anonymize", *asked, "-o", "out.csv", "--encoding", "cp1250", "--seed", "1")
    assert told.exit_code in (0, 4), told.output


def test_releases_are_utf_8_and_compared_with_their_originals(run, tmp_path: Path) -> None:
    text = "record,item\n" + "".join(f"{n},Plzeň\n{n},Praha\n" for n in range(8))
    put(tmp_path, text.encode("cp1250"))
    asked = ("--model", "km", "--k", "2", "--m", "1", "--encoding", "cp1250")
    made = run("anonymize", "data.csv", *asked, "-o", "out.csv")
    assert made.exit_code == 0, made.output
    assert "--encoding" not in made.stderr.partition("to prove it again")[2]
    assert "Plzeň" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert run("verify", "out.csv").exit_code == 0
    # As the internal manifest says that the original was read.
    assert "Plzeò" not in run("compare", "data.csv", "out.csv", "--json").output


def test_decimal_is_for_tables(run, tmp_path: Path) -> None:
    put(tmp_path, NAMES.encode())
    found = run("inspect", "data.csv", "--decimal", "comma")
    assert found.exit_code == 2
    assert "--decimal is for the numbers of a table" in found.stderr
