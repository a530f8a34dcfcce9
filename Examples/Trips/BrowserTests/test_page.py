"""What a person sees and does on the page, in one window and in two."""

import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from driving import Program, StorePage, browser, screenshot, until


class TripsPage(StorePage):
    """What all tests here ask the page."""

    name = "trips"

    def open(self, search=""):
        self.driver.get(self.program.url + search)
        until("the first sync", lambda: len(self.names()) >= 6)

    def names(self):
        return self.script("return [...document.querySelectorAll('#trips h2')].map((title) => title.innerText)")

    def trip(self, key):
        """What the page says of a trip."""
        return self.text(f'article[data-key="{key}"]')

    def legs(self, key):
        return self.script("return [...document.querySelectorAll(`article[data-key='${arguments[0]}'] .legs li`)]"
                           ".map((leg) => leg.innerText.replace(/\\s+/g, ' '))", key)

    def fields(self):
        """Where the legs of the open form begin."""
        return self.script("return [...document.querySelectorAll('[name=leg-from]')].map((field) => field.value)")

    def edit(self, key):
        self.element(f"edit-{key}").click()
        until("the form", lambda: self.focused("id") == "field-name")

    def fill(self, identifier, text):
        field = self.element(identifier)
        field.clear()
        field.send_keys(text)

    def save(self):
        self.element("save").click()
        until("the list", lambda: not self.driver.find_elements(By.CSS_SELECTOR, "form.edit"))

    def behave(self, behaviour):
        Select(self.element("behaviour")).select_by_value(behaviour)
        self.element("behave").click()
        until("the server's consent", lambda: "from now on" in self.text("#said"))

    def sync(self):
        self.script("document.getElementById('said').textContent = ''")
        self.element("sync").click()


class EditTests(TripsPage, unittest.TestCase):
    def tearDown(self):
        self.expect_a_clean_console()

    def test_everything_of_a_trip(self):
        self.edit("lisbon-2026")
        screenshot(self.driver, "form")
        self.fill("field-name", "Lisbon & <back>")
        self.script("document.getElementById('field-last-day').value = '2026-09-20'")
        self.fill("field-people", "Ada, Katherine")
        self.fill("field-tags", "slow")
        self.driver.find_elements(By.CSS_SELECTOR, "[id^=down-]")[0].click()
        until("the order", lambda: self.fields() == ["Paris", "Berlin", "Hendaye", "Madrid"])
        self.driver.find_elements(By.CSS_SELECTOR, "[id^=remove-]")[3].click()
        until("one leg less", lambda: self.fields() == ["Paris", "Berlin", "Hendaye"])
        self.element("add").click()
        until("one leg more", lambda: self.fields() == ["Paris", "Berlin", "Hendaye", "Madrid"])
        until("the focus", lambda: self.focused("name") == "leg-from")
        self.keys(Keys.TAB, "Porto", Keys.TAB, "bus")
        self.assertEqual(self.script("return document.getElementById('field-name').value"), "Lisbon & <back>")
        self.save()
        words = self.trip("lisbon-2026")
        for word in ("Lisbon & <back>", "20 Sep 2026", "Katherine", "slow"):
            self.assertIn(word, words)
        self.assertNotIn("Grace", words)
        self.assertEqual(self.legs("lisbon-2026"), [
            "train Paris → to Hendaye", "train Berlin → to Paris", "train Hendaye → to Madrid",
            "bus Madrid → to Porto"])
        until("the word", lambda: self.text("#said") == "Saved.")
        self.assertEqual(self.focused("id"), "edit-lisbon-2026")
        # It is what the store has, too.
        self.open()
        self.assertIn("Lisbon & <back>", self.names())

    def test_a_mistake_is_said_and_nothing_is_lost(self):
        self.edit("oslo-2026")
        self.fill("field-name", "Typed")
        self.script("document.getElementById('field-last-day').value = '2026-01-01'")
        self.element("save").click()
        until("the sentence", lambda: "The last day lies before the first." in self.text("#problem"))
        self.assertEqual(self.script("return document.getElementById('field-name').value"), "Typed")
        screenshot(self.driver, "mistake")
        self.element("cancel").click()
        until("the list", lambda: not self.driver.find_elements(By.CSS_SELECTOR, "form.edit"))
        self.assertIn("Midsummer in Oslo", self.names())

    def test_an_edit_in_one_window_is_seen_in_another(self):
        other = browser()
        first = self.driver
        try:
            other.get(self.program.url)
            other.execute_script("window.sameDocument = true")
            self.edit("kyoto-2027")
            self.fill("field-name", "Kyoto in autumn")
            self.driver.find_elements(By.CSS_SELECTOR, "[id^=remove-]")[0].click()
            until("one leg less", lambda: self.fields() == ["Tokyo"])
            # Not before it is saved.
            self.assertNotIn("autumn", other.page_source)
            self.save()
            self.driver = other
            until("the other window", lambda: "Kyoto in autumn" in self.names())
            self.assertEqual(self.legs("kyoto-2027"), ["train Tokyo → to Kyoto"])
            self.assertTrue(self.script("return window.sameDocument"))
            screenshot(self.driver, "seen")
            self.expect_a_clean_console()
        finally:
            self.driver = first
            other.quit()

    def test_whoever_types_is_left_alone(self):
        other = browser()
        first = self.driver
        try:
            self.edit("tatra-2026")
            self.element("field-tags").click()
            self.keys(Keys.END, ", snow")
            self.driver = other
            self.open()
            # Another trip, and the one that is being edited in the first window.
            for key, name in (("elbe-2026", "Up the Elbe"), ("tatra-2026", "Tatra, elsewhere")):
                self.edit(key)
                self.fill("field-name", name)
                self.save()
            self.driver = first
            until("the other trip", lambda: "Up the Elbe" in self.names())
            until("the note", lambda: self.element("elsewhere").is_displayed())
            self.assertEqual(self.focused("id"), "field-tags")
            self.keys("y")
            value = "return document.getElementById('field-tags').value"
            self.assertEqual(self.script(value), "mountains, snowy")
            screenshot(self.driver, "elsewhere")
            # It takes two to replace what one has not seen.
            self.element("save").click()
            until("the question", lambda: "was changed elsewhere" in self.text("#problem"))
            self.assertEqual(self.script(value), "mountains, snowy")
            self.save()
            self.assertIn("snowy", self.trip("tatra-2026"))
            self.assertIn("Huts of the Tatra", self.names())
        finally:
            self.driver = first
            other.quit()

    def test_a_second_program_on_the_store_is_seen(self):
        second = Program(self.store)
        try:
            self.script("window.sameDocument = true")
            own = self.driver.current_window_handle
            self.driver.switch_to.new_window("tab")
            self.driver.get(second.url)
            self.edit("home-2026")
            self.fill("field-name", "A week away")
            self.save()
            self.driver.get("about:blank")
            self.driver.close()
            self.driver.switch_to.window(own)
            until("the other program's save", lambda: "A week away" in self.names())
            self.assertTrue(self.script("return window.sameDocument"))
        finally:
            self.assertEqual(second.end(), 0)


