import LarderSupport

/// Reads single columns of objects in their stored form, for the half of a fetch that is answered in memory.
final class ObjectValues {
  private let layout: ModelLayout
  private let sink = RowSink()
  private let places: [Place]
  /// How many columns were read.
  private(set) var reads = 0

  /// How a column is read: what its property's mask brings, and which of that it is.
  private struct Place {
    let mask: PropertyMask
    let offset: Int
  }

  init(_ layout: ModelLayout) {
    self.layout = layout
    // A mask brings all columns that share its bit, in wire order: those of one property, or of all beyond the last bit.
    var brought: [PropertyMask: Int] = [:]
    places = layout.columns.map { column in
      let mask = ModelLayout.bit(column.property)
      defer { brought[mask, default: 0] += 1 }
      return Place(mask: mask, offset: brought[mask] ?? 0)
    }
  }

  /// The stored form of a column.
  ///
  /// - Throws: ``SaveError`` for a value that has none.
  func value<Model: PersistentModel>(_ column: Int, of model: Model) throws -> StoredValue {
    let place = places[column]
    reads &+= 1
    var binder = RowBinder(sink: sink, layout: layout)
    model._$bind(&binder, place.mask)
    if sink.values.count == 1, binder.problem == nil { return sink.values.removeLast() }
    defer { sink.values.removeAll(keepingCapacity: true) }
    if let problem = binder.problem {
      let name = layout.properties[layout.columns[column].property].name
      throw SaveError(
        .unstorableValue, entityName: layout.entityName, properties: [name],
        identifiers: [model.persistentModelID],
        "\(layout.entityName).\(name) cannot be compared: \(problem.reason). Give it another value.")
    }
    return sink.values[place.offset]
  }
}

extension EntityState {
  /// The places of the inserted objects whose column has a value.
  func pendingPlaces(of wanted: StoredValue, column: Int) -> [Int] {
    guard !inserted.isEmpty else { return [] }
    return pendingPlaces(of: wanted, column: column, layout.type)
  }

  /// The inserted objects whose key may be one of some rows, in the order of their inserts.
  func insertedObjects(withKey column: Int, to rows: [Int64]) -> [AnyObject] {
    let bit = ModelLayout.bit(layout.columns[column].property)
    guard rows.count < inserted.count, pending.isLookedUp(column, bit) else { return inserted }
    return Set(rows.flatMap { pendingPlaces(of: .integer($0), column: column) }).sorted().map { inserted[$0] }
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
