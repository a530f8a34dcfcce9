import Foundation
import LarderData
import TestSeeds
import Testing

/// Random changes of related objects in steps, which are undone and redone at random: each time everything is what it
/// was then, compared with copies of plain dictionaries.
///
/// `LARDER_SEED` repeats a run, `ROUNDS` multiplies its length; a failure prints the steps that are needed for it.
@Suite struct UndoHistoryTests {
  @Test func undoAndRedoLeadWhereEverythingWas() {
    let histories = RandomHistories(of: "undoAndRedoLeadWhereEverythingWas")
    var counts = UndoCounts()
    guard histories.run({ Self.run($0, $1, &counts) }) else { return }
    print("undoAndRedoLeadWhereEverythingWas: \(counts.undone) steps undone, \(counts.redone) redone")
    #expect(counts.undone > histories.count && counts.redone > histories.count / 2)
  }

  private static func run(_ seed: UInt64, _ place: StoreLocation, _ counts: inout UndoCounts) -> String? {
    var steps: [UndoHistoryStep] = []
    var generator = UndoHistoryGenerator(seed: seed)
    let failure = failure(place, &counts) { run in
      for _ in 0..<RandomHistories.steps {
        let step = generator.step(run.history.oracle)
        steps.append(step)
        try run.carryOut(step)
      }
    }
    return failure.map { failure in
      let failed = FailedHistory(steps, failure) { steps in
        var others = UndoCounts()
        return Self.failure(place, &others) { run in for step in steps { try run.carryOut(step) } }
      }
      return "\(failed)"
    }
  }

  private static func failure(
    _ place: StoreLocation, _ counts: inout UndoCounts, _ steps: (UndoHistoryRun) throws -> Void
  ) -> String? {
    var pieces = WeakPieces()
    do {
      let run = try UndoHistoryRun(place)
      try steps(run)
      try run.end()
      counts.undone += run.counts.undone
      counts.redone += run.counts.redone
      pieces = run.history.pieces
    } catch {
      return "\(error)"
    }
    return pieces.failure
  }
}

struct UndoCounts {
  var undone = 0
  var redone = 0
}

enum UndoHistoryStep {
  case change(HistoryStep)
  /// The end of a step, by a save or without one.
  case close(bySave: Bool)
  /// Another context gives an object of the store a weight, which this one does not touch.
  case meanwhile(Int, Double)
  /// Begins a group of several steps, or ends it.
  case group
  case undo(Int)
  case redo(Int)
}

struct UndoHistoryGenerator {
  private var history: HistoryGenerator

  init(seed: UInt64) { history = HistoryGenerator(seed: seed) }

  mutating func step(_ oracle: HistoryOracle) -> UndoHistoryStep {
    switch Int.random(in: 0..<100, using: &history.random) {
    case 0..<12: return .close(bySave: history.random.chance(50))
    case 29..<32: return .group
    case 32..<37:
      let weight = Double(Int.random(in: 1..<1_000, using: &history.random))
      return oracle.saved.keys.sorted().randomElement(using: &history.random).map { .meanwhile($0, weight) } ?? .group
    case 12..<22: return .undo(Int.random(in: 1...3, using: &history.random))
    case 22..<29: return .redo(Int.random(in: 1...3, using: &history.random))
    default:
      while true {
        let step = history.step(oracle)
        switch step {
        // Saves end steps, and are drawn above. A rollback is rare: it forgets what was done.
        case .save: continue
        case .rollback where history.random.chance(70): continue
        default: return .change(step)
        }
      }
    }
  }
}

/// A history with an undo manager.
final class UndoHistoryRun {
  let history: HistoryRun
  let undoManager = UndoManager()
  private(set) var counts = UndoCounts()
  /// What was there before each step that can be undone, and after each that can be redone.
  private var before: [HistoryOracle] = []
  private var after: [HistoryOracle] = []
  /// What was there at the end of the last step.
  private var last = HistoryOracle()
  /// What others saved.
  private var weights: [Int: Double] = [:]
  private var ownWeights: Set<Int> = []
  /// The group that is open.
  private var group: Group?
  /// What went within groups, and may be back at their ends.
  private var goneInGroups: Set<Int> = []

  private struct Group {
    let before: HistoryOracle
    var isChanged = false
  }

  init(_ place: StoreLocation) throws {
    history = try HistoryRun(place)
    history.context.undoManager = undoManager
  }

  func carryOut(_ step: UndoHistoryStep) throws {
    switch step {
    case .change(let step):
      if case .saveInVain(let id) = step {
        // It writes the weight.
        if weights[id] != nil { return }
        ownWeights.insert(id)
      }
      try history.carryOut(step)
      if case .rollback = step {
        before = []
        after = []
        goneInGroups = []
        last = history.oracle
        if group != nil { group = Group(before: last) }
        guard !undoManager.canUndo, !undoManager.canRedo else {
          throw HistoryFailure(description: "undo after rollback")
        }
      }
    case .close(let bySave): try close(bySave: bySave)
    case .meanwhile(let id, let weight): try meanwhile(id, weight)
    case .group: if group == nil { try begin() } else { try endGroup() }
    case .undo(let count): try undo(count)
    case .redo(let count): try redo(count)
    }
  }

