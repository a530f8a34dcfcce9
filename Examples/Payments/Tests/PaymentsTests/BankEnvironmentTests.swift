import ExampleSupport
import Foundation
import Testing

@testable import payments

/// Where the bank is, from the environment.
@Suite struct BankEnvironmentTests {
  private func pins(_ text: String) throws -> Int {
    try BankEnvironment(["PAYMENTS_URL": "https://bank.example", "PAYMENTS_PINS": text]).pins.count
  }

  @Test func whatIsNoPinIsSaidWithItsPlace() throws {
    let one = Data(repeating: 7, count: 32).base64EncodedString()
    let other = "sha256/" + Data(repeating: 0xFF, count: 32).base64EncodedString()
    #expect(try pins("\(one), \(other)") == 2)
    // One that stands there twice is right, too.
    #expect(try pins("\(one),\(one)") == 1)
    for (text, words) in [
      ("\(one),x", "Of number 2: The pin is not in base64."), ("AAAA,\(one)", "Of number 1: The pin has 3 bytes"),
      (",", "must hold SHA-256"),
    ] {
      let error = #expect(throws: Misunderstood.self) { try pins(text) }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
  }
}
