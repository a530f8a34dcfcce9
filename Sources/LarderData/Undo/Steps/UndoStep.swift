import LarderSupport

/// The reversal of the changes of a context's objects between two moments. It names objects by their rows, so that it can be
/// performed after they have been saved, released and read again.
struct UndoStep {
  var changes: [ObjectChange] = []
  var isEmpty: Bool { changes.isEmpty }
}

/// The change of one object in a step: its state before.
struct ObjectChange {
  /// A to-many before and after the step.
  struct List {
    var before: [Int64]
    var after: [Int64]
    /// The stored members; `nil` if they are the same as before the step, and for lists that foreign keys determine.
    var stored: [Int64]?
  }

  /// The layout of the object's own class.
  let layout: _ModelLayout
  var row: Int64
  /// Whether it existed before the step, and exists after it.
  var existed = true
  var exists = true
  /// The instance of a deleted object: the instance itself is restored, since the program may hold it.
  var instance: (any PersistentModel)?

  /// The version of the row of a deleted object; 0 if there was no row.
  var version: Int64 = 0

  /// The properties of a deleted object that were changed since its last save.
  var editedProperties: Set<Int> = []

  /// The number of the context's saves when the step ended, without a save that ended it.
  let saveCount: Int

  /// Returns whether a property of an object that is restored to its row has to be set. If this context did not save meanwhile,
  /// only the properties that it changed are set: the others are as other contexts have saved them.
  func mustRestore(_ property: Int, _ model: any PersistentModel, saveCount saves: Int) -> Bool {
    let header = model._$header
    if header.pointee.status.contains(.inserted) || saves != self.saveCount { return true }
    return editedProperties.contains(property) || header.pointee.changedMask & _ModelLayout.bit(property) != 0
  }

  // By property. An object that can be restored has all properties.

  /// The attributes, by their columns.
  var columns: [Int: [_StoredValue]] = [:]
  /// The values outside of the row.
  var boxedValues: [Int: AnyObject] = [:]
  /// The rows that to-ones with a column of their own referenced; 0 for none.
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
  /// Whether the reversal of the step restores the object.
  var isDeletion: Bool { existed && !exists }
  var isInsertion: Bool { !existed && exists }
}

extension UndoStep {
  /// Returns the step with the present row IDs of the objects: a save may have given them others.
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
    // Before the save, an insert and the row to which it was resolved were two members of a list; after the save they are one.
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

/// The state of a pending object at the end of the last step.
struct UndoImage {
  /// All columns in wire order.
  var values: [_StoredValue]
  /// The properties that the image contains.
  var mask: _PropertyMask
  var boxedValues: [Int: AnyObject] = [:]
  var lists: [Int: [Int64]] = [:]
  /// An object that was inserted and not saved; it may be released before it is saved.
  var inserted: (any PersistentModel)?

  /// Removes properties that are no longer edited.
  mutating func removeEdits(_ edits: _PropertyMask, _ layout: _ModelLayout) {
    mask &= ~edits
    for property in layout.properties where property.bit & edits != 0 {
      boxedValues[property.index] = nil
      lists[property.index] = nil
    }
  }
}
