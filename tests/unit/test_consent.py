"""Consent: who did not agree is left out before anything is counted, whatever the model."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import withhold as wh
from withhold.errors import InputError
from withhold.formats import FORMATS, write
from withhold.formats.forms import TRAITS

ROWS = [["beer", "condom"], ["beer"], ["tea"], ["condom", "soap"]]
AGREED = [["beer", "condom"], ["tea"]]
MODEL = wh.RhoUncertainty("0.5", {"condom"})
LONG = "tid,item,ok\na,beer,1\nb,beer,0\na,condom,1\nc,tea,1\nd,condom,0\nd,soap,0\n"


@pytest.fixture
def file(tmp_path):
    def write(name: str, content: str):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def basket(file):
    return file("shop.dat", "".join(" ".join(row) + "\n" for row in ROWS))


def test_a_list_of_row_numbers__keeps_only_these(file):
    listing = file("agreed.txt", "\ufeff1\n\n 3 \n3\n")
    for consent in (listing, str(listing), [1, 3], ["1", "3"], {3, 1}):
        table = wh.read(basket(file), consent=consent)
        assert table.to_lists() == AGREED
        assert table.without_consent == 2
        # Not even the names of what only the others had are left.
        assert table.vocabulary == ("beer", "condom", "tea")


def test_a_list_of_record_ids__where_records_have_ids(file):
    table = wh.read(file("long.csv", LONG), consent=["a", "c"])
    assert (table.to_lists(), table.record_ids) == (AGREED, ("a", "c"))
    with pytest.raises(
        InputError, match="occurs: '1', '3'; each line must be a record id of the data"
    ):
        wh.read(file("long.csv", LONG), consent=[1, 3])


def test_truth_values__one_for_each_record():
    agreed = np.array([True, False, True, False])
    assert wh.read(ROWS, consent=agreed).to_lists() == AGREED
    with pytest.raises(InputError, match="for 3 records, and the data have 4"):
        wh.read(ROWS, consent=agreed[:3])


ONE_HOT = "beer,condom,ok,soap,tea\n1,1,1,0,0\n1,0,0,0,0\n0,0,1,0,1\n0,1,0,1,0\n"
JSONL = "".join(
    json.dumps({"items": row, "ok": ok}) + "\n"
    for row, ok in zip(ROWS, [1, 0, True, False], strict=True)
)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", LONG), ("b.csv", ONE_HOT), ("c.jsonl", JSONL)],
    ids=lambda v: v[:5],
)
def test_a_column__of_a_text_file(file, name, content):
    table = wh.read(file(name, content), consent="ok")
    assert table.to_lists() == AGREED
    assert table.without_consent == 2
    assert "ok" not in table.vocabulary


def test_a_column__of_a_frame_or_a_parquet_file(tmp_path):
    wide = pl.DataFrame({"items": ROWS, "ok": [True, False, True, False]})
    long = pl.read_csv(LONG.encode())
    hot = pl.read_csv(ONE_HOT.encode())
    for number, frame in enumerate([wide, long, hot]):
        assert wh.read(frame.to_pandas(), consent="ok").to_lists() == AGREED
        assert wh.read(frame, consent="ok").to_lists() == AGREED
        path = tmp_path / f"{number}.parquet"
        frame.write_parquet(path)
        assert wh.read(path, consent="ok").to_lists() == AGREED


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (LONG.replace("beer,1", "beer,maybe"), "line 2.*neither 0 nor 1"),
        (LONG.replace("beer,1", "beer,"), "line 2.*neither 0 nor 1"),
        (LONG.replace("condom,1", "condom,0"), "rows of a record differ.*'a'"),
        (LONG.replace(",1\n", ",0\n"), "no record has consent"),
        (LONG.replace("ok", "OK"), "has no column 'ok'"),
    ],
)
def test_a_column__that_does_not_answer(file, content, complaint):
    with pytest.raises(InputError, match=complaint):
        wh.read(file("long.csv", content), consent="ok")


@pytest.mark.parametrize(
    ("consent", "complaint"),
    [
        ("ok", "a basket file has no column"),
        ([5], "'5'; each line must be a row number from 1 to 4"),
        ([0, "x"], "none of the 2 records with consent occurs"),
        ([], "no record has consent"),
        (7, "neither a file nor a column"),
    ],
)
def test_what_is_no_consent__is_refused(file, consent, complaint):
    with pytest.raises(InputError, match=complaint):
        wh.read(basket(file), consent=consent)
    if consent == "ok":
        with pytest.raises(InputError, match="have no columns"):
            wh.read(ROWS, consent=consent)


@pytest.mark.parametrize("format", [name for name in FORMATS if not TRAITS[name].has_columns])
def test_a_column__where_the_format_has_none(tmp_path, format):
    write(wh.Records.from_lists(ROWS), path := tmp_path / "shop", format=format)
    with pytest.raises(InputError, match=f"a {format} file has no column"):
        wh.read(path, format=format, consent="ok")


def test_the_road__counts_only_those_who_agreed(tmp_path, file):
    # Of all four, condom follows from nothing in half the records; of the two, soap is gone.
    found = wh.audit(ROWS, MODEL, consent=[1, 3])
    assert (found.records, found.occurrences, found.without_consent) == (2, 3, 2)
    assert wh.audit(ROWS, MODEL).without_consent is None
    release = wh.anonymize(ROWS, MODEL, consent=[1, 3])
    assert len(release.data) == 2
    written = release.write(tmp_path / "out.dat")
    internal = json.loads(written.internal.read_text())
    assert internal["input"]["without_consent"] == 2
    assert internal["input"]["records"] == 2
    assert "consent" not in written.manifest.read_text()
    assert "soap" not in written.path.read_text()
    release.write(tmp_path / "told.dat", report=True)
    assert "without consent" in (tmp_path / "told.dat.report.html").read_text()
    from withhold.report.text import audit_text, release_text

    assert "2 records without consent left out" in release_text(release, written)
    assert "2 records without consent left out" in audit_text(found, name="shop")
    assert "consent" not in audit_text(wh.audit(ROWS, MODEL), name="shop")


def test_consent_twice__adds_up():
    table = wh.read(ROWS, consent=[1, 2, 3])
    assert wh.read(table, consent=[1, 3]).without_consent == 2


TABLE = "sex,town,ok\nf,Bern,1\nf,Bern,1\nm,Uri,0\nm,Bern,1\nm,Bern,true\n"
TWO_ALIKE = wh.KAnonymity(2, ("sex", "town"))


def test_tables__leave_out_rows_and_the_column_that_says_so(tmp_path, file):
    path = file("people.csv", TABLE)
    by_column = wh.read_table(path, consent="ok")
    assert by_column.rows() == [("f", "Bern"), ("f", "Bern"), ("m", "Bern"), ("m", "Bern")]
    assert by_column.without_consent == 1
    listed = file("agreed.txt", "1\n2\n4\n5\n")
    for consent in (listed, str(listed), [1, 2, 4, 5], np.array([1, 1, 0, 1, 1], dtype=bool)):
        assert wh.read_table(path, consent=consent, drop=["ok"]) == by_column
    # With everybody, the row from Uri is alone; among those who agreed, nobody is.
    assert wh.audit(path, TWO_ALIKE).rows_at_risk == 1
    found = wh.audit(path, TWO_ALIKE, consent="ok")
    assert (found.rows_at_risk, found.without_consent) == (0, 1)
    release = wh.anonymize(path, TWO_ALIKE, consent="ok")
    written = release.write(tmp_path / "out.csv")
    assert json.loads(written.internal.read_text())["input"]["without_consent"] == 1
    assert written.path.read_text().splitlines()[0] == "sex,town"
    assert wh.compare(path, written.path, consent="ok").releases[0].measured.warnings == ()


@pytest.mark.parametrize(
    ("consent", "message"),
    [
        ("agreed", "has no column 'agreed'"),
        ("town", "neither 0 nor 1"),
        ([9], "row number from 1 to 5"),
        ([], "no record has consent"),
    ],
)
def test_tables__refuse_what_is_no_answer(file, consent, message):
    with pytest.raises(InputError, match=message):
        wh.read_table(file("people.csv", TABLE), consent=consent)
