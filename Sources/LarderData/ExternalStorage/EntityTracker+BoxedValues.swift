import LarderSupport

extension _EntityTracker {
  /// Records the original value of an out-of-row property before its first change since the last save, for a rollback.
  @usableFromInline
  func recordOriginalBoxedValue(_ model: any PersistentModel, _ property: Int) {
    guard model._$header.pointee.status.contains(.stored) else { return }
    let place = RelationshipKey(model, property)
    guard originalRelationships[place] == nil else { return }
    // Without a context there is no rollback of ephemeral values, and a recorded value would keep the object alive forever.
    let isEphemeral = layout.properties[property].placement.isEphemeral
    if core.isOrphaned, isEphemeral { return }
    // A mutable object within the value may have been changed already, so the stored value is read again instead.
    let mayHaveChanged = !isEphemeral && layout.properties[property].codec.references != .never
    originalRelationships[place] = OriginalRelationship(
      model: model, property: property, value: mayHaveChanged ? .boxed(nil) : model._$relationshipValue(property),
      generation: 0,
      mergedGeneration: 0)
  }

  /// Sets the value of an out-of-row property.
  func setBoxedValue(_ model: any PersistentModel, _ property: Int, to value: AnyObject) {
    recordOriginalBoxedValue(model, property)
    withMutation(model, property) {
      if model._$header.pointee.changedMask & _ModelLayout.bit(property) == 0 { model._$recordOriginalValue(property) }
      model._$applyChange(property, .boxed(value))
    }
  }
}

extension EntityWriter {
  /// Copies the out-of-row values of an inserted object to the instance of the row that it was resolved to.
  func copyBoxedValues(from model: any PersistentModel, to owner: any PersistentModel) {
    for property in tracker.layout.outOfRowProperties {
      guard case .boxed(let new?) = model._$relationshipValue(property.index) else { continue }
      if case .boxed(let old?) = owner._$relationshipValue(property.index), property.codec.isSame(boxed: old, new) {
        // Equal values may differ in parts that their type does not compare.
        if property.placement.isEphemeral { owner._$applyChange(property.index, .boxed(new)) }
        continue
      }
      tracker.withMutation(owner, property.index) { owner._$applyChange(property.index, .boxed(new)) }
    }
  }
}
