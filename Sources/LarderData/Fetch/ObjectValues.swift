/// Reads single columns of objects in their stored form, for the half of a fetch that is answered in memory.
final class ObjectValues {
  private let layout: ModelLayout
  private let sink = RowSink()

  init(_ layout: ModelLayout) { self.layout = layout }

  /// The stored form of a column.
  ///
  /// - Throws: ``SaveError`` for a value that has none.
  func value<Model: PersistentModel>(_ column: Int, of model: Model) throws -> StoredValue {
    let property = layout.properties[layout.columns[column].property]
    let mask = property.bit
    sink.values.removeAll(keepingCapacity: true)
    var binder = RowBinder(sink: sink, layout: layout)
    model._$bind(&binder, mask)
    if let problem = binder.problem {
      throw SaveError(
        .unstorableValue, entityName: layout.entityName, properties: [property.name],
        identifiers: [model.persistentModelID],
        "\(layout.entityName).\(property.name) cannot be compared: \(problem.reason). Give it another value.")
    }
    // The last bit stands for several properties, whose columns come in wire order.
    return sink.values[
      !ModelLayout.sharesBit(property.index) ? column - property.columns.lowerBound : layout.place(of: column, in: mask)
    ]
  }
}

extension ModelLayout {
  /// The place of a column among those that a mask stands for.
  fileprivate func place(of column: Int, in mask: UInt64) -> Int {
    columns(in: mask).firstIndex { $0.index == column } ?? 0
  }
}

extension EntityState {
  /// The places of the inserted objects whose column has a value.
  func pendingPlaces(of wanted: StoredValue, column: Int) -> [Int] {
    guard !inserted.isEmpty else { return [] }
    return pendingPlaces(of: wanted, column: column, layout.type)
  }

  private func pendingPlaces<Model: PersistentModel>(
    of wanted: StoredValue, column: Int, _ type: Model.Type
  ) -> [Int] {
    let bit = ModelLayout.bit(layout.columns[column].property)
    return pending.places(of: wanted, column: column, bit: bit, count: inserted.count) { place in
      let model = unsafeDowncast(inserted[place], to: Model.self)
      // From now on, setting this property of an object that is in the index must come by `willWrite`.
      model._$header.pointee.changed &= ~bit
      return try? values.value(column, of: model)
    }
  }
}
