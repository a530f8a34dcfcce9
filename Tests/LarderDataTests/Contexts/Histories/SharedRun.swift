import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import SwiftData

/// A history of several contexts of one store, a merge policy each.
///
/// What is checked: after each step both ends of every relationship agree in the context that took it, and nothing leads to
/// what is gone; attributes are what the policy says; a context without changes shows what a fresh one reads; and no save
/// loses what another has saved, unless its policy says so.
final class SharedRun {
  /// Those of the contexts, of which two are model actors'.
  static let policies: [MergePolicy] = [
    .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .error, .overwrite,
  ]
  private static let actors = 1...2

  private struct Attributes: Equatable {
    var number: Int
    var weight: Double
  }

  private typealias Side = SharedSide
  private typealias Edits = SharedSide.Edits

  private let store: TestStore
  private let sides: [Side]
  private var kinds: [Int: HistoryKind] = [:]
  private var identifiers: [Int: PersistentIdentifier] = [:]
  private var names: [PersistentIdentifier: Int] = [:]
  /// What is stored.
  private var stored: [Int: Attributes] = [:] { didSet { everStored.formUnion(stored.keys) } }
  private var everStored: Set<Int> = []
  private(set) var pieces = WeakPieces()
  private(set) var saves = 0
  private(set) var refusals: [SaveError.Code: Int] = [:]
  private(set) var drops = 0
  private(set) var undone = 0
  private(set) var redone = 0

