import Foundation

/// A codec for any other Codable value: JSON in one TEXT column, through the type's `Codable` implementation.
final class JSONCodec<Value: Codable>: _PropertyCodec<Value> {
  private let preservesRelativeURLs = URLContainment.isPossible(in: Value.self)

  init() {
    super.init(
      columns: [CodecColumn(suffix: "", type: .text, isOptional: false, form: .json)],
      references: ReferenceContainment.of(Value.self))
  }

  override func load(
    _ row: borrowing _RowReader, _ column: Int, isNullable: Bool, into memory: UnsafeMutablePointer<Value>
  ) -> Bool {
    guard let value = decode(row.storedValue(column), row.problems) else { return false }
    memory.initialize(to: value)
    return true
  }

  override func loadOptional(
    _ row: borrowing _RowReader, _ column: Int, into memory: UnsafeMutablePointer<Value?>
  ) -> Bool {
    let stored = row.storedValue(column)
    if stored == .null {
      memory.initialize(to: nil)
      return true
    }
    guard let value = decode(stored, row.problems) else { return false }
    memory.initialize(to: value)
    return true
  }

  private func decode(_ stored: _StoredValue, _ problems: _RowProblems) -> Value? {
    guard case .text(let text) = stored else {
      problems.report("a stored \(stored.kind) is no JSON text of a \(Value.self)")
      return nil
    }
    do {
      return try StoredJSON.decode(Value.self, text, preservesRelativeURLs: preservesRelativeURLs)
    } catch {
      problems.report("the stored JSON is no \(Value.self): \(StoredJSON.reason(error))")
      return nil
    }
  }

  override func store(_ value: UnsafePointer<Value>, to binder: inout _RowBinder) {
    do {
      binder.bind(try StoredJSON.encode(value.pointee, preservesRelativeURLs: preservesRelativeURLs))
    } catch {
      binder.reportUnstorable(error.reason, at: binder.nextIndex)
      binder.bindStored(.null)
    }
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool {
    if let equatable = left as? any Equatable, !equatable.isEqual(to: right) { return false }
    // A type may treat two values as equal whose stored forms differ: it compares only an identifier, or a string's
    // characters.
    guard let left = try? StoredJSON.encode(left, preservesRelativeURLs: preservesRelativeURLs),
      let right = try? StoredJSON.encode(right, preservesRelativeURLs: preservesRelativeURLs)
    else { return false }
    return haveSameBytes(left, right)
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

extension _StoredValue {
  /// The name of the value's storage class, for messages that must not contain the value.
  var kind: String {
    switch self {
    case .null: "NULL"
    case .integer: "integer"
    case .real: "number"
    case .text: "text"
    case .blob: "blob"
    }
  }
}
