import ExampleSupport
import Foundation
import Testing

@testable import payments

/// What stands in the form, what is wrong with it, and what is written of it.
@MainActor @Suite struct PageFormTests {
  private func mistakes(_ change: (inout PaymentForm) -> Void) -> [PaymentForm.Field: String] {
    do throws(FormMistakes) {
      _ = try PageMade.form(change).draft()
      return [:]
    } catch { return error.words }
  }

  @Test func goodFormIsADraft() throws {
    let form = PageMade.form {
      $0[.recipient] = "  Ada\r\nLovelace "
      $0[.number] = " de12 3456 78 "
      $0[.description] = " "
    }
    let draft = try form.draft()
    #expect(draft.name == form.name && draft.accountId == "acc-1" && draft.currency == "EUR")
    #expect(draft.recipientName == "Ada Lovelace" && draft.recipientAccountNumber == "DE12345678")
    #expect(draft.amount == Decimal(string: "12.5") && draft.description == nil)
  }

  @Test(arguments: [
    ("12", "12"), ("12,5", "12.5"), ("0.01", "0.01"), (" 7.00 ", "7"), ("999999999999.99", "999999999999.99"),
  ])
  func amountsThatAreRead(_ text: String, _ amount: String) throws {
    #expect(try PageMade.form { $0[.amount] = text }.draft().amount == Decimal(string: amount))
  }

  @Test(arguments: [
    ("", "missing"), ("0", "more than nothing"), ("0,00", "more than nothing"), ("-1", "12.50"), ("1.234", "12.50"),
    ("1,234.50", "12.50"), ("1.234,50", "12.50"), ("12abc", "12.50"), ("1e3", "12.50"), ("٣", "12.50"),
    ("1234567890123", "12.50"), (".", "12.50"), ("5.", "12.50"),
  ])
  func amountsThatAreNot(_ text: String, _ words: String) {
    let found = mistakes { $0[.amount] = text }
    #expect(found.keys.map(\.rawValue) == ["amount"] && found[.amount]?.contains(words) == true)
  }

  /// What becomes another letter, or two, where it is made large is nobody's account.
  @Test(arguments: [
    "\u{FB00}\u{FB00}\u{FB00}", "\u{131}\u{131}\u{131}\u{131}\u{131}\u{131}", "DE12345\u{DF}", "\u{212A}12345",
    "\u{FF11}\u{FF12}345",
  ])
  func lettersOfOtherScriptsAreNoAccountNumber(_ number: String) {
    #expect(mistakes { $0[.number] = number }[.number]?.hasPrefix("An account number has 5 to 34") == true)
  }

  @Test func whatNobodySeesIsNoName() {
    for hidden in ["\0", "\u{1B}[2J", "\u{202E}", "\u{2066}"] {
      #expect(mistakes { $0[.recipient] = "A" + hidden }[.recipient]?.contains("nobody sees") == true)
    }
    let heap = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(heap.count == 1 && mistakes { $0[.recipient] = heap }[.recipient]?.contains("too long") == true)
  }

  @Test func everyMistakeIsTold() {
    let found = mistakes { form in
      form[.account] = "acc-9"
      form[.recipient] = " \n"
      form[.number] = "DE/1"
      form[.description] = String(repeating: "x", count: 141)
    }
    #expect(Set(found.keys) == [.account, .recipient, .number, .description])
    #expect(found[.description] == "That is too long: there is room for 140 characters.")
    #expect(mistakes { $0[.number] = "" }[.number] == "The account number is missing.")
  }

  @Test func formIsReadFromWhatABrowserSends() throws {
    let body = "name=\(UUID())&account=acc-1&recipient=A&number=1&amount=2&description="
    #expect(PaymentForm(FormFields(Data(body.utf8)))?[.amount] == "2")
    #expect(PaymentForm(FormFields(Data(body.replacing("name=", with: "name=x").utf8))) == nil)
    #expect(PaymentForm(FormFields(Data(body.replacing("&amount=2", with: "").utf8))) == nil)
  }

  @Test func formThatIsKeptLeavesAnother() async {
    let outbox = PageOutbox()
    let form = PageMade.form()
    let model = PaymentFormViewModel(form, outbox: outbox)
    await model.submit()
    #expect(model.isKept && model.mistakes.isEmpty && model.form.name != form.name && model.form[.recipient].isEmpty)
    let again = PaymentFormViewModel(form, outbox: outbox)
    await again.submit()
    #expect(again.isKept)
    #expect(await outbox.taken.count == 1)
  }

  @Test func whatCannotBeKeptIsSaid() async {
    let outbox = PageOutbox()
    await outbox.fill()
    let form = PageMade.form()
    let model = PaymentFormViewModel(form, outbox: outbox)
    await model.submit()
    #expect(!model.isKept && model.form == form && model.problem?.contains("nothing is paid") == true)
  }

  @Test func amountsAreWrittenForPeople() {
    let amounts = ["0.5": "0.50", "12": "12.00", "1234.5": "1,234.50", "1000000": "1,000,000.00", "0.001": "0.001"]
    for (amount, words) in amounts {
      #expect(Formats.amount(Decimal(string: amount) ?? 0, "EUR") == "\(words)\u{A0}EUR")
    }
    #expect(Formats.amount(Decimal(string: "-1234.5") ?? 0, "EUR") == "\u{2212}1,234.50\u{A0}EUR")
  }

  @Test func accountNumbersAreMasked() {
    #expect(PaymentTemplate.number("DE12345678").text.contains("•••• 5678"))
    #expect(!PaymentTemplate.number("DE12345678").text.contains("1234"))
    // Of a short one the last four digits would be all.
    #expect(!PaymentTemplate.number("1234").text.contains("1234"))
  }
}
