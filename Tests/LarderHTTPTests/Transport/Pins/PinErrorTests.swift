import Foundation
import LarderHTTP
import Testing

/// What is no pin is said to be none, and why.
@Suite struct PinErrorTests {
  @Test(
    arguments: [
      ("not base64", .notBase64), ("", .wrongLength(0)), ("sha256/AAAA", .wrongLength(3)),
      (Data(repeating: 1, count: 31).base64EncodedString(), .wrongLength(31)),
      (Data(repeating: 1, count: 33).base64EncodedString(), .wrongLength(33)),
      (String(repeating: "0aF", count: 21) + "9", .hexadecimal),
      ("sha256/" + String(repeating: "07", count: 32), .hexadecimal),
      ("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .hashOfEmptyInput),
      ("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .hashOfEmptyInput),
    ] as [(String, PinError)]) func texts(_ text: String, _ expected: PinError)
  {
    #expect(throws: expected) { try KeyPins.Pin(base64: text) }
    guard !text.hasPrefix("sha256"), expected != .hexadecimal, let data = Data(base64Encoded: text) else { return }
    #expect(throws: expected) { try KeyPins.Pin(sha256: data) }
  }

  @Test func sentences() {
    #expect(PinError.notBase64.description.hasPrefix("The pin is not in base64. Give"))
    #expect(PinError.wrongLength(31).description.hasPrefix("The pin has 31 bytes, and a SHA-256 has 32. Give"))
    #expect(
      PinError.hashOfEmptyInput.description.hasPrefix(
        "The pin is the SHA-256 of nothing: what computed it was given no"))
  }

  /// Also of those whose first digit is a slash, which is one in 64: its first six bits are set.
  @Test(
    arguments: [
      Data(repeating: 7, count: 32), Data(repeating: 0xFF, count: 32), Data([0xFC] + [UInt8](repeating: 7, count: 31)),
      Data([0xFF, 0xFC] + [UInt8](repeating: 7, count: 30)),
    ]) func everySpelling(_ hash: Data) throws
  {
    let text = hash.base64EncodedString()
    for spelling in [text, "sha256/" + text, "sha256//" + text, text + "\n", " sha256/" + text + "\r\n"] {
      #expect(try KeyPins.Pin(base64: spelling).base64 == text)
    }
  }
}
