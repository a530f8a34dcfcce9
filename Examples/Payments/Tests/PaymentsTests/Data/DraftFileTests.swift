import ExampleSupport
import Foundation
import Testing

@testable import payments

/// The file that says what to pay.
@Suite struct DraftFileTests {
  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder()
    file = folder.url.appending(path: "drafts.json")
  }

  private func read(_ text: String) throws -> [PaymentDraft] {
    try Data(text.utf8).write(to: file)
    return try DraftFile.read(file)
  }

  private func draft(_ amount: String, _ name: String = "n") -> String {
    #"{"name":"\#(name)","accountId":"a","recipientName":"Ada","recipientAccountNumber":"DE1","amount":\#(amount),"currency":"EUR"}"#
  }

  /// Each of these is another number as a binary one.
  @Test(arguments: ["0.1", "12.50", "1311.07", "90071992547409.93", "999999999999999.99", "0.000000000000001"])
  func amountsAreTextOrNumbersDigitForDigit(_ amount: String) throws {
    let expected = try #require(Decimal(string: amount))
    #expect(try read("[\(draft("\"\(amount)\"")), \(draft(amount, "m"))]").map(\.amount) == [expected, expected])
    // And as it is written again.
    let written = try JSONEncoder().encode(try read("[\(draft(amount))]"))
    #expect(String(decoding: written, as: UTF8.self).contains("\"amount\":\"\(expected)\""))
    #expect(try JSONDecoder().decode([PaymentDraft].self, from: written).map(\.amount) == [expected])
  }

  @Test(arguments: [
    "\"12abc\"", "\"1,50\"", "\"\"", "\" 1\"", "\"1e3\"", "\"NaN\"", "\"1.\"", "\".5\"", "\"1234567890123456\"", "true",
    "null",
    "[]", "1e30", "0.1234567890123456", "12345678901234567890123456789012345678901.5",
  ])
  func amountsThatAreNone(_ amount: String) throws {
    let error = #expect(throws: FileTrouble.self) { try read("[\(draft("1")), \(draft(amount))]") }
    #expect(error?.description.contains("in payment 2, “amount”") == true, "\(error?.description ?? "")")
    // What it holds is not told.
    #expect(error?.description.contains("Ada") == false)
  }

  /// The bank would refuse it, and the name would be used up.
  @Test(arguments: ["0", "0.00", "-0", "-3", "-0.01"])
  func amountsThatAreNotMoreThanNothing(_ amount: String) throws {
    for text in [amount, "\"\(amount)\""] {
      let error = #expect(throws: FileTrouble.self) { try read("[\(draft("1")), \(draft(text, "m"))]") }
      let words = error?.description ?? ""
      #expect(
        words.contains("has an “amount” in payment 2 that is not more than nothing. Nothing of the list"), "\(words)")
      #expect(!words.contains("Ada") && !words.contains(" \(amount) "))
    }
  }

  @Test func whatAPaymentIsNotMadeOf() throws {
    let mistyped = draft("1", "m").replacing("\"currency\"", with: "\"descripton\": \"Rent\", \"currency\"")
    for (list, words) in [
      ("[\(draft("1")), \(mistyped)]", "has a member that no payment has in payment 2, “descripton”"),
      ("[\(draft("1")), \(draft("1", ""))]", "has an empty “name” in payment 2"),
      ("[\(draft("1")), \(draft("1", "  "))]", "has an empty “name” in payment 2"),
      ("[\(draft("\"1,50\""))]", "no amount in payment 1, “amount”: write digits with a point"),
    ] {
      let error = #expect(throws: FileTrouble.self) { try read(list) }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
      #expect(error?.description.contains("Ada") == false && error?.description.contains("Rent") == false)
    }
  }

  /// Of two payments with one name, one would not be paid.
  @Test func aNameIsThereOnce() throws {
    let error = #expect(throws: FileTrouble.self) { try read("[\(draft("1")), \(draft("2", "m")), \(draft("3"))]") }
    #expect(error?.description.contains("has one “name” in payments 1 and 3. Nothing was paid.") == true)
    #expect(error?.description.contains("Ada") == false)
  }

  @Test func whatIsWrongIsSaidAndWhatToDo() throws {
    func words(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch { return "\(error)" }
    }
    let path = file.path
    #expect(
      words { _ = try DraftFile.read(file) }
        == "\(path), the list of what to pay, cannot be read: there is none. Name a file of JSON behind --pay; the README "
        + "shows one.")
    #expect(words { _ = try read("{") }.contains("is no list in JSON"))
    #expect(words { _ = try read("[{\"name\":\"n\"}]") }.contains("has no “accountId” in payment 1."))
    // The others of which a program is told the place.
    let none = folder.url.appending(path: "none.pem")
    let environment = ["PAYMENTS_URL": "https://bank.example", "PAYMENTS_PINS": Data(count: 32).base64EncodedString()]
    #expect(
      words { _ = try BankEnvironment(environment.merging(["PAYMENTS_AUTHORITY": none.path]) { $1 }) }
        .hasPrefix(
          "\(none.path), the authority of PAYMENTS_AUTHORITY, cannot be read: there is none. Name a certificate"))
    #expect(words { _ = try BankEnvironment(environment.merging(["PAYMENTS_AUTHORITY": ""]) { $1 }) }.isEmpty)
    try Data().write(to: file)
    let store = file.appending(path: "payments.store")
    for body in [{ _ = try PaymentStack(at: store) }, { try ProgramLock.take(beside: store) }] as [() throws -> Void] {
      let said = words(body)
      #expect(
        said.contains("the store's folder, cannot be made: ") && said.contains("Name a store by --store"), "\(said)")
      #expect(!said.contains("Error") && !said.contains("NSCocoa"))
    }
  }
}
