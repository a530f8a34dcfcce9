import LarderSQLite

extension PropertyLayout {
  /// The stored form of the value that the declaration gives, or of nil; nil where there is neither.
  package func storedDefault(in layout: ModelLayout) -> [StoredValue]? {
    if let defaultValue {
      guard let held = codec.held(defaultValue) else { return nil }
      return StoredColumns(layout) { codec.write(held: held, to: &$0) }.storable
    }
    return isOptional ? StoredColumns(layout) { codec.writeNil(to: &$0) }.storable : nil
  }

  /// Whether columns hold a value of the property's type, and no number that is another once it was read.
  package func canRead(_ values: [StoredValue], in layout: ModelLayout) -> Bool {
    guard codec.canRead(values, layout) else { return false }
    func isReal(_ value: StoredValue) -> Bool { if case .real = value { true } else { false } }
    guard values.contains(where: isReal) else { return true }
    guard let held = codec.value(of: values, layout).flatMap(codec.held) else { return false }
    let stored = StoredColumns(layout) { codec.write(held: held, to: &$0) }
    return stored.problem == nil && zip(values, stored.values).allSatisfy { !isReal($0) || $0 == $1 }
  }
}
