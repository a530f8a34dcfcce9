"""Starts an example's program, and a browser on its page."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PROGRAM = os.environ["PROGRAM"]
SCREENSHOTS = pathlib.Path(os.environ["SCREENSHOTS"])
# Far more than anything takes, even on a slow machine.
PATIENCE = int(os.environ.get("PATIENCE", "60"))


class Program:
    """A program whose page is served, on a store."""

    def __init__(self, store, port=0, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("LIVE", "ONCE")}
        environment.update(STORE=str(store), PORT=str(port), **{name: str(value) for name, value in variables.items()})
        self.process = subprocess.Popen([PROGRAM], env=environment, stderr=subprocess.PIPE, text=True)
        self.lines = []
        self.url = None
        while self.url is None:
            line = self.process.stderr.readline()
            if not line:
                self.process.wait(PATIENCE)
                self.process.stderr.close()
                raise RuntimeError("the program ended: " + "".join(self.lines))
            self.lines.append(line)
            found = re.match(r"Page:\s+(http://127\.0\.0\.1:(\d+)/)", line)
            if found:
                self.url, self.port = found.group(1), int(found.group(2))
        # A full pipe would stop the program.
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.process.stderr.close()
        return code


def browser(width=1440, height=900, script=True):
    options = Options()
    for argument in ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        # Chromium refuses to run its sandbox as root; the pages are our own.
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def until(what, condition):
    """Waits for a condition, and returns what it gave."""
    end = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.05)


def screenshot(driver, name):
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))


class PageChecks:
    """What tests ask of the page that `self.driver` shows."""

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def text(self, selector):
        """An element's text, asked for in one go: an element may be drawn anew between two questions."""
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def click(self, selector):
        """Clicks an element; on the one that has its place, where it is drawn anew meanwhile."""

        def clicked():
            try:
                self.driver.find_element(By.CSS_SELECTOR, selector).click()
                return True
            except StaleElementReferenceException:
                return False

        until(f"a click on {selector}", clicked)

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_back(self):
        ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()

    def element(self, identifier):
        return self.driver.find_element(By.ID, identifier)

    def tab_to(self, identifier, most=120):
        """Goes to an element by Tab alone."""
        for _ in range(most):
            if self.focused("id") == identifier:
                return
            self.keys(Keys.TAB)
        self.fail(f"{identifier} cannot be reached by Tab")

    def expect_names(self):
        """Each field, button and link that can be reached has a name, and no two elements have one identifier."""
        nameless = self.script("""return [...document.querySelectorAll('input:not([type=hidden]), select, button, a')]
            .filter((one) => !one.getAttribute('aria-label') && !one.labels?.length && !one.textContent.trim())
            .filter((one) => one.tabIndex >= 0).map((one) => one.outerHTML)""")
        self.assertEqual(nameless, [])
        doubles = self.script("""const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
            return ids.filter((id, index) => ids.indexOf(id) !== index)""")
        self.assertEqual(doubles, [])

    def focused(self, attribute):
        return self.script("return document.activeElement.getAttribute(arguments[0])", attribute)

    def expect_a_clean_console(self):
        errors = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(errors, [], "the console has errors")

    @contextlib.contextmanager
    def narrow_window(self):
        """A window as narrow as a telephone's, for the time being."""
        metrics = {"width": 360, "height": 780, "deviceScaleFactor": 2, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    @contextlib.contextmanager
    def scheme(self, name):
        """Light or dark, for the time being."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def overflow(self):
        """How far the page reaches beyond its window, to the right."""
        return self.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def contrast(self, selector):
        """The contrast of an element's text with what lies behind it, as WCAG defines it."""
        return self.script("""
            const rgb = (text) => { const c = document.createElement('canvas').getContext('2d', {colorSpace: 'srgb'});
              c.fillStyle = text; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
            const light = (c) => c.slice(0, 3).map((v) => v / 255)
              .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
              .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const element = document.querySelector(arguments[0]);
            let behind = element;
            while (behind && rgb(getComputedStyle(behind).backgroundColor)[3] < 255) behind = behind.parentElement;
            const a = light(rgb(getComputedStyle(element).color));
            const b = light(rgb(getComputedStyle(behind ?? document.body).backgroundColor));
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)""", selector)

    def expect_nothing_from_elsewhere(self, url):
        """Neither what the page loaded, nor what it may load."""
        names = self.script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        self.assertTrue(names)
        self.assertEqual([name for name in names if not name.startswith(url)], [])
        with urllib.request.urlopen(url) as answer:
            policy = answer.headers["Content-Security-Policy"]
            page = answer.read().decode()
        self.assertIn("default-src 'none'", policy)
        self.assertNotRegex(page, r"(?:src|href)=\"(?:https?:)?//")
        self.assertNotRegex(page, r"<script(?! src=\"/(page|live)\.js\")")


class StorePage(PageChecks):
    """A program on a new store for each test, and one browser for all of them."""

    name = ""

    @classmethod
    def setUpClass(cls):
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = pathlib.Path(folder.name) / f"{self.name}.store"
        self.program = Program(self.store)
        self.addCleanup(self.end)
        self.driver.set_window_size(1280, 900)
        self.open()

    def end(self):
        self.driver.get("about:blank")
        self.assertEqual(self.program.end(), 0)

    def open(self):
        self.driver.get(self.program.url)
