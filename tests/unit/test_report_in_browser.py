"""The report in a real browser: it asks for nothing, everything is there to see, and it fits a phone."""

from __future__ import annotations

import json
import os
import shutil

import pytest

import withhold as wh

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    BROWSER is None or DRIVER is None, reason="there is no Chromium with its chromedriver"
)
WIDE, PHONE = (1200, 1000), (390, 844)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A headless browser that notes every request."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    profile = tmp_path_factory.mktemp("profile")
    options.add_argument(f"--user-data-dir={profile}")
    for flag in ("headless=new", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{flag}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # root has none
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    baskets, sensitive = wh.pharmacy(1500, seed=5)
    release = wh.anonymize(baskets, wh.RhoUncertainty("0.5", sensitive), seed=7)
    return release.write(folder / "published.dat", report=True)


def requests(browser):
    """The addresses that were asked for since the last time."""
    events = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    sent = (event for event in events if event["method"] == "Network.requestWillBeSent")
    return [event["params"]["request"]["url"] for event in sent]


def show(browser, path, size, *, dark=False):
    width, height = size
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    requests(browser)
    browser.get(path.as_uri())


def test_report__asks_for_nothing_but_itself(browser, published):
    show(browser, published.report, WIDE)
    assert requests(browser) == [published.report.as_uri()]
    assert browser.get_log("browser") == []


def test_requests__would_be_seen(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><img src='http://127.0.0.1:9/picture.png'>")
    show(browser, page, WIDE)
    assert "http://127.0.0.1:9/picture.png" in requests(browser)


def test_report__shows_the_numbers_of_the_json(browser, published):
    show(browser, published.report, WIDE)
    found = browser.execute_script(
        "return Array.from(document.querySelectorAll('data')).map("
        "e => [e.dataset.path, e.value, e.textContent, e.offsetHeight > 0])"
    )
    facts = published.content.facts
    assert {path for path, *_ in found} == set(facts)
    for path, value, text, visible in found:
        assert visible, path
        assert float(value) == facts[path].value
        assert text == facts[path].shown
    verdict = browser.execute_script("return document.getElementById('verdict').innerText")
    assert "HOLDS" in verdict
    assert published.content.promise in verdict


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_report__every_figure_is_there_to_see(browser, published, size, dark):
    show(browser, published.report, size, dark=dark)
    figures = browser.execute_script(
        """
        const paper = getComputedStyle(document.body).backgroundColor;
        return Array.from(document.querySelectorAll('figure')).map(figure => {
          const seen = Array.from(figure.querySelectorAll('svg')).filter(
            svg => svg.getBoundingClientRect().width > 0);
          const box = seen[0].getBoundingClientRect();
          const text = seen[0].querySelector('text');
          return {name: figure.id, seen: seen.length, width: box.width, height: box.height,
                  title: seen[0].querySelector('title').textContent,
                  letters: text.getBoundingClientRect().height,
                  ink: getComputedStyle(text).fill, paper: paper,
                  marks: seen[0].querySelectorAll('path').length};
        })
        """
    )
    assert [figure["name"] for figure in figures] == [f"plot-{n}" for n in published.content.plots]
    for figure in figures:
        assert figure["seen"] == 1
        assert figure["title"] == published.content.plots[figure["name"][5:]].title
        assert figure["height"] > 100
        assert figure["marks"] > 5
        assert figure["letters"] > 9, "too small to read"
        assert (brightness(figure["ink"]) > brightness(figure["paper"])) == dark


def brightness(colour):
    return sum(int(part) for part in colour.strip("rgb()").split(",")[:3])


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_report__fits_a_phone(browser, published, tmp_path, edition):
    page = published.report
    if edition == "external":
        release = wh.anonymize([["a", "b"], ["a"], ["c"]] * 9, wh.RhoUncertainty("0.5", {"b"}))
        page = release.write(tmp_path / "out.dat", report=True, edition=edition).report
    show(browser, page, PHONE)
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= PHONE[0]


def test_report__prints_with_nothing_folded_away(browser, published):
    show(browser, published.report, WIDE)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    listed = browser.execute_script(
        "return Array.from(document.querySelectorAll('details:not(.numbers) table')).map("
        "e => [matchMedia('print').matches, e.offsetHeight, e.checkVisibility(),"
        " getComputedStyle(e.closest('details'), '::details-content').contentVisibility])"
    )
    assert listed
    assert all(entry == [True, entry[1], True, "visible"] and entry[1] > 0 for entry in listed)
