"""What a person sees and does on the page: pays, is refused, loses the bank, and has it back."""

import json
import pathlib
import signal
import tempfile
import unittest
import urllib.error
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from driving import Program, StorePage, browser, screenshot, until

NUMBER = "DE89 3704 0044 0532 0130 00"


class PaymentsPage(StorePage):
    """What all tests here ask the page."""

    name = "payments"

    def setUp(self):
        super().setUp()
        until("the first sync", lambda: self.text("#link") == "Online")

    def fill(self, recipient="Ada Lovelace", number=NUMBER, amount="12.50", description="", account="acc-1"):
        Select(self.element("field-account")).select_by_value(account)
        for name, text in (("recipient", recipient), ("number", number), ("amount", amount),
                           ("description", description)):
            self.element(f"field-{name}").clear()
            self.element(f"field-{name}").send_keys(text)

    def pay(self, recipient="Ada Lovelace", **fields):
        self.fill(recipient, **fields)
        self.element("pay-button").click()
        until("an empty form", lambda: self.value("field-recipient") == "")

    def value(self, identifier):
        return self.script("return document.getElementById(arguments[0]).value", identifier)

    def names(self):
        """Who is paid, by the list of payments."""
        return self.script("return [...document.querySelectorAll('#payments .who b')].map((name) => name.innerText)")

    def click_line(self, to):
        self.element("line").click()
        until(f"a line that can be {to}", lambda: to.lower() in self.text("#line").lower())

    def behave(self, conduct):
        Select(self.element("conduct")).select_by_value(conduct)
        self.element("behave").click()
        until("the bank's consent", lambda: "from now on" in self.text("#said"))
        self.script("document.getElementById('said').textContent = ''")

    def booked(self):
        """Who is paid, by the bank's own books."""
        books = self.store.with_suffix(".bank.json")
        return [payment["order"]["recipientName"] for payment in json.loads(books.read_text())] if books.exists() else []


class PayTests(PaymentsPage, unittest.TestCase):
    def tearDown(self):
        self.expect_a_clean_console()

    def test_a_payment_is_made(self):
        self.script("window.sameDocument = true")
        self.fill(description="Rent & <more>")
        screenshot(self.driver, "form")
        self.element("pay-button").click()
        until("the payment", lambda: self.names() == ["Ada Lovelace"])
        until("the word", lambda: self.text("#said") == "Kept, and on its way.")
        words = self.text("#payments")
        for word in ("12.50\u00a0EUR", "•••• 3000", "Rent & <more>", "not carried out yet"):
            self.assertIn(word, words)
        self.assertNotIn("0532", self.driver.page_source)
        self.assertEqual(self.focused("id"), "field-recipient")
        self.assertEqual(self.value("field-amount"), "")
        # The bank carries it out by itself, and the page sees it.
        until("the end", lambda: "Carried out" in self.text("#payments"))
        self.assertTrue(self.script("return window.sameDocument"))
        self.assertEqual(self.booked(), ["Ada Lovelace"])
        screenshot(self.driver, "made")

    def test_a_rejected_payment_has_its_reason(self):
        self.pay("Grace Hopper", amount="10.01", account="acc-2")
        until("the reason", lambda: "There is not enough on the account. Nothing was paid." in self.text("#way"))
        self.assertIn("Refused by the bank", self.text("#way"))
        screenshot(self.driver, "rejected")
        self.assertEqual(self.names(), [])
        self.click("[id^=put-away-]")
        until("its end", lambda: self.text("#way") == "")
        self.open()
        self.assertEqual((self.text("#way"), self.names()), ("", []))
        self.pay("Grace Hopper", amount="10.00", account="acc-2")
        until("the payment", lambda: self.names() == ["Grace Hopper"])
        self.assertEqual(self.booked(), ["Grace Hopper"])

    def test_mistakes_stand_beside_their_fields(self):
        self.fill(recipient="", amount="1,234.50", number="DE/1")
        self.element("pay-button").click()
        until("the words", lambda: "name is missing" in self.text("#mistake-recipient"))
        self.assertIn("Write the amount as 12.50", self.text("#mistake-amount"))
        self.assertIn("5 to 34 letters and digits", self.text("#mistake-number"))
        self.assertEqual((self.value("field-amount"), self.value("field-number")), ("1,234.50", "DE/1"))
        self.assertEqual(self.focused("id"), "field-recipient")
        self.assertEqual(self.focused("aria-describedby"), "mistake-recipient")
        screenshot(self.driver, "mistakes")
        self.fill()
        self.element("pay-button").click()
        until("the payment", lambda: self.names() == ["Ada Lovelace"])
        self.assertEqual(self.text(".mistake"), "")

    def test_a_double_click_pays_once(self):
        self.fill()
        self.script("""const form = document.querySelector('form[data-form=pay]');
            form.requestSubmit(); form.requestSubmit(); form.requestSubmit();""")
        until("the payment", lambda: self.names() == ["Ada Lovelace"])
        until("the end", lambda: "Carried out" in self.text("#payments"))
        self.assertEqual((self.names(), self.booked()), (["Ada Lovelace"], ["Ada Lovelace"]))
        # The second click of a double click comes when the form may be empty already, and says nothing of that.
        self.fill("Grace Hopper")
        ActionChains(self.driver).double_click(self.element("pay-button")).perform()
        until("the payment", lambda: sorted(self.names()) == ["Ada Lovelace", "Grace Hopper"])
        self.assertEqual((self.text(".mistake"), self.booked()), ("", ["Ada Lovelace", "Grace Hopper"]))

    def test_a_pending_payment_is_cancelled(self):
        self.pay()
        until("the button", lambda: self.driver.find_elements(By.CSS_SELECTOR, "[id^=cancel-]"))
        self.click("[id^=cancel-]")
        until("the end", lambda: "Cancelled" in self.text("#payments"))
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, "[id^=cancel-]"), [])

    def test_whoever_types_is_left_alone(self):
        other = browser()
        first = self.driver
        try:
            self.element("field-recipient").send_keys("Hal")
            self.driver = other
            self.open()
            self.pay()
            self.driver = first
            until("the other's payment", lambda: self.names() == ["Ada Lovelace"])
            self.keys("f")
            self.assertEqual((self.focused("id"), self.value("field-recipient")), ("field-recipient", "Half"))
        finally:
            self.driver = first
            other.quit()


