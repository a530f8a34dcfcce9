import Foundation
import LarderData
import SwiftData
import Testing

/// What of a context's changes is one step, and when steps are forgotten.
@Suite struct UndoGroupingTests {
  private func context() throws -> (TestStore, ModelContext, UndoManager, Crate) {
    let store = try TestStore(.memory, Crate.self)
    let crate = Crate(number: 0)
    let context = try store.saved([crate])
    let manager = UndoManager()
    context.undoManager = manager
    return (store, context, manager, crate)
  }

  @Test func explicitGroupHoldsSeveralSaves() throws {
    let (_, context, manager, crate) = try context()
    crate.number = 1
    manager.beginUndoGrouping()
    for number in 2...4 {
      crate.number = number
      try context.save()
    }
    manager.endUndoGrouping()
    manager.setActionName("Count")
    crate.number = 5
    #expect(manager.canUndo)
    manager.undo()
    #expect(crate.number == 4 && manager.undoActionName == "Count")
    manager.undo()
    // What was changed before the group was begun is a step of its own.
    #expect(crate.number == 1)
    manager.undo()
    #expect(crate.number == 0 && !manager.canUndo)
    for number in [1, 4, 5] {
      manager.redo()
      #expect(crate.number == number)
    }
  }

  @Test func withoutGroupsByEventASaveIsAStep() throws {
    let (_, context, manager, crate) = try context()
    manager.groupsByEvent = false
    for number in 1...2 {
      crate.number = number
      try context.save()
    }
    manager.undo()
    #expect(crate.number == 1)
    manager.undo()
    #expect(crate.number == 0)
  }

  @Test func suspendedRegistrationLeavesAGap() throws {
    let (_, context, manager, crate) = try context()
    crate.text = "registered"
    try context.save()
    manager.disableUndoRegistration()
    crate.number = 7
    context.processPendingChanges()
    manager.enableUndoRegistration()
    crate.note = "registered"
    try context.save()
    manager.undo()
    #expect(crate.note == nil && crate.number == 7 && crate.text == "registered")
    manager.undo()
    #expect(crate.number == 7 && crate.text == "")
  }

  @Test func whatWasPendingBeforeIsNotUndone() throws {
    let store = try TestStore(.memory, Crate.self)
    let crate = Crate(number: 0)
    let context = try store.saved([crate])
    crate.number = 1
    context.insert(Crate(number: 9))
    context.undoManager = UndoManager()
    crate.number = 2
    try context.save()
    context.undoManager?.undo()
    #expect(crate.number == 1 && context.undoManager?.canUndo == false)
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 2)
  }

  @Test func rollbackForgetsWhatWasRegistered() throws {
    let (_, context, manager, crate) = try context()
    crate.number = 1
    try context.save()
    crate.number = 2
    try context.save()
    manager.undo()
    context.rollback()
    #expect(!manager.canUndo && !manager.canRedo)
    #expect(crate.number == 2)
    crate.number = 3
    try context.save()
    manager.undo()
    #expect(crate.number == 2)
  }

  @Test func contextThatGoesTakesItsStepsAlong() throws {
    let manager = UndoManager()
    weak var gone: ModelContext?
    do {
      let (_, context, _, crate) = try self.context()
      context.undoManager = manager
      crate.number = 1
      try context.save()
      context.delete(crate)
      try context.save()
      #expect(manager.canUndo)
      gone = context
    }
    #expect(gone == nil && !manager.canUndo)
    manager.undo()
  }

  @Test func anotherUndoManagerBeginsAnew() throws {
    let (_, context, manager, crate) = try context()
    crate.number = 1
    try context.save()
    let other = UndoManager()
    context.undoManager = other
    #expect(!manager.canUndo && !other.canUndo)
    crate.number = 2
    try context.save()
    context.undoManager = nil
    #expect(!other.canUndo)
    crate.number = 3
    try context.save()
    #expect(!other.canUndo && !manager.canUndo && context.undoManager == nil)
  }

  @Test func actionsOfTheProgramAreOfTheSameStep() throws {
    let (_, context, manager, crate) = try context()
    let dial = Dial(manager)
    dial.turn(to: 1)
    crate.number = 1
    try context.save()
    crate.number = 2
    try context.save()
    manager.undo()
    #expect(crate.number == 1 && dial.value == 1)
    manager.undo()
    #expect(crate.number == 0 && dial.value == 0)
    manager.redo()
    #expect(crate.number == 1 && dial.value == 1)
  }

  @Test func transactionIsAStep() throws {
    let (_, context, manager, crate) = try context()
    try context.transaction {
      crate.number = 1
      crate.text = "text"
    }
    manager.undo()
    #expect(crate.number == 0 && crate.text == "" && !manager.canUndo)
  }

  @MainActor
  @Test func turnOfTheMainQueueIsAStep() async throws {
    let (_, context, manager, crate) = try context()
    for number in 1...3 {
      crate.number = number
      crate.text += "."
      await Turns.next()
    }
    context.insert(Crate(number: 9))
    await Turns.next()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 2)
    manager.undo()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 1)
    for number in [2, 1, 0] {
      manager.undo()
      #expect(crate.number == number && crate.text.count == number)
    }
    #expect(!manager.canUndo)
    // Two saves of one turn are two.
    for number in 1...2 {
      crate.number = number
      try context.save()
    }
    await Turns.next()
    manager.undo()
    #expect(crate.number == 1)
  }

  @MainActor
  @Test func contextsThatShareATurnShareAStep() async throws {
    let (store, context, manager, crate) = try context()
    let other = store.context()
    other.undoManager = manager
    crate.number = 1
    other.insert(Crate(number: 9))
    await Turns.next()
    #expect(manager.groupingLevel == 0)
    manager.undo()
    #expect(crate.number == 0 && !other.hasChanges && !manager.canUndo && crate.modelContext === context)
  }

  @Test func actionIsNamedBeforeItsSave() throws {
    let (_, context, manager, crate) = try context()
    crate.number = 1
    manager.setActionName("First")
    crate.number = 2
    try context.save()
    crate.number = 3
    try context.save()
    manager.setActionName("Second")
    #expect(manager.undoActionName == "Second")
    manager.undo()
    #expect(manager.undoActionName == "First" && manager.redoActionName == "Second")
    manager.undo()
    #expect(crate.number == 0 && manager.redoActionName == "First" && !manager.canUndo)
  }

  @Test func observerOfADeletionMayUndo() throws {
    let store = try TestStore(.memory, Family.self, Member.self)
    let family = Family(name: "f")
    family.members = [Member(name: "a"), Member(name: "b")]
    let context = try store.saved([family])
    let manager = UndoManager()
    context.undoManager = manager
    family.name = "g"
    try context.save()
    let action = Unchecked { manager.undo() }
    withObservationTracking {
      _ = family.members
    } onChange: {
      action.body()
    }
    context.delete(family.members[0])
    _ = try context.fetch(FetchDescriptor<Member>())
    // What was done last.
    #expect(family.name == "g" && family.members.map(\.name) == ["a", "b"])
    #expect(manager.canUndo && manager.canRedo)
    manager.undo()
    #expect(family.name == "f")
  }
}

/// For closures that run where they were made, and of which the compiler cannot know that.
struct Unchecked: @unchecked Sendable {
  let body: () -> Void
}
