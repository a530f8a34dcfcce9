import Foundation

/// Any other Codable value: JSON in one TEXT column, through the type's own coding.
final class JSONCodec<Value: Codable>: PropertyCodec<Value> {
  private let keepsURLs = URLHolding.isPossible(in: Value.self)

  init() {
    super.init(
      columns: [CodecColumn(suffix: "", type: .text, isOptional: false, form: .json)],
      objects: ObjectHolding.of(Value.self))
  }

  override func load(
    _ row: borrowing RowReader, _ column: Int, isNullable: Bool, into memory: UnsafeMutablePointer<Value>
  ) -> Bool {
    guard let value = decode(row.stored(column), row.problems) else { return false }
    memory.initialize(to: value)
    return true
  }

  override func loadOptional(
    _ row: borrowing RowReader, _ column: Int, into memory: UnsafeMutablePointer<Value?>
  ) -> Bool {
    let stored = row.stored(column)
    if stored == .null {
      memory.initialize(to: nil)
      return true
    }
    guard let value = decode(stored, row.problems) else { return false }
    memory.initialize(to: value)
    return true
  }

  private func decode(_ stored: StoredValue, _ problems: RowProblems) -> Value? {
    guard case .text(let text) = stored else {
      problems.report("a stored \(stored.kind) is no JSON text of a \(Value.self)")
      return nil
    }
    do {
      return try JSONText.decode(Value.self, text, keepsURLs: keepsURLs)
    } catch {
      problems.report("the stored JSON is no \(Value.self): \(JSONText.reason(error))")
      return nil
    }
  }

  override func store(_ value: UnsafePointer<Value>, to binder: inout RowBinder) {
    do {
      binder.bind(try JSONText.encode(value.pointee, keepsURLs: keepsURLs))
    } catch {
      binder.fail(error.reason, at: binder.next)
      binder.put(.null)
    }
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool {
    if let equatable = left as? any Equatable, !equatable.isEqual(to: right) { return false }
    // A type may call two equal that are stored otherwise: by an identifier alone, or a text by its characters.
    guard let left = try? JSONText.encode(left, keepsURLs: keepsURLs),
      let right = try? JSONText.encode(right, keepsURLs: keepsURLs)
    else { return false }
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
