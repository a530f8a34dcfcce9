import DurabilityWork
import Foundation
import LarderSecrets
import Testing

@Suite struct SecretTests {
  @Test func textAndBytes() {
    #expect(Secret("käse").text() == "käse")
    #expect(Secret([0xFF, 0xFE]).text() == nil)
    #expect(Secret("").count == 0 && Secret("").text() == "")
    #expect(Secret([1, 2, 3].reversed()).withBytes { Array($0) } == [3, 2, 1])
    #expect(Secret(sequence(first: 1) { $0 < 3 ? $0 + 1 : nil }).withBytes { Array($0) } == [1, 2, 3])
  }

  @Test func equality() {
    #expect(Secret("a") == Secret("a"))
    #expect(Secret("a") != Secret("b"))
    #expect(Secret("a") != Secret("ab"))
    #expect(Secret("") == Secret([UInt8]()))
  }

  @Test func whatIsTakenOverIsEmptyAfterwards() {
    var bytes: [UInt8] = [1, 2, 3]
    let secret = Secret(wiping: &bytes)
    #expect(bytes.isEmpty && secret.withBytes { Array($0) } == [1, 2, 3])
  }

  @Test func noDescriptionShowsIt() throws {
    struct Account {
      let name = "name"
      let password: Secret
    }
    let canary = "canary-in-a-coal-mine"
    let secret = Secret(canary)
    let key = try SecretKey(Secret("canary-in-a-coal-mine-of-32-byte"))
    var shown = ""
    for value: Any in [secret, key, Account(password: secret), [secret], Optional(secret) as Any, key.base64()] {
      shown += String(describing: value) + String(reflecting: value) + "\(value)"
      dump(value, to: &shown)
      // Number by number, as a dump of bytes would be.
      for child in Mirror(reflecting: value).children { dump(child.value, to: &shown) }
    }
    #expect(shown.contains("redacted") && shown.contains("name"))
    #expect(!shown.contains("canary") && !shown.contains("coal"))
    #expect(!shown.contains(key.base64().text() ?? "") && !shown.contains("0x"))
    // Nor how long it is. The name of a type within a function has an address, and so digits, in it.
    #expect(String(reflecting: secret) == "Secret (redacted)" && "\(key)" == "SecretKey (redacted)")
  }

  #if os(Linux)
    @Test func itsMemoryIsOverwritten() throws {
      let folder = try WorkFolder()
      #expect(try folder.victim("wipe").split(separator: "\n") == ["equal true", "held 2", "left 0"])
    }
  #endif
}
