import LarderSQLite
import LarderSupport

// To-manys of objects without pending changes: the stored members are the members. They go from the rows into the to-manys
// without an intermediate list for each owner.

extension _ContextCore {
  /// Loads a to-many whose inverse has the key, if nothing that is pending changes it.
  ///
  /// - Returns: Whether it was loaded; if not, nothing was done.
  func loadUnchangedToMany(
    _ owners: [any PersistentModel], _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> Bool {
    guard case .inverse(let key) = relationship.storage, relationship.isToMany, !isOrphaned else { return false }
    let there = try self.tracker(for: relationship.destinationLayout)
    guard let mirrored = there.layout.relationship(key), there.hasNoPendingChanges(to: mirrored),
      tracker.declaringTracker(relationship.property).family.allSatisfy(\.joinEdits.isEmpty)
    else { return false }
    defer { relationMarks.recordToManyLoad() }
    return try there.loadUnchangedToMany(owners, relationship, mirrored, there.layout.type)
  }
}

extension _EntityTracker {
  /// Whether no object was inserted or deleted, or moved by the key.
  fileprivate func hasNoPendingChanges(to key: RelationshipLayout) -> Bool {
    !hasInserts && !hasDeletions && familyDirtyMask & key.bit == 0
  }

  fileprivate func loadUnchangedToMany<Model: PersistentModel>(
    _ owners: [any PersistentModel], _ relationship: RelationshipLayout, _ key: RelationshipLayout, _ type: Model.Type
  ) throws -> Bool {
    guard case .foreignKey(let column, let order) = key.storage else { return false }
    let rows = owners.map { $0._$header.pointee.rowID }
    let models = try loadModels(referrersQuery(key.property, column, order, isOne: rows.count == 1), type) {
      statement in
      if rows.count == 1 { statement.bind(1, rows[0]) } else { statement.bind(1, BoundValues(rows)) }
    }
    // Reading a value may have run a type's own code.
    guard hasNoPendingChanges(to: key) else { return false }
    return models.withUnsafeBufferPointer { models in
      guard let first = models.baseAddress else {
        // An empty array has no address.
        for owner in owners {
          let mark = owner._$header.pointee.tracker?.stamp(owner, relationship.property, members: [])
          owner._$applyChange(relationship.property, .objects([], generation: mark ?? core.relationMarks.generation))
        }
        return true
      }
      guard let runs = MemberRuns(first, models.count, key.property) else { return false }
      var cursor = 0
      for (owner, row) in zip(owners, rows) {
        let run = runs.range(of: row, from: &cursor)
        let mark = owner._$header.pointee.tracker?.stamp(
          owner, relationship.property, members: models[run].map { $0._$header.pointee.rowID })
        owner._$applyChange(
          relationship.property,
          .loaded(
            UnsafeRawPointer(first + run.lowerBound), count: run.count,
            generation: mark ?? core.relationMarks.generation))
      }
      return true
    }
  }
}

/// The rows that objects reference, where the objects of each row are adjacent and the rows ascend.
private struct MemberRuns {
  private var rows: [Int64] = []
  private var starts: [Int] = []

  /// Returns `nil` if the rows do not ascend: another program moved a row without raising its version, so that the object in
  /// memory still references its former owner.
  init?<Model: PersistentModel>(_ models: UnsafePointer<Model>, _ count: Int, _ key: Int) {
    var current: Int64 = 0
    // A collection of a type that is unknown here looks up that type for each element.
    let objects = UnsafeRawPointer(models)
    for place in 0..<count {
      let object = objects.load(fromByteOffset: place * MemoryLayout<AnyObject>.stride, as: AnyObject.self)
      let row = unsafeDowncast(object, to: Model.self)._$foreignKey(key)
      if row == current { continue }
      if row < current { return nil }
      rows.append(row)
      starts.append(place)
      current = row
    }
    starts.append(count)
  }

  /// Returns the range of the objects that reference a row.
  ///
  /// - Parameter cursor: The end of the last search: owners ascend more often than not.
  func range(of row: Int64, from cursor: inout Int) -> Range<Int> {
    if cursor == rows.count || rows[cursor] > row || (cursor + 1 < rows.count && rows[cursor + 1] < row) {
      cursor = firstIndex(notBelow: row)
    } else if rows[cursor] < row {
      cursor += 1
    }
    guard cursor < rows.count, rows[cursor] == row else { return 0..<0 }
    return starts[cursor]..<starts[cursor + 1]
  }

  private func firstIndex(notBelow row: Int64) -> Int {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
