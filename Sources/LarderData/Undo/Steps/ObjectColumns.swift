import LarderSupport

/// The stored forms of an object's properties, by the columns that they would have.
enum ObjectColumns {
  /// All of them, in wire order. A key that must lead somewhere and was lost is what the object has of it: it cannot be
  /// stored, but be had again.
  static func current(_ model: any PersistentModel, _ layout: ModelLayout) -> [StoredValue] {
    var values = StoredColumns(of: model, layout).values
    for relation in layout.relations where !relation.isOptional {
      guard case .key(let column, _) = relation.form, case let key = model._$key(relation.property),
        key < ToOneKey.unknown
      else { continue }
      values[column] = .integer(key)
    }
    return values
  }

  /// What an object's columns were at the end of the last step, or else before its first edit.
  static func former(
    _ current: [StoredValue], of model: any PersistentModel, _ state: EntityState, _ image: UndoImage?
  ) -> [StoredValue] {
    var result = current
    let columns = state.layout.columns
    let header = model._$header
    var rest = header.pointee.status.contains(.changed) ? header.pointee.changed : 0
    while rest != 0 {
      let bit = rest.first
      rest &= ~bit
      guard let entry = state.undo.entry(of: header.pointee.place, bit) else { continue }
      let places = columns.indices.filter { ModelLayout.bit(columns[$0].property) == bit }
      for (place, value) in zip(places, state.undo.values(of: entry)) { result[place] = value }
    }
    guard let image else { return result }
    for place in columns.indices where image.mask & ModelLayout.bit(columns[place].property) != 0 {
      result[place] = image.values[place]
    }
    return result
  }

  static func attributes(_ values: [StoredValue], _ layout: ModelLayout) -> [Int: [StoredValue]] {
    var result: [Int: [StoredValue]] = [:]
    for property in layout.properties where property.relation == nil && !property.columns.isEmpty {
      result[property.index] = Array(values[property.columns])
    }
    return result
  }

  static func keys(_ values: [StoredValue], _ layout: ModelLayout) -> [Int: Int64] {
    var result: [Int: Int64] = [:]
    for relation in layout.relations {
      if case .key(let column, _) = relation.form { result[relation.property] = key(values[column]) }
    }
    return result
  }

  static func key(_ value: StoredValue) -> Int64 { if case .integer(let row) = value { row } else { 0 } }

  /// A value beside the row that stays as it is: a copy where an object within it may be changed in place.
  static func kept(_ value: AnyObject, _ property: PropertyLayout, _ layout: ModelLayout) -> AnyObject {
    let codec = property.codec
    if codec.objects == .never || property.placement.isEphemeral { return value }
    // One that cannot be stored is refused by the save.
    return codec.value(of: StoredColumns(layout) { codec.write(held: value, to: &$0) }.values, layout).flatMap(
      codec.held) ?? value
  }

  /// The value beside the row as the store has it, for one that was replaced before it was loaded.
  static func stored(_ model: any PersistentModel, _ property: PropertyLayout) -> AnyObject? {
    guard model._$header.pointee.status.contains(.stored), case .held(let now) = model._$relation(property.index) else {
      return nil
    }
    model._$change(property.index, .held(nil))
    // Its getter loads it.
    _ = (model as Any)[keyPath: property.keyPath]
    defer { model._$change(property.index, .held(now)) }
    guard case .held(let value) = model._$relation(property.index) else { return nil }
    return value
  }
}
