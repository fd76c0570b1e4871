"""The whole road in a real browser, by keyboard and mouse, with baskets, a table and people."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import time
from pathlib import Path

import pytest
from desk import Client

import withhold as wh
from withhold.data.survey import survey
from withhold.datasets import hospital
from withhold.formats import write
from withhold.page.serving import Page

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
By = pytest.importorskip("selenium.webdriver.common.by").By
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
WebDriverException = pytest.importorskip("selenium.common.exceptions").WebDriverException
Select = pytest.importorskip("selenium.webdriver.support.ui").Select

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(
        BROWSER is None or DRIVER is None, reason="there is no Chromium with its chromedriver"
    ),
    pytest.mark.xdist_group("browser"),
]
AXE = (Path(__file__).parent / "axe.min.js").read_text(encoding="utf-8")
PICTURES = os.environ.get("WITHHOLD_PICTURES")
"""A folder for pictures of every step, wide, narrow and dark; none are taken without it."""
SIZES = {"wide": (1200, 1400, "light"), "narrow": (390, 844, "light"), "dark": (1200, 1400, "dark")}
RULES = {"wide": "", "dark": ", runOnly: ['color-contrast']"}
"""Of axe-core; the dark colours alone differ."""
SECONDS = 120


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    flags = ("headless=new", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars")
    for flag in flags:
        options.add_argument(f"--{flag}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # root has none
    options.add_experimental_option("prefs", {"intl.accept_languages": "de"})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_window_size(1200, 1000)
    yield driver
    driver.quit()


class Reader:
    """Somebody who walks the road with the browser, and whose every page is checked on the way."""

    def __init__(self, browser, page: Page, name: str) -> None:
        self.browser, self.page, self.name = browser, page, name
        self.seen = 0
        self.problems: list[str] = []
        browser.get(page.address)
        self.until(lambda: "token" not in browser.current_url)

    def until(self, holds, what: str = "the page does not get there"):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                if found := holds():
                    return found
            except WebDriverException:
                pass  # the page is being replaced
            time.sleep(0.05)
        raise AssertionError(f"{what}: {self.browser.current_url}\n{self.text()[:2000]}")

    def text(self) -> str:
        return self.browser.find_element(By.TAG_NAME, "main").text

    def one(self, selector: str):
        return self.until(lambda: self.browser.find_element(By.CSS_SELECTOR, selector), selector)

    def go(self, step: str, name: str) -> None:
        self.browser.get(f"http://127.0.0.1:{self.page.port}/{step}?file={name}")

    def press(self, selector: str) -> None:
        """The button, by keyboard alone."""
        found = self.one(selector)
        self.browser.execute_script("window.isOld = true; arguments[0].focus()", found)
        assert self.browser.switch_to.active_element == found
        found.send_keys(Keys.ENTER)
        self.loaded()

    def loaded(self) -> None:
        ready = "return !window.isOld && document.readyState === 'complete'"
        self.until(lambda: self.browser.execute_script(ready))

    def settled(self) -> None:
        """Until no job is watched any more."""
        self.until(
            lambda: (
                self.browser.execute_script("return document.readyState === 'complete'")
                and not self.browser.find_elements(By.CSS_SELECTOR, "[data-events]")
                and not any(not job.is_over for job in self.page.queue.jobs.values())
            )
        )
        assert not self.browser.find_elements(By.CSS_SELECTOR, "[role=alert]"), self.text()[:2000]

    def check(self, step: str) -> None:
        """No complaint of axe-core, nothing in the console, no scrolling sideways; and pictures."""
        self.seen += 1
        for size, (width, height, scheme) in SIZES.items():
            self.browser.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
            )
            self.browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
            )
            across = "return document.documentElement.scrollWidth - window.innerWidth"
            if self.browser.execute_script(across) > 0:
                self.problems.append(f"{step}, {size}: too wide")
            if PICTURES:
                taken = self.browser.execute_cdp_cmd(
                    "Page.captureScreenshot", {"captureBeyondViewport": True}
                )
                path = Path(PICTURES) / f"{self.name}-{self.seen}-{step}-{size}.png"
                path.write_bytes(base64.b64decode(taken["data"]))
            if size != "narrow":
                self.complaints(f"{step}, {size}", RULES[size])
        logged = [
            entry for entry in self.browser.get_log("browser") if "422" not in entry["message"]
        ]
        self.problems += [f"{step}: {entry['message']}" for entry in logged]

    def complaints(self, where: str, rules: str) -> None:
        # Handed to the page by the driver: the content security policy lets no other script in.
        self.browser.execute_script(AXE)
        found = self.browser.execute_async_script(
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']"
            + rules
            + "}).then("
            "r => done(r.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html.slice(0, 200))])))"
        )
        self.problems += [f"{where}: {each}" for each in found]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def publish(reader: Reader, name: str, *, report: bool = False) -> None:
    """The last step."""
    reader.go("publish", name)
    reader.press("form[action='/publish/preview'] button")
    reader.settled()
    reader.one("table.rows del")
    reader.check("before")
    if not report:
        reader.one("input[name=report]").send_keys(Keys.SPACE)
    reader.press("form[action='/publish/release'] button")
    reader.settled()
    assert reader.one("[data-status]").get_attribute("data-status") == "HOLDS"
    assert "byte for byte" in reader.text()


def test_road__with_baskets(browser, tmp_path):
    records, sensitive = wh.pharmacy(300, seed=5)
    write(records, tmp_path / "baskets.dat")
    with Page(tmp_path) as page:
        reader = Reader(browser, page, "baskets")
        reader.check("home")
        browser.find_element(By.LINK_TEXT, "baskets.dat").send_keys(Keys.ENTER)
        reader.one("#first")
        reader.settled()
        reader.check("data")
        browser.find_element(By.CSS_SELECTOR, ".next a").send_keys(Keys.ENTER)
        search = reader.one("#q")
        search.send_keys("insulin")
        tick = reader.until(
            lambda: (
                browser.find_elements(By.CSS_SELECTOR, "#found input")
                if len(browser.find_elements(By.CSS_SELECTOR, "#found input")) == 1
                else None
            )
        )[0]
        tick.send_keys(Keys.SPACE)
        reader.until(lambda: "1 items are sensitive" in reader.one("#chosen").text)
        browser.execute_script(
            "document.getElementById('paste').value = arguments[0]", "\n".join(sorted(sensitive))
        )
        reader.press("button[value=paste]")
        assert f"{len(sensitive)} items are sensitive" in reader.one("#chosen").text
        reader.check("protect")
        reader.go("attack", "baskets.dat")
        reader.one("input[value=item]").send_keys(Keys.SPACE)
        reader.press("form[action='/attack/questions'] button")
        reader.press("form[action='/attack/audit'] button")
        reader.settled()
        assert reader.one("[data-status]").get_attribute("data-status") == "BROKEN"
        reader.one("svg.curve")
        reader.check("attack")
        browser.back()
        browser.forward()
        browser.refresh()
        assert reader.one("[data-status]").get_attribute("data-status") == "BROKEN"
        reader.go("trade-off", "baskets.dat")
        values = reader.one("[name=values-rho]")
        values.clear()
        values.send_keys("0.4,0.6")
        reader.press("form[action='/trade-off/sweep'] button")
        reader.settled()
        browser.execute_script("window.isOld = true")
        webdriver.ActionChains(browser).click(reader.one("circle[data-choose='1']")).perform()
        reader.loaded()
        assert 'rho = "0.6"' in (tmp_path / "baskets.dat.page.toml").read_text(encoding="utf-8")
        reader.check("trade-off")
        publish(reader, "baskets.dat", report=True)
        reader.check("published")
        # The written policy makes the same bytes on the command line.
        again = ("-o", "again.dat", "--json")
        words = (
            "withhold",
            "anonymize",
            "baskets.dat",
            "--policy",
            "baskets.dat.page.toml",
            *again,
        )
        job = page.queue.add("publish", "", words)
        reader.until(lambda: job.is_over)
        assert digest(tmp_path / "baskets.published.dat") == digest(tmp_path / "again.dat")
        # Another tab, after all: the result is there, too.
        browser.switch_to.new_window("tab")
        reader.go("publish", "baskets.dat")
        reader.one("[data-status]")
        browser.close()
        browser.switch_to.window(browser.window_handles[0])
        browser.get(f"http://127.0.0.1:{page.port}/releases")
        reader.press("form[action='/releases/verify'] button")
        reader.settled()
        for box in browser.find_elements(By.CSS_SELECTOR, "input[name=release]:not([type=hidden])"):
            box.send_keys(Keys.SPACE)
        reader.press("button[form=compare]")
        reader.settled()
        reader.one("#comparison")
        reader.check("releases")
        browser.get(f"http://127.0.0.1:{page.port}/jobs")
        reader.check("jobs")
        assert reader.problems == []


def test_road__with_a_table(browser, tmp_path):
    write(survey(seed=3), tmp_path / "table.csv")
    with Page(tmp_path, first="table.csv") as page:
        reader = Reader(browser, page, "table")
        reader.one("#first")
        reader.settled()
        reader.check("data")
        reader.go("protect", "table.csv")
        roles = {
            "name": "drop",
            "age": "known",
            "sex": "known",
            "zip": "known",
            "income": "publish",
        }
        for row in browser.find_elements(By.CSS_SELECTOR, "form[action='/protect/roles'] tbody tr"):
            role = roles.get(row.find_element(By.TAG_NAME, "th").text, "")
            Select(row.find_element(By.TAG_NAME, "select")).select_by_value(role)
        reader.press("form[action='/protect/roles'] p button")
        reader.check("protect")
        reader.go("attack", "table.csv")
        reader.one("input[value=record]").send_keys(Keys.SPACE)
        reader.press("form[action='/attack/questions'] button")
        reader.check("attack")
        publish(reader, "table.csv")
        assert reader.problems == []


def test_road__with_people(browser, tmp_path):
    invented = hospital(300, seed=3)
    invented.write(tmp_path)
    with Page(tmp_path, first="patients.csv") as page:
        reader = Reader(browser, page, "people")
        reader.one("#first")
        reader.settled()
        reader.one("input[value=people]").click()
        reader.one("details summary").click()
        Select(reader.one("#r-items")).select_by_value("conditions.csv")
        reader.one("#r-item-column").send_keys("DESCRIPTION")
        reader.press("form[action='/data'] p button")
        reader.settled()
        reader.check("data")
        reader.go("protect", "patients.csv")
        roles = {"SEX": "known", "MARITAL": "known"}
        for row in browser.find_elements(By.CSS_SELECTOR, "form[action='/protect/roles'] tbody tr"):
            role = roles.get(row.find_element(By.TAG_NAME, "th").text, "drop")
            Select(row.find_element(By.TAG_NAME, "select")).select_by_value(role)
        reader.press("form[action='/protect/roles'] p button")
        listed = "\n".join(sorted(invented.sensitive))
        browser.execute_script("document.getElementById('paste').value = arguments[0]", listed)
        reader.press("button[value=paste]")
        reader.check("protect")
        reader.go("attack", "patients.csv")
        reader.one("input[value=both]").send_keys(Keys.SPACE)
        reader.one("input[name=amount][value='1']").send_keys(Keys.SPACE)
        reader.press("form[action='/attack/questions'] button")
        publish(reader, "patients.csv")
        assert reader.problems == []


def test_upload__by_the_browser(browser, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "mine.dat").write_text("bread beer\nbeer tea\ntea\n", encoding="utf-8")
    with Page(folder) as page:
        reader = Reader(browser, page, "upload")
        reader.one("#upload").send_keys(str(tmp_path / "mine.dat"))
        reader.until(lambda: "upload%3Amine.dat" in browser.current_url)
        reader.settled()
        assert "beer" in reader.text()
        stranger = Client(page)
        assert stranger.get("/").status == 403


def test_numbers__are_written_as_the_reader_writes_them(browser, tmp_path):
    (tmp_path / "many.dat").write_text("beer tea\n" * 1234, encoding="utf-8")
    with Page(tmp_path, first="many.dat") as page:
        reader = Reader(browser, page, "numbers")
        reader.one("#first")
        reader.settled()
        assert "1.234" in reader.text()  # the browser is German
