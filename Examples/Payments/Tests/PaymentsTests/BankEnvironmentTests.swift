import ExampleSupport
import Foundation
import Testing

@testable import payments

/// Where the bank is, from the environment.
@Suite struct BankEnvironmentTests {
  private func pins(_ text: String) throws -> Int {
    try BankEnvironment(["PAYMENTS_URL": "https://bank.example", "PAYMENTS_PINS": text]).pins.count
  }

  @Test(arguments: [
    ("http://bank.example", "begins with https"), ("https:///x", "begins with https"),
    ("https://bank.example/?a=1", "no ? and no #"), ("https://me@bank.example", "no name or password"),
    ("https://me:secret-canary@bank.example", "no name or password"), ("https://bank.example#x", "no ? and no #"),
  ]) func whatIsNoAddress(_ url: String, _ words: String) throws {
    let pin = Data(repeating: 7, count: 32).base64EncodedString()
    let error = #expect(throws: Misunderstood.self) {
      try BankEnvironment(["PAYMENTS_URL": url, "PAYMENTS_PINS": pin])
    }
    #expect(error?.description.contains(words) == true && error?.description.contains("canary") == false)
    #expect(try BankEnvironment(["PAYMENTS_URL": "HTTPS://bank.example", "PAYMENTS_PINS": pin]).pins.count == 1)
  }

  @Test func anAuthorityIsACertificate() throws {
    let pin = Data(repeating: 7, count: 32).base64EncodedString()
    let file = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID()).pem")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("none\n".utf8).write(to: file)
    let error = #expect(throws: FileTrouble.self) {
      try BankEnvironment([
        "PAYMENTS_URL": "https://bank.example", "PAYMENTS_PINS": pin,
        "PAYMENTS_AUTHORITY": file.path(percentEncoded: false),
      ])
    }
    #expect(error?.description.contains("has no certificate in it") == true)
    for (path, words) in [("/tmp", "is a folder"), ("/dev/zero", "is no file"), ("/none", "there is none")] {
      let error = #expect(throws: FileTrouble.self) {
        try BankEnvironment([
          "PAYMENTS_URL": "https://bank.example", "PAYMENTS_PINS": pin, "PAYMENTS_AUTHORITY": path,
        ])
      }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
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
