import LarderSQLite
import LarderSupport

/// The key of a row in a data store whose keys are not small integers: a text, and the row ID that stands for it in this process
/// for as long as the key is retained.
package final class SurrogateKey: Sendable {
  package let store: String
  package let text: String
  package let number: Int64

  /// The range of the row IDs that stand for keys. It ends below the row IDs that are given to rows without a key.
  static let firstNumber: Int64 = 1 << 60
  static let endNumber: Int64 = StoreFormat.unreservedBase

  private struct TextKey: Hashable {
    let store: String
    /// The UTF-8 bytes, since stores compare strings by bytes.
    let bytes: [UInt8]

    init(_ store: String, _ text: String) {
      self.store = store
      bytes = Array(text.utf8)
    }
  }

  private struct WeakReference {
    weak var key: SurrogateKey?
  }

  private struct Table {
    var byText: [TextKey: WeakReference] = [:]
    var byNumber: [Int64: WeakReference] = [:]
    var nextNumber = SurrogateKey.firstNumber
  }

  private static let table = Locked(Table())

  private init(store: String, text: String, number: Int64) {
    self.store = store
    self.text = text
    self.number = number
  }

  /// Returns the key of a text.
  package static func intern(store: String, text: String) -> SurrogateKey {
    table.withLock { names in
      let key = TextKey(store, text)
      if let known = names.byText[key]?.key { return known }
      let name = SurrogateKey(store: store, text: text, number: names.nextNumber)
      names.nextNumber += 1
      names.byText[key] = WeakReference(key: name)
      names.byNumber[name.number] = WeakReference(key: name)
      return name
    }
  }

  /// Returns the key that a row ID stands for, or `nil` if the row ID is a key itself or the key was released.
  package static func existing(_ number: Int64) -> SurrogateKey? {
    guard number >= firstNumber, number < endNumber else { return nil }
    return table.withLock { $0.byNumber[number]?.key }
  }

  /// Whether any surrogate key has been created in this process.
  static var isInUse: Bool { table.withLock { $0.nextNumber > firstNumber } }

  /// Returns the number of a store's keys, for tests.
  package static func count(ofStore store: String) -> Int {
    table.withLock { $0.byText.keys.count { $0.store == store } }
  }

  deinit {
    let other = SurrogateKey.table.withLock { names in
      names.byNumber[number] = nil
      let key = TextKey(store, text)
      // Another key may have been created for the text in the meantime. It must not be released while the lock is held.
      let other = names.byText[key]?.key
      if other == nil { names.byText[key] = nil }
      return other
    }
    withExtendedLifetime(other) {}
  }
}
