"""Takes docs/pictures/report.png, the head of a report, with a headless Chromium and selenium.

It is not part of ``make docs``, because it needs a browser. The data is that of ``withhold demo``.
"""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from selenium import webdriver

import withhold as wh

FOLDER = Path(__file__).with_name("pictures")
WIDTH, SCALE, TOP = 880, 1.5, 24
"""About the width of a page at GitHub; half as many pixels again, so that letters are sharp; without the
white above the title."""
HEAD = 'return document.querySelector("main h2").closest("section").getBoundingClientRect().top'
"""Where the first section begins, under the verdict and its figures."""


def browser(profile: Path) -> Any:
    """A headless Chromium of that width, light."""
    driver = shutil.which("chromedriver")  # named, or selenium would look for one on the network
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    flags = ["headless=new", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("no-sandbox")  # root has none
    for flag in [*flags, f"user-data-dir={profile}"]:
        options.add_argument(f"--{flag}")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def take_head(driver: Any, report: Path) -> bytes:
    """The picture of a report down to its first section."""
    light = {"name": "prefers-color-scheme", "value": "light"}
    size = {"width": WIDTH, "height": 900, "deviceScaleFactor": SCALE, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [light]})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(report.as_uri())
    height = driver.execute_script(HEAD) - TOP - 4  # the section has a border
    clip = {"x": 0, "y": TOP, "width": WIDTH, "height": height, "scale": 1}
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    return base64.b64decode(taken["data"])


def main() -> None:
    """Make the demo's release, with its report, and take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        baskets, sensitive = wh.pharmacy(2000, seed=7)
        release = wh.anonymize(baskets, wh.RhoUncertainty("0.5", sensitive), seed=7)
        written = release.write(Path(folder) / "published.dat", report=True)
        driver = browser(Path(folder) / "profile")
        try:
            (FOLDER / "report.png").write_bytes(take_head(driver, Path(written.report)))
        finally:
            driver.quit()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    main()
