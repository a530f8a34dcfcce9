import LarderSupport

/// What takes back what a context's objects went through between two moments. It names objects by their rows, so that
/// it can be carried out when they have been saved, let go and read again.
struct UndoStep {
  var changes: [ObjectChange] = []
  var isEmpty: Bool { changes.isEmpty }
}

/// One object's share of a step: what it was before.
struct ObjectChange {
  /// A to-many before and after the step.
  struct List {
    var before: [Int64]
    var after: [Int64]
    /// What the store had in it; nil where that is what it was before, and in lists that keys tell.
    var stored: [Int64]?
  }

  /// Of the object's own class.
  let layout: _ModelLayout
  var row: Int64
  /// Whether it was there before the step, and is after it.
  var existed = true
  var exists = true
  /// The instance of what is not there any more: it comes back itself, since somebody may hold it.
  var instance: (any PersistentModel)?

  /// The version of the row that goes; 0 where there was none.
  var version: Int64 = 0

  /// The properties of what goes that were changed since it was saved.
  var editedProperties: Set<Int> = []

  /// How often the context had saved when the step ended, without a save that ended it.
  let saveCount: Int

  /// Whether a property of an object that comes back to its row has to be set. Where this context did not save
  /// meanwhile it is only what it changed: all else is as others have saved it.
  func mustRestore(_ property: Int, _ model: any PersistentModel, saveCount saves: Int) -> Bool {
    let header = model._$header
    if header.pointee.status.contains(.inserted) || saves != self.saveCount { return true }
    return editedProperties.contains(property) || header.pointee.changedMask & _ModelLayout.bit(property) != 0
  }

  // By property; all there are where the object is to come back.

  /// Attributes, by their columns.
  var columns: [Int: [_StoredValue]] = [:]
  /// Values beside the row.
  var boxedValues: [Int: AnyObject] = [:]
  /// The rows that to-ones with a column of their own led to; 0 for none.
  var foreignKeys: [Int: Int64] = [:]
  var lists: [Int: List] = [:]

  init(_ tracker: _EntityTracker, _ row: Int64, saveCount saves: Int) {
    layout = tracker.layout
    self.row = row
    self.saveCount = saves
  }

  var isEmpty: Bool {
    existed && exists && columns.isEmpty && boxedValues.isEmpty && foreignKeys.isEmpty && lists.isEmpty
  }
  /// Whether taking the step back brings the object back.
  var isDeletion: Bool { existed && !exists }
  var isInsertion: Bool { !existed && exists }
}

extension UndoStep {
  /// The step with the rows that objects have by now: a save may have given them others.
  func resolved(_ core: _ContextCore) throws -> UndoStep {
    guard core.sessions.contains(where: { $0.store.aliases.hasAny }) else { return self }
    var step = self
    step.changes = try changes.map { try $0.resolved(core) }
    return step
  }
}

extension ObjectChange {
  fileprivate func resolved(_ core: _ContextCore) throws -> ObjectChange {
    var result = self
    func resolve(_ row: Int64, _ layout: _ModelLayout) throws -> Int64 {
      let tracker = try core.tracker(for: layout)
      let identifier = PersistentIdentifier.ID(identity: tracker.identity, key: row)
      return tracker.store.aliases.row(of: identifier, isStored: false) ?? row
    }
    func resolve(_ row: Int64, in property: Int) throws -> Int64 {
      guard row > 0, let relationship = layout.relationship(property) else { return row }
      return try resolve(row, relationship.destinationLayout)
    }
    result.row = try resolve(row, layout)
    for (property, key) in foreignKeys { result.foreignKeys[property] = try resolve(key, in: property) }
    // Before the save, an insert and the row that it met were two members of a list; after the save they are one.
    func resolve(_ rows: [Int64], in property: Int) throws -> [Int64] {
      var known: Set<Int64> = []
      return try rows.map { try resolve($0, in: property) }.filter { known.insert($0).inserted }
    }
    for (property, list) in lists {
      result.lists[property] = List(
        before: try resolve(list.before, in: property), after: try resolve(list.after, in: property),
        stored: try list.stored.map { try resolve($0, in: property) })
    }
    return result
  }
}

/// What a pending object was at the end of the last step.
struct UndoImage {
  /// All columns in wire order.
  var values: [_StoredValue]
  /// The properties of which it tells.
  var mask: _PropertyMask
  var boxedValues: [Int: AnyObject] = [:]
  var lists: [Int: [Int64]] = [:]
  /// One that was inserted and not saved; it may be let go before it is.
  var inserted: (any PersistentModel)?

  /// Properties are not edited any more.
  mutating func removeEdits(_ edits: _PropertyMask, _ layout: _ModelLayout) {
    mask &= ~edits
    for property in layout.properties where property.bit & edits != 0 {
      boxedValues[property.index] = nil
      lists[property.index] = nil
    }
  }
}
