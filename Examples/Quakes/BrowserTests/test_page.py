"""What a person sees and does on the page."""

import json
import math
import pathlib
import tempfile
import unittest

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from driving import PageChecks, Program, browser, screenshot, until

DATA = pathlib.Path(__file__).resolve().parent.parent / "Data"


def project(longitude, latitude, width=10000, height=4990, margin=120):
    """The Equal Earth projection, written a second time."""
    lam, phi = math.radians(longitude), math.radians(latitude)
    theta = math.asin(math.sqrt(3) / 2 * math.sin(phi))
    a1, a2, a3, a4 = 1.340264, -0.081106, 0.000893, 0.003796
    x = 2 * math.sqrt(3) * lam * math.cos(theta) / (
        3 * (9 * a4 * theta**8 + 7 * a3 * theta**6 + 3 * a2 * theta**2 + a1))
    y = a4 * theta**9 + a3 * theta**7 + a2 * theta**3 + a1 * theta
    scale = (width - 2 * margin) / (2 * 2.70662997)
    return width / 2 + x * scale, height / 2 - y * scale


def number(text):
    return float(text.replace("\u2212", "-"))


class PageTests(PageChecks, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.store = pathlib.Path(cls.folder.name) / "quakes.store"
        cls.quakes = Program(cls.store, STEP=1)
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.quakes.end()
        cls.folder.cleanup()

    def setUp(self):
        self.driver.set_window_size(1440, 900)
        self.open()

    def tearDown(self):
        self.expect_a_clean_console()

    # ---- What the tests ask the page ----

    def open(self, search=""):
        self.driver.get(self.quakes.url + search)
        until("the first sync", lambda: self.circle_count() > 1000 or search)

    def circle_count(self):
        return self.script("return document.querySelectorAll('#quakes circle').length")

    def told_count(self):
        text = self.script("return document.getElementById('count')?.textContent ?? '0'")
        return int(text.replace(",", ""))

    def rows(self):
        return self.script("""return [...document.querySelectorAll('tbody tr')].map((row) => ({
            code: row.dataset.key, magnitude: row.querySelector('.badge').textContent,
            place: row.querySelector('.place').textContent, time: row.querySelector('time').dateTime}))""")

    # ---- The map ----

    def test_circles_are_where_the_earthquakes_were(self):
        feed = json.loads((DATA / "usgs-all-week-2018-02-07.geojson").read_bytes())["features"]
        places = {feature["properties"]["code"]: feature["geometry"]["coordinates"] for feature in feed}
        circles = self.script("""return [...document.querySelectorAll('#quakes circle')].map((circle) => [
            circle.dataset.key, circle.cx.baseVal.value, circle.cy.baseVal.value, circle.r.baseVal.value,
            circle.dataset.magnitude])""")
        self.assertGreater(len(circles), 1000)
        for code, x, y, radius, magnitude in circles:
            longitude, latitude = places[code][:2]
            self.assertLess(math.dist((x, y), project(longitude, latitude)), 1, code)
        strongest = max(circles, key=lambda circle: number(circle[4]))
        self.assertEqual(strongest[3], max(circle[3] for circle in circles))
        box = self.script("return document.querySelector('#world .land').getBoundingClientRect().toJSON()")
        self.assertGreater(box["width"], 500)
        screenshot(self.driver, "wide-light")

    def test_zooming_brings_swarms_apart_and_keeps_the_rest(self):
        before = self.script("return document.getElementById('map').getAttribute('viewBox')")
        self.driver.find_element(By.CSS_SELECTOR, "[data-zoom=in]").click()
        zoomed = self.script("return document.getElementById('map').getAttribute('viewBox')")
        self.assertLess(float(zoomed.split()[2]), float(before.split()[2]))
        self.driver.find_element(By.CSS_SELECTOR, "[data-zoom=all]").click()
        self.assertEqual(self.script("return document.getElementById('map').getAttribute('viewBox')"), before)

    def test_pointing_tells_which_earthquake_it_is(self):
        detail = self.driver.find_element(By.ID, "detail")
        heading = self.driver.find_element(By.TAG_NAME, "h1")

        def pointed():
            # A circle may be drawn anew while the pointer comes to it: then it is pointed at once more.
            try:
                strongest = self.driver.find_element(By.CSS_SELECTOR, "#quakes circle")
                ActionChains(self.driver).move_to_element(heading).move_to_element(strongest).perform()
                return detail.is_displayed() and detail.text
            except StaleElementReferenceException:
                return None

        self.assertIn("M ", until("what is pointed at", pointed))

    # ---- Live ----

    def test_arrivals_and_revisions_appear_without_a_reload(self):
        self.script("window.sameDocument = true")
        before = self.circle_count()
        until("an arrival", lambda: self.circle_count() > before)
        # The classes stay with an element until it is drawn anew.
        until("a marked arrival", lambda: self.script("return document.querySelector('#quakes .new') !== null"))
        until("a revision", lambda: self.script("return document.querySelector('#quakes .changed') !== null"))
        screenshot(self.driver, "live")
        self.assertTrue(self.script("return window.sameDocument"))
        until("one count", lambda: self.told_count() == self.circle_count())
        self.assertIn("replayed", self.text("header"))

    def test_a_sync_that_finds_nothing_new_still_tells_its_time(self):
        synced = self.script("return document.querySelector('#synced time').dateTime")
        until("a later sync", lambda: self.script(
            "return document.querySelector('#synced time').dateTime") > synced)

    # ---- The table ----

    def sort(self, column):
        self.click(f"th a[data-sort={column}]")

    def test_sorting(self):
        self.sort("magnitude")
        until("the strongest first", lambda: self.script(
            "return document.querySelector('th.magnitude').ariaSort") == "descending")
        magnitudes = [number(row["magnitude"]) for row in self.rows()]
        self.assertEqual(magnitudes, sorted(magnitudes, reverse=True))
        self.assertGreaterEqual(magnitudes[0], 6)
        self.sort("magnitude")
        until("the weakest first", lambda: number(self.rows()[0]["magnitude"]) < 0)
        magnitudes = [number(row["magnitude"]) for row in self.rows()]
        self.assertEqual(magnitudes, sorted(magnitudes))
        self.assertIn("sort=magnitude", self.driver.current_url)
        self.sort("place")
        until("the alphabet", lambda: self.script(
            "return document.querySelector('th.place').ariaSort") == "ascending")
        places = [row["place"] for row in self.rows()]
        self.assertLess(places[0], places[-1])
        self.sort("time")
        until("the newest first", lambda: self.script(
            "return document.querySelector('th.time').ariaSort") == "descending")
        times = [row["time"] for row in self.rows()]
        self.assertEqual(times, sorted(times, reverse=True))

    def test_sorting_stays_with_the_address(self):
        self.open("?sort=magnitude&order=desc&min=4.5")
        magnitudes = [number(row["magnitude"]) for row in self.rows()]
        self.assertEqual(magnitudes, sorted(magnitudes, reverse=True))
        self.assertGreaterEqual(magnitudes[-1], 4.5)

    def test_filtering_by_magnitude_and_by_place(self):
        every = self.told_count()
        Select(self.driver.find_element(By.NAME, "min")).select_by_value("2.5")
        until("fewer", lambda: self.told_count() < every)
        strong = self.told_count()
        self.assertTrue(all(number(row["magnitude"]) >= 2.5 for row in self.rows()))
        until("as many circles", lambda: self.circle_count() == self.told_count())
        self.driver.find_element(By.NAME, "text").send_keys("aLasKA")
        until("fewer still", lambda: 0 < self.told_count() < strong)
        self.assertTrue(all("alaska" in row["place"].lower() for row in self.rows()))
        screenshot(self.driver, "filtered")
        text = self.driver.find_element(By.NAME, "text")
        text.clear()
        text.send_keys("no such place <b>")
        until("nothing", lambda: self.circle_count() == 0)
        self.assertIn("No earthquake in the store matches", self.text("#table"))

    def test_more_rows_are_a_click_away(self):
        self.assertEqual(len(self.rows()), 100)
        self.click("a.more")
        until("more", lambda: len(self.rows()) == 400)

    def test_a_row_shows_its_place_on_the_map(self):
        self.click("tbody tr:nth-child(3) button")
        # The list may be in another order by now: the feed goes on.
        code = self.script("return document.querySelector('tr.selected')?.dataset.key")
        self.assertIn(code, [row["code"] for row in self.rows()])
        circle, ring = self.script("""const circle = document.querySelector(`#quakes [data-key="${arguments[0]}"]`);
            const ring = document.getElementById('ring');
            return [circle, ring].map((one) => [one.getAttribute('cx'), one.getAttribute('cy')])""", code)
        self.assertEqual(circle, ring)
        screenshot(self.driver, "selected")

    # ---- Offline ----

    def test_offline_and_back(self):
        count = self.circle_count()
        self.script("document.querySelector('#control button').click()")
        until("the chip", lambda: "cannot be reached" in self.text("#origin"))
        until("the banner", lambda: self.text(".banner.offline"))
        banner = self.text(".banner.offline")
        self.assertRegex(banner, r"Shown are its [\d,]+ earthquakes, last in step .+ UTC\)\.")
        self.assertGreaterEqual(self.circle_count(), count)
        screenshot(self.driver, "offline")
        # A page opened while offline has everything too.
        self.open()
        self.assertGreaterEqual(self.circle_count(), count)
        self.assertIn("cannot be reached", self.text("#origin"))
        self.script("document.querySelector('#control button').click()")
        until("the chip", lambda: self.text("#origin") == "Origin reachable")
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, ".banner"), [])

    # ---- For everybody ----

    def test_by_keyboard(self):
        self.keys(Keys.TAB)
        self.assertEqual(self.focused("class"), "skip")
        seen = set()
        for _ in range(40):
            self.keys(Keys.TAB)
            name = self.focused("id") or self.focused("name") or self.focused("data-sort") or ""
            seen.add(name)
            if name == "map":
                break
        self.assertIn("map", seen)
        self.keys(Keys.ARROW_UP)
        strongest = self.text("#detail")
        self.assertIn("M 6", strongest)
        self.keys(Keys.ARROW_DOWN)
        self.assertNotEqual(self.text("#detail"), strongest)
        self.keys("+")
        self.assertLess(float(self.script(
            "return document.getElementById('map').getAttribute('viewBox')").split()[2]), 10000)
        self.keys("0", Keys.ESCAPE)
        self.assertFalse(self.driver.find_element(By.ID, "detail").is_displayed())
        for _ in range(12):
            self.keys(Keys.TAB)
            seen.add(self.focused("name") or self.focused("data-sort") or "")
        self.assertLessEqual({"min", "text", "magnitude", "place", "time"}, seen)
        # Sorting by keyboard keeps the focus where it was.
        self.script("document.querySelector('[data-sort=magnitude]').focus()")
        self.keys(Keys.ENTER)
        until("the order", lambda: number(self.rows()[0]["magnitude"]) >= 6)
        self.assertEqual(self.focused("data-sort"), "magnitude")

    def test_in_a_narrow_window(self):
        with self.narrow_window():
            self.open()
            self.assertEqual(self.script("return innerWidth"), 360)
            self.assertLessEqual(self.overflow(), 0)
            screenshot(self.driver, "narrow-light")
            row = self.driver.find_element(By.CSS_SELECTOR, "tbody tr")
            self.script("arguments[0].scrollIntoView()", row)
            self.assertTrue(row.is_displayed())
            screenshot(self.driver, "narrow-table")

    def test_in_light_and_dark(self):
        grounds = {}
        for scheme in ("light", "dark"):
            with self.scheme(scheme):
                for selector in ("h1", "header p", ".chip", ".quiet", ".hint", "th a", "td.time", "td.place", "footer"):
                    self.assertGreaterEqual(self.contrast(selector), 4.5, f"{selector} in {scheme}")
                grounds[scheme] = self.script("return getComputedStyle(document.body).backgroundColor")
                screenshot(self.driver, f"wide-{scheme}")
        self.assertNotEqual(grounds["light"], grounds["dark"])

    def test_nothing_comes_from_elsewhere(self):
        self.expect_nothing_from_elsewhere(self.quakes.url)

    def test_without_script(self):
        plain = browser(script=False)
        try:
            plain.get(self.quakes.url + "?sort=magnitude&order=desc")
            self.assertGreater(len(plain.find_elements(By.CSS_SELECTOR, "#quakes circle")), 1000)
            plain.find_element(By.NAME, "text").send_keys("Alaska", Keys.ENTER)
            until("the answer", lambda: "text=Alaska" in plain.current_url)
            places = [place.text for place in plain.find_elements(By.CSS_SELECTOR, "td.place")]
            self.assertTrue(places and all("Alaska" in place for place in places))
        finally:
            plain.quit()


if __name__ == "__main__":
    unittest.main()