  init(_ place: StoreLocation) throws {
    store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Branch.self)
    sides = SharedRun.policies.enumerated().map { [store] place, policy in
      Side(store, policy, isActors: SharedRun.actors.contains(place))
    }
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }
  private func fail(_ description: String) -> Failure { Failure(description: description) }

  // MARK: - Steps

  func carryOut(_ step: SharedStep) throws {
    let side = sides[step.context]
    if case .autosave = step.action {
      try autosave(side)
    } else {
      try side.perform { try carryOut(step.action, side) }
    }
    // What was saved reaches actors by itself.
    for other in sides where other.isActors && other !== side {
      other.endTurn()
      try other.perform { try catchUp(other) }
    }
  }

  private func carryOut(_ action: SharedStep.Action, _ side: Side) throws {
    switch action {
    case .insert(let id, let kind, let number, let squad): try insert(id, kind, number, squad, side)
    case .edit(let id, let number):
      guard let piece = try piece(id, side), piece.number != number else { break }
      let base = side.edits[id]?.number?.base ?? piece.number
      piece.number = number
      side.edits[id, default: Edits()].number = (number, base)
    case .weigh(let id, let weight):
      guard let piece = try piece(id, side), piece.weight != weight else { break }
      let base = side.edits[id]?.weight?.base ?? piece.weight
      piece.weight = weight
      side.edits[id, default: Edits()].weight = (weight, base)
    case .setOne(let id, let link, nil):
      guard link.isOptional, let piece = try owner(id, link, side) else { break }
      piece.set(link, one: nil)
    case .setOne(let id, let link, let other?):
      guard let target = try target(other, link, side), let piece = try owner(id, link, side),
        isThere(target)
      else { break }
      piece.set(link, one: target)
    case .setMany(let id, let link, let others):
      let targets = try others.compactMap { try target($0, link, side) }
      guard let piece = try owner(id, link, side) else { break }
      piece.set(link, many: targets.filter(isThere))
    case .append(let id, let link, let other):
      guard let target = try target(other, link, side), let piece = try owner(id, link, side),
        isThere(target)
      else { break }
      piece.set(link, many: piece.many(link) + [target])
    case .remove(let id, let link, let other):
      guard let target = try target(other, link, side), let piece = try owner(id, link, side), isThere(target) else {
        break
      }
      piece.set(link, many: piece.many(link).filter { $0 !== target })
    case .delete(let id): if let piece = try piece(id, side) { delete(piece, side.context) }
    case .fetch(let kind): try fetch(kind.type, side)
    case .look(let id, let link): if let piece = try owner(id, link, side) { look(at: piece, link) }
    case .save: try save(side)
    case .rollback:
      side.context.rollback()
      side.edits = [:]
      try compareWithStore(side)
    case .undo:
      try changeByManager(side) { manager in
        if manager.canUndo { undone += 1 }
        manager.undo()
      }
    case .redo:
      try changeByManager(side) { manager in
        if manager.canRedo { redone += 1 }
        manager.redo()
      }
    case .endStep: side.context.processPendingChanges()
    case .autosave: break
    case .letGo: side.held = [:]
    }
    try check(side)
  }

  // MARK: - Undo

  /// What an undo brings about is told by the objects; all that is checked of other changes is checked of its, too.
  private func changeByManager(_ side: Side, _ change: (UndoManager) -> Void) throws {
    try catchUp(side)
    change(side.manager)
    let known = side.edits
    side.edits = [:]
    for model in side.context.insertedModelsArray + side.context.changedModelsArray {
      guard let piece = model as? any Piece, let id = names[piece.persistentModelID] else {
        throw fail("an undo has made a stranger: \(model.persistentModelID)")
      }
      side.held[id] = piece
      pieces.note(id, piece)
      var edits = Edits()
      let now = stored[id]
      // Of what others have deleted, and may bring back, only edits from before are known.
      if piece.isEdited("number"), let base = known[id]?.number?.base ?? now?.number {
        edits.number = (piece.number, base)
      }
      if piece.isEdited("weight"), let base = known[id]?.weight?.base ?? now?.weight {
        edits.weight = (piece.weight, base)
      }
      if edits.number != nil || edits.weight != nil { side.edits[id] = edits }
    }
  }

  /// The context's object of a thing, if it can have one. To find it may show that others have deleted those found
  /// before; so an owner is asked for last, when its context has caught up.
  private func piece(_ id: Int, _ side: Side) throws -> (any Piece)? {
    if let known = side.held[id], isThere(known) { return known }
    side.held[id] = nil
    guard let identifier = identifiers[id], let kind = kinds[id] else { return nil }
    guard let found = try existing(identifier, kind.type, side.context) else { return nil }
    side.held[id] = found
    pieces.note(id, found)
    return found
  }

  private func isThere(_ piece: any Piece) -> Bool { piece.modelContext != nil && !piece.isDeleted }

  private func existing<T: Piece>(
    _ identifier: PersistentIdentifier, _ type: T.Type, _ context: ModelContext
  ) throws -> (any Piece)? {
    do {
      return try context.existingModel(for: identifier, as: type)
    } catch let error as FetchError where error.code == .rowNotFound {
      return nil
    }
  }

  private func owner(_ id: Int, _ link: HistoryLink, _ side: Side) throws -> (any Piece)? {
    kinds[id] == link.owner ? try piece(id, side) : nil
  }

  private func target(_ id: Int, _ link: HistoryLink, _ side: Side) throws -> (any Piece)? {
    kinds[id] == link.target ? try piece(id, side) : nil
  }

  private func insert(_ id: Int, _ kind: HistoryKind, _ number: Int, _ squad: Int, _ side: Side) throws {
    let new: any Piece
    switch kind {
    case .squad: new = Squad(number: number)
    case .player: new = Player(number: number)
    case .kit:
      guard kinds[squad] == .squad, let squad = try piece(squad, side) as? Squad else { return }
      new = Kit(number: number, squad: squad)
    case .club: new = Club(number: number)
    case .locker: new = Locker(number: number)
    case .coach: new = Coach(number: number)
    case .branch: new = Branch(number: number)
    }
    insert(new, side.context)
    kinds[id] = kind
    identifiers[id] = new.persistentModelID
    names[new.persistentModelID] = id
    side.held[id] = new
    pieces.note(id, new)
  }

  private func insert<T: Piece>(_ piece: T, _ context: ModelContext) { context.insert(piece) }
  private func delete<T: Piece>(_ piece: T, _ context: ModelContext) { context.delete(piece) }
  private func fetch<T: Piece>(_ type: T.Type, _ side: Side) throws {
    for piece in try side.context.fetch(FetchDescriptor<T>()) {
      guard let id = names[piece.persistentModelID] else { throw fail("a stranger: \(piece.persistentModelID)") }
      side.held[id] = piece
      pieces.note(id, piece)
    }
  }

  // MARK: - Saving

  private func save(_ side: Side) throws {
    try catchUp(side)
    try save(side, Before(side, stored)) { try side.context.save() }
  }

  /// At the end of the actor's turn; what refused that then refuses a save that is asked for.
  private func autosave(_ side: Side) throws {
    guard side.savesByItself else { return try side.perform { try save(side) } }
    var before: Before?
    try side.perform {
      try catchUp(side)
      before = Before(side, stored)
    }
    let hasSaved = try side.autosave()
    try side.perform {
      guard let before else { return }
      try save(side, before) {
        guard !hasSaved else { return }
        try side.context.save()
        throw fail("what could not be saved by itself could be saved")
      }
      try check(side)
    }
  }

  /// What a save is to write, and what was stored before it.
  private struct Before {
    let edits: [Int: Edits]
    /// A thing that is deleted is not written.
    let written: [Int: Edits]
    let stored: [Int: Attributes]

    init(_ side: Side, _ stored: [Int: Attributes]) {
      edits = side.edits
      written = edits.filter { id, _ in side.held[id].map { $0.modelContext != nil && !$0.isDeleted } ?? true }
      self.stored = stored
    }
  }

  private func save(_ side: Side, _ state: Before, _ save: () throws -> Void) throws {
    let (edits, written, before) = (state.edits, state.written, state.stored)
    let fault = side.context.pendingError
    do {
      try save()
      if let fault { throw fail("a save says nothing of \(fault)") }
    } catch let error as SaveError {
      refusals[error.code, default: 0] += 1
      switch error.code {
      case .rowDeleted, .referencedRowDeleted, .deletionDenied, .unstorableValue: break
      case .mergeConflict where side.context.mergePolicy == .error: break
      default: throw error
      }
      guard try read() == before else { throw fail("a save that was refused has written: \(error)") }
      side.context.rollback()
      side.edits = [:]
      return try compareWithStore(side)
    }
    saves += 1
    side.edits = [:]
    stored = try read()
    for (id, edit) in written {
      guard let now = stored[id] else { continue }
      if let number = edit.number, now.number != number.value { throw fail("the edit of \(id) was lost: \(now)") }
      if let weight = edit.weight, now.weight != weight.value { throw fail("the edit of \(id) was lost: \(now)") }
      guard side.context.mergePolicy == .error, let was = before[id] else { continue }
      let isLost =
        edit.number.map { $0.base != was.number } ?? false || edit.weight.map { $0.base != was.weight } ?? false
      if isLost { throw fail("what another saved of \(id) was overwritten: \(was) by \(now)") }
    }
    if side.context.mergePolicy != .overwrite {
      for (id, was) in before {
        guard let now = stored[id] else { continue }
        if edits[id]?.number == nil, now.number != was.number { throw fail("nobody edited the number of \(id)") }
        if edits[id]?.weight == nil, now.weight != was.weight { throw fail("nobody edited the weight of \(id)") }
      }
    }
    let dangling = try store.rows("PRAGMA foreign_key_check")
    guard dangling.isEmpty else { throw fail("foreign_key_check: \(dangling)") }
    try compareWithStore(side)
  }

  /// What is stored, read past all contexts.
  private func read() throws -> [Int: Attributes] {
    var found: [Int: Attributes] = [:]
    for kind in HistoryKind.allCases {
      let entity = "\(kind.type)"
      for row in try store.rows("SELECT larder_id, number, weight FROM \(entity)") {
        guard case .integer(let key) = row[0], case .integer(let number) = row[1], case .real(let weight) = row[2],
          let id = identifiers.first(where: { $0.value.key == key && kinds[$0.key] == kind })?.key
        else { throw fail("a stranger's row in \(entity): \(row)") }
        found[id] = Attributes(number: Int(number), weight: weight)
      }
    }
    return found
  }

  // MARK: - Checking

  /// Has the context take over what others saved; what is stored wins where that is its policy.
  private func catchUp(_ side: Side) throws {
    _ = try side.context.fetchCount(FetchDescriptor<Squad>())
    let policy = side.context.mergePolicy
    if policy == .error { return }
    for (id, edit) in side.edits {
      guard let now = stored[id] else {
        // It was let go with its edits, and may come back without.
        if everStored.contains(id) { side.edits[id] = nil }
        continue
      }
      guard policy == .mergeByPropertyStoreTrump else { continue }
      if let number = edit.number, number.base != now.number {
        side.edits[id]?.number = nil
        drops += 1
      }
      if let weight = edit.weight, weight.base != now.weight {
        side.edits[id]?.weight = nil
        drops += 1
      }
    }
  }

  private func check(_ side: Side) throws {
    try catchUp(side)
    let policy = side.context.mergePolicy
    for (id, piece) in side.held where piece.modelContext != nil && !piece.isDeleted {
      if let now = stored[id] {
        let edits = side.edits[id]
        // With the other policy an object that is edited stays as it was, as a whole.
        if policy != .overwrite || !piece.hasChanges {
          let expected = Attributes(
            number: edits?.number?.value ?? now.number, weight: edits?.weight?.value ?? now.weight)
          guard Attributes(number: piece.number, weight: piece.weight) == expected else {
            throw fail("\(id) has \(piece.number) and \(piece.weight), not \(expected) (\(policy.rawValue))")
          }
        }
      }
      for link in kinds[id]?.links ?? [] { try checkEnds(piece, link, side) }
    }
    try checkFault(side)
  }

  /// A change of what others have deleted meanwhile, or to it, is told by the next save.
  private func checkFault(_ side: Side) throws {
    guard let error = side.context.pendingError else { return }
    let code = (error as? SaveError)?.code
    let isOfOthers = code == .rowDeleted || code == .referencedRowDeleted
    guard isOfOthers, side.context.mergePolicy != .mergeByPropertyStoreTrump else {
      throw fail("pendingError: \(error)")
    }
  }

  /// Before others' saves are taken over, the ends are read at different times, and may differ.
  private func look(at piece: any Piece, _ link: HistoryLink) {
    let others = link.isMany ? piece.many(link) : piece.one(link).map { [$0] } ?? []
    guard let inverse = link.inverse else { return }
    for other in others where isThere(other) {
      _ = inverse.isMany ? other.many(inverse).count : other.one(inverse)?.number
    }
  }

  private func checkEnds(_ piece: any Piece, _ link: HistoryLink, _ side: Side) throws {
    // What others have deleted, and is edited here, stays as it was until the save refuses it.
    func hasVanished(_ piece: any Piece) -> Bool {
      names[piece.persistentModelID].map { everStored.contains($0) && stored[$0] == nil } ?? false
    }
    if hasVanished(piece) { return }
    func name(_ piece: any Piece) -> String { names[piece.persistentModelID].map { "\($0)" } ?? "a stranger" }
    let others = link.isMany ? piece.many(link) : piece.one(link).map { [$0] } ?? []
    var seen: Set<ObjectIdentifier> = []
    for other in others {
      if !seen.insert(ObjectIdentifier(other)).inserted { throw fail("\(link) of \(name(piece)) has one twice") }
      if other.modelContext == nil || other.isDeleted {
        // What must have one reads as the last one until the save refuses it.
        // So does what must not be deleted for its sake.
        if link.isMany || (link.isOptional && link.inverse?.rule != .deny) {
          throw fail("\(link) of \(name(piece)) leads to \(name(other)), which is gone")
        }
        continue
      }
      // What must have one still reads as the one that it has lost.
      guard let inverse = link.inverse, link.isMany || link.isOptional, !hasVanished(other) else { continue }
      let isBack = inverse.isMany ? other.many(inverse).contains { $0 === piece } : other.one(inverse) === piece
      if !isBack {
        throw fail(
          "\(link) of \(name(piece)) has \(name(other)), whose \(inverse) does not lead back (\(side.context.mergePolicy))"
        )
      }
    }
  }

  /// A context without changes shows what a fresh one reads.
  private func compareWithStore(_ side: Side) throws {
    try catchUp(side)
    if side.context.hasChanges { throw fail("changes are left") }
    let fresh = store.context()
    for (id, piece) in side.held {
      guard let kind = kinds[id], let identifier = identifiers[id] else { continue }
      let other = try existing(identifier, kind.type, fresh)
      guard piece.modelContext != nil else {
        if other != nil, stored[id] != nil, piece.isDeleted == false {
          // Never saved here: it left with the rollback.
          continue
        }
        continue
      }
      guard let other else { throw fail("\(id) is shown, and is not stored (\(side.context.mergePolicy))") }
      for link in kind.links {
        let (here, there) = (targets(piece, link), targets(other, link))
        if here != there {
          throw fail("\(link) of \(id) shows \(here), and \(there) is stored (\(side.context.mergePolicy))")
        }
      }
    }
  }

  private func targets(_ piece: any Piece, _ link: HistoryLink) -> [Int] {
    let others = link.isMany ? piece.many(link) : piece.one(link).map { [$0] } ?? []
    return others.map { names[$0.persistentModelID] ?? -1 }
  }

  /// Everybody ends without changes, and shows the same.
  func end() throws {
    for side in sides {
      try side.perform {
        try save(side)
        for kind in HistoryKind.allCases { try fetch(kind.type, side) }
      }
    }
    for side in sides { try side.perform { try compareWithStore(side) } }
    for side in sides {
      try side.perform { side.held = [:] }
      side.endTurn()
    }
  }
}

extension Piece {
  /// Whether an attribute has an edit that is not saved.
  fileprivate func isEdited(_ name: String) -> Bool {
    let header = _$header
    guard header.pointee.status.contains(.changed) else { return false }
    return type(of: self)._$layout.properties.contains { $0.name == name && header.pointee.changedMask & $0.bit != 0 }
  }
}
