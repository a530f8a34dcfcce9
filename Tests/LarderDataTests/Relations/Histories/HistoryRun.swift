import Foundation
import LarderData
import LarderSQLite
import SwiftData

/// What was seen and should not be.
struct HistoryFailure: Error, CustomStringConvertible {
  let description: String
}

/// A history carried out on a context and on the oracle.
final class HistoryRun {
  let store: TestStore
  let context: ModelContext
  /// Reads after each save of the other, and holds on to what it read.
  private let reader: ModelContext
  /// Makes a context that has seen nothing; nil where that would take too long this time.
  private let anyone: () throws -> ModelContext?
  /// Run after each save, before what is stored is compared.
  var afterSave: (HistoryRun) throws -> Void = { _ in }
  private var readerHolds: [Int: any Piece] = [:]
  var oracle = HistoryOracle()
  /// Objects that somebody holds; the others come and go.
  var held: [Int: any Piece] = [:]
  /// Those of them whose deletion is not saved.
  var dead: [Int: any Piece] = [:]
  private var identifiers: [Int: PersistentIdentifier] = [:]
  private var numbers: [PersistentIdentifier: Int] = [:]
  private(set) var pieces = WeakPieces()

  convenience init(_ place: StoreLocation) throws {
    let store = try TestStore(place, HistoryKind.allCases.map(\.type))
    self.init(store, reader: store.context()) { store.context() }
  }

  init(_ store: TestStore, reader: ModelContext, anyone: @escaping () throws -> ModelContext?) {
    self.store = store
    self.reader = reader
    self.anyone = anyone
    context = store.context()
  }

  // MARK: - Objects

  func object(_ id: Int) throws -> any Piece {
    if let object = held[id] { return object }
    guard let identifier = identifiers[id], let kind = oracle[id]?.kind else {
      throw HistoryFailure(description: "\(id) has no identifier")
    }
    let object = try Self.existing(identifier, kind.type, context)
    pieces.note(id, object)
    held[id] = object
    return object
  }

  private static func existing<T: Piece>(
    _ identifier: PersistentIdentifier, _ type: T.Type, _ context: ModelContext
  ) throws -> any Piece { try context.existingModel(for: identifier, as: type) }

  private func make(_ new: HistoryStep.Newcomer) throws -> any Piece {
    let piece: any Piece
    switch new.kind {
    case .squad: piece = Squad(number: new.number)
    case .player: piece = Player(number: new.number)
    case .club: piece = Club(number: new.number)
    case .locker: piece = Locker(number: new.number)
    case .coach: piece = Coach(number: new.number)
    case .branch: piece = Branch(number: new.number)
    case .kit:
      guard let squad = try new.ones.first.map({ try object($0.1) }) as? Squad else {
        throw HistoryFailure(description: "a kit without a squad")
      }
      piece = Kit(number: new.number, squad: squad)
    }
    for (link, other) in new.ones where oracle.isAlive(other, link.target) { piece.set(link, one: try object(other)) }
    for (link, others) in new.manys {
      piece.set(link, many: try others.filter { oracle.isAlive($0, link.target) }.map(object))
    }
    held[new.id] = piece
    pieces.note(new.id, piece)
    return piece
  }

  /// After the insert of an object the oracle has it, too.
  private func enter(_ new: HistoryStep.Newcomer, _ piece: any Piece) throws {
    guard piece.modelContext == context else { throw HistoryFailure(description: "\(new.id) was not inserted") }
    identifiers[new.id] = piece.persistentModelID
    numbers[piece.persistentModelID] = new.id
  }

  private func predict(_ new: HistoryStep.Newcomer, _ wire: Bool = true) {
    oracle.insert(new.id, new.kind, new.number)
    if wire { predictRelations(new) }
  }

  private func predictRelations(_ new: HistoryStep.Newcomer) {
    for (link, others) in new.manys {
      oracle.setMany(new.id, link, others.filter { oracle.isAlive($0, link.target) })
    }
    for (link, other) in new.ones where oracle.isAlive(other, link.target) { oracle.setOne(new.id, link, other) }
  }

  private func canMake(_ new: HistoryStep.Newcomer) -> Bool {
    new.kind != .kit || new.ones.contains { oracle.isAlive($0.1, .squad) }
  }

  // MARK: - Steps

