"""Numbers and dates in ranges: every cell against a naive reading, and what is refused."""

from __future__ import annotations

import json
from calendar import monthrange
from datetime import date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples
from typed import run
from withhold.data.dates import NUMBERS, age, fitting_orders, read_date
from withhold.data.preparing import parse_bins
from withhold.data.table import Table
from withhold.errors import InputError, PolicyError

days = st.dates(date(1900, 1, 1), date(2030, 12, 31))
MISSING = ["", None, "NA", "?"]


def binned(cells, how, **others):
    """The cells of a column after binning, and how it would be asked for again."""
    table = Table.from_columns({"c": cells, **others})
    made = wh.read_table(table, bins={"c": how})
    return made.column("c").cells().tolist(), made.binned[0].partition("=")[2]


def written(day: date, style: int) -> str:
    """A day as somebody may write it, without doubt about the month."""
    name = next(word for word, number in NUMBERS.items() if number == day.month)
    return (
        day.isoformat(),
        f"{day:%Y%m%d}",
        f"{day.year}/{day.month}/{day.day}",
        f"{day.isoformat()}T23:59:59.5+02:00",
        f"{day.isoformat()} 00:00:00.000000",
        f"{day.day} {name.title()} {day.year}",
        f"{day.day:02}-{name[:3].upper()}-{day.year}",
        f"{name.title()} {day.day}, {day.year}",
    )[style]


@examples(300)
@given(st.lists(st.tuples(days, st.integers(0, 7)), min_size=1, max_size=12), st.integers(1, 40))
def test_periods__are_those_that_the_calendar_says(dated, years):
    cells = [written(day, style) for day, style in dated] + MISSING
    every_day = [day for day, _ in dated]
    assert binned(cells, "year")[0] == [str(day.year) for day in every_day] + MISSING
    assert binned(cells, "month")[0] == [f"{day:%Y-%m}" for day in every_day] + MISSING
    assert binned(cells, "day")[0] == [f"{day}" for day in every_day] + MISSING
    assert binned(cells, "decade")[0] == binned(cells, "10y")[0]
    for day, name in zip(every_day, binned(cells, f"{years}y")[0], strict=False):
        first, _, last = name.partition("-")
        in_it = [
            year for year in range(day.year - years, day.year + years + 1) if year % years == 0
        ]
        begins = max(year for year in in_it if year <= day.year)
        assert (int(first), int(last or first)) == (begins, begins + years - 1)


def naive_age(born: date, when: date) -> int:
    """Birthdays counted one by one; that of 29 February is 1 March in other years."""
    years = 0
    while True:
        year = born.year + years + 1
        last = monthrange(year, born.month)[1]
        birthday = date(year, 3, 1) if born.day > last else date(year, born.month, born.day)
        if birthday > when:
            return years
        years += 1


@examples(500)
@given(
    st.lists(st.tuples(days, st.integers(0, 45_000), st.integers(0, 7)), min_size=1, max_size=8),
    st.integers(1, 20),
)
def test_age__counts_birthdays(people, width):
    born = [day for day, _, _ in people]
    when = [day + timedelta(days=after) for day, after, _ in people]
    cells = [written(day, style) for day, _, style in people]
    other = [written(day, style) for day, (_, _, style) in zip(when, people, strict=True)]
    ages = [naive_age(*pair) for pair in zip(born, when, strict=True)]
    assert [age(*pair) for pair in zip(born, when, strict=True)] == ages
    shown, how = binned([*cells, "", "NA", cells[0]], f"age:d:{width}", d=[*other, "?", "", "?"])
    assert how == f"age:d:{width}"
    assert shown[len(cells) :] == ["", "NA", "?"]
    for name, years in zip(shown, ages, strict=False):
        low, _, high = name.partition("-")
        assert int(low) % width == 0
        assert int(low) <= years <= int(high or low) == int(low) + width - 1


def test_age__at_a_day__by_edges__and_of_a_dropped_column():
    cells = ["2000-02-29", "1990-06-01", ""]
    assert binned(cells, "age:2001-02-28")[0] == ["0", "10", ""]
    assert binned(cells, "age:2001-03-01:edges:1")[0] == ["1 or more", "1 or more", ""]
    assert binned(cells, "age:2001-03-01:5,18") == (
        ["below 5", "5-17", ""],
        "age:2001-03-01:5,18",
    )
    table = Table.from_columns({"b": ["2000-02-29"], "at: x": ["2010-02-28 08:00"]})
    made = wh.read_table(table, drop=["at: x"], bins=['b=age:"at: x":5'])
    assert (made.rows(), made.binned) == ([("5-9",)], ('b=age:"at: x":5',))
    again = wh.read_table(table, drop=made.dropped, bins=made.binned)
    assert again == made
    both = wh.read_table(table, bins=['b=age:"at: x":5', "at: x=year"])
    assert both.rows() == [("5-9", "2010")]


