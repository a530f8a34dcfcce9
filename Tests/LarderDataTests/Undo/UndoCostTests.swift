import Foundation
import LarderSupport
import SwiftData
import TestSeeds
import Testing

@testable import LarderData

/// What undo costs those who do not undo, as far as it can be counted.
@Suite struct UndoCostTests {
  private func objects(_ count: Int) throws -> (TestStore, ModelContext, [Crate]) {
    let store = try TestStore(.memory, Crate.self)
    let crates = (0..<count).map { Crate(number: $0) }
    return (store, try store.saved(crates), crates)
  }

  private func edit(_ context: ModelContext, _ crates: [Crate]) throws {
    for round in 1...3 {
      for crate in crates { crate.number += round }
      context.processPendingChanges()
    }
    context.insert(Crate(number: -1))
    context.delete(crates[0])
    try context.save()
  }

  @Test func nothingIsNotedWithoutAnUndoManager() throws {
    let (_, context, crates) = try objects(100)
    let told = Counted(0)
    let token = NotificationCenter.default.addObserver(forName: .NSUndoManagerCheckpoint, object: nil, queue: nil) {
      if ($0.object as? UndoManager)?.undoActionName == "of this test" { told.update { $0 += 1 } }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let manager = UndoManager()
    manager.beginUndoGrouping()
    manager.setActionName("of this test")
    context.undoManager = manager
    context.undoManager = nil
    told.update { $0 = 0 }
    try edit(context, crates)
    #expect(context.core.undoRecorder == nil && told.value == 0)
    // No object has anything that it would not have had.
    for crate in crates.dropFirst() {
      #expect(crate._$header.pointee.registrar == nil && !crate._$header.pointee.status.contains(.changeTracked))
    }
  }

  /// Objects are as large as they were: nothing of undo stands in them.
  @Test func headersHoldNothingOfIt() {
    #expect(MemoryLayout<_ModelHeader.Fields>.size <= 88)
  }

  /// With an undo manager, edits after the first between two saves go the short way as well, and a step costs one look
  /// at what is pending.
  @Test func repeatedEditsNoteNothing() throws {
    let (_, context, crates) = try objects(10)
    context.undoManager = UndoManager()
    for crate in crates { crate.number = 1_000 }
    let entries = try context.core.tracker(for: Crate._$layout).originalValues.count
    for number in 2...100 { for crate in crates { crate.number = number } }
    #expect(try context.core.tracker(for: Crate._$layout).originalValues.count == entries)
    #expect(context.core.undoRecorder?.images.isEmpty == true)
    context.processPendingChanges()
    #expect(context.core.undoRecorder?.images.count == 10)
    try context.save()
    #expect(context.core.undoRecorder?.images.isEmpty == true)
  }

  /// Many objects at once: each step by itself takes a time that grows as they do.
  @Test func manyObjectsAreUndoneAtOnce() throws {
    let many = Share.steps(2_000)
    let (store, context, crates) = try objects(many)
    let manager = UndoManager()
    context.undoManager = manager
    for crate in crates { crate.number += many }
    try context.save()
    try context.delete(model: Crate.self)
    manager.undo()
    #expect(!context.hasChanges)
    manager.redo()
    try context.save()
    for _ in 0..<2 { manager.undo() }
    try context.save()
    #expect(try store.value("SELECT sum(number) FROM Crate") == .integer(Int64(many * (many - 1) / 2)))
    for number in 0..<many { context.insert(Crate(number: number)) }
    manager.undo()
    #expect(!context.hasChanges)
    manager.redo()
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(Int64(2 * many)))
  }
}
