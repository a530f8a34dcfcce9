import LarderSupport

/// A reader of single columns of objects in stored form, for the part of a fetch that runs in memory.
final class ObjectValueReader {
  private let layout: _ModelLayout
  private let sink = _RowSink()
  private let columnLocations: [ColumnLocation]
  /// The number of columns read.
  private(set) var readCount = 0

  /// The mask that reads a column's property, and the column's index among the values that the mask reads.
  private struct ColumnLocation {
    let mask: _PropertyMask
    let offset: Int
  }

  init(_ layout: _ModelLayout) {
    self.layout = layout
    // A mask reads all columns that share its bit, in wire order: the columns of one property, or of all beyond the last bit.
    var brought: [_PropertyMask: Int] = [:]
    columnLocations = layout.columns.map { column in
      let mask = _ModelLayout.bit(column.property)
      defer { brought[mask, default: 0] += 1 }
      return ColumnLocation(mask: mask, offset: brought[mask] ?? 0)
    }
  }

  /// Returns the stored form of a column.
  ///
  /// - Throws: ``SaveError`` for a value that has none.
  func value<Model: PersistentModel>(_ column: Int, of model: Model) throws -> _StoredValue {
    let place = columnLocations[column]
    readCount &+= 1
    var binder = _RowBinder(sink: sink, layout: layout)
    model._$bind(&binder, place.mask)
    if sink.values.count == 1, binder.firstProblem == nil { return sink.values.removeLast() }
    defer { sink.values.removeAll(keepingCapacity: true) }
    if let problem = binder.firstProblem {
      let name = layout.properties[layout.columns[column].property].name
      throw SaveError(
        .unstorableValue, entityName: layout.entityName, properties: [name],
        identifiers: [model.persistentModelID],
        "\(layout.entityName).\(name) cannot be compared: \(problem.reason). Give it another value.")
    }
    return sink.values[place.offset]
  }
}

extension _EntityTracker {
  /// Returns the indexes of the inserted objects whose column has a value.
  func insertedIndexes(of wanted: _StoredValue, column: Int) -> [Int] {
    guard !inserted.isEmpty else { return [] }
    return insertedIndexes(of: wanted, column: column, layout.type)
  }

  /// Returns the inserted objects whose foreign key may reference one of the rows, in the order of their inserts.
  func insertedObjects(withForeignKey column: Int, to rows: [Int64]) -> [AnyObject] {
    let bit = _ModelLayout.bit(layout.columns[column].property)
    guard rows.count < inserted.count, insertedIndexes.shouldUseIndex(column, bit) else { return inserted }
    return Set(rows.flatMap { insertedIndexes(of: .integer($0), column: column) }).sorted().map { inserted[$0] }
  }

  private func insertedIndexes<Model: PersistentModel>(
    of wanted: _StoredValue, column: Int, _ type: Model.Type
  ) -> [Int] {
    let bit = _ModelLayout.bit(layout.columns[column].property)
    return insertedIndexes.positions(of: wanted, column: column, bit: bit, count: inserted.count) { place in
      let model = unsafeDowncast(inserted[place], to: Model.self)
      // From now on, each change of this property of an indexed object must call `willWrite`.
      model._$header.pointee.changedMask &= ~bit
      return try? objectValues.value(column, of: model)
    }
  }
}

extension AggregateColumn {
  /// Returns an object's values, column by column.
  func values<Model: PersistentModel>(of model: Model, _ values: ObjectValueReader) throws -> [_StoredValue] {
    try accessor?.values(of: model) ?? columns.map { try values.value($0, of: model) }
  }
}
