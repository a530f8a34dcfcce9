import LarderSQLite

extension PropertyLayout {
  /// Returns the stored form of the declared default value, or of nil; nil where the property has neither.
  package func storedDefault(in layout: _ModelLayout) -> [_StoredValue]? {
    if let defaultValue {
      guard let held = codec.box(defaultValue) else { return nil }
      return StoredColumns(layout) { codec.write(boxed: held, to: &$0) }.storable
    }
    return isOptional ? StoredColumns(layout) { codec.writeNil(to: &$0) }.storable : nil
  }

  /// Returns whether columns hold a value of the property's type, and no number that would change by being read.
  package func canRead(_ values: [_StoredValue], in layout: _ModelLayout) -> Bool {
    guard codec.canRead(values, layout) else { return false }
    func isReal(_ value: _StoredValue) -> Bool { if case .real = value { true } else { false } }
    guard values.contains(where: isReal) else { return true }
    guard let held = codec.value(of: values, layout).flatMap(codec.box) else { return false }
    let stored = StoredColumns(layout) { codec.write(boxed: held, to: &$0) }
    return stored.problem == nil && zip(values, stored.values).allSatisfy { !isReal($0) || $0 == $1 }
  }
}
