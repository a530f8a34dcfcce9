import Foundation
import LarderData
import SwiftData

/// A history of contexts that share lists and do not fetch before they edit, against sets and sequences.
///
/// What is checked at each save: what it has put into lists is in them, what it has taken out is not, what it has not touched
/// is as others have left it, and members stand in the order that somebody gave them.
final class ListRun {
  private static let boards = 0..<4
  private static let cards = 4..<10

  private let store: TestStore
  private var container: ModelContainer { store.container }
  private let generator: ListGenerator
  private var sides: [Int: ListSide] = [:]
  private var truth = ListTruth()
  private var names: [PersistentIdentifier: Int] = [:]
  /// What was stored and others have deleted.
  private var gone: Set<Int> = []
  private var count = 0
  private(set) var saves = 0
  private(set) var refused = 0
  /// When the owner of a member, a pair, and a list, was last changed by a save.
  private var ownersChanged: [ListWork.Member: Int] = [:]
  private var pairsChanged: [ListPair: Int] = [:]
  private var listsChanged: [ListPlace: Int] = [:]
  private var number = 0

  init(_ store: TestStore, _ generator: ListGenerator) throws {
    self.store = store
    self.generator = generator
    for side in 0..<generator.sides where generator.early[side] { try makeSide(side) }
    let writer = ModelContext(container)
    let boards = ListRun.boards.map { Board(number: $0) }
    let cards = ListRun.cards.map { Card(number: $0) }
    for model in boards { writer.insert(model) }
    for model in cards { writer.insert(model) }
    boards[0].cards = [cards[0], cards[1], cards[2]]
    boards[1].cards = [cards[3]]
    boards[0].pinned = [cards[0], cards[1]]
    boards[1].pinned = [cards[1], cards[2]]
    boards[0].noted = [cards[0], cards[2], cards[1]]
    boards[0].parts = [boards[2], boards[3]]
    boards[0].likes = [boards[1], boards[2]]
    try writer.save()
    for model in boards { names[model.persistentModelID] = model.number }
    for model in cards { names[model.persistentModelID] = model.number }
    count = ListRun.cards.upperBound
    truth = try read()
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }
  private func fail(_ description: String) -> Failure { Failure(description: description) }

  private func makeSide(_ place: Int) throws {
    let isApart = store.place == .disk && generator.apart[place]
    let container = isApart ? try TestStore.open(.disk, store.url, [Board.self, Card.self]) : container
    sides[place] = ListSide(container, generator.policies[place], isActors: generator.actors[place])
  }

  // MARK: - Steps

  func carryOut(_ step: ListStep) throws {
    if sides[step.side] == nil { try makeSide(step.side) }
    guard let side = sides[step.side] else { return }
    try side.perform {
      if side.objects.isEmpty { try fetch(side) }
      try carryOut(step.action, side)
    }
    for other in sides.values where other !== side { other.endTurn() }
  }

  private func carryOut(_ action: ListStep.Action, _ side: ListSide) throws {
    switch action {
    case .look(let owner, let link):
      if let owner = pick(owner, isCard: link.isOfCards, side) { _ = try look(owner, link, side) }
    case .append(let owner, let link, let member):
      try edit(owner, link, side) { list in
        if let member = self.pick(member, isCard: link.leadsToCards, side) { list.append(member) }
      }
    case .appendNew(let owner, let link): try edit(owner, link, side) { $0.append(self.make(link, side)) }
    case .insert(let owner, let link, let member, let place):
      try edit(owner, link, side) { list in
        guard let member = self.pick(member, isCard: link.leadsToCards, side) else { return }
        // What is put in again stays where it was.
        guard !list.contains(where: { $0 === member }) else { return }
        list.insert(member, at: place % (list.count + 1))
      }
    case .remove(let owner, let link, let place):
      try edit(owner, link, side) { if !$0.isEmpty { $0.remove(at: place % $0.count) } }
    case .removeAll(let owner, let link): try edit(owner, link, side) { $0 = [] }
    case .move(let owner, let link, let from, let to):
      try edit(owner, link, side) { list in
        if list.isEmpty { return }
        let member = list.remove(at: from % list.count)
        list.insert(member, at: to % (list.count + 1))
      }
    case .reverse(let owner, let link): try edit(owner, link, side) { $0.reverse() }
    case .sort(let owner, let link): try edit(owner, link, side) { $0.sort { $0.number < $1.number } }
    case .swap(let owner, let link, let one, let two):
      try edit(owner, link, side) { list in
        if !list.isEmpty { list.swapAt(one % list.count, two % list.count) }
      }
    case .replace(let owner, let link, let place, let member):
      try edit(owner, link, side) { list in
        guard !list.isEmpty, let member = self.pick(member, isCard: link.leadsToCards, side) else { return }
        guard !list.contains(where: { $0 === member }) else { return }
        list[place % list.count] = member
      }
    case .setFromShown(let owner, let link, let without, let with):
      guard let owner = pick(owner, isCard: link.isOfCards, side), let id = names[owner.persistentModelID],
        var list = side.work.shown[ListPlace(link: link, owner: id)]?.compactMap({ side.objects[$0] }).filter(isThere)
      else { return }
      if !list.isEmpty { list.remove(at: without % list.count) }
      if let member = pick(with, isCard: link.leadsToCards, side) { list.append(member) }
      try assign(list, owner, link, side)
    case .lead(let member, let link, let owner):
      guard link.isOneToMany, let owner = pick(owner, isCard: false, side),
        let member = pick(member, isCard: link.leadsToCards, side), member !== owner
      else { return }
      try lead(member, link, to: owner, side)
    case .free(let member, let link):
      guard link.isOneToMany, let member = pick(member, isCard: link.leadsToCards, side) else { return }
      try lead(member, link, to: nil, side)
    case .edit(let id, let isCard):
      number += 1
      pick(id, isCard: isCard, side)?.number = 1_000 + number
    case .delete(let id, let isCard):
      guard let model = pick(id, isCard: isCard, side) else { return }
      if let id = names[model.persistentModelID] { side.work.delete(id, truth) }
      delete(model, side.context)
    case .save: try save(side)
    case .fetch:
      try fetch(side)
      side.work.synced = saves
      if side.context.hasChanges { try compareEnds(side) } else { try compare(side) }
    case .rollback: try rollback(side)
    }
  }

