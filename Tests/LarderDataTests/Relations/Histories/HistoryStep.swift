import TestSeeds

/// One step of a history, with the numbers of what it concerns, so that a history can be run again without some of its
/// steps. What refers to a thing that is not there does nothing.
enum HistoryStep {
  /// An object that is put together before it is inserted.
  struct Newcomer {
    var id: Int
    var kind: HistoryKind
    var number: Int
    var ones: [(HistoryLink, Int)] = []
    var manys: [(HistoryLink, [Int])] = []
  }

  case insert(Newcomer)
  /// A list of new objects with their owner; inserted by the owner, or by the first of the members, which leads back.
  case insertList(Newcomer, HistoryLink, [Newcomer], leadsBack: Bool, byMember: Bool)
  case setOne(Int, HistoryLink, Int?)
  case setOneToNew(Int, HistoryLink, Newcomer)
  case setMany(Int, HistoryLink, [Int])
  case append(Int, HistoryLink, Int)
  case appendNew(Int, HistoryLink, Newcomer)
  case remove(Int, HistoryLink, Int)
  case edit(Int, Int)
  case delete([Int])
  case deleteWhere(HistoryKind, number: Int)
  /// A deletion is taken back by an insert.
  case recall(Int)
  case save
  /// A save that fails for the sake of one object's value.
  case saveInVain(Int)
  case rollback
  case look(Int, HistoryLink)
  case lookAtAll
  case fetch(HistoryKind)
  case letGo
}

// MARK: - At random

/// Makes steps that suit what is there.
struct HistoryGenerator {
  var random: SeededGenerator
  private var lastID = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func step(_ oracle: HistoryOracle) -> HistoryStep {
    if random.chance(20), let id = oracle.dead.randomElement(using: &random) { return .recall(id) }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: return insertion(oracle)
    case 10..<26: return toOne(oracle)
    case 26..<50: return toMany(oracle)
    case 50..<54:
      guard let id = any(oracle) else { return insertion(oracle) }
      return .edit(id, Int.random(in: 0..<10, using: &random))
    case 54..<61:
      let count = random.chance(70) ? 1 : 3
      let dead = random.chance(20) ? oracle.dead.randomElement(using: &random) : nil
      return .delete((0..<count).compactMap { _ in any(oracle) } + (dead.map { [$0] } ?? []))
    case 61..<63:
      return .deleteWhere(any(HistoryKind.allCases), number: Int.random(in: 0..<10, using: &random))
    case 63..<73: return .save
    case 73..<75: return any(oracle).map { .saveInVain($0) } ?? .save
    case 75..<78: return .rollback
    case 78..<84: return .letGo
    case 84..<88: return .fetch(any(HistoryKind.allCases))
    case 88..<92: return .lookAtAll
    default:
      let link = any(HistoryLink.allCases)
      guard let id = oracle.all(link.owner).randomElement(using: &random) else { return .lookAtAll }
      return .look(id, link)
    }
  }

  private mutating func any<T>(_ all: [T]) -> T { all[Int.random(in: 0..<all.count, using: &random)] }
  private mutating func any(_ oracle: HistoryOracle) -> Int? {
    oracle.all(any(HistoryKind.allCases)).randomElement(using: &random)
  }

  private mutating func newcomer(_ kind: HistoryKind, _ oracle: HistoryOracle, isPlain: Bool) -> HistoryStep.Newcomer? {
    lastID += 1
    var result = HistoryStep.Newcomer(id: lastID, kind: kind, number: Int.random(in: 0..<10, using: &random))
    for link in kind.links {
      guard !link.isOptional || (!isPlain && random.chance(30)) else { continue }
      let others = oracle.all(link.target)
      if link.isMany {
        result.manys.append((link, some(others)))
      } else if let other = others.randomElement(using: &random) {
        result.ones.append((link, other))
      } else if !link.isOptional {
        return nil
      }
    }
    return result
  }

  /// Some of them, in any order.
  private mutating func some(_ all: [Int]) -> [Int] {
    Array(all.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)))
  }

  private mutating func insertion(_ oracle: HistoryOracle) -> HistoryStep {
    if random.chance(25) {
      let links: [HistoryLink] = [
        .squadPlayers, .squadGuests, .playerClubs, .clubPlayers, .playerFriends, .playerRivals, .playerRivalOf,
        .playerCoaches, .branchTwigs,
      ]
      let link = any(links)
      let members = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
        newcomer(link.target, oracle, isPlain: true)
      }
      if let owner = newcomer(link.owner, oracle, isPlain: true) {
        let leadsBack = link.inverse != nil && random.chance(50)
        return .insertList(owner, link, members, leadsBack: leadsBack, byMember: leadsBack && random.chance(50))
      }
    }
    // Squads first: kits need one.
    return newcomer(any(HistoryKind.allCases), oracle, isPlain: random.chance(40)).map { .insert($0) } ?? .save
  }

  private mutating func toOne(_ oracle: HistoryOracle) -> HistoryStep {
    let link = any(HistoryLink.allCases.filter { !$0.isMany })
    guard let owner = oracle.all(link.owner).randomElement(using: &random) else { return insertion(oracle) }
    if random.chance(12), let new = newcomer(link.target, oracle, isPlain: random.chance(50)) {
      return .setOneToNew(owner, link, new)
    }
    let isNil = link.isOptional && random.chance(25)
    return .setOne(owner, link, isNil ? nil : oracle.all(link.target).randomElement(using: &random))
  }

  private mutating func toMany(_ oracle: HistoryOracle) -> HistoryStep {
    let link = any(HistoryLink.allCases.filter(\.isMany))
    guard let owner = oracle.all(link.owner).randomElement(using: &random) else { return insertion(oracle) }
    let present = oracle[owner]?.list(link) ?? []
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return .setMany(owner, link, some(oracle.all(link.target)))
    case 1: return .setMany(owner, link, present.shuffled(using: &random))
    case 2:
      // One moves, and one may come twice.
      var list = present
      guard let member = list.randomElement(using: &random) else { return .setMany(owner, link, []) }
      list.insert(member, at: Int.random(in: 0...list.count, using: &random))
      return .setMany(owner, link, list)
    case 3:
      return present.randomElement(using: &random).map { .remove(owner, link, $0) } ?? .setMany(owner, link, [])
    case 4:
      return newcomer(link.target, oracle, isPlain: random.chance(50)).map { .appendNew(owner, link, $0) } ?? .save
    default:
      return oracle.all(link.target).randomElement(using: &random).map { .append(owner, link, $0) } ?? .save
    }
  }
}