  func carryOut(_ step: HistoryStep) throws {
    switch step {
    case .insert(let new):
      guard canMake(new) else { return }
      let piece = try make(new)
      insert(piece)
      predict(new)
      try enter(new, piece)
    case .insertList(let owner, let link, let members, let leadsBack, let byMember):
      try insertList(owner, link, members, leadsBack: leadsBack, byMember: byMember)
    case .setOne(let owner, let link, let target):
      guard oracle.isAlive(owner, link.owner), target.map({ oracle.isAlive($0, link.target) }) ?? link.isOptional else {
        return
      }
      try object(owner).set(link, one: target.map(object))
      oracle.setOne(owner, link, target)
    case .setOneToNew(let owner, let link, let new):
      guard oracle.isAlive(owner, link.owner), canMake(new) else { return }
      let piece = try make(new)
      try object(owner).set(link, one: piece)
      predict(new)
      oracle.setOne(owner, link, new.id)
      try enter(new, piece)
    case .setMany(let owner, let link, let targets):
      guard oracle.isAlive(owner, link.owner) else { return }
      let present = targets.filter { oracle.isAlive($0, link.target) }
      try object(owner).set(link, many: present.map(object))
      oracle.setMany(owner, link, present)
    case .append(let owner, let link, let target):
      guard oracle.isAlive(owner, link.owner), oracle.isAlive(target, link.target) else { return }
      let piece = try object(owner)
      piece.set(link, many: try piece.many(link) + [object(target)])
      oracle.setMany(owner, link, (oracle[owner]?.list(link) ?? []) + [target], isWhole: false)
    case .appendNew(let owner, let link, let new):
      guard oracle.isAlive(owner, link.owner), canMake(new) else { return }
      let piece = try make(new)
      let list = try object(owner)
      list.set(link, many: list.many(link) + [piece])
      // One that was related to others as it was made is inserted already, and may have taken some of the list's.
      predict(new)
      let present = (oracle[owner]?.list(link) ?? []).filter { $0 != new.id }
      oracle.setMany(owner, link, present + [new.id], isWhole: false)
      try enter(new, piece)
    case .remove(let owner, let link, let target):
      guard oracle.isAlive(owner, link.owner), oracle.isAlive(target, link.target) else { return }
      let piece = try object(owner)
      let other = try object(target)
      piece.set(link, many: piece.many(link).filter { $0 !== other })
      oracle.setMany(owner, link, (oracle[owner]?.list(link) ?? []).filter { $0 != target }, isWhole: false)
    case .edit(let id, let number):
      guard oracle[id] != nil else { return }
      try object(id).number = number
      oracle.setNumber(id, number)
    case .delete(let ids):
      let present = ids.filter { oracle[$0] != nil }
      for piece in try present.map(object) { delete(piece) }
      for (id, piece) in ids.compactMap({ id in dead[id].map { (id, $0) } }) where !present.contains(id) {
        delete(piece)
        oracle.insist(on: id)
      }
      oracle.delete(present)
      forgetTheDead()
    case .deleteWhere(let kind, let number):
      try delete(kind, where: number)
      oracle.delete(oracle.all(kind).filter { oracle[$0]?.number == number })
      forgetTheDead()
    case .recall(let id): try recall(id)
    case .save: try save()
    case .saveInVain(let id): try saveInVain(id)
    case .rollback:
      context.rollback()
      oracle.rollback()
      dead = [:]
      forgetTheDead()
    case .look(let id, let link): if oracle[id] != nil { try compare(id, link, object(id)) }
    case .lookAtAll: try compareAll()
    case .fetch(let kind): try fetch(kind.type, kind)
    case .letGo: held.removeAll()
    }
    if let error = context.pendingError { throw HistoryFailure(description: "pendingError: \(error)") }
  }

  private func insertList(
    _ owner: HistoryStep.Newcomer, _ link: HistoryLink, _ members: [HistoryStep.Newcomer], leadsBack: Bool,
    byMember: Bool
  ) throws {
    guard canMake(owner), !members.isEmpty, members.allSatisfy(canMake) else { return }
    let piece = try make(owner)
    let others = try members.map(make)
    piece.set(link, many: others)
    if leadsBack, let inverse = link.inverse {
      if inverse.isMany { others[0].set(inverse, many: [piece]) } else { others[0].set(inverse, one: piece) }
    }
    let root = byMember ? others[0] : piece
    insert(root)
    predict(owner, false)
    for member in members { predict(member, false) }
    oracle.setMany(owner.id, link, members.map(\.id))
    for (new, made) in zip([owner] + members, [piece] + others) { try enter(new, made) }
  }

