import LarderData
import TestSeeds

/// One step of a history that several contexts share: which context takes it, and what it does. Things are named by
/// numbers; a step that concerns what a context cannot have does nothing, so that a history can be run without some.
struct SharedStep: CustomStringConvertible {
  enum Action {
    case insert(Int, HistoryKind, number: Int, squad: Int)
    case edit(Int, Int)
    case weigh(Int, Double)
    case setOne(Int, HistoryLink, Int?)
    case setMany(Int, HistoryLink, [Int])
    case append(Int, HistoryLink, Int)
    case remove(Int, HistoryLink, Int)
    case delete(Int)
    case fetch(HistoryKind)
    case look(Int, HistoryLink)
    case save
    case rollback
    case undo
    case redo
    case endStep
    case autosave
    case letGo
  }

  let context: Int
  let action: Action

  var description: String { "\(context): \(action)" }
}

/// Makes steps at random, without looking at what is there.
struct SharedGenerator {
  var random: SeededGenerator
  private let contexts: Int
  private var kinds: [HistoryKind] = []

  init(seed: UInt64, contexts: Int) {
    random = SeededGenerator(seed: seed)
    self.contexts = contexts
  }

  mutating func step() -> SharedStep {
    SharedStep(context: Int.random(in: 0..<contexts, using: &random), action: action())
  }

  private mutating func action() -> SharedStep.Action {
    if kinds.count < 8 { return insertion() }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<8: return insertion()
    case 8..<20: return .edit(anyThing(), Int.random(in: 0..<5, using: &random))
    case 20..<26: return .weigh(anyThing(), Double(Int.random(in: 0..<5, using: &random)))
    case 26..<40:
      let link = anyLink(isMany: false)
      return .setOne(any(link.owner), link, random.chance(70) ? any(link.target) : nil)
    case 40..<48:
      let link = anyLink(isMany: true)
      let count = Int.random(in: 0..<4, using: &random)
      return .setMany(any(link.owner), link, (0..<count).map { _ in any(link.target) })
    case 48..<56:
      let link = anyLink(isMany: true)
      return .append(any(link.owner), link, any(link.target))
    case 56..<62:
      let link = anyLink(isMany: true)
      return .remove(any(link.owner), link, any(link.target))
    case 62..<67: return .delete(anyThing())
    case 67..<74: return .fetch(HistoryKind.allCases[Int.random(in: 0..<HistoryKind.allCases.count, using: &random)])
    case 74..<80:
      let link = HistoryLink.allCases[Int.random(in: 0..<HistoryLink.allCases.count, using: &random)]
      return .look(any(link.owner), link)
    case 80..<88: return .save
    case 88..<90: return .autosave
    case 90..<93: return .rollback
    case 93..<95: return .undo
    case 95..<97: return .redo
    case 97..<98: return .endStep
    default: return .letGo
    }
  }

  private mutating func insertion() -> SharedStep.Action {
    // Squads and players first, which have most relationships.
    let kind: HistoryKind =
      kinds.count < 3
      ? .squad
      : kinds.count < 6 ? .player : HistoryKind.allCases[Int.random(in: 0..<HistoryKind.allCases.count, using: &random)]
    kinds.append(kind)
    return .insert(kinds.count - 1, kind, number: Int.random(in: 0..<5, using: &random), squad: any(.squad))
  }

  private mutating func anyThing() -> Int { Int.random(in: 0..<kinds.count, using: &random) }

  private mutating func any(_ kind: HistoryKind) -> Int {
    kinds.indices.filter { kinds[$0] == kind }.randomElement(using: &random) ?? 0
  }

  private mutating func anyLink(isMany: Bool) -> HistoryLink {
    let links = HistoryLink.allCases.filter { $0.isMany == isMany }
    return links[Int.random(in: 0..<links.count, using: &random)]
  }
}
