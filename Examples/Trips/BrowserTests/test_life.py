"""The program's coming and going, as an open page sees it."""

import pathlib
import signal
import tempfile
import unittest

from selenium.webdriver.common.by import By

from driving import Program, browser, until


class LifeTests(unittest.TestCase):
    def names(self, driver):
        return driver.execute_script("return [...document.querySelectorAll('#trips h2')].map((title) => title.innerText)")

    def test_killed_and_restarted(self):
        with tempfile.TemporaryDirectory() as folder:
            store = pathlib.Path(folder) / "trips.store"
            program = Program(store)
            driver = browser()
            try:
                driver.get(program.url)
                before = until("the first sync", lambda: self.names(driver))
                program.end(signal.SIGKILL)
                until("the notice", lambda: driver.find_element(By.ID, "lost").is_displayed())
                self.assertEqual(self.names(driver), before)
                program = Program(store, port=program.port)
                until("the page to go on", lambda: not driver.find_element(By.ID, "lost").is_displayed())
                self.assertEqual(self.names(driver), before)
            finally:
                driver.quit()
                self.assertEqual(program.end(signal.SIGINT), 0)

    def test_a_port_in_use_is_a_clear_error(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Program(pathlib.Path(folder) / "a.store")
            try:
                with self.assertRaisesRegex(RuntimeError, f"Port {program.port} is in use"):
                    Program(pathlib.Path(folder) / "b.store", port=program.port)
            finally:
                self.assertEqual(program.end(), 0)


if __name__ == "__main__":
    unittest.main()
