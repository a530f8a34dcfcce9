import LarderSupport

// The properties of a model past the 63rd share one bit in the mask of changes. Which of them were edited is found, where others
// have written the same row, by comparing each with what it was before.

extension EntityState {
  /// Decides of each property that shares the last bit whether it follows the row: one that is as it was before does, and one
  /// that was edited here does where others have changed it, too, and the store is to win.
  ///
  /// - Parameters:
  ///   - entry: The place of what these properties held before their first edit.
  ///   - stored: An object in no context, with the values that the row has now.
  ///   - version: The version that the row has now.
  func rebaseSharedEdits<Model: PersistentModel>(of model: Model, _ entry: Int, on stored: Model, _ version: Int64) {
    let bit = ModelLayout.bit(ModelLayout.lastBit)
    let (mine, unstorable) = columns(of: model, bit)
    let (theirs, _) = columns(of: stored, bit)
    letSharedKeysGiveWay(of: model, entry, to: stored)
    let merging = SharedColumns(former: undo.values(of: entry), mine: mine, theirs: theirs)
    let storeWins = core.mergePolicy == .mergeByPropertyStoreTrump
    var merged = mine
    var isEdited = rebaseBesideRow(of: model, storeWins: storeWins, version)
    var first = 0
    for property in layout.properties(inRowsOf: bit) {
      let places = first..<(first + property.columns.count)
      first = places.upperBound
      if let relation = property.relation {
        // The ones that are not edited, or not any more, follow with those of the other end.
        guard relation.isEdited(of: model) else { continue }
        if storeWins, merging.isChangedByOthers(places) {
          movedKeys.remove(RelationPlace(model, property.index))
        } else {
          isEdited = true
        }
        continue
      }
      let isMine =
        unstorable.map(places.contains) == true
        || mine[places] != theirs[places] && !merging.isUnedited(property, places, layout)
      if isMine, !storeWins || merging.isUnchangedByOthers(property, places, layout) {
        isEdited = true
      } else {
        merged.replaceSubrange(places, with: theirs[places])
      }
    }
    // The values to which a rollback leads.
    undo.replace(entry, with: theirs)
    if isEdited || layout.relations.contains(where: { !$0.isKey && $0.bit == bit && $0.isEdited(of: model) }) {
      if merged != mine { assign(merged, to: model, bit) }
    } else {
      // All of them follow the row.
      undo.forget(entry)
      model._$header.pointee.changed &= ~bit
      pendingEnded()
    }
  }

  /// Has to-ones that the program has not set itself follow the row where others have led them elsewhere.
  ///
  /// - Parameters:
  ///   - entry: The place of what these properties held before their first edit.
  ///   - stored: An object in no context, with the values that the row has now.
  func letSharedKeysGiveWay<Model: PersistentModel>(of model: Model, _ entry: Int, to stored: Model) {
    let former = Array(undo.values(of: entry))
    var place = 0
    for property in layout.properties(inRowsOf: ModelLayout.bit(ModelLayout.lastBit)) {
      defer { place += property.columns.count }
      guard let relation = property.relation, relation.isEdited(of: model) else { continue }
      let known = if case .integer(let row) = former[place] { row } else { Int64(0) }
      if givesWay(model, relation, from: known, to: stored._$key(property.index)) {
        movedKeys.remove(RelationPlace(model, property.index))
      }
    }
  }

  /// The same of values beside the row: one that was not edited is read anew.
  ///
  /// - Returns: Whether one of them stays edited.
  private func rebaseBesideRow(of model: any PersistentModel, storeWins: Bool, _ version: Int64) -> Bool {
    var isEdited = false
    for property in layout.propertiesBesideRows where ModelLayout.sharesBit(property.index) {
      let place = RelationPlace(model, property.index)
      let isNoted = formerRelations[place] != nil
      if property.placement.isEphemeral {
        isEdited = isEdited || isNoted
      } else if !isNoted {
        observe(model, property.index) { model._$change(property.index, .held(nil)) }
      } else if !storeWins {
        formerRelations[place]?.value = .held(nil)
        isEdited = true
      } else if isChangedBesideRow(model, property, version) {
        formerRelations[place] = nil
        observe(model, property.index) { model._$change(property.index, .held(nil)) }
      } else {
        isEdited = true
      }
    }
    return isEdited
  }

  /// Gives the properties of a bit other values, but for relationships, which have theirs.
  private func assign<Model: PersistentModel>(_ values: [StoredValue], to model: Model, _ bit: PropertyMask) {
    let keys = layout.relations.filter { $0.isKey && $0.bit == bit }.map { ($0.property, model._$key($0.property)) }
    model._$assign(RowReader(source: RowSource(values), layout: layout, problems: RowProblems()), bit)
    for (property, key) in keys where model._$key(property) != key { model._$change(property, .key(key)) }
  }

  /// The stored forms of the properties of a bit, and the place of the first that has none.
  private func columns<Model: PersistentModel>(of model: Model, _ bit: PropertyMask) -> (
    [StoredValue], unstorable: Int?
  ) {
    let stored = StoredColumns(of: model, layout, bit)
    return (stored.values, stored.problem.map { Int($0.position) - 1 })
  }
}

/// The values of some columns: before their first edit, as edited here, and as stored now.
private struct SharedColumns {
  let former: [StoredValue]
  let mine: [StoredValue]
  let theirs: [StoredValue]

  func isUnedited(_ property: PropertyLayout, _ places: Range<Int>, _ layout: ModelLayout) -> Bool {
    isSame(former[places], mine[places], property, layout)
  }

  func isUnchangedByOthers(_ property: PropertyLayout, _ places: Range<Int>, _ layout: ModelLayout) -> Bool {
    isSame(former[places], theirs[places], property, layout)
  }

  func isChangedByOthers(_ places: Range<Int>) -> Bool { former[places] != theirs[places] }

  /// Equal values may be written in more than one way: the members of a set come in any order.
  private func isSame(
    _ left: ArraySlice<StoredValue>, _ right: ArraySlice<StoredValue>, _ property: PropertyLayout, _ layout: ModelLayout
  ) -> Bool {
    if left == right { return true }
    let codec = property.codec
    guard codec.objects == .never,
      let left = codec.value(of: Array(left), layout).flatMap(codec.held),
      let right = codec.value(of: Array(right), layout).flatMap(codec.held)
    else { return false }
    return codec.isSame(held: left, right)
  }
}

extension ModelLayout {
  /// The properties of a bit that have columns in their model's table, in the order of these.
  fileprivate func properties(inRowsOf bit: PropertyMask) -> [PropertyLayout] {
    var last: Int?
    return columns(in: bit).compactMap { column in
      if column.property == last { return nil }
      last = column.property
      return properties[column.property]
    }
  }
}