class ServerTests(TripsPage, unittest.TestCase):
    SENTENCES = {
        "error": "The trips' server has a problem of its own (status 500). Try again later.",
        "html": "The server answered with a web page instead of trips.",
        "truncated": "The server's answer broke off before its end.",
        "nonsense": "The server sent a trip that cannot be read: number 1, name is missing or of the wrong kind.",
        "gone": "The server cannot be reached: nobody answers at its address.",
        "silent": "The server did not answer within 5 seconds.",
    }

    def test_each_failure_is_a_sentence_and_keeps_the_list(self):
        before = self.text("#trips")
        for behaviour, sentence in self.SENTENCES.items():
            with self.subTest(behaviour):
                self.behave(behaviour)
                self.sync()
                until("the sentence", lambda: self.text("#error") == sentence + " The trips are shown as they were.")
                self.assertEqual(self.text("#trips"), before)
                self.assertEqual(self.focused("id"), "sync")
        screenshot(self.driver, "failed")
        self.assertEqual(self.script("return document.getElementById('error').getAttribute('role')"), "alert")
        self.behave("well")
        self.sync()
        until("the word", lambda: self.text("#said") == "Synced.")
        self.assertEqual(self.text("#error"), "")

    def test_a_slow_server_is_waited_for(self):
        self.behave("late")
        self.sync()
        until("the question", lambda: "Asking the trips’ server" in self.text("[data-part=busy]"))
        # The page is as usable as ever meanwhile.
        self.edit("oslo-2026")
        until("the answer", lambda: self.text("[data-part=busy]") == "")
        self.assertEqual(self.focused("id"), "field-name")
        self.assertEqual(self.text("#error"), "")

    def test_what_the_server_offers_comes_with_a_sync(self):
        self.script("document.querySelector('[id=\"offer-oslo-2026\"] summary').click()")
        self.fill("offer-name-oslo-2026", "Oslo in winter")
        self.element("offer-set-oslo-2026").click()
        until("the word", lambda: "next sync" in self.text("#said"))
        self.assertIn("Midsummer in Oslo", self.names())
        self.sync()
        until("the name", lambda: "Oslo in winter" in self.names())
        self.script("document.querySelector('#offer-another summary').click()")
        self.fill("another-name-", "Rome")
        for field in ("another-first-", "another-last-"):
            self.script("document.getElementById(arguments[0]).value = '2027-05-01'", field)
        self.element("another-set-").click()
        until("the word", lambda: "next sync" in self.text("#said"))
        self.sync()
        until("another trip", lambda: "Rome" in self.names())


