import LarderSupport

extension _EntityTracker {
  /// Keeps what a property beside the row held before its first change since the last save, for a rollback.
  @usableFromInline
  func recordOriginalBoxedValue(_ model: any PersistentModel, _ property: Int) {
    guard model._$header.pointee.status.contains(.stored) else { return }
    let place = RelationshipKey(model, property)
    guard originalRelationships[place] == nil else { return }
    // Without a context nobody rolls back what is no change, and what is noted here would hold the object for ever.
    let isEphemeral = layout.properties[property].placement.isEphemeral
    if core.isOrphaned, isEphemeral { return }
    // What an object within the value was changed to is not what is stored: that is read anew.
    let mayHaveChanged = !isEphemeral && layout.properties[property].codec.references != .never
    originalRelationships[place] = OriginalRelationship(
      model: model, property: property, value: mayHaveChanged ? .boxed(nil) : model._$relationshipValue(property),
      generation: 0,
      mergedGeneration: 0)
  }

  /// Edits a value beside the row.
  func setBoxedValue(_ model: any PersistentModel, _ property: Int, to value: AnyObject) {
    recordOriginalBoxedValue(model, property)
    withMutation(model, property) {
      if model._$header.pointee.changedMask & _ModelLayout.bit(property) == 0 { model._$recordOriginalValue(property) }
      model._$applyChange(property, .boxed(value))
    }
  }
}

extension EntityWriter {
  /// Gives the instance of a row what an inserted object, which became that row, held beside it.
  func copyBoxedValues(from model: any PersistentModel, to owner: any PersistentModel) {
    for property in tracker.layout.outOfRowProperties {
      guard case .boxed(let new?) = model._$relationshipValue(property.index) else { continue }
      if case .boxed(let old?) = owner._$relationshipValue(property.index), property.codec.isSame(boxed: old, new) {
        // Equal values may differ in what their type does not compare.
        if property.placement.isEphemeral { owner._$applyChange(property.index, .boxed(new)) }
        continue
      }
      tracker.withMutation(owner, property.index) { owner._$applyChange(property.index, .boxed(new)) }
    }
  }
}

extension _AnyPropertyCodec {
  /// A codec for what is never stored.
  static func makeUnstoredCodec(for type: any Any.Type) -> _AnyPropertyCodec {
    func make<Value>(_ type: Value.Type) -> _AnyPropertyCodec { UnstoredCodec<Value>() }
    return make(type)
  }

  /// The codec that keeps a value in one column: a scalar as itself, an enumeration by its raw value, all else whole.
  static func makeSingleColumnCodec(for type: any Any.Type) -> _AnyPropertyCodec? {
    guard let codec = makeCodec(for: type) else { return nil }
    return codec.columns.count == 1 && codec.members == nil ? codec : makeCodableCodec(for: type)
  }
}

private final class UnstoredCodec<Value>: _PropertyCodec<Value> {
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
