import Foundation
import SwiftData
import Testing

@testable import LarderData

/// A number that registers how to take each change of it back.
final class Dial {
  private(set) var value = 0
  let undoManager: UndoManager

  init(_ undoManager: UndoManager) { self.undoManager = undoManager }

  func turn(to new: Int) {
    undoManager.registerUndo(withTarget: self) { [old = value] in $0.turn(to: old) }
    value = new
  }

  /// As a step of its own.
  func step(to new: Int, name: String = "") {
    undoManager.beginUndoGrouping()
    turn(to: new)
    if !name.isEmpty { undoManager.setActionName(name) }
    undoManager.endUndoGrouping()
  }
}

@Suite struct UndoManagerTests {
  let undoManager = UndoManager()
  let dial: Dial

  init() { dial = Dial(undoManager) }

  /// What is said in the log meanwhile.
  private func warnings(_ body: () -> Void) -> [String] {
    let lines = Counted<[String]>([])
    Log.$listener.withValue({ line in lines.update { $0.append(line) } }, operation: body)
    return lines.value
  }

  @Test func beginsWithNothing() {
    #expect(!undoManager.canUndo && !undoManager.canRedo)
    #expect(!undoManager.isUndoing && !undoManager.isRedoing)
    #expect(undoManager.groupsByEvent)
    #expect(undoManager.levelsOfUndo == 0)
    #expect(undoManager.groupingLevel == 0)
    #expect(undoManager.isUndoRegistrationEnabled)
    #expect(undoManager.undoActionName == "" && undoManager.redoActionName == "")
    #expect(!undoManager.undoActionIsDiscardable && !undoManager.redoActionIsDiscardable)
    undoManager.undo()
    undoManager.redo()
    undoManager.undoNestedGroup()
    #expect(!undoManager.canUndo && !undoManager.canRedo)
  }

  @Test func undoAndRedoGoBackAndForth() {
    for value in 1...3 { dial.step(to: value) }
    undoManager.undo()
    #expect(dial.value == 2 && undoManager.canRedo)
    undoManager.undo()
    undoManager.undo()
    #expect(dial.value == 0 && !undoManager.canUndo)
    undoManager.redo()
    undoManager.redo()
    #expect(dial.value == 2)
    undoManager.undo()
    #expect(dial.value == 1)
    undoManager.redo()
    undoManager.redo()
    #expect(dial.value == 3 && !undoManager.canRedo)
  }

  @Test func newChangeForgetsWhatWasUndone() {
    dial.step(to: 1)
    undoManager.undo()
    dial.step(to: 5)
    #expect(!undoManager.canRedo)
    undoManager.redo()
    #expect(dial.value == 5)
    undoManager.undo()
    #expect(dial.value == 0)
  }

  @Test func firstActionOpensAGroupThatUndoCloses() {
    dial.turn(to: 1)
    dial.turn(to: 2)
    #expect(undoManager.groupingLevel == 1 && undoManager.canUndo)
    undoManager.undo()
    #expect(dial.value == 0 && undoManager.groupingLevel == 0)
    undoManager.redo()
    #expect(dial.value == 2)
  }

  @MainActor
  @Test func groupOfATurnIsClosedAtTheNext() async {
    dial.turn(to: 1)
    dial.turn(to: 2)
    await Turns.next()
    #expect(undoManager.groupingLevel == 0)
    dial.turn(to: 3)
    await Turns.next()
    undoManager.undo()
    #expect(dial.value == 2)
    undoManager.undo()
    #expect(dial.value == 0)
  }

  @Test func groupsAreNested() {
    undoManager.beginUndoGrouping()
    dial.turn(to: 1)
    undoManager.beginUndoGrouping()
    #expect(undoManager.groupingLevel == 2)
    dial.turn(to: 2)
    dial.turn(to: 3)
    undoManager.endUndoGrouping()
    undoManager.undoNestedGroup()
    #expect(dial.value == 1 && undoManager.groupingLevel == 1)
    undoManager.redo()
    #expect(dial.value == 3)
    undoManager.undo()
    #expect(dial.value == 1)
    undoManager.undo()
    #expect(dial.value == 0)
  }

  @Test func beginningAGroupEndsThatOfTheTurn() {
    dial.turn(to: 1)
    dial.step(to: 2)
    dial.step(to: 3)
    for expected in [2, 1, 0] {
      undoManager.undo()
      #expect(dial.value == expected)
    }
  }

