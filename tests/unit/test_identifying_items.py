"""Identifiers among the items of records: they stop a release until somebody says otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.data import Records
from withhold.data.identifying_items import identifying_items
from withhold.errors import PolicyError

N = 60
GOODS = ("tea", "milk", "bread", "soap")
IDS = {
    "numbers of customers": [f"C{n:04}" for n in range(N)],
    "names": [f"Eve Huber{n}" for n in range(N)],
    "names that repeat": [f"Eve Hub{'abcdefghij'[n % 10]}r" for n in range(N)],
    "e-mail": [f"u{n % 7}@web.at" for n in range(N)],
    "moments": [f"2024-06-{1 + n % 9:02} 8:{n % 5:02}" for n in range(N)],
    "days": [f"2024-06-{1 + n % 9:02}" for n in range(N)],
    "phones": [f"+43 664 12345{n % 9:02}" for n in range(N)],
    "accounts": [f"AT6119043002345{n % 20:05}" for n in range(N)],
}
RHO = wh.RhoUncertainty("0.5", {"soap"})
MODELS = {
    "rho": ("--rho", "0.5", "--sensitive", "soap,"),
    "coherence": (
        "--model",
        "coherence",
        "--h",
        "0.9",
        "--k",
        "2",
        "--p",
        "1",
        "--private",
        "soap,",
    ),
    "km": ("--model", "km", "--k", "2", "--m", "1"),
    "buckets": ("--model", "buckets", "--k", "2"),
    "apart": ("--model", "apart", "--rho", "0.5", "--sensitive", "soap,"),
}


def lines(ids: list[str]) -> list[list[str]]:
    """Baskets, each with an id and one or two goods."""
    return [[each, *{GOODS[n % 3], GOODS[n % 4]}] for n, each in enumerate(ids)]


def reason(rows: list[list[str]], **options: int) -> str:
    """Why these records would stop."""
    found = identifying_items(Records.from_lists(rows), **options)
    return "" if found is None else found.reason


def write(path: str, rows: list[list[str]], separator: str = ";") -> None:
    """A file of baskets."""
    Path(path).write_text("".join(separator.join(row) + "\n" for row in rows))


@pytest.mark.parametrize("name", IDS)
def test_items__that_identify_are_found_at_any_place_of_a_line(name):
    assert reason(lines(IDS[name]))
    assert reason([row[::-1] for row in lines(IDS[name])])


def test_once_only__in_nine_records_of_ten_and_no_fewer():
    rows = lines(IDS["numbers of customers"])
    few, enough = [[row[1:] for row in rows[:n]] + rows[n:] for n in (7, 6)]
    assert not reason(few)
    assert reason(enough).startswith("54 of 60 records hold 1 item that no other record has")
    assert reason(rows[:20])
    assert not reason(rows[:19])
    assert not reason(rows, fewest=1000)
    # Two of them, such as a number and a name.
    assert "hold 2 items" in reason([[f"x{n}", *row] for n, row in enumerate(rows)])


def test_rare_goods__are_no_identifiers():
    # One in two records has something that sells once, or each has one, two or three such things.
    assert not reason([["tea", f"a{n}"] if n % 2 else ["tea", "milk"] for n in range(N)])
    assert not reason([["tea", *(f"a{n}.{i}" for i in range(1 + n % 3))] for n in range(N)])
    # Records of nothing else, and numbers of articles that repeat.
    assert not reason([[f"a{n}"] for n in range(N)])
    assert not reason([["tea", str(9001234567890 + n % 4)] for n in range(N)])
    assert not reason([["tea", "react@17.0.2", "10:30"] for _ in range(N)])
    assert not reason([[], []])


NUMBERS = {
    "customers": ([f"K{n % 30}" for n in range(200)], "'K#' (digits as #), of 30 different ones"),
    "receipts": ([f"till 3/{n % 25}" for n in range(200)], "'till #/#' (digits as #), of 25"),
    "postcodes": ([f"{10115 + n % 40}" for n in range(200)], "'#####' (digits as #), of 40"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_one_form__are_found_though_they_repeat(name):
    ids, said = NUMBERS[name]
    rows = lines(ids)
    assert reason(rows).startswith("200 of 200 records hold 1 item of the form ")
    assert said in reason(rows)
    # In nine records of ten and no fewer, and in each once.
    few, enough = [[row[1:] for row in rows[:n]] + rows[n:] for n in (21, 20)]
    assert not reason(few)
    assert reason(enough).startswith("180 of 200 records")
    assert not reason([[*row, ids[n - 1]] if n % 2 else row for n, row in enumerate(rows)])
    assert not reason([row[:1] for row in rows])


def test_numbers_of_one_form__may_be_shared_by_many_or_be_few():
    assert reason(lines([f"K{n % 20}" for n in range(200)]))
    # One in each record, beside other items: as many may share it as will.
    assert reason(lines([f"K{n % 20}" for n in range(2000)]))
    alone = [
        row[:1] if n % 20 == 0 else row
        for n, row in enumerate(lines([f"K{n % 20}" for n in range(2000)]))
    ]
    assert not reason(alone)
    assert not reason(lines([f"K{n % 19}" for n in range(190)]))
    # Years and postcodes: of bare numbers each length is a form of its own.
    both = [[str(1950 + n % 9), str(10115 + n % 40), "tea"] for n in range(200)]
    assert "'#####'" in reason(both)
    # Where all items are numbers, one that has some length says nothing.
    assert not reason([[str(10115 + n % 40), str(n % 7)] for n in range(200)])


def test_ages__beside_sex_and_goods_are_found():
    rows = [[str(20 + n * 7 % 60), "fm"[n % 2], "tea"] for n in range(3000)]
    assert "of the form '##'" in reason(rows)


FIRST = ("Anna", "Ben", "Carla", "Émile", "Jean-Luc", "O'Neil")
LAST = ("Meyer", "Koch", "Núñez", "Weber", "Wolf")


def test_names__that_repeat_are_found_if_each_record_has_one():
    names = [f"{FIRST[n % 6]} {LAST[n % 5]}" for n in range(1500)]
    rows = lines(names)
    assert "1,500 of 1,500 records hold 1 item of two capitalised words, of 30 " in reason(rows)
    assert not reason([row if n % 9 else row[1:] for n, row in enumerate(rows)])
    # Goods may be called like that, but a record then has several of them, or nothing else.
    assert not reason([[row[0], names[n - 1], *row[1:]] for n, row in enumerate(rows)])
    assert not reason([[name] if n % 20 else [name, "tea"] for n, name in enumerate(names)])


def test_free_text__of_many_words_is_found_in_any_share():
    notes = [
        f"please call Mrs Huber at noon {word}" for word in ("today", "or so", "again", "x", "y")
    ]
    rows = [[*row[1:], *notes[n : n + 1]] for n, row in enumerate(lines(IDS["days"] * 5))]
    assert (
        reason(rows)
        == "5 items have 6 words or more, and most are in one record only, as free text is"
    )
    assert not reason(rows[1:])
    # The names of a catalogue are long, too, but repeat, or as rarely as all others.
    assert not reason([*rows, *rows])
    assert not reason([[*row, f"g{n}"] if n % 2 else row for n, row in enumerate(rows)])


def test_serial_numbers__stop_in_any_share_of_the_records():
    rows = [[f"Rx {7_290_000 + 37 * n}", "tea"] if n % 4 == 0 else ["tea"] for n in range(200)]
    said = "nearly all of 50 items of the form 'Rx #' (digits as #) are in one record only"
    assert reason(rows).startswith(said)
    assert not reason([*rows[:76], *([["tea"]] * 124)])
    # Goods that sell twice, short numbers, and several in a record.
    assert not reason([*rows, *rows[:80]])
    assert not reason([[f"Rx {n}", "tea"] if n % 4 == 0 else ["tea"] for n in range(200)])
    assert not reason([[f"Rx {90_000 + 2 * n + i}" for i in range(1 + n % 2)] for n in range(200)])


def test_codes_of_diagnoses__are_no_numbers_of_customers():
    codes = [
        f"{chapter}{block}.{n}" for chapter in "EFIJ" for block in (10, 20, 48) for n in range(8)
    ]
    for size in (20, 50, 100, 1000):
        rows = [["tea", codes[n * n % 90], codes[(n * 7) % 60]] for n in range(size)]
        assert not reason(rows)


@pytest.mark.parametrize("name", ["bms-webview-1.dat.gz", "retail.dat.gz", "groceries.csv.gz"])
def test_real_files__do_not_stop(real_data, name):
    whole = wh.read(real_data / name)
    assert identifying_items(whole) is None
    draw = np.random.default_rng(3)
    for size in (20, 50, 100, 1000) * 5:
        kept = np.zeros(len(whole), dtype=bool)
        kept[draw.choice(len(whole), size, replace=False)] = True
        assert identifying_items(whole.only_records(kept)) is None


def test_inspect__hints_at_numbers_of_one_form():
    (hint,) = wh.inspect(Records.from_lists(lines(NUMBERS["customers"][0]))).hints
    assert (hint.kind, "'K#'" in hint.text) == ("identifiers", True)


def test_bare_numbers__that_some_records_have_are_articles():
    rare = [
        [*({str(50_000 + 13 * n)} if n % 3 == 0 else ()), *GOODS[: 1 + n % 4]] for n in range(N)
    ]
    assert not reason(rare)
    named = [[f"RX-{name}" if name.isdigit() else name for name in row] for row in rare]
    assert "as the number of a prescription is" in reason(named)


def test_one_address__is_enough():
    for mail in ("u1@web.at", "Ann Roe <u1@web.at>", "mailto:u1@web.at", "mail (u1@web.at)"):
        assert reason([["tea", mail], ["tea"]]) == "1 item looks like an e-mail address"
    assert not reason([["react@17.0.2", "@scope/name", "5 @ 2.50"], ["tea"]])
    assert reason([["2024-06-10 8:41"]]) == "1 item looks like a date with a time"


@pytest.mark.parametrize("days", [1, 3, 30])
def test_parts__too_small_to_tell_are_looked_at_together(days, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for day in range(days):
        write(f"day{day:02}.csv", lines([f"C{100 * day + n:05}" for n in range(N)]))
    asked = ("day*.csv", "--engine", "stream", "--rho", "0.5", "--sensitive", "soap", "-o", "out")
    done = run("anonymize", *asked)
    assert (done.exit_code, "hold 1 item that no other record has" in done.stderr) == (2, True)
    assert not Path("out").exists()
    assert run("anonymize", *asked, "--publish", "items").exit_code == 0


@pytest.mark.parametrize("model", MODELS)
def test_anonymize__stops_under_every_model_of_records(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("shop.csv", lines(IDS["e-mail"]))
    done = run("anonymize", "shop.csv", *MODELS[model], "-o", "out.csv")
    assert done.exit_code == 2, done.output
    assert "7 items look like e-mail addresses" in done.stderr
    assert "--publish items" in done.stderr
    assert "web.at" not in done.output
    assert not Path("out.csv").exists()


def test_publish_items__says_otherwise_and_is_recorded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("shop.csv", lines(IDS["numbers of customers"]), ",")
    asked = ("anonymize", "shop.csv", *MODELS["rho"], "-o", "out.csv")
    assert run(*asked).exit_code == 2
    assert run(*asked, "--publish", "name").exit_code == 2
    done = run(*asked, "--publish", "items")
    assert done.exit_code == 0, done.output
    assert json.loads(Path("out.csv.internal.json").read_text())["options"]["publish"] == ["items"]
    Path("policy.toml").write_text('rho = "0.5"\nsensitive = "soap,"\npublish = ["items"]\n')
    again = run("anonymize", "shop.csv", "--policy", "policy.toml", "-o", "again.csv")
    assert again.exit_code == 0, again.output


def test_long__stops_for_its_items_not_for_its_ids(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = [(row[0], item) for row in lines(IDS["numbers of customers"]) for item in row[1:]]
    pl.DataFrame(pairs, ["record", "item"], orient="row").write_csv("ids.csv")
    assert run("anonymize", "ids.csv", *MODELS["rho"], "-o", "out.csv").exit_code == 0
    pairs = [(n, item) for n, row in enumerate(lines(IDS["e-mail"])) for item in row]
    pl.DataFrame(pairs, ["record", "item"], orient="row").write_csv("mail.csv")
    assert run("anonymize", "mail.csv", *MODELS["rho"], "-o", "out2.csv").exit_code == 2


def test_inspect__hints_at_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("shop.csv", lines(IDS["e-mail"]))
    assert "7 items look like e-mail addresses" in run("inspect", "shop.csv").stdout
    (hint,) = wh.inspect(Records.from_lists(lines(IDS["phones"]))).hints
    assert (hint.kind, hint.column, hint.numbers["number"]) == ("identifiers", "items", N)


def test_python__stops_too():
    rows = lines(IDS["e-mail"])
    with pytest.raises(PolicyError, match=r"publish='items'"):
        wh.anonymize(rows, RHO)
    for publish in ("items", "all", ["items"]):
        assert wh.anonymize(rows, RHO, publish=publish).verdict
    with pytest.raises(PolicyError, match="no columns"):
        wh.anonymize(rows, RHO, publish=["name"])


def test_people__stop_for_their_items():
    frame = pl.DataFrame(
        {
            "sex": ["fm"[n // 2 % 2] for n in range(N)],
            "items": lines(IDS["e-mail"]),
        }
    )
    people = wh.read_people(frame)
    model = wh.PeopleUncertainty("0.9", {"soap"}, k=2, quasi_identifiers=["sex"])
    with pytest.raises(PolicyError, match="7 items look like e-mail addresses"):
        wh.anonymize(people, model)
    assert wh.anonymize(people, model, publish=["items"]).verdict
    with pytest.raises(wh.WithholdError, match="no column 'ghost'"):
        wh.anonymize(people, model, publish=["items", "ghost"])


@pytest.mark.parametrize("model", ["rho", "km"])
def test_parts__of_a_thousand_records_are_looked_at(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("shop.csv", lines([f"C{n:05}" for n in range(2400)]), ",")
    asked = (
        "anonymize",
        "shop.csv",
        *MODELS[model],
        "--engine",
        "stream",
        "--part-records",
        "1200",
    )
    done = run(*asked, "-o", "out")
    assert done.exit_code == 2, done.output
    assert "1,200 of 1,200 records hold 1 item" in done.stderr
    assert not list(Path("out").glob("*.csv"))
    done = run(*asked, "-o", "out2", "--publish", "items")
    assert done.exit_code == 0, done.output
