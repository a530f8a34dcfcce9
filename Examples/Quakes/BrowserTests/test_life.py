"""The program's coming and going, as an open page sees it."""

import pathlib
import signal
import tempfile
import unittest

from selenium.webdriver.common.by import By

from driving import Program, browser, screenshot, until


class LifeTests(unittest.TestCase):
    def count(self, driver):
        return driver.execute_script("return document.querySelectorAll('#quakes circle').length")

    def test_killed_and_restarted(self):
        with tempfile.TemporaryDirectory() as folder:
            store = pathlib.Path(folder) / "quakes.store"
            quakes = Program(store, STEP=1)
            driver = browser()
            try:
                driver.get(quakes.url)
                until("the first sync", lambda: self.count(driver) > 1000)
                quakes.end(signal.SIGKILL)
                until("the notice", lambda: driver.find_element(By.ID, "lost").is_displayed())
                before = self.count(driver)
                screenshot(driver, "stopped")
                # On the same port, as whoever has the page open expects; no sync comes for a long while.
                quakes = Program(store, port=quakes.port, STEP=3600)
                again = browser()
                try:
                    again.get(quakes.url)
                    self.assertGreaterEqual(self.count(again), before)
                finally:
                    again.quit()
                until("the page to go on", lambda: not driver.find_element(By.ID, "lost").is_displayed())
                self.assertGreaterEqual(self.count(driver), before)
            finally:
                driver.quit()
                self.assertEqual(quakes.end(signal.SIGINT), 0)

    def test_a_port_in_use_is_a_clear_error(self):
        with tempfile.TemporaryDirectory() as folder:
            quakes = Program(pathlib.Path(folder) / "a.store")
            try:
                with self.assertRaisesRegex(RuntimeError, f"Port {quakes.port} is in use"):
                    Program(pathlib.Path(folder) / "b.store", port=quakes.port)
            finally:
                self.assertEqual(quakes.end(), 0)


if __name__ == "__main__":
    unittest.main()
