"""The whole road in a real browser, by keyboard and mouse, with baskets, a table and people.

One browser, one page and one folder serve all walks, which is most of what makes them quick.
"""

from __future__ import annotations

import base64
import os
import re
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
CONTROLS = (
    "a[href], button:enabled, input:enabled:not([type=hidden]), select, textarea, summary, "
    "[tabindex='0']"
)
SECONDS = 300
"""How long a step may take, on a machine that is busy."""


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

    def __init__(self, browser, page: Page) -> None:
        self.browser, self.page, self.name = browser, page, ""
        self.seen = 0
        self.problems: list[str] = []
        browser.get(page.address)
        self.until(lambda: "token" not in browser.current_url)

    def begin(self, name: str) -> None:
        """Another walk."""
        self.name, self.seen = name, 0
        self.problems.clear()

    def until(self, holds, what: str = "the page does not get there"):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                if found := holds():
                    return found
            except WebDriverException:
                pass  # the page is being replaced
            time.sleep(0.1)
        raise AssertionError(f"{what}: {self.browser.current_url}\n{self.text()[:2000]}")

    def text(self) -> str:
        return self.browser.find_element(By.TAG_NAME, "main").text

    def one(self, selector: str):
        return self.until(lambda: self.browser.find_element(By.CSS_SELECTOR, selector), selector)

    def go(self, step: str, name: str = "") -> None:
        query = f"?file={name}" if name else ""
        self.browser.get(f"http://127.0.0.1:{self.page.port}/{step}{query}")

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
        # The queue first: asking the browser again and again is what would cost most.
        ready = (
            "return document.readyState === 'complete' && !document.querySelector('[data-events]')"
        )
        self.until(
            lambda: (
                all(job.is_over for job in list(self.page.queue.jobs.values()))
                and self.browser.execute_script(ready)
            )
        )
        assert not self.browser.find_elements(By.CSS_SELECTOR, "[role=alert]"), self.text()[:2000]

    def check(self, step: str) -> None:
        """No complaint of axe-core, nothing in the console, no scrolling sideways; and pictures."""
        self.seen += 1
        self.browser.execute_script(AXE)
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
            if size in RULES:
                self.complaints(f"{step}, {size}", RULES[size])
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        logged = [
            entry for entry in self.browser.get_log("browser") if "422" not in entry["message"]
        ]
        self.problems += [f"{step}: {entry['message']}" for entry in logged]

    def tabbed(self, step: str) -> None:
        """Every control is reached by the Tab key alone, and shows that it has the focus."""
        self.browser.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
        most = 2 * self.browser.execute_script(
            f"return document.querySelectorAll({CONTROLS!r}).length"
        )
        for _ in range(most):
            webdriver.ActionChains(self.browser).send_keys(Keys.TAB).perform()
            if not self.browser.execute_script(
                "const on = document.activeElement;"
                "if (on === document.body || on.dataset.reached) return false;"
                "on.dataset.reached = getComputedStyle(on).outlineStyle; return true"
            ):
                break
        # Of radio buttons that belong together one is reached; arrows lead to the others.
        missed = self.browser.execute_script(
            "const radios = [...document.querySelectorAll('[type=radio]')];"
            "const group = (e) => radios.filter((each) => each.name === e.name);"
            f"return [...document.querySelectorAll({CONTROLS!r})].filter((e) => e.checkVisibility()"
            " && ![e, ...group(e)].some((each) => (each.dataset.reached || 'none') !== 'none'))"
            ".map((e) => e.outerHTML.slice(0, 200))"
        )
        self.problems += [
            f"{step}: not reached by Tab, or without a sign: {each}" for each in missed
        ]

    def complaints(self, where: str, rules: str) -> None:
        # Handed to the page by the driver: the content security policy lets no other script in.
        found = self.browser.execute_async_script(
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']"
            + rules
            + "}).then("
            "r => done(r.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html.slice(0, 200))])))"
        )
        self.problems += [f"{where}: {each}" for each in found]


@pytest.fixture(scope="module")
def reader(browser, tmp_path_factory):
    """Somebody whom the page has let in, in a folder with data of every kind."""
    folder = tmp_path_factory.mktemp("folder")
    write(wh.pharmacy(300, seed=5)[0], folder / "baskets.dat")
    hospital(300, seed=3).write(folder)
    with Page(folder) as page:
        yield Reader(browser, page)


def chosen_roles(reader: Reader, roles: dict[str, str], other: str) -> None:
    """Roles by the selects, with which a keyboard suffices."""
    for row in reader.browser.find_elements(
        By.CSS_SELECTOR, "form[action='/protect/roles'] tbody tr"
    ):
        role = roles.get(row.find_element(By.TAG_NAME, "th").text, other)
        Select(row.find_element(By.TAG_NAME, "select")).select_by_value(role)