class LineTests(PaymentsPage, unittest.TestCase):
    def test_offline_and_back(self):
        self.pay()
        until("the payment", lambda: "Carried out" in self.text("#payments"))
        self.click_line("Mend")
        until("the word", lambda: self.text("#link") == "Offline")
        self.assertIn("Last synced at", self.text("header"))
        self.pay("Grace Hopper")
        until("the attempt", lambda: "Not sent yet" in self.text("#way"))
        until("the trouble", lambda: "The bank cannot be reached." in self.text("#trouble"))
        screenshot(self.driver, "offline")
        # Offline the store is read, also by a page that is opened now, and by a program that is started again.
        self.open()
        self.assertEqual((self.names(), self.text("#link")), (["Ada Lovelace"], "Offline"))
        self.assertIn("Grace Hopper", self.text("#way"))
        self.assertEqual(self.booked(), ["Ada Lovelace"])
        self.click_line("Cut")
        until("the payment", lambda: sorted(self.names()) == ["Ada Lovelace", "Grace Hopper"])
        until("the word", lambda: self.text("#link") == "Online" and self.text("#trouble") == "")
        self.assertEqual(self.text("#way"), "")
        self.assertEqual(self.booked(), ["Ada Lovelace", "Grace Hopper"])

    def test_a_program_that_is_killed_loses_nothing_and_pays_once(self):
        self.click_line("Mend")
        self.pay()
        until("the attempt", lambda: "Not sent yet" in self.text("#way"))
        self.program.end(signal.SIGKILL)
        until("the notice", lambda: self.element("lost").is_displayed())
        self.program = Program(self.store, port=self.program.port)
        until("the payment", lambda: self.names() == ["Ada Lovelace"])
        self.assertFalse(self.element("lost").is_displayed())
        self.assertEqual(self.booked(), ["Ada Lovelace"])

    def test_an_answer_that_is_lost_is_asked_for(self):
        self.behave("losesAnswers")
        self.pay()
        until("the loss", lambda: "The answer was lost: it may be paid, or not." in self.text("#way"))
        self.assertRegex(self.text("#way"), r"asked at \d\d:\d\d:\d\d")
        screenshot(self.driver, "unknown")
        self.assertEqual(self.names(), [])
        self.behave("well")
        # The bank has it; the sync that comes first may show it before the order is settled.
        until("the payment", lambda: self.names() == ["Ada Lovelace"] and self.text("#way") == "")
        self.assertEqual(self.booked(), ["Ada Lovelace"])

    def test_whoever_signs_in_again_pays_what_waits(self):
        self.element("end-session").click()
        until("the word", lambda: "The bank has ended your session." in self.text("#session"))
        code = self.text("#letter")
        self.assertRegex(code, r"^[0-9A-F]{8}$")
        self.pay()
        until("the attempt", lambda: "Not sent yet" in self.text("#way"))
        self.element("code").send_keys("wrong", Keys.ENTER)
        until("the refusal", lambda: "The bank does not know this code." in self.text("#problem"))
        screenshot(self.driver, "session")
        self.assertEqual(self.booked(), [])
        self.element("code").clear()
        self.element("code").send_keys(code, Keys.ENTER)
        until("the payment", lambda: self.names() == ["Ada Lovelace"])
        self.assertEqual((self.text("#session"), self.text("#problem")), ("", ""))
        self.assertEqual(self.booked(), ["Ada Lovelace"])

    def test_a_bank_that_is_out_of_order_is_told_of(self):
        self.behave("unavailable")
        self.element("sync").click()
        until("the sentence", lambda: "The bank has a problem of its own (status 503)." in self.text("#trouble"))
        self.assertEqual(self.text("#link"), "Online")
        self.behave("well")
        self.element("sync").click()
        until("the end of it", lambda: self.text("#trouble") == "")


