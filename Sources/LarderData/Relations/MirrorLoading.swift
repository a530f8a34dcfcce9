import LarderSQLite
import LarderSupport

// To-manys of objects with nothing pending: what the store has of them is what they hold, and goes from the rows into
// the lists without having been in any other.

extension ContextCore {
  /// Loads a to-many that mirrors a key, where it is as the store has it.
  ///
  /// - Returns: Whether it was; else nothing was done.
  func fillAsStored(
    _ owners: [any PersistentModel], _ state: EntityState, _ relation: RelationLayout
  ) throws -> Bool {
    guard case .mirror(let key) = relation.form, relation.isToMany, !isOrphan else { return false }
    let there = try self.state(for: relation.destinationLayout)
    guard let mirrored = there.layout.relation(key), there.isAsStored(mirrored),
      state.declaring(relation.property).family.allSatisfy(\.linkEdits.isEmpty)
    else { return false }
    defer { relationMarks.noteLoadedLists() }
    return try there.fill(owners, relation, mirrored, there.layout.type)
  }
}

extension EntityState {
  /// Whether no object was inserted, deleted or moved by a key.
  fileprivate func isAsStored(_ key: RelationLayout) -> Bool {
    !hasInserts && !hasDeletions && familyDirtyMask & key.bit == 0
  }

  fileprivate func fill<Model: PersistentModel>(
    _ owners: [any PersistentModel], _ relation: RelationLayout, _ key: RelationLayout, _ type: Model.Type
  ) throws -> Bool {
    guard case .key(let column, let order) = key.form else { return false }
    let rows = owners.map { $0._$header.pointee.rowID }
    let models = try load(mirroringQuery(key.property, column, order, isOne: rows.count == 1), type) { statement in
      if rows.count == 1 { statement.bind(1, rows[0]) } else { statement.bind(1, BoundValues(rows)) }
    }
    // Reading a value may have run a type's own code.
    guard isAsStored(key) else { return false }
    return models.withUnsafeBufferPointer { models in
      guard let first = models.baseAddress else {
        // An empty array has no address.
        for owner in owners {
          let mark = owner._$header.pointee.state?.mark(owner, relation.property, holding: [])
          owner._$change(relation.property, .objects([], generation: mark ?? core.relationMarks.generation))
        }
        return true
      }
      guard let runs = MemberRuns(first, models.count, key.property) else { return false }
      var cursor = 0
      for (owner, row) in zip(owners, rows) {
        let run = runs.find(row, from: &cursor)
        let mark = owner._$header.pointee.state?.mark(
          owner, relation.property, holding: models[run].map { $0._$header.pointee.rowID })
        owner._$change(
          relation.property,
          .loaded(
            UnsafeRawPointer(first + run.lowerBound), count: run.count,
            generation: mark ?? core.relationMarks.generation))
      }
      return true
    }
  }
}

/// Which objects lead to which row, where those of a row stand side by side and the rows ascend.
private struct MemberRuns {
  private var rows: [Int64] = []
  private var starts: [Int] = []

  /// Nil where the rows do not ascend: another program moved one without raising its version, so that the object in hand
  /// still leads where it did.
  init?<Model: PersistentModel>(_ models: UnsafePointer<Model>, _ count: Int, _ key: Int) {
    var current: Int64 = 0
    // Collections of a type that is not known here ask for what it is with every element.
    let objects = UnsafeRawPointer(models)
    for place in 0..<count {
      let object = objects.load(fromByteOffset: place * MemoryLayout<AnyObject>.stride, as: AnyObject.self)
      let row = unsafeDowncast(object, to: Model.self)._$key(key)
      if row == current { continue }
      if row < current { return nil }
      rows.append(row)
      starts.append(place)
      current = row
    }
    starts.append(count)
  }

  /// - Parameter cursor: Where the last search ended: owners ascend more often than not.
  func find(_ row: Int64, from cursor: inout Int) -> Range<Int> {
    if cursor == rows.count || rows[cursor] > row || (cursor + 1 < rows.count && rows[cursor + 1] < row) {
      cursor = firstPlace(notBelow: row)
    } else if rows[cursor] < row {
      cursor += 1
    }
    guard cursor < rows.count, rows[cursor] == row else { return 0..<0 }
    return starts[cursor]..<starts[cursor + 1]
  }

  private func firstPlace(notBelow row: Int64) -> Int {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