class EverybodyTests(TripsPage, unittest.TestCase):
    def tearDown(self):
        self.expect_a_clean_console()

    def test_by_keyboard_alone(self):
        self.keys(Keys.TAB)
        self.assertEqual(self.focused("class"), "skip")
        self.keys(Keys.ENTER)
        self.tab_to("edit-oslo-2026")
        self.keys(Keys.ENTER)
        until("the form", lambda: self.focused("id") == "field-name")
        self.keys(Keys.END, " by night")
        down = self.driver.find_elements(By.CSS_SELECTOR, "[id^=down-]")[0].get_attribute("id")
        self.tab_to(down)
        self.keys(Keys.SPACE)
        until("the order", lambda: self.fields() == ["Oslo", "Kiel"])
        # At the end it can go down no more; the way back is where the focus is.
        until("the focus", lambda: self.focused("id") == down.replace("down", "up"))
        self.keys(Keys.SPACE)
        until("the order", lambda: self.fields() == ["Kiel", "Oslo"])
        self.tab_to("add")
        self.keys(Keys.ENTER)
        until("a leg more", lambda: self.fields() == ["Kiel", "Oslo", "Bergen"])
        until("the focus", lambda: self.focused("name") == "leg-from")
        self.keys(Keys.TAB, "Voss", Keys.TAB, "train")
        # Enter in a field saves, as in any form.
        self.tab_back()
        self.keys(Keys.ENTER)
        until("the list", lambda: not self.driver.find_elements(By.CSS_SELECTOR, "form.edit"))
        self.assertIn("Midsummer in Oslo by night", self.names())
        self.assertEqual(self.legs("oslo-2026")[2], "train Bergen → to Voss")
        self.assertEqual(self.focused("id"), "edit-oslo-2026")
        # Escape leaves a form without a trace.
        self.keys(Keys.ENTER)
        until("the form", lambda: self.focused("id") == "field-name")
        self.keys("x", Keys.ESCAPE)
        until("the list", lambda: self.focused("id") == "edit-oslo-2026")
        self.assertIn("Midsummer in Oslo by night", self.names())
        # The server's side, too.
        self.tab_to("behaviour")
        self.keys("with an error")
        self.tab_to("behave")
        self.keys(Keys.ENTER)
        until("the word", lambda: "from now on" in self.text("#said"))
        self.tab_back()
        self.assertEqual(self.focused("id"), "behaviour")

    def test_every_field_and_button_has_a_name(self):
        self.edit("elbe-2026")
        self.expect_names()

    def test_in_light_and_dark(self):
        grounds = {}
        for scheme in ("light", "dark"):
            with self.scheme(scheme):
                for search in ("", "?edit=elbe%2D2026"):
                    self.open(search)
                    selectors = ["h1", "h2", "header p", "#sync", ".days", ".means", ".people li", ".tags li", ".quiet",
                                 "footer", "a.button", "summary", "#behave"]
                    if search:
                        selectors += ["label", "legend", "#save", "#field-name"]
                    for selector in selectors:
                        self.assertGreaterEqual(self.contrast(selector), 4.5, f"{selector} in {scheme}")
                    screenshot(self.driver, f"{'form' if search else 'list'}-{scheme}")
                grounds[scheme] = self.script("return getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(grounds["light"], grounds["dark"])

    def test_in_a_narrow_window(self):
        with self.narrow_window():
            for search in ("", "?edit=lisbon%2D2026"):
                self.open(search)
                self.assertEqual(self.script("return innerWidth"), 360)
                self.assertLessEqual(self.overflow(), 0)
                screenshot(self.driver, "narrow-form" if search else "narrow-list")

    def test_nothing_comes_from_elsewhere(self):
        self.expect_nothing_from_elsewhere(self.program.url)

    def test_without_script(self):
        plain = browser(script=False)
        scripted = self.driver
        try:
            self.driver = plain
            plain.get(self.program.url)
            self.element("edit-oslo-2026").click()
            until("the form", lambda: plain.find_elements(By.CSS_SELECTOR, "form.edit"))
            plain.find_elements(By.CSS_SELECTOR, "[id^=down-]")[0].click()
            until("the order", lambda: [field.get_attribute("value") for field in plain.find_elements(
                By.NAME, "leg-from")] == ["Oslo", "Kiel"])
            name = self.element("field-name")
            name.clear()
            name.send_keys("Plain Oslo", Keys.ENTER)
            until("the list", lambda: "Plain Oslo" in [title.text for title in plain.find_elements(By.TAG_NAME, "h2")])
            self.driver = scripted
            until("the other window", lambda: "Plain Oslo" in self.names())
            self.assertEqual(self.legs("oslo-2026")[0], "train Oslo → to Bergen")
        finally:
            self.driver = scripted
            plain.quit()


if __name__ == "__main__":
    unittest.main()
