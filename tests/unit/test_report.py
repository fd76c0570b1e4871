"""The page that people show around: one value, several renderings, and for strangers only what is theirs."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import withhold as wh
from typed import run
from withhold import registry
from withhold.errors import NotVerifiedError, OutputError, PolicyError
from withhold.publish.publishing import report_path
from withhold.report import figures
from withhold.report.content import band_text, examine, make_report
from withhold.report.html import report_html
from withhold.report.json import facts_as_dict
from withhold.telling.plots import Bars, Dots, Line, Lines, Scatter
from withhold.telling.sections import Drawing, Facts, Listing, Paragraph, Section
from withhold.verdict import Status

EVIL = "<script>alert('x')</script>"
ROWS = [
    [EVIL, "beer", "condom"],
    ["beer", "condom", "bread&butter"],
    [],
    ["coffee", "bread&butter"],
    ["coffee", '"><img src=http://x.example/y>'],
    ["condom", "$x$"],
    ["tea", "コーヒー"],
]
MODEL = wh.RhoUncertainty("0.5", {"condom", EVIL})


class Page(HTMLParser):
    """What stands in a page: numbers by path, text, elements."""

    def __init__(self, text):
        super().__init__()
        self.numbers, self.tags, self.ids, self.words = {}, [], [], []
        self.addresses = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.addresses += [values[k] for k in ("src", "href", "xlink:href") if k in values]
        if tag == "data":
            number = values["value"]
            self.numbers[values["data-path"]] = float(number) if number else None

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)


@pytest.fixture(scope="module")
def pharmacy():
    baskets, sensitive = wh.pharmacy(1500, seed=5)
    return wh.anonymize(baskets, wh.RhoUncertainty("0.5", sensitive), seed=90210)


@pytest.fixture(scope="module")
def subject(pharmacy):
    return examine(pharmacy)


def manifests(release, tmp_path):
    published = release.write(tmp_path / "published.dat", force=True)
    return [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (published.manifest, published.internal)
    ]


@pytest.fixture(scope="module")
def internal(pharmacy, subject, tmp_path_factory):
    return make_report(subject, *manifests(pharmacy, tmp_path_factory.mktemp("internal")))


@pytest.fixture(scope="module")
def external(pharmacy, subject, tmp_path_factory):
    made = manifests(pharmacy, tmp_path_factory.mktemp("external"))
    return make_report(subject, *made, edition="external")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# --- one value ------------------------------------------------------------------------------------


def test_report__says_what_the_release_says(pharmacy, internal):
    facts = internal.facts
    assert internal.status == "HOLDS"
    assert internal.promise == pharmacy.model.promise()
    assert facts["occurrences.all.removed"].value == pharmacy.loss.removed > 0
    assert facts["occurrences.sensitive.share"].value == pharmacy.loss.sensitive_occurrences
    assert facts["distribution.symmetric_kl"].value == pytest.approx(pharmacy.loss.symmetric_kl)
    assert facts["attack.exposed_before"].value > facts["attack.exposed_after"].value == 0


def test_report__has_every_part_that_was_asked_for(internal):
    titles = [section.name for section in internal.sections]
    assert titles == ["attacker", "risk", "lost", "supports", "rules", "made", "limits"]
    assert set(internal.plots) == {
        "inferred",
        "unique",
        "by-item",
        "by-length",
        "supports",
        "by-size",
    }
    captions = " ".join(
        part.caption for s in internal.sections for part in s.parts if isinstance(part, Listing)
    )
    assert "rules that changed most" in captions
    assert "most frequent items" in captions


def headline(report):
    return {fact.path: fact.label for fact in report.headline}


def test_headline__has_the_sensitive_items_beside_all_and_no_divergence(internal, external):
    shown = headline(internal)
    assert shown["occurrences.sensitive.share"] == "of the sensitive items: withheld"
    order = list(shown)
    assert order.index("occurrences.sensitive.share") == order.index("occurrences.all.share") + 1
    assert "distribution.symmetric_kl" not in shown
    assert not headline(external)  # exact losses are for the custodian


def test_report__says_at_the_top_how_much_it_holds_its_ids_and_the_day(
    pharmacy, subject, tmp_path, monkeypatch
):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    made = make_report(subject, *manifests(pharmacy, tmp_path))
    assert made.about == ("1,500 records", "records are renumbered", "1970-01-02")
    assert " · ".join(made.about) in report_html(made)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")  # is no number, so it is today
    again = make_report(subject, *manifests(pharmacy, tmp_path))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", again.about[-1])
    assert again.about[-1] != "1970-01-02"


def section(report, name):
    return next(each for each in report.sections if each.name == name)


def test_report__says_in_words_how_it_was_made(pharmacy, internal, external):
    first = section(internal, "made").parts[0]
    assert isinstance(first, Paragraph)
    for said in ("1,500 records", f"seed {pharmacy.seed}", "published.dat", "read it back", "rho"):
        assert said in first.text
    # The seed stays with the custodian.
    shown = report_html(external)
    assert str(pharmacy.seed) not in shown
    assert not any(isinstance(part, Paragraph) for part in section(external, "made").parts)


@pytest.mark.parametrize("rises", [True, False])
def test_report__says_why_more_records_can_be_unique_only_where_they_are(
    pharmacy, subject, tmp_path, rises
):
    def with_shares(audit, value):
        curve = tuple(
            replace(point, unique=replace(point.unique, hits=value)) for point in audit.attack_curve
        )
        return replace(audit, attack_curve=curve)

    before, after = (1, 2) if rises else (5, 2)
    changed = replace(
        subject,
        before=with_shares(subject.before, before),
        after=with_shares(subject.after, after),
    )
    page = report_html(make_report(changed, *manifests(pharmacy, tmp_path)))
    assert ("More records can be unique in the release" in page) is rises


def test_report__of_a_table_says_what_became_of_each_column(tmp_path):
    table = wh.Table.from_columns(
        {"age": list("33445566"), "name": list("abcdefgh"), "sex": list("fmfmfmfm")}
    )
    model = wh.KAnonymity(2, ["age"])
    read = wh.read_table(table, drop=["name"])
    release = wh.anonymize(read, model, publish=["sex"], seed=1)
    page = release.write(tmp_path / "out.csv", report=True)
    shown = Page(page.report.read_text(encoding="utf-8"))
    words = " ".join(shown.words)
    assert "What became of each column" in words
    assert "8 rows" in words
    for column in ("age", "name", "sex"):
        assert column in shown.words


def test_page__numbers_are_those_of_the_json(internal):
    page = Page(report_html(internal))
    assert page.numbers == facts_as_dict(internal)
    assert len(page.numbers) > 15


def test_page__plots_draw_the_numbers_of_the_value(pharmacy, internal):
    plot = internal.plots["by-item"]
    supports = dict(zip(pharmacy.data.vocabulary, pharmacy.data.supports.tolist(), strict=True))
    assert plot.parts[0].values == tuple(supports[item] for item in plot.labels)
    drawn = figures.draw(plot).axes[0]
    widths = [bar.get_width() for bar in drawn.patches]
    assert widths == [*plot.parts[0].values, *plot.parts[1].values]
    assert internal.plots["inferred"].lines[1].values == (0.0,) * 5


def test_release_report__is_the_same_before_it_is_a_file(pharmacy, internal):
    assert facts_as_dict(pharmacy.report()) == facts_as_dict(internal)
    assert pharmacy.report().name == "a release"


def test_page__an_untouched_file_has_a_report_too(tmp_path):
    release = wh.anonymize([["a", "b"], ["a"], ["c"], ["b", "z"]], wh.RhoUncertainty("0.9", {"z"}))
    release.write(tmp_path / "out.dat", report=True)
    page = report_path(tmp_path / "out.dat").read_text(encoding="utf-8")
    assert "Nothing was withheld" in page
    assert "The original was safe already" in page


# --- nothing from the data is code ----------------------------------------------------------------


@pytest.fixture(scope="module")
def evil_page(tmp_path_factory):
    out = tmp_path_factory.mktemp("evil") / "<b>out.jsonl"
    wh.anonymize(ROWS, MODEL).write(out, report=True)
    return report_path(out).read_text(encoding="utf-8")


def test_page__escapes_what_comes_from_the_data(evil_page):
    page = Page(evil_page)
    assert not {"script", "img", "b", "iframe", "link", "object"} & set(page.tags)
    words = "".join(page.words)
    assert EVIL in words
    assert "<b>out.jsonl" in words
    assert "bread&butter" in words


def test_page__asks_for_nothing_outside(evil_page):
    page = Page(evil_page)
    assert page.addresses
    assert all(address.startswith("#") for address in page.addresses)
    assert not re.search(r"url\((?!#)|@import|<link|<base", evil_page)
    assert "default-src 'none'" in evil_page


def test_page__no_two_elements_share_an_id(evil_page):
    ids = Page(evil_page).ids
    assert len(ids) == len(set(ids))
    for reference in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', evil_page):
        assert "".join(reference) in ids


# --- strangers ------------------------------------------------------------------------------------


def test_external__names_no_item(pharmacy, external):
    page = report_html(external)
    for item in pharmacy.original.vocabulary:
        assert item not in page, item


def test_external__tells_nothing_exact_about_the_original(pharmacy, subject, external):
    page = report_html(external)
    words = " ".join(Page(page).words)
    told = facts_as_dict(make_report(subject, *_any_manifests(pharmacy)))
    assert Page(page).numbers == {}
    for secret in (
        "90210",
        "90,210",
        str(pharmacy.loss.removed),
        f"{pharmacy.original.n_occurrences:,}",
        f"{told['occurrences.all.share'] * 100:.2f}",
    ):
        assert not re.search(rf"(?<![\w.,]){re.escape(secret)}(?![\w.,])", words), secret
    assert "numba" not in words
    assert "seconds" not in words
    assert [line.role for plot in external.plots.values() for line in plot.lines] == ["after"]


def _any_manifests(release):
    from pathlib import Path

    from withhold.data import Source
    from withhold.publish.manifest import make_internal, make_manifest

    form = Source(Path("x"), "basket")
    return make_manifest(release, "x", form, release.verdict), make_internal(release, "x", form)


def test_external__names_neither_the_input_nor_its_digest(tmp_path):
    source = tmp_path / "secret-customers.dat"
    source.write_text("beer condom\nbeer condom\nwine\n" * 9)
    release = wh.anonymize(source, wh.RhoUncertainty("0.5", {"condom"}))
    release.write(tmp_path / "out.dat", report=True, edition="external")
    page = report_path(tmp_path / "out.dat").read_text(encoding="utf-8")
    assert "secret-customers" not in page
    assert release.original.source.sha256 not in page
    assert "condom" not in page
    release.write(tmp_path / "out.dat", report=True, force=True)
    inside = report_path(tmp_path / "out.dat").read_text(encoding="utf-8")
    assert "secret-customers" in inside
    assert release.original.source.sha256 in inside


def test_external__a_section_of_a_model_is_left_out_unless_it_says_otherwise(
    pharmacy, subject, monkeypatch
):
    def sections(subject):
        chart = Bars("own", "By item", "records", ("insulin",), (Line("l", "lost", (1.0,)),))
        return [
            Section("own", "Own", (Paragraph("said aloud", for_strangers=True), Drawing(chart))),
            Section("quiet", "Quiet", (Paragraph("insulin"), Facts(()))),
        ]

    own = replace(registry.method_named("rho"), sections=sections)
    monkeypatch.setattr(registry, "_loaded", lambda room: own)
    made = _any_manifests(pharmacy)
    inside = make_report(subject, *made)
    outside = make_report(subject, *made, edition="external")
    assert {"own", "quiet"} <= {section.name for section in inside.sections}
    (own,) = [section for section in outside.sections if section.name in ("own", "quiet")]
    assert own.parts == (Paragraph("said aloud", for_strangers=True),)
    assert "insulin" not in report_html(outside)


@pytest.mark.parametrize("share", [0.0, 0.004, 0.01, 0.2, 0.75, 0.99, 1.0])
@pytest.mark.parametrize("published", [10, 1_000, 100_000])
def test_band__leaves_many_possibilities(share, published):
    text = band_text(share, published)
    told = re.findall(r"[\d.]+(?=%)", text)
    if not told:
        assert "small file" in text
        return
    low, high = [0.0, *map(float, told)][-2:]
    assert low <= share * 100 <= high
    counts = [
        n for n in range(max(4 * published, 2000)) if low <= 100 * n / (published + n) <= high
    ]
    assert len(counts) >= 100


def test_edition__must_be_one_that_exists(pharmacy, subject, tmp_path):
    with pytest.raises(PolicyError, match="internal or external"):
        make_report(subject, {}, {}, edition="secret")
    with pytest.raises(PolicyError, match="internal or external"):
        pharmacy.write(tmp_path / "out.dat", report=True, edition="secret")
    assert names(tmp_path) == []


# --- publishing -----------------------------------------------------------------------------------


@pytest.fixture
def release():
    return wh.anonymize(ROWS, MODEL)


def test_write__the_report_stands_beside_the_release(release, tmp_path):
    published = release.write(tmp_path / "out.jsonl", report=True)
    assert published.report == tmp_path / "out.jsonl.report.html"
    beside = ("internal.json", "manifest.json", "report.html")
    assert names(tmp_path) == ["out.jsonl", *(f"out.jsonl.{name}" for name in beside)]
    assert published.content.status == "HOLDS"


@pytest.mark.parametrize("report", [True, False])
def test_write__an_old_report_is_refused_and_never_left_beside_another_release(
    release, tmp_path, report
):
    page = report_path(tmp_path / "out.jsonl")
    for theirs in ("old", "<!doctype html>"):
        page.write_text(theirs)
        for force in (False, True):
            with pytest.raises(PolicyError, match=r"report\.html exists already"):
                release.write(tmp_path / "out.jsonl", report=report, force=force)
        assert names(tmp_path) == [page.name]
    page.unlink()
    old = release.write(tmp_path / "out.jsonl", report=True)
    old.report.write_text(old.report.read_text(encoding="utf-8") + "<!-- old -->")
    release.write(tmp_path / "out.jsonl", report=report, force=True)
    assert page.exists() == report
    assert not report or "<!-- old -->" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("moment", ["examine", "render", "rename"])
def test_write__a_report_that_fails_publishes_nothing(release, tmp_path, monkeypatch, moment):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    if moment == "rename":
        real = os.replace

        def some(source, target):
            if str(target).endswith(".jsonl"):
                fail()
            real(source, target)

        monkeypatch.setattr("withhold.publish.publishing.os.replace", some)
    else:
        place = {"examine": "content.examine", "render": "html.report_html"}[moment]
        monkeypatch.setattr(f"withhold.report.{place}", fail)
    with pytest.raises(OutputError, match="No space left"):
        release.write(tmp_path / "out.jsonl", report=True)
    assert names(tmp_path) == []


def test_write__what_is_not_proved_has_no_report(release, tmp_path, monkeypatch):
    broken = replace(release.verdict, status=Status.UNDECIDED)
    monkeypatch.setattr("withhold.publish.publishing.verify", lambda *_, **__: broken)
    with pytest.raises(NotVerifiedError):
        release.write(tmp_path / "out.jsonl", report=True)
    assert names(tmp_path) == []


def test_cli__report_and_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.dat").write_text("beer condom\nbeer condom\nwine\n")
    command = ["anonymize", "b.dat", "--rho", "0.5", "--sensitive", "condom", "-o", "out.dat"]
    found = json.loads(run(*command, "--report", "--json").stdout)
    assert found["report"] == "out.dat.report.html"
    page = Page((tmp_path / "out.dat.report.html").read_text(encoding="utf-8"))
    assert page.numbers == found["facts"]
    assert found["facts"]["occurrences.all.removed"] == found["loss"]["removed"]
    assert "report            out.dat.report.html" in run(*command, "--report", "--force").stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--edition", "external"], "--edition requires --report"),
        (["--report", "--edition", "secret"], "internal or external"),
    ],
)
def test_cli__edition_mistakes_are_exit_2_before_any_work(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.dat").write_text("beer condom\nwine\n")
    command = ["anonymize", "b.dat", "--rho", "0.5", "--sensitive", "condom", "-o", "out.dat"]
    result = run(*command, *options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert os.listdir(tmp_path) == ["b.dat"]


# --- figures --------------------------------------------------------------------------------------

PLOTS = [
    Lines("l", "T", "x", "y", ("1", "2"), (Line("a", "before", (0.1, None)),), percent=True),
    Bars("b", "T", "x", ("$a$", "b" * 99), (Line("a", "kept", (0, 3)), Line("c", "lost", (1, 2)))),
    Scatter(
        "s", "T", "x", "y", (Dots("d", "other", ((1.0, 1.0), (5.0, 0.0))), Dots("e", "lost", ()))
    ),
]


@pytest.mark.parametrize("plot", PLOTS, ids=["lines", "bars", "scatter"])
def test_figures__are_matplotlibs_without_pyplot(plot):
    import matplotlib
    from matplotlib.figure import Figure

    before = dict(matplotlib.rcParams)
    assert isinstance(figures.draw(plot), Figure)
    text = figures.svg(plot)
    assert dict(matplotlib.rcParams) == before
    assert text == figures.svg(plot)
    assert text.startswith('<svg role="img" aria-labelledby=')
    assert f'<title id="{plot.name}-wide-title">T</title>' in text
    assert not re.search("#[0-9a-f]{6}", text)
    assert "http" not in text


@pytest.mark.parametrize(
    ("values", "percent"), [((0.0, 0.0), True), ((0.0, 0.0), False), ((2.0, 1.0), False)]
)
def test_bars__begin_at_nothing_and_count_in_whole_numbers(values, percent):
    chart = Bars("b", "T", "x", ("a", "b"), (Line("l", "lost", values),), percent=percent)
    axes = figures.draw(chart).axes[0]
    assert axes.get_xlim()[0] == 0
    assert axes.get_xlim()[1] >= max(values)
    if not percent:
        assert all(tick == int(tick) for tick in axes.get_xticks())


def test_import__the_report_needs_matplotlib_and_jinja_only_when_used():
    import subprocess
    import sys

    code = (
        "import sys, withhold.report.json, withhold.report.text, withhold.report.html\n"
        "print('matplotlib' in sys.modules, 'jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def frequencies_of(records):
    report = wh.anonymize(records, wh.KmAnonymity(2, 1), seed=1).report()
    (section,) = [each for each in report.sections if each.name == "supports"]
    return [fact.label for part in section.parts if isinstance(part, Facts) for fact in part.facts]


def test_report__tells_the_most_frequent_items_apart_only_if_there_are_others():
    assert "error of top 100 supports" not in frequencies_of([["a", "b"]] * 3 + [["c"]])
    many = [f"item{number}" for number in range(120)]
    assert "error of top 100 supports" in frequencies_of([many, many, ["c"]])
