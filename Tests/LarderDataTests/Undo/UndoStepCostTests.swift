import Foundation
import LarderData
import Testing

@testable import LarderData

/// A step costs what changed in it, however much is pending.
@Suite struct UndoStepCostTests {
  /// How objects come to be pending, each by a step of its own.
  enum Work: CaseIterable {
    case inserts, edits, twoRounds, savedEditsUndone, editsUndone, insertsUndone, deletions, deletionsUndone
    case members, membersUndone, innerTransactions, failingTransactions
  }

  /// How many objects are compared.
  private func compared(_ work: Work, _ count: Int) throws -> Int {
    let store = try TestStore.ofTeams(.memory)
    _ = try store.saved((0..<count).map { Player(number: $0) })
    let (context, manager) = store.undoing()
    let players = try context.all(Player.self)
    let squads = (0..<4).map { Squad(number: $0) }
    for squad in squads { context.insert(squad) }
    try context.save()
    func undoAll() throws {
      for player in players { _ = player.squad?.number }
      while manager.canUndo { manager.undo() }
    }
    func each(_ change: (Int) throws -> Void) rethrows {
      for index in 0..<count {
        try change(index)
        _ = manager.canUndo
        context.processPendingChanges()
      }
    }
    let before = context.core.comparedObjectCount
    switch work {
    case .inserts, .insertsUndone:
      each { context.insert(Club(number: $0)) }
      if work == .insertsUndone { try undoAll() }
    case .edits, .editsUndone, .twoRounds:
      each { players[$0].number += 1 }
      if work == .twoRounds { each { players[$0].number += 1 } }
      if work == .editsUndone { try undoAll() }
    case .savedEditsUndone:
      try each {
        players[$0].number += 1
        try context.save()
      }
      try undoAll()
      while manager.canRedo { manager.redo() }
    case .deletions, .deletionsUndone:
      each { context.delete(players[$0]) }
      if work == .deletionsUndone { try undoAll() }
    case .members, .membersUndone:
      // By their own ends, so that the lists are pending by the others.
      each { players[$0].squad = squads[$0 % squads.count] }
      each { players[$0].squad = squads[($0 + 1) % squads.count] }
      if work == .membersUndone { try undoAll() }
    case .innerTransactions, .failingTransactions:
      context.undoManager = nil
      try context.transaction {
        try each { index in
          do {
            try context.transaction {
              context.insert(Club(number: index))
              players[index].number += 1
              if work == .failingTransactions, index % 2 == 1 { throw CancellationError() }
            }
          } catch is CancellationError {}
        }
      }
    }
    return context.core.comparedObjectCount - before
  }

  @Test(arguments: Work.allCases)
  func aStepComparesWhatChangedInIt(_ work: Work) throws {
    // With each of few, something may be compared that is compared once.
    let (few, many) = (try compared(work, 20), try compared(work, 200))
    #expect(few > 0 && many <= few * 12, "\(few) for 20, and \(many) for 200")
  }

  /// What is watched since an earlier step belongs to the next one when it changes again, by whichever way.
  @Test func whatIsPendingAlreadyIsPartOfTheNextStep() throws {
    let store = try TestStore.ofTeams(.memory)
    _ = try store.saved([Squad(number: 1), Squad(number: 2), Player(number: 3)])
    let (context, manager) = store.undoing()
    let squads = try context.all(Squad.self).sorted { $0.number < $1.number }
    let player = try #require(try context.all(Player.self).first)
    let club = Club(number: 4)
    context.insert(club)
    player.number = 30
    squads[0].players = [player]
    context.processPendingChanges()
    player.number = 31
    club.number = 40
    context.processPendingChanges()
    squads[1].players.append(player)
    club.players = [player]
    context.processPendingChanges()
    player.squad = nil
    context.processPendingChanges()
    manager.undo()
    #expect(player.squad === squads[1] && squads[1].players.count == 1 && club.players.count == 1)
    manager.undo()
    #expect(player.squad === squads[0] && squads[1].players.isEmpty && club.players.isEmpty)
    #expect(player.number == 31 && club.number == 40)
    manager.undo()
    #expect(player.number == 30 && club.number == 4)
    manager.undo()
    #expect(player.number == 3 && player.squad == nil && !context.hasChanges)
    while manager.canRedo { manager.redo() }
    #expect(player.number == 31 && club.number == 40 && player.squad == nil && club.players.count == 1)
    try context.save()
    #expect(try store.context().all(Player.self).first?.clubs.map(\.number) == [40])
  }

  /// Objects of a context without an undo manager are watched by none.
  @Test func nothingIsTouchedWithoutAnUndoManager() throws {
    let store = try TestStore.ofTeams(.memory)
    _ = try store.saved((0..<10).map { Player(number: $0) })
    let context = store.context()
    let players = try context.all(Player.self)
    for player in players { player.number += 1 }
    context.processPendingChanges()
    for player in players.dropFirst() { player.number += 1 }
    context.delete(players[0])
    #expect(players.allSatisfy { $0._$header.pointee.registrar == nil })
    #expect(context.core.comparedObjectCount == 0)
  }
}