  private func meanwhile(_ id: Int, _ weight: Double) throws {
    guard history.oracle[id] != nil, !ownWeights.contains(id), group == nil else { return }
    // A step that deletes it already brings it back as it was then.
    if goneInGroups.contains(id) { return }
    var wasThere = false
    for state in before + [last] + after.reversed() {
      if wasThere, state[id] == nil { return }
      wasThere = state[id] != nil
    }
    let other = history.store.context()
    guard let piece = try Self.find(history.object(id), in: other) else { return }
    piece.weight = weight
    try other.save()
    weights[id] = weight
  }

  private static func find<T: Piece>(_ piece: T, in context: ModelContext) throws -> (any Piece)? {
    try? context.existingModel(for: piece.persistentModelID, as: T.self)
  }

  /// What others saved is there, whatever was undone.
  private func compareWeights() throws {
    let reader = history.store.context()
    for (id, weight) in weights where history.oracle.saved[id] != nil {
      let seen = try Self.find(history.object(id), in: reader)?.weight
      guard seen == weight else {
        throw HistoryFailure(description: "\(id) weighs \(seen ?? .nan), not \(weight)")
      }
    }
  }

  /// Ends a step. What a save must refuse is mended in the same.
  private func close(bySave: Bool) throws {
    if bySave || !history.oracle.obstacles.isEmpty {
      try history.save()
    } else {
      history.context.processPendingChanges()
    }
    try history.compareAll()
    if history.oracle.isAlike(last) { return try expectLevels() }
    if group == nil {
      before.append(last)
    } else {
      group?.isChanged = true
      goneInGroups.formUnion(last.things.keys.filter { history.oracle[$0] == nil })
    }
    after = []
    last = history.oracle
    try expectLevels()
  }

  private func begin() throws {
    try close(bySave: false)
    group = Group(before: last)
    undoManager.beginUndoGrouping()
  }

  private func endGroup() throws {
    guard group != nil else { return }
    try close(bySave: false)
    undoManager.endUndoGrouping()
    if let group, group.isChanged { before.append(group.before) }
    group = nil
    try expectLevels()
  }

  private func expectLevels() throws {
    let canUndo = !before.isEmpty || group?.isChanged == true
    guard undoManager.canUndo == canUndo, undoManager.canRedo == !after.isEmpty else {
      throw HistoryFailure(
        description:
          "canUndo \(undoManager.canUndo) with \(before.count), canRedo \(undoManager.canRedo) with \(after.count)")
    }
  }

  private func undo(_ count: Int) throws {
    try close(bySave: false)
    try endGroup()
    for _ in 0..<count {
      guard let former = before.popLast() else { return }
      undoManager.undo()
      after.append(last)
      counts.undone += 1
      try become(former, "undo")
    }
  }

  private func redo(_ count: Int) throws {
    try close(bySave: false)
    try endGroup()
    for _ in 0..<count {
      guard let next = after.popLast() else { return }
      undoManager.redo()
      before.append(last)
      counts.redone += 1
      try become(next, "redo")
    }
  }

  private func become(_ other: HistoryOracle, _ what: String) throws {
    do {
      if let error = history.context.pendingError { throw HistoryFailure(description: "pendingError: \(error)") }
      history.become(other)
      last = history.oracle
      try history.compareAll()
      for kind in HistoryKind.allCases { try history.fetch(kind.type, kind) }
      try expectLevels()
    } catch let failure as HistoryFailure {
      throw HistoryFailure(description: "\(what): \(failure)")
    }
  }

  func end() throws {
    try close(bySave: true)
    try endGroup()
    try undo(Int.max)
    try history.end()
    try compareWeights()
    try redo(Int.max)
    try history.end()
    try compareWeights()
    undoManager.removeAllActions()
  }
}

extension HistoryOracle {
  /// Whether there is the same in both. A list that nobody touched is one that is empty.
  func isAlike(_ other: HistoryOracle) -> Bool {
    func plain(_ things: [Int: Thing]) -> [Int: Thing] {
      things.mapValues { thing in
        var thing = thing
        thing.manys = thing.manys.filter { !$0.value.isEmpty }
        return thing
      }
    }
    return plain(things) == plain(other.things)
  }
}

extension HistoryRun {
  /// What is there is as it was another time.
  func become(_ other: HistoryOracle) {
    oracle.become(other)
    // Objects that came back may be held again, and those that went are not.
    for (id, piece) in held where oracle[id] == nil {
      dead[id] = piece
      held[id] = nil
    }
    for (id, piece) in dead where oracle[id] != nil {
      held[id] = piece
      dead[id] = nil
    }
  }
}
