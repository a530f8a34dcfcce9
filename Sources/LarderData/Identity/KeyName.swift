import LarderSQLite
import LarderSupport

/// The key of a row in a store that names its rows otherwise than by small whole numbers: a text, and the number that stands
/// for it in this process for as long as anybody holds it.
package final class KeyName: Sendable {
  package let store: String
  package let text: String
  package let number: Int64

  /// Where the numbers begin that stand for names, and end: below those that are given to rows without a key.
  static let first: Int64 = 1 << 60
  static let last: Int64 = StoreFormat.unreserved

  private struct Name: Hashable {
    let store: String
    /// Its bytes: as strings are compared in stores.
    let bytes: [UInt8]

    init(_ store: String, _ text: String) {
      self.store = store
      bytes = Array(text.utf8)
    }
  }

  private struct Weak {
    weak var name: KeyName?
  }

  private struct Names {
    var byText: [Name: Weak] = [:]
    var byNumber: [Int64: Weak] = [:]
    var next = KeyName.first
  }

  private static let names = Locked(Names())

  private init(store: String, text: String, number: Int64) {
    self.store = store
    self.text = text
    self.number = number
  }

  /// The one for a text.
  package static func of(store: String, text: String) -> KeyName {
    names.withLock { names in
      let key = Name(store, text)
      if let known = names.byText[key]?.name { return known }
      let name = KeyName(store: store, text: text, number: names.next)
      names.next += 1
      names.byText[key] = Weak(name: name)
      names.byNumber[name.number] = Weak(name: name)
      return name
    }
  }

  /// The one that a number stands for; nil for a number that is a key itself, and where nobody holds it.
  package static func of(_ number: Int64) -> KeyName? {
    guard number >= first, number < last else { return nil }
    return names.withLock { $0.byNumber[number]?.name }
  }

  /// Whether there have been any in this process.
  static var areThere: Bool { names.withLock { $0.next > first } }

  /// How many there are of a store, for tests.
  package static func count(ofStore store: String) -> Int {
    names.withLock { $0.byText.keys.count { $0.store == store } }
  }

  deinit {
    let other = KeyName.names.withLock { names in
      names.byNumber[number] = nil
      let key = Name(store, text)
      // Another one may be known by now, and must not go while the lock is held.
      let other = names.byText[key]?.name
      if other == nil { names.byText[key] = nil }
      return other
    }
    withExtendedLifetime(other) {}
  }
}
