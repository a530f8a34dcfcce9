import LarderSupport

/// The stored forms of an object's properties, by the columns that they would have.
enum ObjectColumns {
  /// Returns all columns, in wire order. For a required key whose target was lost, returns the object's own key: it cannot be
  /// stored, but can be restored.
  static func current(_ model: any PersistentModel, _ layout: _ModelLayout) -> [_StoredValue] {
    var values = StoredColumns(of: model, layout).values
    for relationship in layout.relationships where !relationship.isOptional {
      guard case .foreignKey(let column, _) = relationship.storage,
        case let key = model._$foreignKey(relationship.property),
        key < _ToOneKey.notLoaded
      else { continue }
      values[column] = .integer(key)
    }
    return values
  }

  /// Returns the columns of an object at the end of the last step, or else before its first edit.
  static func original(
    _ current: [_StoredValue], of model: any PersistentModel, _ tracker: _EntityTracker, _ image: UndoImage?
  ) -> [_StoredValue] {
    var result = current
    let columns = tracker.layout.columns
    let header = model._$header
    var rest = header.pointee.status.contains(.changed) ? header.pointee.changedMask : 0
    while rest != 0 {
      let bit = rest.first
      rest &= ~bit
      guard let entry = tracker.originalValues.entry(of: header.pointee.changedIndex, bit) else { continue }
      let places = columns.indices.filter { _ModelLayout.bit(columns[$0].property) == bit }
      for (place, value) in zip(places, tracker.originalValues.values(of: entry)) { result[place] = value }
    }
    guard let image else { return result }
    for place in columns.indices where image.mask & _ModelLayout.bit(columns[place].property) != 0 {
      result[place] = image.values[place]
    }
    return result
  }

  static func attributes(_ values: [_StoredValue], _ layout: _ModelLayout) -> [Int: [_StoredValue]] {
    var result: [Int: [_StoredValue]] = [:]
    for property in layout.properties where property.relationship == nil && !property.columns.isEmpty {
      result[property.index] = Array(values[property.columns])
    }
    return result
  }

  static func foreignKeys(_ values: [_StoredValue], _ layout: _ModelLayout) -> [Int: Int64] {
    var result: [Int: Int64] = [:]
    for relationship in layout.relationships {
      if case .foreignKey(let column, _) = relationship.storage {
        result[relationship.property] = foreignKey(values[column])
      }
    }
    return result
  }

  static func foreignKey(_ value: _StoredValue) -> Int64 { if case .integer(let row) = value { row } else { 0 } }

  /// Returns a value outside of the row that does not change: a copy, if an object within it may be changed in place.
  static func copyIfMutable(_ value: AnyObject, _ property: PropertyLayout, _ layout: _ModelLayout) -> AnyObject {
    let codec = property.codec
    if codec.references == .never || property.placement.isEphemeral { return value }
    // A value that cannot be stored is refused by the save.
    return codec.value(of: StoredColumns(layout) { codec.write(boxed: value, to: &$0) }.values, layout).flatMap(
      codec.box) ?? value
  }

  /// Returns the stored value outside of the row, for a value that was replaced before it was loaded.
  static func loadStored(_ model: any PersistentModel, _ property: PropertyLayout) -> AnyObject? {
    guard model._$header.pointee.status.contains(.stored),
      case .boxed(let now) = model._$relationshipValue(property.index)
    else {
      return nil
    }
    model._$applyChange(property.index, .boxed(nil))
    // The getter loads the value.
    _ = (model as Any)[keyPath: property.keyPath]
    defer { model._$applyChange(property.index, .boxed(now)) }
    guard case .boxed(let value) = model._$relationshipValue(property.index) else { return nil }
    return value
  }
}
