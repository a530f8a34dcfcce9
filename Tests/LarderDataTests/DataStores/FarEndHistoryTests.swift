import Foundation
import LarderData
import SwiftData
import TestSeeds
import Testing

/// Random changes of related objects before a store that keeps whole snapshots: they agree with each other after each save,
/// and a container that has seen nothing reads what plain dictionaries foretell, as from SQLite.
///
/// `LARDER_SEED` repeats a run, `ROUNDS` multiplies its length; a failure prints the steps that are needed for it.
@Suite struct FarEndHistoryTests {
  private static let steps = 40
  /// How many saves are compared by what was kept before a container is made that has seen nothing.
  private static let savesBetweenContainers = 4

  @Test func snapshotsAgreeWithEachOther() {
    let histories = RandomHistories(of: "snapshotsAgreeWithEachOther")
    #expect(histories.run { seed, _ in Self.run(seed) })
  }

  private enum Step {
    case here(HistoryStep)
    /// Another container saves what this one has not seen, and must not overwrite.
    case weigh(Int)
    /// Another container relates two things, and this one fetches.
    case relate(Int, HistoryLink, Int?)
  }

  private static func run(_ seed: UInt64) -> String? {
    var steps: [Step] = []
    var generator = HistoryGenerator(seed: seed)
    var random = SeededGenerator(seed: ~seed)
    let failure = failure { history in
      for _ in 0..<Self.steps {
        let step = Self.step(&generator, &random, history.run.oracle)
        steps.append(step)
        try history.carryOut(step)
      }
    }
    return failure.map { failure in
      let failed = FailedHistory(steps, failure) { steps in
        Self.failure { history in for step in steps { try history.carryOut(step) } }
      }
      return "\(failed)"
    }
  }

  private static func step(
    _ generator: inout HistoryGenerator, _ random: inout SeededGenerator, _ oracle: HistoryOracle
  ) -> Step {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<8:
      let all = oracle.all(.squad) + oracle.all(.club)
      if let id = all.randomElement(using: &random) { return .weigh(id) }
    case 8..<14:
      let links = HistoryLink.allCases.filter { !$0.isMany }
      let link = links[Int.random(in: 0..<links.count, using: &random)]
      let target = link.isOptional && random.chance(20) ? nil : oracle.all(link.target).randomElement(using: &random)
      if let owner = oracle.all(link.owner).randomElement(using: &random) { return .relate(owner, link, target) }
    // Nothing is loaded then, and both ends of what follows are where the store has them.
    case 14..<24: return .here(.letGo)
    default: break
    }
    return .here(generator.step(oracle))
  }

  private static func failure(_ body: (CardHistory) throws -> Void) -> String? {
    var pieces = WeakPieces()
    do {
      let history = try CardHistory()
      try body(history)
      try history.end()
      pieces = history.run.pieces
    } catch {
      return "\(error)"
    }
    return pieces.failure
  }

  /// A history before a box of cards.
  private final class CardHistory {
    let run: HistoryRun
    private let box = CardBox()
    /// What the other container has weighed. Squads and clubs have no keys of their own: whoever relates them to something
    /// has not edited them.
    private var weights: [Int: Double] = [:]
    private var weighed = 0.0
    private var edited: Set<Int> = []
    private var hasRecalled = false

    /// Counts down to the next container that has seen nothing.
    private let waits = Counted(0)

    init() throws {
      let (cards, models, countdown) = (box, HistoryKind.allCases.map(\.type), waits)
      func anyone() throws -> ModelContext { ModelContext(try cards.container(models)) }
      run = HistoryRun(TestStore(try cards.container(models)), reader: try anyone()) {
        countdown.update { $0 -= 1 }
        if countdown.value > 0 { return nil }
        countdown.update { $0 = FarEndHistoryTests.savesBetweenContainers }
        return try anyone()
      }
      run.afterSave = { [unowned self] run in
        run.rename(box.given)
        edited = []
        hasRecalled = false
        weights = weights.filter { run.oracle.saved[$0.key] != nil }
        try compareCards()
        try compareWeights()
      }
    }

    func end() throws {
      waits.update { $0 = 0 }
      try run.end()
    }

    func carryOut(_ step: Step) throws {
      switch step {
      case .here(let step):
        switch step {
        case .edit(let id, _), .saveInVain(let id):
          edited.insert(id)
          weights[id] = nil
        case .recall:
          // What comes back is saved as a whole.
          weights = [:]
          hasRecalled = true
        case .rollback:
          edited = []
          hasRecalled = false
        default: break
        }
        try run.carryOut(step)
      case .weigh(let id):
        if edited.contains(id) || hasRecalled { return }
        weighed += 1
        if try run.weighElsewhere(id, weighed) { weights[id] = weighed }
      case .relate(let owner, let link, let target): try run.relateElsewhere(owner, link, target)
      }
    }

    /// Both ends of each relationship tell the same, and lead to what is there.
    private func compareCards() throws {
      for (name, card) in box.cards {
        for link in HistoryLink.allCases where "\(link.owner)" == name.entityName.lowercased() {
          for other in card.relationships[link.propertyName] ?? [] {
            guard let there = box.cards[other] else {
              throw HistoryFailure(description: "\(link) of \(name) leads to \(other), which is gone")
            }
            guard let inverse = link.inverse else { continue }
            if there.relationships[inverse.propertyName]?.contains(name) != true {
              throw HistoryFailure(description: "\(link) of \(name) has \(other), whose \(inverse) does not lead back")
            }
          }
        }
      }
    }

    private func compareWeights() throws {
      for (id, weight) in weights {
        guard let name = run.identifier(id), let card = box.cards[name] else { continue }
        let values = try JSONSerialization.jsonObject(with: JSONEncoder().encode(card)) as? [String: Any]
        let seen = values?["weight"] as? Double
        if seen != weight { throw HistoryFailure(description: "\(id) weighs \(seen ?? .nan), not \(weight)") }
      }
    }
  }
}

extension HistoryLink {
  /// The property's own name, without that of its model.
  fileprivate var propertyName: String {
    let name = "\(self)".dropFirst("\(owner)".count)
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}