def pasted(reader: Reader, items) -> None:
    reader.browser.execute_script(
        "document.getElementById('paste').value = arguments[0]", "\n".join(sorted(items))
    )
    reader.press("button[value=paste]")


def audit_and_sweep(reader: Reader, name: str, option: str, values: str) -> None:
    """What an attacker could do today, and the trade-off over these values."""
    reader.press("form[action='/attack/audit'] button")
    reader.settled()
    assert reader.one("[data-status]").get_attribute("data-status") == "BROKEN"
    reader.check("attack")
    reader.go("trade-off", name)
    field = reader.one(f"[name=values-{option}]")
    field.clear()
    field.send_keys(values)
    reader.press("form[action='/trade-off/sweep'] button")
    reader.settled()
    assert len(reader.browser.find_elements(By.CSS_SELECTOR, "circle[data-choose='1']")) > 0
    reader.check("trade-off")


def publish(reader: Reader, name: str, *, report: bool = False) -> None:
    """The last step."""
    reader.go("publish", name)
    reader.press("form[action='/publish/preview'] button")
    reader.settled()
    reader.one("table.rows del")
    if not report:
        reader.one("input[name=report]").send_keys(Keys.SPACE)
    reader.press("form[action='/publish/release'] button")
    reader.settled()
    assert reader.one("[data-status]").get_attribute("data-status") == "HOLDS"
    assert "byte for byte" in reader.text()
    reader.check("published")


def test_road__with_baskets(reader):
    browser, folder = reader.browser, reader.page.folder.root
    sensitive = wh.pharmacy(300, seed=5)[1]
    reader.begin("baskets")
    reader.check("home")
    browser.find_element(By.LINK_TEXT, "baskets.dat").send_keys(Keys.ENTER)
    reader.one("#first")
    reader.settled()
    reader.check("data")
    browser.find_element(By.CSS_SELECTOR, ".next a").send_keys(Keys.ENTER)
    reader.one(".ticks")
    # All items are below each other: none can be reached by scrolling sideways only.
    wide, shown = browser.execute_script(
        "const list = document.querySelector('.ticks'); return [list.scrollWidth, list.clientWidth]"
    )
    assert wide <= shown
    reader.one("#q").send_keys("insulin")
    ticks = "#found input"
    reader.until(lambda: len(browser.find_elements(By.CSS_SELECTOR, ticks)) == 1)
    reader.one(ticks).send_keys(Keys.SPACE)
    reader.until(lambda: "1 item is sensitive" in reader.one("#chosen").text)
    pasted(reader, sensitive)
    assert f"{len(sensitive)} items are sensitive" in reader.one("#chosen").text
    reader.check("protect")
    reader.go("attack", "baskets.dat")
    # A mistake: what was typed is still there, the message is beside it, and so is the focus.
    reader.one("#sure").clear()
    reader.one("#sure").send_keys("1,5")
    reader.one("input[value=item]").send_keys(Keys.SPACE)
    reader.press("form[action='/attack/questions'] button")
    wrong = reader.one("#sure[aria-invalid=true]")
    assert wrong.get_attribute("value") == "1,5"
    assert browser.switch_to.active_element == wrong
    assert "must be a number" in reader.one("#sure-mistake").text
    assert "sure-mistake" in wrong.get_attribute("aria-describedby")
    reader.check("mistake")
    wrong.clear()
    wrong.send_keys("0.5")
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
    assert 'rho = "0.6"' in (folder / "baskets.dat.page.toml").read_text(encoding="utf-8")
    reader.press("section[aria-labelledby=two] button")
    assert "What differs" in reader.text()
    assert re.search(r"\d,\d+ %", reader.text())  # the browser is German
    title = browser.find_element(By.CSS_SELECTOR, "circle title").get_attribute("textContent")
    assert re.search(r"0\.4, \d+,\d+\s%", title)
    reader.check("trade-off")
    publish(reader, "baskets.dat", report=True)
    # Another tab, after all: the result is there, too.
    browser.switch_to.new_window("tab")
    reader.go("publish", "baskets.dat")
    reader.one("[data-status]")
    browser.close()
    browser.switch_to.window(browser.window_handles[0])
    assert reader.problems == []