  private func isThere(_ model: any Listed) -> Bool { model.modelContext != nil && !model.isDeleted }
  private func delete<Model: Listed>(_ model: Model, _ context: ModelContext) { context.delete(model) }

  private func pick(_ place: Int, isCard: Bool, _ side: ListSide) -> (any Listed)? {
    let there = side.objects.keys.sorted().compactMap { side.objects[$0] }.filter {
      ($0 is Card) == isCard && isThere($0)
    }
    return there.isEmpty ? nil : there[place % there.count]
  }

  private func make(_ link: ListLink, _ side: ListSide) -> any Listed {
    let model: any Listed = link.leadsToCards ? Card(number: count) : Board(number: count)
    insert(model, side.context)
    names[model.persistentModelID] = count
    side.objects[count] = model
    count += 1
    return model
  }

  private func insert<Model: Listed>(_ model: Model, _ context: ModelContext) { context.insert(model) }

  private func look(_ owner: any Listed, _ link: ListLink, _ side: ListSide) throws -> [any Listed] {
    let list = owner.list(link)
    guard isThere(owner), let id = names[owner.persistentModelID] else { return list }
    for member in list where isThere(member) { try register(member, side) }
    let ids = list.compactMap { names[$0.persistentModelID] }
    if Set(ids).count < list.count { throw fail("\(link) of \(id) has one twice: \(ids)") }
    side.work.shown[ListPlace(link: link, owner: id)] = ids
    return list
  }

  private func register(_ model: any Listed, _ side: ListSide) throws {
    guard let id = names[model.persistentModelID] else { throw fail("a stranger: \(model.persistentModelID)") }
    side.objects[id] = model
  }

  private func edit(
    _ owner: Int, _ link: ListLink, _ side: ListSide, _ change: (inout [any Listed]) -> Void
  ) throws {
    guard let owner = pick(owner, isCard: link.isOfCards, side) else { return }
    var list = try look(owner, link, side)
    change(&list)
    try assign(list, owner, link, side)
  }

