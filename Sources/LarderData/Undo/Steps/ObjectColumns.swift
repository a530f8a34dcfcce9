import LarderSupport

/// The stored forms of an object's properties, by the columns that they would have.
enum ObjectColumns {
  /// All of them, in wire order. A key that must lead somewhere and was lost is what the object has of it: it cannot be
  /// stored, but be had again.
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

  /// What an object's columns were at the end of the last step, or else before its first edit.
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

  /// A value beside the row that stays as it is: a copy where an object within it may be changed in place.
  static func copyIfMutable(_ value: AnyObject, _ property: PropertyLayout, _ layout: _ModelLayout) -> AnyObject {
    let codec = property.codec
    if codec.references == .never || property.placement.isEphemeral { return value }
    // One that cannot be stored is refused by the save.
    return codec.value(of: StoredColumns(layout) { codec.write(boxed: value, to: &$0) }.values, layout).flatMap(
      codec.box) ?? value
  }

  /// The value beside the row as the store has it, for one that was replaced before it was loaded.
  static func loadStored(_ model: any PersistentModel, _ property: PropertyLayout) -> AnyObject? {
    guard model._$header.pointee.status.contains(.stored),
      case .boxed(let now) = model._$relationshipValue(property.index)
    else {
      return nil
    }
    model._$applyChange(property.index, .boxed(nil))
    // Its getter loads it.
    _ = (model as Any)[keyPath: property.keyPath]
    defer { model._$applyChange(property.index, .boxed(now)) }
    guard case .boxed(let value) = model._$relationshipValue(property.index) else { return nil }
    return value
  }
}
