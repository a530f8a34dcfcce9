import LarderSupport

// The properties of an entity after the 63rd share one bit in the mask of changes. If another context has written the same
// row, the edited ones are found by a comparison of each value with its original value.

extension _EntityTracker {
  /// Decides for each property of the shared bit whether it follows the row: an unchanged property does, and an edited one does
  /// if another context has changed it, too, and the store wins.
  ///
  /// - Parameters:
  ///   - entry: The index of these properties' original values.
  ///   - stored: An object with the row's current values, in no context.
  ///   - version: The row's current version.
  func rebaseSharedEdits<Model: PersistentModel>(of model: Model, _ entry: Int, on stored: Model, _ version: Int64) {
    let bit = _ModelLayout.bit(_ModelLayout.lastBit)
    let (mine, unstorable) = columnValues(of: model, bit)
    let (theirs, _) = columnValues(of: stored, bit)
    yieldSharedKeys(of: model, entry, to: stored)
    let merging = SharedBitValues(base: originalValues.values(of: entry), local: mine, remote: theirs)
    let storeWins = core.mergePolicy == .mergeByPropertyStoreTrump
    var merged = mine
    var isEdited = rebaseOutOfRowEdits(of: model, storeWins: storeWins, version)
    var first = 0
    for property in layout.storedProperties(in: bit) {
      let places = first..<(first + property.columns.count)
      first = places.upperBound
      if let relationship = property.relationship {
        // Unedited ones, or those no longer edited, are merged with those of the other end.
        guard relationship.isEdited(of: model) else { continue }
        if storeWins, merging.isChangedRemotely(places) {
          changedSharedKeys.remove(RelationshipKey(model, property.index))
        } else {
          isEdited = true
        }
        continue
      }
      let isMine =
        unstorable.map(places.contains) == true
        || mine[places] != theirs[places] && !merging.isUnchangedLocally(property, places, layout)
      if isMine, !storeWins || merging.isUnchangedRemotely(property, places, layout) {
        isEdited = true
      } else {
        merged.replaceSubrange(places, with: theirs[places])
      }
    }
    // A rollback restores the stored values.
    originalValues.replace(entry, with: theirs)
    if isEdited || layout.relationships.contains(where: { !$0.isKey && $0.bit == bit && $0.isEdited(of: model) }) {
      if merged != mine { assign(merged, to: model, bit) }
    } else {
      // All properties follow the row.
      originalValues.remove(entry)
      model._$header.pointee.changedMask &= ~bit
      invalidatePendingIndexes()
    }
  }

  /// Makes to-ones that the program has not set itself follow the row, if another context has changed them.
  ///
  /// - Parameters:
  ///   - entry: The index of these properties' original values.
  ///   - stored: An object with the row's current values, in no context.
  func yieldSharedKeys<Model: PersistentModel>(of model: Model, _ entry: Int, to stored: Model) {
    let former = Array(originalValues.values(of: entry))
    var place = 0
    for property in layout.storedProperties(in: _ModelLayout.bit(_ModelLayout.lastBit)) {
      defer { place += property.columns.count }
      guard let relationship = property.relationship, relationship.isEdited(of: model) else { continue }
      let known = if case .integer(let row) = former[place] { row } else { Int64(0) }
      if yieldsToStore(model, relationship, from: known, to: stored._$foreignKey(property.index)) {
        changedSharedKeys.remove(RelationshipKey(model, property.index))
      }
    }
  }

  /// Decides the same for values stored outside the row: an unedited value is read again.
  ///
  /// - Returns: Whether one of them stays edited.
  private func rebaseOutOfRowEdits(of model: any PersistentModel, storeWins: Bool, _ version: Int64) -> Bool {
    var isEdited = false
    for property in layout.outOfRowProperties where _ModelLayout.sharesBit(property.index) {
      let place = RelationshipKey(model, property.index)
      let isNoted = originalRelationships[place] != nil
      if property.placement.isEphemeral {
        isEdited = isEdited || isNoted
      } else if !isNoted {
        withMutation(model, property.index) { model._$applyChange(property.index, .boxed(nil)) }
      } else if !storeWins {
        originalRelationships[place]?.value = .boxed(nil)
        isEdited = true
      } else if isChangedOutOfRow(model, property, version) {
        originalRelationships[place] = nil
        withMutation(model, property.index) { model._$applyChange(property.index, .boxed(nil)) }
      } else {
        isEdited = true
      }
    }
    return isEdited
  }

  /// Assigns values to the properties of a bit, except relationships, which keep theirs.
  private func assign<Model: PersistentModel>(_ values: [_StoredValue], to model: Model, _ bit: _PropertyMask) {
    let keys = layout.relationships.filter { $0.isKey && $0.bit == bit }.map {
      ($0.property, model._$foreignKey($0.property))
    }
    model._$assign(_RowReader(source: _RowSource(values), layout: layout, problems: _RowProblems()), bit)
    for (property, key) in keys where model._$foreignKey(property) != key {
      model._$applyChange(property, .foreignKey(key))
    }
  }

  /// Returns the stored forms of the properties of a bit, and the position of the first one without a stored form.
  private func columnValues<Model: PersistentModel>(of model: Model, _ bit: _PropertyMask) -> (
    [_StoredValue], unstorable: Int?
  ) {
    let stored = StoredColumns(of: model, layout, bit)
    return (stored.values, stored.problem.map { Int($0.position) - 1 })
  }
}

/// The values of some columns: the original, the local and the stored ones.
private struct SharedBitValues {
  let base: [_StoredValue]
  let local: [_StoredValue]
  let remote: [_StoredValue]

  func isUnchangedLocally(_ property: PropertyLayout, _ places: Range<Int>, _ layout: _ModelLayout) -> Bool {
    isSame(base[places], local[places], property, layout)
  }

  func isUnchangedRemotely(_ property: PropertyLayout, _ places: Range<Int>, _ layout: _ModelLayout) -> Bool {
    isSame(base[places], remote[places], property, layout)
  }

  func isChangedRemotely(_ places: Range<Int>) -> Bool { base[places] != remote[places] }

  /// Compares by value if the stored forms differ: the members of a set are written in any order.
  private func isSame(
    _ left: ArraySlice<_StoredValue>, _ right: ArraySlice<_StoredValue>, _ property: PropertyLayout,
    _ layout: _ModelLayout
  ) -> Bool {
    if left == right { return true }
    let codec = property.codec
    guard codec.references == .never,
      let left = codec.value(of: Array(left), layout).flatMap(codec.box),
      let right = codec.value(of: Array(right), layout).flatMap(codec.box)
    else { return false }
    return codec.isSame(boxed: left, right)
  }
}

extension _ModelLayout {
  /// Returns the properties of a bit that have columns in the entity's table, in the order of the columns.
  fileprivate func storedProperties(in bit: _PropertyMask) -> [PropertyLayout] {
    var last: Int?
    return columns(in: bit).compactMap { column in
      if column.property == last { return nil }
      last = column.property
      return properties[column.property]
    }
  }
}
