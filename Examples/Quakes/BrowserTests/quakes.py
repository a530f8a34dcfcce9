"""Starts the program, and a browser on its page."""

import os
import pathlib
import re
import signal
import subprocess
import threading
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PROGRAM = os.environ.get("QUAKES", ".build/debug/quakes")
SCREENSHOTS = pathlib.Path(__file__).resolve().parent.parent / ".build" / "screenshots"
# Far more than anything takes, even on a slow machine.
PATIENCE = 60


class Quakes:
    """The program, running on a store."""

    def __init__(self, store, port=0, step=1):
        environment = dict(os.environ, STORE=str(store), PORT=str(port), STEP=str(step))
        for name in ("LIVE", "ONCE"):
            environment.pop(name, None)
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


def until(what, condition, patience=PATIENCE):
    """Waits for a condition, and returns what it gave."""
    end = time.monotonic() + patience
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