def test_age__before_birth_is_refused():
    with pytest.raises(InputError, match=r"row 2: the date is after 'd', so there is no age"):
        binned(["2000-01-01", "2001-01-02"], "age:d", d=["2000-01-01", "2001-01-01"])


@examples(300)
@given(
    st.lists(days, min_size=1, max_size=6), st.sampled_from(["dmy", "mdy"]), st.sampled_from("/-.")
)
def test_order__is_taken_where_one_fits_and_asked_where_it_matters(every_day, order, mark):
    parts = {"dmy": "{0.day}{1}{0.month}{1}{0.year}", "mdy": "{0.month:02}{1}{0.day:02}{1}{0.year}"}
    cells = [parts[order].format(day, mark) for day in every_day]
    assert order in fitting_orders(cells)
    months = [f"{day:%Y-%m}" for day in every_day]
    # A year is the same in either order, so nobody is asked.
    assert binned(cells, "year")[0] == [str(day.year) for day in every_day]
    assert binned(cells, f"month:{order}") == (months, f"month:{order}")
    if any(day.day > 12 for day in every_day):
        assert binned(cells, "month") == (months, f"month:{order}")
    elif all(day.day == day.month for day in every_day):
        assert binned(cells, "month")[0] == months
    else:
        with pytest.raises(InputError, match=r"c=month:dmy \(the day\) or month:mdy \(the month\)"):
            binned(cells, "month")


@pytest.mark.parametrize(
    ("cells", "how", "message"),
    [
        (["25/12/2019", "12/25/2019"], "year", "day first and others with the month first"),
        (["03/04/2020"], "day", "day and month cannot be distinguished"),
        (["03/04/2020"], "age:2021-01-01", "c=age:2021-01-01:1:dmy"),
        (["25/12/2019"], "month:mdy", "row 1 holds no date"),
        (["2021-02-29"], "year", "row 1 holds no date"),
        (["2020-01-01", "0000-00-00"], "year", "row 2 holds no date"),
        (["03/04/20"], "year", "row 1 holds no date"),
        (["1999"], "decade", "row 1 holds no date"),
        (["3 Foo 2020"], "year", "row 1 holds no date"),
        (["2020-01-01"], "10", "row 1 holds no number"),
        (["2020-01-01"], "age:nowhere:5", "has no column 'nowhere'"),
        (["5", "5"], "quantiles:2", "has too few distinct numbers for quantiles:2"),
    ],
)  # fmt: skip
def test_cells_that_do_not_fit__are_refused_with_a_row(cells, how, message):
    with pytest.raises(InputError) as refused:
        binned(cells, how)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("how", "hint"),
    [
        ("yaer", "did you mean 'year'"),
        ("0y", "must be"),
        ("year:ymd", "must be"),
        ("quantiles", "must be"),
        ("quantiles:1", "must be"),
        ("quantile:4", "did you mean 'quantiles'"),
        ("quantiles:-3", "must be"),
        ("age", "must be"),
        ("age:", "must be"),
        ("age:d:five", "must be"),
        ("age:d:0", "wider than 0"),
        ("edges:", "must be"),
        ("edges:5,3", "must be ascending"),
        ("width:1,2", "must be"),
        ("", "must be"),
    ],
)
def test_parse__says_what_can_be_asked_for(how, hint):
    with pytest.raises(PolicyError, match=hint):
        parse_bins([f"c={how}"])


@pytest.mark.parametrize(
    "how",
    [
        *(
            "5",
            "0.5",
            "18,65",
            "edges:18",
            "quantiles:10",
            "day",
            "month:mdy",
            "year",
            "decade",
            "7y",
        ),
        *("age:d:5", "age:d:18,65", "age:d:edges:18:dmy", 'age:"a:b":5', "age:2020-01-01:1"),
    ],
)
def test_parse__reads_what_it_writes(how):
    assert str(parse_bins([f"c={how}"])["c"]) == how
    assert parse_bins({"c": how}) == parse_bins([f'"c"={how}'])


