import LarderSQLite

extension PropertyLayout {
  /// The stored form of the value that the declaration gives, or of nil; nil where there is neither.
  package func storedDefault(in layout: ModelLayout) -> [StoredValue]? {
    let sink = RowSink()
    var binder = RowBinder(sink: sink, layout: layout)
    if let defaultValue {
      guard let held = codec.held(defaultValue) else { return nil }
      codec.write(held: held, to: &binder)
    } else if isOptional {
      codec.writeNil(to: &binder)
    } else {
      return nil
    }
    return binder.problem == nil ? sink.values : nil
  }

  /// Whether columns hold a value of the property's type, and no number that is another once it was read.
  package func canRead(_ values: [StoredValue], in layout: ModelLayout) -> Bool {
    guard codec.canRead(values, layout) else { return false }
    func isReal(_ value: StoredValue) -> Bool { if case .real = value { true } else { false } }
    guard values.contains(where: isReal) else { return true }
    guard let held = codec.value(of: values, layout).flatMap(codec.held) else { return false }
    let sink = RowSink()
    var binder = RowBinder(sink: sink, layout: layout)
    codec.write(held: held, to: &binder)
    return binder.problem == nil && zip(values, sink.values).allSatisfy { !isReal($0) || $0 == $1 }
  }
}
