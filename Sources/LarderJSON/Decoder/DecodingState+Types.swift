import Foundation

extension DecodingState {
  /// Decodes a value of any type: types of JSON and types with a strategy here, all others by their own initializer.
  func decode<Value: Decodable>(_ type: Value.Type, _ value: TapeValue) throws -> Value {
    // Comparing types takes a nanosecond, a cast a hundred. Where the types are the same, the value already has that type.
    if Value.self == String.self { return unsafeBitCast(try string(value), to: Value.self) }
    if Value.self == Double.self { return unsafeBitCast(try double(value), to: Value.self) }
    if Value.self == Int.self { return unsafeBitCast(try integer(value) as Int, to: Value.self) }
    if Value.self == Date.self { return unsafeBitCast(try date(value), to: Value.self) }
    if Value.self == [Double].self { return unsafeBitCast(try array(value, double), to: Value.self) }
    if Value.self == [String].self { return unsafeBitCast(try array(value, string), to: Value.self) }
    if Value.self == [Int].self { return unsafeBitCast(try array(value) { try integer($0) as Int }, to: Value.self) }
    return try decodeOther(type, value)
  }

  private func decodeOther<Value: Decodable>(_ type: Value.Type, _ value: TapeValue) throws -> Value {
    if Value.self == Data.self, let result = try data(value) as? Value { return result }
    if Value.self == URL.self, let result = try url(value) as? Value { return result }
    if Value.self == Decimal.self, let result = try decimal(value) as? Value { return result }
    if case .none = keyConversion {
      // A dictionary without strategies decodes like any other type.
    } else if let dictionary = type as? any StringKeyedDecodable.Type {
      if let result = try dictionary.decode(value, in: self) as? Value { return result }
    }
    // Uses the type that was passed: a class may differ from the static type.
    return try type.init(from: ValueDecoder(state: self, value: value))
  }

  private func array<Element>(_ value: TapeValue, _ element: (TapeValue) throws -> Element) throws -> [Element] {
    let entry = entry(value)
    guard entry.kind == .array else { throw mismatch([Any].self, value) }
    var elements: [Element] = []
    elements.reserveCapacity(Int(entry.count))
    var index = value.index + 2
    for position in 0..<entry.count {
      elements.append(try element(TapeValue(index: index, parent: value.index, position: position)))
      index = endIndex(of: index)
    }
    return elements
  }
}

/// A dictionary with string keys. Its keys are data, so they are not converted.
private protocol StringKeyedDecodable {
  static func decode(_ value: TapeValue, in state: DecodingState) throws -> Any
}

extension Dictionary: StringKeyedDecodable where Key == String, Value: Decodable {
  fileprivate static func decode(_ value: TapeValue, in state: DecodingState) throws -> Any {
    let entry = state.entry(value)
    guard entry.kind == .object else { throw state.mismatch([String: Any].self, value) }
    state.entries[Int(value.index)].hasEscapes = true
    var values: [String: Value] = [:]
    values.reserveCapacity(Int(entry.count))
    var index = value.index + 2
    while index < entry.length {
      let key = state.string(state.entries[Int(index)])
      if values[key] == nil {
        values[key] = try state.decode(Value.self, TapeValue(index: index + 1, parent: value.index, position: 0))
      }
      index = state.endIndex(of: index + 1)
    }
    return values
  }
}