  @Test func groupsWithoutActionsLeaveNothing() {
    undoManager.beginUndoGrouping()
    undoManager.beginUndoGrouping()
    undoManager.endUndoGrouping()
    #expect(!undoManager.canUndo)
    undoManager.endUndoGrouping()
    #expect(!undoManager.canUndo)
  }

  @Test func withoutGroupsByEventEachActionIsToldOf() {
    undoManager.groupsByEvent = false
    let said = warnings { dial.turn(to: 1) }
    #expect(said.count == 1 && said[0].contains("beginUndoGrouping()"))
    #expect(undoManager.groupingLevel == 0)
    #expect(warnings { dial.step(to: 2) }.isEmpty)
    undoManager.undo()
    #expect(dial.value == 1)
    undoManager.undo()
    #expect(dial.value == 0)
  }

  @Test func levelsAreLimited() {
    undoManager.levelsOfUndo = 2
    for value in 1...4 { dial.step(to: value) }
    undoManager.undo()
    undoManager.undo()
    undoManager.undo()
    #expect(dial.value == 2)
    undoManager.redo()
    undoManager.redo()
    #expect(dial.value == 4)
    undoManager.levelsOfUndo = 1
    undoManager.undo()
    undoManager.undo()
    #expect(dial.value == 3)
  }

  @Test func registrationCanBeSuspended() {
    undoManager.disableUndoRegistration()
    undoManager.disableUndoRegistration()
    undoManager.enableUndoRegistration()
    #expect(!undoManager.isUndoRegistrationEnabled)
    dial.step(to: 1)
    #expect(!undoManager.canUndo)
    undoManager.enableUndoRegistration()
    dial.step(to: 2)
    undoManager.undo()
    #expect(dial.value == 1)
    #expect(warnings { undoManager.enableUndoRegistration() }.count == 1)
    #expect(undoManager.isUndoRegistrationEnabled)
  }

  @Test func allActionsCanBeForgotten() {
    dial.step(to: 1)
    dial.step(to: 2)
    undoManager.undo()
    undoManager.disableUndoRegistration()
    undoManager.removeAllActions()
    #expect(!undoManager.canUndo && !undoManager.canRedo && undoManager.isUndoRegistrationEnabled)
    undoManager.beginUndoGrouping()
    dial.turn(to: 3)
    undoManager.removeAllActions()
    undoManager.endUndoGrouping()
    undoManager.undo()
    #expect(dial.value == 3)
  }

  @Test func actionsOfOneTargetCanBeForgotten() {
    let other = Dial(undoManager)
    dial.step(to: 1)
    undoManager.beginUndoGrouping()
    dial.turn(to: 2)
    other.step(to: 7)
    undoManager.endUndoGrouping()
    dial.step(to: 3)
    undoManager.undo()
    other.step(to: 8)
    undoManager.removeAllActions(withTarget: dial)
    #expect(!undoManager.canRedo)
    undoManager.undo()
    #expect(other.value == 7)
    undoManager.undo()
    #expect(other.value == 0 && dial.value == 2)
    #expect(!undoManager.canUndo)
  }

  @Test func targetsAreNotKept() {
    weak var gone: Dial?
    do {
      let short = Dial(undoManager)
      short.step(to: 1)
      gone = short
    }
    #expect(gone == nil)
    dial.step(to: 1)
    undoManager.undo()
    undoManager.undo()
    #expect(dial.value == 0 && !undoManager.canUndo)
  }

  @Test func actionsHaveNames() {
    dial.step(to: 1, name: "Turn")
    dial.step(to: 2)
    #expect(undoManager.undoMenuItemTitle == "Undo" && undoManager.redoMenuItemTitle == "Redo")
    undoManager.undo()
    #expect(undoManager.undoActionName == "Turn" && undoManager.undoMenuItemTitle == "Undo Turn")
    undoManager.undo()
    #expect(undoManager.undoActionName == "")
    #expect(undoManager.redoActionName == "Turn" && undoManager.redoMenuItemTitle == "Redo Turn")
    undoManager.redo()
    #expect(undoManager.undoActionName == "Turn" && undoManager.redoActionName == "")
    #expect(undoManager.undoMenuTitle(forUndoActionName: "") == "Undo")
    #expect(undoManager.redoMenuTitle(forUndoActionName: "Typing") == "Redo Typing")
    // After its end, and within a group of another.
    undoManager.setActionName("Spin")
    #expect(undoManager.undoActionName == "Spin")
    undoManager.beginUndoGrouping()
    dial.step(to: 5, name: "Within")
    undoManager.endUndoGrouping()
    #expect(undoManager.undoActionName == "Within")
  }