class EverybodyTests(PaymentsPage, unittest.TestCase):
    def tearDown(self):
        self.expect_a_clean_console()

    def test_by_keyboard_alone(self):
        self.keys(Keys.TAB)
        self.assertEqual(self.focused("class"), "skip")
        self.tab_to("field-recipient")
        self.keys("Ada", Keys.TAB, NUMBER, Keys.TAB, "12", Keys.ENTER)
        until("the payment", lambda: self.names() == ["Ada"])
        self.tab_to("line")
        self.keys(Keys.SPACE)
        until("the word", lambda: self.text("#link") == "Offline")
        # The button that mends is where the one that cut was.
        self.assertEqual(self.focused("id"), "line")
        self.keys(Keys.SPACE)
        until("the word", lambda: self.text("#link") == "Online")

    def test_every_field_and_button_has_a_name(self):
        self.pay()
        until("the button", lambda: self.driver.find_elements(By.CSS_SELECTOR, "[id^=cancel-]"))
        self.expect_names()

    def test_in_light_and_dark_wide_and_narrow(self):
        self.pay("Grace Hopper", amount="10.01", account="acc-2")
        until("the reason", lambda: "Nothing was paid." in self.text("#way"))
        self.pay(description="Notes on the engine")
        until("the payment", lambda: self.names() == ["Ada Lovelace"])
        self.click_line("Mend")
        self.pay("Katherine Johnson", amount="1234.5")
        until("the attempt", lambda: "Not sent yet" in self.text("#way"))
        until("the trouble", lambda: self.text("#trouble") != "")
        self.fill(recipient="", amount="much")
        self.element("pay-button").click()
        until("the words", lambda: self.text("#mistake-amount") != "")
        grounds = {}
        for scheme in ("light", "dark"):
            with self.scheme(scheme):
                for selector in ("h1", "h2", "#link", "header .quiet", "#sync", ".note", ".field label", ".mistake",
                                 "#pay-button", "#field-number", ".number", ".amount", ".steps .now", ".steps .bad",
                                 ".steps li:last-child", ".state", "#line", "#behave", "#end-session", ".choice label", "footer"):
                    self.assertGreaterEqual(self.contrast(selector), 4.5, f"{selector} in {scheme}")
                screenshot(self.driver, f"page-{scheme}")
                with self.narrow_window():
                    self.assertEqual(self.script("return innerWidth"), 360)
                    self.assertLessEqual(self.overflow(), 0)
                    screenshot(self.driver, f"narrow-{scheme}")
                grounds[scheme] = self.script("return getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(grounds["light"], grounds["dark"])

    def test_nothing_comes_from_elsewhere(self):
        self.expect_nothing_from_elsewhere(self.program.url)

    def test_the_page_is_this_machines_by_either_name(self):
        self.driver.get(self.program.url.replace("127.0.0.1", "localhost"))
        self.pay()
        until("the payment", lambda: self.names() == ["Ada Lovelace"])

    def test_no_other_name_that_leads_here_shows_the_page(self):
        asked = urllib.request.Request(self.program.url, headers={"Host": f"bank.example:{self.program.port}"})
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(asked)
        refused.exception.close()
        self.assertEqual(refused.exception.code, 403)

    def test_without_script(self):
        plain = browser(script=False)
        scripted = self.driver
        try:
            self.driver = plain
            plain.get(self.program.url)
            for name, text in (("recipient", "Plain Ada"), ("number", NUMBER), ("amount", "x")):
                self.element(f"field-{name}").send_keys(text)
            self.element("field-amount").send_keys(Keys.ENTER)
            until("the words", lambda: plain.find_elements(By.ID, "mistake-amount"))
            self.assertEqual(self.element("field-recipient").get_attribute("value"), "Plain Ada")
            amount = self.element("field-amount")
            amount.clear()
            amount.send_keys("3", Keys.ENTER)
            # Nothing is asked of an element that goes with its page.
            until("the page that follows", lambda: "/pay" not in plain.current_url)
            self.assertEqual(self.element("field-recipient").get_attribute("value"), "")
            # What a reload sends is no payment.
            plain.refresh()
            self.driver = scripted
            until("the other window", lambda: self.names() == ["Plain Ada"])
            until("the end", lambda: "Carried out" in self.text("#payments"))
            self.assertEqual(self.booked(), ["Plain Ada"])
            self.driver = plain
            self.element("line").click()
            until("the line", lambda: self.element("line").text == "Mend the line")
        finally:
            self.driver = scripted
            plain.quit()


class LifeTests(unittest.TestCase):
    def test_one_program_at_a_time_keeps_the_books(self):
        with tempfile.TemporaryDirectory() as folder:
            store = pathlib.Path(folder) / "payments.store"
            program = Program(store)
            try:
                with self.assertRaisesRegex(RuntimeError, "pays from this store"):
                    Program(store)
            finally:
                self.assertEqual(program.end(signal.SIGINT), 0)


if __name__ == "__main__":
    unittest.main()
