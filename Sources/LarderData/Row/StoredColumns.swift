import LarderSupport

/// The stored forms of the columns of an object or a property, without a statement.
struct StoredColumns {
  /// The values, in the order of the layout.
  let values: [_StoredValue]
  /// The first value that cannot be stored: its position, from 1, and the reason.
  let problem: (position: Int32, reason: String)?

  /// The values, if each of them can be stored.
  var storable: [_StoredValue]? { problem == nil ? values : nil }

  /// Collects the values written to a binder.
  @inline(__always)
  init(_ layout: _ModelLayout, _ write: (inout _RowBinder) -> Void) {
    let sink = _RowSink()
    var binder = _RowBinder(sink: sink, layout: layout)
    write(&binder)
    values = sink.values
    problem = binder.firstProblem
  }

  /// Collects the columns of an object's properties that a mask contains.
  @inline(__always)
  init<Model: PersistentModel>(of model: Model, _ layout: _ModelLayout, _ mask: _PropertyMask = ~0) {
    self.init(layout) { model._$bind(&$0, mask) }
  }
}