def test_road__with_a_table_from_elsewhere(reader, tmp_path):
    browser, name = reader.browser, "upload:table.csv"
    write(survey(seed=3), tmp_path / "table.csv")
    reader.begin("table")
    reader.go("")
    reader.one("#upload").send_keys(str(tmp_path / "table.csv"))
    reader.until(lambda: "upload%3Atable.csv" in browser.current_url)
    reader.one("#first")
    reader.settled()
    reader.check("data")
    reader.go("protect", name)
    chosen_roles(reader, {"age": "known", "sex": "known", "zip": "known"}, "")
    # The others by the mouse.
    for column, role in (("name", "drop"), ("income", "publish"), ("education", "publish")):
        chip = next(
            each for each in browser.find_elements(By.CLASS_NAME, "chip") if each.text == column
        )
        zone = reader.one(f"[data-role={role}]")
        webdriver.ActionChains(browser).drag_and_drop(chip, zone).perform()
        assert chip.find_element(By.XPATH, "..") == zone
    reader.press("form[action='/protect/roles'] p button")
    policy = (reader.page.folder.root / "table.csv.page.toml").read_text(encoding="utf-8")
    assert 'drop = ["name"]' in policy
    assert 'publish = ["education", "income"]' in policy
    assert 'quasi-identifiers = ["age", "sex", "zip"]' in policy
    reader.check("protect")
    reader.go("attack", name)
    reader.one("input[value=record]").send_keys(Keys.SPACE)
    reader.press("form[action='/attack/questions'] button")
    audit_and_sweep(reader, name, "k", "3,5")
    publish(reader, name)
    assert Client(reader.page).get("/").status == 403
    assert reader.problems == []


def test_road__with_people(reader):
    reader.begin("people")
    reader.go("data", "patients.csv")
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
    chosen_roles(reader, {"SEX": "known", "MARITAL": "known"}, "drop")
    reader.press("form[action='/protect/roles'] p button")
    pasted(reader, hospital(300, seed=3).sensitive)
    reader.check("protect")
    reader.go("attack", "patients.csv")
    reader.one("input[value=both]").send_keys(Keys.SPACE)
    reader.one("input[name=amount][value='1']").send_keys(Keys.SPACE)
    reader.press("form[action='/attack/questions'] button")
    audit_and_sweep(reader, "patients.csv", "rho", "0.4,0.5")
    publish(reader, "patients.csv")
    assert reader.problems == []


def test_keyboard__reaches_every_control_of_every_step(reader):
    reader.begin("keyboard")
    for step in ("data", "protect", "attack", "trade-off", "publish"):
        for name in ("baskets.dat", "upload:table.csv", "patients.csv"):
            reader.go(step, name)
            reader.browser.execute_script(
                "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
            )
            reader.tabbed(f"{step} of {name}")
    for step in ("", "releases", "jobs"):
        reader.go(step)
        reader.tabbed(step)
    assert reader.problems == []


def test_changed_minds__lose_nothing(reader):
    """A link with a form half filled in, a job that ends meanwhile, and a tab that is closed during one."""
    browser, page = reader.browser, reader.page
    reader.begin("minds")
    reader.go("attack", "baskets.dat")
    reader.one("#sure").send_keys("5")
    # Drivers answer the browser's question themselves, so whether it would be asked is looked at.
    asks = "return !dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert browser.execute_script(asks)
    assert reader.one("#sure").get_attribute("value") == "0.65"
    # What is typed while a job runs is still there when it is over.
    sleep = ("timeit", "-n", "1", "-r", "1", "-s", "import time", "time.sleep(60)")
    slow = page.queue.add("verify", "f", sleep)
    reader.one("#sure").send_keys(Keys.BACKSPACE)
    reader.press("form[action='/attack/questions'] button")
    assert not browser.execute_script(asks)
    reader.go("releases")  # which watches proofs
    reader.one("[data-events]")
    browser.execute_script("unsaved = true")
    page.queue.cancel(slow)
    reader.until(lambda: reader.one("[data-then]").is_displayed())
    reader.check("over")
    browser.execute_script("unsaved = false")
    # A tab that is closed does not end the job.
    browser.switch_to.new_window("tab")
    reader.go("attack", "baskets.dat")
    reader.press("form[action='/attack/audit'] button")
    browser.close()
    browser.switch_to.window(browser.window_handles[0])
    reader.until(lambda: all(job.is_over for job in page.queue.jobs.values()))
    reader.go("attack", "baskets.dat")
    assert reader.one("[data-status]").get_attribute("data-status") == "BROKEN"
    assert reader.problems == []


def test_releases__of_different_files_side_by_side(reader):
    browser = reader.browser
    reader.begin("releases")
    reader.go("releases")
    reader.press("button[aria-label='Prove again: baskets.published.dat']")
    reader.settled()
    assert "holds" in reader.one("strong.good").text
    for name in ("baskets.published.dat", "table.published.csv"):
        reader.one(f"input[name=release][value='{name}']:not([type=hidden])").send_keys(Keys.SPACE)
    reader.press("button[form=compare]")
    reader.settled()
    reader.one("#comparison")
    assert "made from different files" in reader.text()
    assert re.search(r"\d\d\.\d\d\.20\d\d, \d\d:\d\d", reader.text())  # the browser is German
    reader.check("releases")
    reader.go("jobs")
    reader.check("jobs")
    assert reader.problems == []
    assert len(browser.window_handles) == 1