  private func insert<T: Piece>(_ piece: T) { context.insert(piece) }
  private func delete<T: Piece>(_ piece: T) { context.delete(piece) }
  private func delete(_ kind: HistoryKind, where number: Int) throws {
    switch kind {
    case .squad: try context.delete(model: Squad.self, where: #Predicate { $0.number == number })
    case .player: try context.delete(model: Player.self, where: #Predicate { $0.number == number })
    case .kit: try context.delete(model: Kit.self, where: #Predicate { $0.number == number })
    case .club: try context.delete(model: Club.self, where: #Predicate { $0.number == number })
    case .locker: try context.delete(model: Locker.self, where: #Predicate { $0.number == number })
    case .coach: try context.delete(model: Coach.self, where: #Predicate { $0.number == number })
    case .branch: try context.delete(model: Branch.self, where: #Predicate { $0.number == number })
    }
  }

  private func forgetTheDead() {
    for id in held.keys where oracle[id] == nil {
      dead[id] = held[id]
      held[id] = nil
    }
  }

  private func recall(_ id: Int) throws {
    guard oracle.canRecall(id), let piece = dead[id] else { return }
    insert(piece)
    for id in oracle.recall(id) { held[id] = dead.removeValue(forKey: id) }
  }

  // MARK: - Saving

  func save() throws {
    var obstacles = oracle.obstacles
    if !obstacles.isEmpty {
      do {
        try context.save()
        throw HistoryFailure(description: "the save passed over \(obstacles)")
      } catch let error as SaveError where error.code == .deletionDenied || error.code == .unstorableValue {}
      // Mended by deleting what stands in the way, or giving up all.
      for _ in 0..<100 where !obstacles.isEmpty {
        for (id, _) in obstacles where oracle[id] != nil {
          delete(try object(id))
          oracle.delete([id])
        }
        obstacles = oracle.obstacles
      }
      forgetTheDead()
    }
    try context.save()
    oracle.save()
    dead = [:]
    if context.hasChanges { throw HistoryFailure(description: "changes are left after a save") }
    try afterSave(self)
    try checkStore()
    try compareStored()
    oracle.foundSaved()
  }

  private func saveInVain(_ id: Int) throws {
    guard oracle[id] != nil, oracle.obstacles.isEmpty else { return }
    let piece = try object(id)
    let weight = piece.weight
    piece.weight = .nan
    do {
      try context.save()
      throw HistoryFailure(description: "NaN was saved")
    } catch let error as SaveError where error.code == .unstorableValue {}
    piece.weight = weight
    try checkStore()
  }

  private func checkStore() throws {
    let dangling = try store.rows("PRAGMA foreign_key_check")
    guard dangling.isEmpty else { throw HistoryFailure(description: "foreign_key_check: \(dangling)") }
    let integrity = try store.rows("PRAGMA integrity_check")
    guard integrity == [[.text("ok")]] else { throw HistoryFailure(description: "integrity_check: \(integrity)") }
  }

  // MARK: - By another context

  /// Follows a store that names what is saved itself.
  func rename(_ given: [PersistentIdentifier: PersistentIdentifier]) {
    for (id, identifier) in identifiers {
      guard let new = given[identifier] else { continue }
      identifiers[id] = new
      numbers[new] = id
    }
  }

  func identifier(_ id: Int) -> PersistentIdentifier? { identifiers[id] }

  /// The context that reads after each save gives a thing another weight, and saves that.
  func weighElsewhere(_ id: Int, _ weight: Double) throws -> Bool {
    guard oracle.saved[id] != nil, let piece = readerHolds[id] else { return false }
    piece.weight = weight
    try reader.save()
    return true
  }

  /// It relates two things while nothing is pending here, and this context fetches all that there is.
  func relateElsewhere(_ owner: Int, _ link: HistoryLink, _ target: Int?) throws {
    guard !context.hasChanges, oracle.obstacles.isEmpty, oracle.isAlive(owner, link.owner),
      target.map({ oracle.isAlive($0, link.target) }) ?? link.isOptional, let piece = readerHolds[owner]
    else { return }
    piece.set(link, one: target.flatMap { readerHolds[$0] })
    try reader.save()
    oracle.setOne(owner, link, target)
    oracle.save()
    try afterSave(self)
    for kind in HistoryKind.allCases { try fetch(kind.type, kind) }
    // A list that is set is a difference to what was shown of it.
    if let target, let inverse = link.inverse, inverse.isMany { _ = try object(target).many(inverse).count }
  }

  // MARK: - Comparing

  func compareAll() throws {
    for kind in HistoryKind.allCases {
      for id in oracle.all(kind) {
        let piece = try object(id)
        guard piece.number == oracle[id]?.number else {
          throw HistoryFailure(description: "\(kind) \(id) has the number \(piece.number)")
        }
        for link in kind.links { try compare(id, link, piece) }
      }
    }
  }

  private func number(of piece: any Piece) -> String {
    numbers[piece.persistentModelID].map { "\($0)" } ?? "a stranger (\(piece.persistentModelID))"
  }

  private func compare(_ id: Int, _ link: HistoryLink, _ piece: any Piece) throws {
    guard let thing = oracle[id] else { return }
    if link.isMany {
      let members = piece.many(link)
      if oracle.isUnordered(id, link) {
        // Which of those that are back stands where is not foretold, but from here on it stays.
        let seen = members.map { numbers[$0.persistentModelID] ?? -1 }
        guard seen.sorted() == thing.list(link).sorted() else {
          throw HistoryFailure(description: "\(link) of \(id) holds \(seen), not \(thing.list(link))")
        }
        return oracle.setOrder(id, link, seen)
      }
      let seen = members.map(number(of:))
      let expected = thing.list(link).map { "\($0)" }
      if seen != expected { throw HistoryFailure(description: "\(link) of \(id): \(seen), not \(expected)") }
      return
    }
    let target = thing.ones[link]
    // What a save will refuse can still be read.
    let other = piece.one(link)
    if let target, oracle[target] == nil {
      _ = other?.number
      return
    }
    if target == nil, !link.isOptional {
      _ = other?.number
      return
    }
    if other.map(number(of:)) != target.map({ "\($0)" }) {
      throw HistoryFailure(
        description: "\(link) of \(id): \(other.map(number(of:)) ?? "nil"), not \(target.map { "\($0)" } ?? "nil")")
    }
  }

  func fetch<T: Piece>(_ type: T.Type, _ kind: HistoryKind) throws {
    let found = try context.fetch(FetchDescriptor<T>())
    let seen = found.map { numbers[$0.persistentModelID] ?? -1 }
    guard seen.sorted() == oracle.all(kind), Set(seen).count == seen.count else {
      throw HistoryFailure(description: "\(kind) fetched: \(seen), not \(oracle.all(kind))")
    }
    for (id, piece) in zip(seen, found) {
      pieces.note(id, piece)
      if let known = held[id], known !== piece { throw HistoryFailure(description: "\(id) has two instances") }
      held[id] = piece
    }
  }

  /// What a context that has seen nothing reads, and one that has seen everything.
  private func compareStored() throws {
    if let fresh = try anyone() {
      var all: [Int: any Piece] = [:]
      for kind in HistoryKind.allCases { try read(kind.type, kind, fresh, into: &all) }
      try compareStored(all, "a fresh context")
    }
    for kind in HistoryKind.allCases { try read(kind.type, kind, reader, into: &readerHolds) }
    for id in readerHolds.keys where oracle[id] == nil { readerHolds[id] = nil }
    try compareStored(readerHolds, "another context")
  }

  private func read<T: Piece>(
    _ type: T.Type, _ kind: HistoryKind, _ context: ModelContext, into all: inout [Int: any Piece]
  ) throws {
    for piece in try context.fetch(FetchDescriptor<T>()) { all[numbers[piece.persistentModelID] ?? -1] = piece }
  }

  private func compareStored(_ all: [Int: any Piece], _ who: String) throws {
    guard Set(all.keys) == Set(oracle.saved.keys) else {
      throw HistoryFailure(description: "\(who) has \(all.keys.sorted()), not \(oracle.saved.keys.sorted())")
    }
    for (id, piece) in all {
      do {
        guard piece.number == oracle[id]?.number else { throw HistoryFailure(description: "the number of \(id)") }
        for link in oracle[id]?.kind.links ?? [] { try compare(id, link, piece) }
      } catch let failure as HistoryFailure {
        throw HistoryFailure(description: "\(who): \(failure)")
      }
    }
  }

  /// The last step of every history.
  func end() throws {
    try compareAll()
    for kind in HistoryKind.allCases { try fetch(kind.type, kind) }
    try save()
  }
}