@examples(400)
@given(
    st.lists(st.decimals(-500, 500, places=2).map(str), min_size=1, max_size=40),
    st.integers(2, 12),
)
def test_quantiles__are_where_a_sorted_list_is_cut(cells, parts):
    ordered = sorted(cells, key=float)
    wanted = [ordered.index(next(o for o in ordered if float(o) == float(c))) for c in cells]
    wanted = [place * parts // len(cells) for place in wanted]
    if len(set(wanted)) == 1:
        with pytest.raises(InputError):
            binned(cells, f"quantiles:{parts}")
        return
    shown, how = binned([*cells, "", "NA"], f"quantiles:{parts}")
    assert shown[-2:] == ["", "NA"]
    assert len(set(zip(shown, wanted, strict=False))) == len(set(wanted)) == len(set(shown[:-2]))
    # As edges they make the same ranges again, and no edge needs more digits than the cells have.
    assert binned([*cells, "", "NA"], how)[0] == shown
    edges = [float(edge) for edge in how.removeprefix("edges:").split(",")]
    for low in edges:
        assert sum(float(c) < low for c in cells) > 0
        assert sum(float(c) >= low for c in cells) > 0
    below = [max(float(c) for c in cells if float(c) < low) for low in edges]
    least = [min(float(c) for c in cells if float(c) >= low) for low in edges]
    for low, before, first in zip(edges, below, least, strict=True):
        for digits in range(-3, 3):
            if any(before < round(n * 10.0**-digits, 2) <= first for n in range(-500, 501)):
                assert round(low, digits) == low
                break


@pytest.mark.parametrize(
    ("cells", "edges"),
    [
        ("10 20 29 45", "29"),  # 20 would be rounder, and is a number of the range below
        ("10 20 31 45", "30"),
        ("1 2 3 4", "3"),
        ("-7 -3 4 9", "0"),
        ("-45 -31 -29 -10", "-30"),
        ("61237 59870 80000 1000", "60000"),
        ("0.11 0.19 0.23 0.5", "0.2"),
    ],
)
def test_quantiles__take_the_roundest_edge(cells, edges):
    assert binned(cells.split(), "quantiles:2")[1] == f"edges:{edges}"


def test_frames__of_dates_and_moments():
    frame = pl.DataFrame({"b": [date(1987, 3, 9), None], "m": [datetime(2020, 2, 29, 23), None]})
    made = wh.read_table(frame, bins={"b": "age:m:5", "m": "month"})
    assert made.rows() == [("30-34", "2020-02"), (None, None)]


@pytest.fixture
def people(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        (
            f"19{50 + n % 40}-0{1 + n % 9}-1{n % 10}",
            f"{1 + n % 12}/{13 + n % 5}/2020",
            1000 + 37 * n,
        )
        for n in range(60)
    ]
    lines = [f"{born},{seen},{income},{n % 2}" for n, (born, seen, income) in enumerate(rows)]
    Path("p.csv").write_text("\n".join(["born,seen,income,sick", *lines]) + "\n")
    Path("all.csv").write_text("\n".join(["born,seen,income,sick", *lines, *lines[10:]]) + "\n")


ASKED = (
    *("--model", "k-anonymity", "--k", 3, "--quasi-identifiers", "born,income", "--drop", "seen"),
    *("--bin", "born=age:seen:10", "--bin", "income=quantiles:4"),
)


def test_road__bins_are_in_the_manifest_and_compare_makes_them_again(people):
    made = run("anonymize", "p.csv", *ASKED, "-o", "out.csv", "--seed", 1)
    assert made.exit_code == 0, made.output
    found = json.loads(Path("out.csv.internal.json").read_text())["input"]["binned_columns"]
    assert found == ["born=age:seen:10:mdy", "income=1550,2100,2660"]
    assert run("verify", "out.csv").exit_code == 0
    assert run("compare", "p.csv", "out.csv").exit_code == 0
    again = run("anonymize", "p.csv", "--policy", "out.csv.internal.json", "-o", "b.csv")
    assert again.exit_code == 0, again.output
    assert Path("b.csv").read_bytes() == Path("out.csv").read_bytes()


def test_population__is_cut_where_the_table_is(people):
    present = ("--presence", "0.1,0.9", "--population", "all.csv")
    made = run("anonymize", "p.csv", *ASKED, *present, "-o", "out.csv", "--seed", 1)
    assert made.exit_code == 0, made.output
    proof = next(line for line in made.output.splitlines() if "to prove it again" in line)
    assert "--bin born=age:seen:10:mdy --bin income=1550,2100,2660" in proof
    words = proof.partition("withhold verify ")[2].split()
    assert run("verify", *words).exit_code == 0
    loose = run("verify", "out.csv", "--population", "all.csv", "--bin", "income=quantiles:4")
    assert loose.exit_code == 2
    assert "quantiles:4 gives the population other ranges" in loose.output


def test_read_date__knows_no_other_spelling():
    for text in (
        "1/1/1",
        "20201301",
        "2020-1",
        "12:30",
        "2020-01-01x",
        "2020-01/01",
        "1.1.2020.",
        "99 May 2020",
    ):
        assert read_date(text, "dmy") is None, text
