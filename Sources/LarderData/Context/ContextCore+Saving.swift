import Foundation
import LarderSQLite

extension ContextCore {
  /// Validate, write, hooks inside the transaction, commit, publish.
  ///
  /// - Parameter update: An update by predicate that is part of it.
  package func save() throws { try save(with: nil) }

  func save(with update: BatchWriting?) throws {
    // A save from an observer of `willSave` is part of the one that is under way.
    if let faultError, !isSaving { throw faultError }
    guard hasChanges || update != nil, !isSaving else {
      if !isSaving { recorder?.endStep() }
      return
    }
    guard container.allowsSave else {
      throw SaveError(
        .savingNotAllowed,
        entityName: (known.first { $0.hasChanges } ?? update?.state)?.layout.entityName ?? "",
        "The container was opened with allowsSave: false. Open it for saving, or roll back.")
    }
    catchUp()
    let changes = try commit(update)
    update?.settle()
    changesEnded()
    editsEnded()
    recorder?.closeStep()
    // A save by somebody who is told of this one is a save of its own.
    publish(changes)
  }

  /// The part of a save during which another one is this one: up to the commit, and the objects in step with it.
  private func commit(_ update: BatchWriting?) throws -> ChangeSet {
    isSaving = true
    defer { isSaving = false }
    NotificationCenter.default.post(name: ModelContext.willSave, object: facade)

    try spreadDeletions()
    try validateRelations()
    var step = recorder?.prepareStep()
    var savings: [EntitySaving] = []
    let changes = try StoreError.wrapping(store.errorURL, "saving") {
      var attempt = 0
      while true {
        do {
          return try write(&savings, update, &step)
        } catch let outdated as OutdatedRow {
          attempt += 1
          try settle(outdated, attempt: attempt)
          try validateRelations()
          step = recorder?.prepareStep()
        }
      }
    }
    for saving in savings { saving.settleLists() }
    for saving in savings { saving.settleLeaving() }
    LeavingCircles.cut(
      among: savings.map(\.state).filter(\.layout.hasRelations).flatMap { state in
        state.deleted.map { (model: state.erased($0), state: state) }
      })
    for saving in savings { saving.settle() }
    recorder?.saved(savings, step)
    relations.isLoadedWithPending = false
    return changes
  }

  /// - Parameter step: What the undo manager is to undo; found again where the changes become others.
  private func write(
    _ savings: inout [EntitySaving], _ update: BatchWriting?, _ step: inout StepRecording?
  ) throws -> ChangeSet {
    do {
      return try write(&savings, update, orRefuse: { _ in throw UnresolvedReferences() })
    } catch is UnresolvedReferences {
      // Somebody may have related rows to those that are deleted here, after they were looked for.
      try spreadDeletionsAgain()
      try validateRelations()
      step = recorder?.prepareStep()
      return try write(&savings, update, orRefuse: { if let error = try vanishedReference($0) { throw error } })
    }
  }

  /// - Parameter refuse: Called where a row would refer to one that is not there.
  private func write(
    _ savings: inout [EntitySaving], _ update: BatchWriting?, orRefuse refuse: (Connection) throws -> Void
  ) throws -> ChangeSet {
    try session.write { connection in
      let relationSaving = RelationSaving(self, connection)
      try relationSaving.prepare()
      savings = known.filter(\.hasChanges).map { EntitySaving($0, connection: connection, relationSaving) }
      try EntitySaving.write(savings)
      try recorder?.returned.write(on: connection)
      try relationSaving.finish(savings)
      for saving in savings { try saving.writeExternals() }
      try update?.write(on: connection)
      if connection.hasUnresolvedReferences { try refuse(connection) }
      let written = savings.map(\.changes).filter { !$0.isEmpty }
      let changes = ChangeSet(entities: update?.joined(to: written) ?? written, author: author)
      if !changes.isEmpty { try store.runSaveHooks(changes, connection) }
      return changes
    }
  }

  private func publish(_ changes: ChangeSet) {
    if !changes.isEmpty { store.inboxes.deliver(changes, from: inbox) }
    store.publish(changes)
    typealias Key = ModelContext.NotificationKey
    NotificationCenter.default.post(
      name: ModelContext.didSave, object: facade,
      userInfo: [
        Key.insertedIdentifiers.rawValue: changes.insertedIdentifiers,
        Key.updatedIdentifiers.rawValue: changes.updatedIdentifiers,
        Key.deletedIdentifiers.rawValue: changes.deletedIdentifiers,
      ])
  }
}
