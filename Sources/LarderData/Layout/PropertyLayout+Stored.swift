package import LarderSQLite

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

  /// Whether columns hold a value of the property's type.
  package func canRead(_ values: [StoredValue], in layout: ModelLayout) -> Bool { codec.canRead(values, layout) }
}