  @Test func actionsMayBeDiscardable() {
    dial.turn(to: 1)
    undoManager.setActionIsDiscardable(true)
    #expect(undoManager.undoActionIsDiscardable)
    undoManager.undo()
    #expect(!undoManager.undoActionIsDiscardable && undoManager.redoActionIsDiscardable)
    undoManager.redo()
    #expect(undoManager.undoActionIsDiscardable)
    undoManager.setActionIsDiscardable(false)
    #expect(!undoManager.undoActionIsDiscardable)
  }

  @Test func misuseIsToldAndChangesNothing() {
    #expect(warnings { undoManager.endUndoGrouping() }.count == 1)
    undoManager.beginUndoGrouping()
    undoManager.beginUndoGrouping()
    dial.turn(to: 1)
    #expect(warnings { undoManager.undo() }.count == 1)
    #expect(warnings { undoManager.redo() }.count == 1)
    // Something was registered after the last nested group.
    #expect(warnings { undoManager.undoNestedGroup() }.count == 1)
    #expect(dial.value == 1 && undoManager.groupingLevel == 2)
    undoManager.endUndoGrouping()
    undoManager.undo()
    #expect(dial.value == 0 && undoManager.groupingLevel == 0)
  }

  @Test func whatIsDoneWithinAnUndoCannotBreakIt() {
    let said = Counted(0)
    undoManager.registerUndo(withTarget: dial) { dial in
      let manager = dial.undoManager
      #expect(manager.isUndoing)
      let count = warnings {
        manager.undo()
        manager.redo()
        manager.undoNestedGroup()
        manager.endUndoGrouping()
      }.count
      said.update { $0 = count }
      manager.beginUndoGrouping()
      dial.turn(to: 9)
    }
    #expect(warnings { undoManager.undo() }.count == 1)
    #expect(said.value == 4)
    #expect(dial.value == 9 && undoManager.groupingLevel == 0 && !undoManager.isUndoing)
    undoManager.redo()
    #expect(dial.value == 0)
  }

  @Test func notificationsAreThoseOfFoundation() {
    let names: [(Notification.Name, String)] = [
      (.NSUndoManagerCheckpoint, "checkpoint"), (.NSUndoManagerDidOpenUndoGroup, "open"),
      (.NSUndoManagerWillCloseUndoGroup, "close"), (.NSUndoManagerDidCloseUndoGroup, "closed"),
      (.NSUndoManagerWillUndoChange, "undo"), (.NSUndoManagerDidUndoChange, "undone"),
      (.NSUndoManagerWillRedoChange, "redo"), (.NSUndoManagerDidRedoChange, "redone"),
    ]
    let log = Counted<[String]>([])
    let tokens = names.map { name, short in
      NotificationCenter.default.addObserver(forName: name, object: undoManager, queue: nil) { notification in
        let isDiscardable = notification.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool == true
        log.update { $0.append(isDiscardable ? short + "!" : short) }
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    func said(_ body: () -> Void) -> [String] {
      log.update { $0 = [] }
      body()
      return log.value
    }
    #expect(said { undoManager.beginUndoGrouping() } == ["checkpoint", "open"])
    dial.turn(to: 1)
    undoManager.setActionIsDiscardable(true)
    #expect(said { undoManager.endUndoGrouping() } == ["checkpoint", "close!", "closed!"])
    #expect(said { undoManager.undo() } == ["checkpoint", "checkpoint", "undo", "undone"])
    #expect(said { _ = undoManager.canRedo } == ["checkpoint"])
    #expect(said { undoManager.redo() } == ["checkpoint", "redo", "redone"])
    #expect(Notification.Name.NSUndoManagerCheckpoint.rawValue == "NSUndoManagerCheckpointNotification")
    #expect(said { dial.turn(to: 2) } == ["open"])
  }

  @Test func subclassesMayTakePart() {
    final class German: UndoManager {
      override func undoMenuTitle(forUndoActionName actionName: String) -> String { "\(actionName) widerrufen" }
    }
    let manager = German()
    let dial = Dial(manager)
    dial.step(to: 1, name: "Drehen")
    #expect(manager.undoMenuItemTitle == "Drehen widerrufen")
  }
}

/// The turns of the main queue.
enum Turns {
  /// Waits until what the main queue has to do by now has been done, and what follows from it in the turn after.
  static func next() async {
    for _ in 0..<2 {
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
  }
}
