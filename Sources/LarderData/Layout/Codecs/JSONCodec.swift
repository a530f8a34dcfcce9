import Foundation

/// Any other Codable value: JSON in one TEXT column, through the type's own coding.
final class JSONCodec<Value: Codable>: PropertyCodec<Value> {
  init() {
    super.init(columns: [CodecColumn(suffix: "", type: .text, isOptional: false, form: .json)])
  }

  override func read(_ row: borrowing RowReader, _ column: Int) -> Value? {
    decode(row.stored(column), row.problems)
  }

  override func readOptional(_ row: borrowing RowReader, _ column: Int) -> Value?? {
    let stored = row.stored(column)
    if stored == .null { return .some(nil) }
    guard let value = decode(stored, row.problems) else { return nil }
    return .some(.some(value))
  }

  private func decode(_ stored: StoredValue, _ problems: RowProblems) -> Value? {
    guard case .text(let text) = stored else {
      problems.report("a stored \(stored.kind) is no JSON text of a \(Value.self)")
      return nil
    }
    do {
      return try JSONText.decode(Value.self, text)
    } catch {
      problems.report("the stored JSON is no \(Value.self): \(JSONText.reason(error))")
      return nil
    }
  }

  override func write(_ value: Value?, to binder: inout RowBinder) {
    guard let value else { return writeMissing(to: &binder) }
    do {
      binder.bind(try JSONText.encode(value))
    } catch {
      binder.fail(error.reason, at: binder.next)
      binder.put(.null)
    }
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool {
    if let equatable = left as? any Equatable { return equatable.isEqual(to: right) }
    guard let left = try? JSONText.encode(left), let right = try? JSONText.encode(right) else { return false }
    return sameBytes(left, right)
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

extension StoredValue {
  /// What a message calls a value that it must not repeat.
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
