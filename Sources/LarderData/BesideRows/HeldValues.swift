import LarderSupport

extension EntityState {
  /// Keeps what a property beside the row held before its first change since the last save, for a rollback.
  @usableFromInline
  func noteHeld(_ model: any PersistentModel, _ property: Int) {
    guard model._$header.pointee.status.contains(.stored) else { return }
    let place = RelationPlace(model, property)
    guard formerRelations[place] == nil else { return }
    // Without a context nobody rolls back what is no change, and what is noted here would hold the object for ever.
    let isEphemeral = layout.properties[property].placement.isEphemeral
    if core.isOrphan, isEphemeral { return }
    // What an object within the value was changed to is not what is stored: that is read anew.
    let mayHaveChanged = !isEphemeral && layout.properties[property].codec.objects != .never
    formerRelations[place] = FormerRelation(
      model: model, property: property, value: mayHaveChanged ? .held(nil) : model._$relation(property), generation: 0,
      mergedGeneration: 0)
  }

  /// Edits a value beside the row.
  func editHeld(_ model: any PersistentModel, _ property: Int, to value: AnyObject) {
    noteHeld(model, property)
    observe(model, property) {
      if model._$header.pointee.changed & ModelLayout.bit(property) == 0 { model._$willWrite(property) }
      model._$change(property, .held(value))
    }
  }
}

extension EntitySaving {
  /// Gives the instance of a row what an inserted object, which became that row, held beside it.
  func settleHeld(_ model: any PersistentModel, in owner: any PersistentModel) {
    for property in state.layout.propertiesBesideRows {
      guard case .held(let new?) = model._$relation(property.index) else { continue }
      if case .held(let old?) = owner._$relation(property.index), property.codec.isSame(held: old, new) {
        // Equal values may differ in what their type does not compare.
        if property.placement.isEphemeral { owner._$change(property.index, .held(new)) }
        continue
      }
      state.observe(owner, property.index) { owner._$change(property.index, .held(new)) }
    }
  }
}

extension AnyPropertyCodec {
  /// A codec for what is never stored.
  static func unstored(for type: any Any.Type) -> AnyPropertyCodec {
    func make<Value>(_ type: Value.Type) -> AnyPropertyCodec { UnstoredCodec<Value>() }
    return make(type)
  }

  /// The codec that keeps a value in one column: a scalar as itself, an enumeration by its raw value, all else whole.
  static func makeSingleColumnCodec(for type: any Any.Type) -> AnyPropertyCodec? {
    guard let codec = makeCodec(for: type) else { return nil }
    return codec.columns.count == 1 && codec.members == nil ? codec : makeWholeCodec(for: type)
  }
}

private final class UnstoredCodec<Value>: PropertyCodec<Value> {
  init() { super.init(columns: []) }
  override func isSame(_ left: Value, _ right: Value) -> Bool { _$areEqual(left, right) }
}

/// The type of a value that may be nil. It is the type that is asked, since a cast would unwrap the value.
protocol NilTestable {
  static func isNil<Value>(_ value: Value) -> Bool
}

extension Optional: NilTestable {
  static func isNil<Value>(_ value: Value) -> Bool {
    if case .some(.none) = value as? Self { true } else { false }
  }
}