  private func assign(_ list: [any Listed], _ owner: any Listed, _ link: ListLink, _ side: ListSide) throws {
    guard isThere(owner), let id = names[owner.persistentModelID] else { return }
    // Nothing is in its own list, and once in each.
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(owner)]
    let list = list.filter { isThere($0) && seen.insert(ObjectIdentifier($0)).inserted }
    let (ids, place) = (list.compactMap { names[$0.persistentModelID] }, ListPlace(link: link, owner: id))
    // "A change of a list goes with its owner": what was changed before stays as it was.
    if gone.contains(id) { side.work.takeBack(ids, from: place) } else { side.work.assign(ids, to: place, truth) }
    owner.set(link, list)
  }

  private func lead(_ member: any Listed, _ link: ListLink, to owner: (any Listed)?, _ side: ListSide) throws {
    guard let id = names[member.persistentModelID] else { return }
    let present = member.owner(link)
    guard present !== owner, isThere(member), owner.map(isThere) != false else { return }
    let place = owner.flatMap { names[$0.persistentModelID] }.map { ListPlace(link: link, owner: $0) }
    side.work.lead(id, to: place, link, truth)
    member.lead(link, to: owner)
  }

  private func fetch(_ side: ListSide) throws {
    for board in try side.context.fetch(FetchDescriptor<Board>()) { try register(board, side) }
    for card in try side.context.fetch(FetchDescriptor<Card>()) { try register(card, side) }
  }

  private func rollback(_ side: ListSide) throws {
    side.context.rollback()
    side.work.end(at: side.work.synced)
    side.work.shown = [:]
  }

  // MARK: - Saving

  private func save(_ side: ListSide) throws {
    let before = truth
    // What others saved is taken over by a save of changes.
    let hasChanges = side.context.hasChanges
    do {
      try side.context.save()
    } catch let error as SaveError {
      refused += 1
      let isLedToGone = side.work.moves.values.contains { $0.isLed && $0.to.map { !truth.isThere($0) } ?? false }
      let isExpected =
        switch error.code {
        case .mergeConflict, .rowDeleted: side.context.mergePolicy == .error
        case .referencedRowDeleted: isLedToGone || side.context.mergePolicy == .error
        default: false
        }
      guard isExpected else { throw error }
      guard try read().sequences == truth.sequences else { throw fail("a save that was refused has written: \(error)") }
      return try rollback(side)
    }
    saves += 1
    let after = try read()
    try ListCheck(
      before: before, after: after, work: side.work, policy: side.context.mergePolicy, owners: ownersChanged,
      pairs: pairsChanged, lists: listsChanged
    ).check()
    note(before, after)
    truth = after
    side.work.end(at: hasChanges ? saves : side.work.synced)
    for other in sides.values where other !== side { other.work.othersSaved(before, after) }
  }

  private func note(_ before: ListTruth, _ after: ListTruth) {
    gone.formUnion(before.boards.union(before.cards).subtracting(after.boards).subtracting(after.cards))
    for place in Set(before.sequences.keys).union(after.sequences.keys)
    where before.sequences[place] ?? [] != after.sequences[place] ?? [] {
      listsChanged[place] = saves
    }
    for pair in before.pairs.symmetricDifference(after.pairs) { pairsChanged[pair] = saves }
    for link in ListLink.allCases where link.isOneToMany {
      let (was, now) = (before.owners(link), after.owners(link))
      for member in Set(was.keys).union(now.keys) where was[member] != now[member] {
        ownersChanged[ListWork.Member(link: link, id: member)] = saves
      }
    }
  }

  /// What is stored, as a fresh context reads it.
  private func read() throws -> ListTruth {
    let context = ModelContext(container)
    var found = ListTruth()
    func note(_ model: any Listed, _ links: [ListLink]) throws -> Int {
      guard let id = names[model.persistentModelID] else { throw fail("a stranger: \(model.persistentModelID)") }
      for link in links {
        found.sequences[ListPlace(link: link, owner: id)] = model.list(link).compactMap { names[$0.persistentModelID] }
      }
      return id
    }
    for board in try context.fetch(FetchDescriptor<Board>()) {
      found.boards.insert(try note(board, ListLink.allCases.filter { !$0.isOfCards }))
    }
    for card in try context.fetch(FetchDescriptor<Card>()) { found.cards.insert(try note(card, [.pins])) }
    for (place, members) in found.sequences {
      guard let other = place.link.other else { continue }
      for member in members where found.sequences[ListPlace(link: other, owner: member)]?.contains(place.owner) != true
      {
        throw fail(
          "\(place.link) of \(place.owner) has \(member) in the store, and \(other) of that does not lead back")
      }
    }
    return found
  }

  /// A context without changes shows what is stored.
  private func compare(_ side: ListSide) throws {
    for (id, model) in side.objects where isThere(model) {
      for link in ListLink.allCases where link.isOfCards == (model is Card) {
        let list = try look(model, link, side).compactMap { names[$0.persistentModelID] }
        let stored = truth.sequences[ListPlace(link: link, owner: id)]
        if list != stored { throw fail("\(link) of \(id) shows \(list), and \(stored ?? []) is stored") }
      }
    }
  }

  /// A context that has taken over what others saved shows a pair in both lists, or in neither, whatever is pending.
  private func compareEnds(_ side: ListSide) throws {
    for model in side.objects.keys.sorted().compactMap({ side.objects[$0] }) where isThere(model) {
      for link in ListLink.allCases where link.isOfCards == (model is Card) {
        guard let other = link.other else { continue }
        for member in try look(model, link, side) where !(try look(member, other, side).contains { $0 === model }) {
          throw fail("\(link) of \(model.number) shows \(member.number), and \(other) of that does not lead back")
        }
      }
    }
  }

  /// Everybody saves, and shows the same.
  func end() throws {
    for place in sides.keys.sorted() {
      guard let side = sides[place] else { continue }
      try side.perform { try save(side) }
    }
    for place in sides.keys.sorted() {
      guard let side = sides[place] else { continue }
      try side.perform {
        try fetch(side)
        if side.context.hasChanges { throw fail("changes are left") }
        try compare(side)
        side.objects = [:]
      }
      side.endTurn()
    }
  }
}
