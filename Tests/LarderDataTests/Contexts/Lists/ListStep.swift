import LarderData
import TestSeeds

/// One step of a history of shared lists: which context takes it, and what it does. Things are numbers that are counted through
/// what the context knows, so that a history can be run without some of its steps.
struct ListStep: CustomStringConvertible {
  enum Action {
    case look(Int, ListLink)
    case append(Int, ListLink, Int)
    case appendNew(Int, ListLink)
    case insert(Int, ListLink, Int, at: Int)
    case remove(Int, ListLink, at: Int)
    case removeAll(Int, ListLink)
    case move(Int, ListLink, from: Int, to: Int)
    case reverse(Int, ListLink)
    case sort(Int, ListLink)
    case swap(Int, ListLink, Int, Int)
    case replace(Int, ListLink, at: Int, by: Int)
    /// What the list was shown as last, with some left out and one added, without another look at it.
    case setFromShown(Int, ListLink, without: Int, with: Int)
    /// The other end of one to many.
    case lead(Int, ListLink, Int)
    case free(Int, ListLink)
    case edit(Int, isCard: Bool)
    case delete(Int, isCard: Bool)
    case save
    case fetch
    case rollback
  }

  let side: Int
  let action: Action

  var description: String { "\(side): \(action)" }
}

/// Makes steps at random, without looking at what is there.
struct ListGenerator {
  private var random: SeededGenerator
  let sides: Int
  /// Which of the contexts begin before anything was saved, and which are an actor's.
  let early: [Bool]
  let actors: [Bool]
  /// Which have, on disk, a container of their own for the same file.
  let apart: [Bool]
  let policies: [MergePolicy]
  /// Few links in a history, so that contexts meet in them.
  private let links: [ListLink]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    sides = Int.random(in: 2...4, using: &random)
    // Each policy is met most often with itself and with the default.
    let all = MergePolicy.allCases + [.mergeByPropertyObjectTrump]
    var (early, actors, apart, policies): ([Bool], [Bool], [Bool], [MergePolicy]) = ([], [], [], [])
    for _ in 0..<sides {
      early.append(random.chance(50))
      actors.append(random.chance(40))
      apart.append(random.chance(30))
      policies.append(all[Int.random(in: all.indices, using: &random)])
    }
    (self.early, self.actors, self.apart, self.policies) = (early, actors, apart, policies)
    let first = ListLink.allCases[Int.random(in: 0..<ListLink.allCases.count, using: &random)]
    let second = ListLink.allCases[Int.random(in: 0..<ListLink.allCases.count, using: &random)]
    links = random.chance(70) ? [first, first.other ?? second] : [first, second]
  }

  mutating func step() -> ListStep {
    ListStep(side: Int.random(in: 0..<sides, using: &random), action: action())
  }

  private mutating func action() -> ListStep.Action {
    let link = links[Int.random(in: 0..<links.count, using: &random)]
    // Two owners, and some members.
    let owner = Int.random(in: 0..<(random.chance(80) ? 2 : 4), using: &random)
    let (one, two) = (Int.random(in: 0..<6, using: &random), Int.random(in: 0..<6, using: &random))
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<8: return .look(owner, link)
    case 8..<20: return .append(owner, link, one)
    case 20..<30: return .appendNew(owner, link)
    case 30..<37: return .insert(owner, link, one, at: two)
    case 37..<47: return .remove(owner, link, at: one)
    case 47..<49: return .removeAll(owner, link)
    case 49..<52: return .move(owner, link, from: one, to: two)
    case 52..<53: return .swap(owner, link, one, two)
    case 53..<55: return .replace(owner, link, at: one, by: two)
    case 55..<56: return .reverse(owner, link)
    case 56..<57: return .sort(owner, link)
    case 57..<62: return .setFromShown(owner, link, without: one, with: two)
    case 62..<66: return .lead(one, link, owner)
    case 66..<68: return .free(one, link)
    case 68..<71: return .edit(one, isCard: random.chance(50))
    case 71..<73: return .delete(Int.random(in: 0..<8, using: &random), isCard: random.chance(80))
    case 73..<75: return .fetch
    case 75..<77: return .rollback
    default: return .save
    }
  }
}
