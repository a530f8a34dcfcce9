import Foundation
import LarderData
import SwiftData
import Testing

/// A store of one's own, under contexts that know nothing of it.
@Suite struct DataStoreTests {
  let cabinet = Cabinet()

  private func crates(_ numbers: Int...) throws -> (container: ModelContainer, context: ModelContext) {
    let container = try cabinet.container(Crate.self)
    let context = ModelContext(container)
    for number in numbers { context.insert(Crate(number: number)) }
    try context.save()
    return (container, context)
  }

  private var byNumber: FetchDescriptor<Crate> { FetchDescriptor(sortBy: [SortDescriptor(\.number)]) }

  // MARK: Saving

  @Test(arguments: [Cabinet.Keys.names, .smallNumbers, .asGiven])
  func identifiersAreTheStores(_ keys: Cabinet.Keys) throws {
    cabinet.keys = keys
    let container = try cabinet.container(Family.self, Member.self)
    let context = ModelContext(container)
    let family = Family(name: "Roe")
    family.members = [Member(name: "Ann"), Member(name: "Bob")]
    context.insert(family)
    let temporary = family.persistentModelID
    #expect(temporary.isTemporary)
    let log = SaveLog(context)
    try context.save()
    #expect(cabinet.saves.count == 1)
    #expect(cabinet.saves[0].inserted.allSatisfy { $0.persistentIdentifier.isTemporary })
    let identifier = family.persistentModelID
    #expect(!identifier.isTemporary && identifier.storeIdentifier == cabinet.identifier)
    #expect(cabinet.models[identifier] != nil)
    #expect(Set(log.saves[0].inserted ?? []) == Set(cabinet.models.keys))
    // What was handed out before the save leads to the same object.
    #expect(context.model(for: temporary) === family)
    #expect(context.model(for: identifier) === family)
    #expect(family.members.map(\.name) == ["Ann", "Bob"])
    // The snapshots lead to each other by the new identifiers.
    let read = try #require(try ModelContext(try cabinet.container(Family.self, Member.self)).all(Family.self).first)
    #expect(read.persistentModelID == identifier)
    #expect(read.members.map(\.persistentModelID) == family.members.map(\.persistentModelID))
    #expect(read.members.allSatisfy { $0.family === read })
    // A coded identifier names the same model later.
    let coded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    #expect(coded == identifier && coded.hashValue == identifier.hashValue)
    #expect(try ModelContext(container).existingModel(for: coded, as: Family.self).name == "Roe")
  }

  @Test func changesAreHandedOverWhole() throws {
    let (_, context) = try crates(1, 2, 3)
    let crates = try context.fetch(byNumber)
    crates[0].text = "new"
    context.delete(crates[1])
    context.author = "me"
    try context.save()
    let request = try #require(cabinet.saves.last)
    #expect(request.inserted.isEmpty)
    #expect(request.updated.map(\.persistentIdentifier) == [crates[0].persistentModelID])
    #expect(request.deleted.map(\.persistentIdentifier) == [crates[1].persistentModelID])
    #expect(request.editingState.id == context.editingState.id && request.editingState.author == "me")
    let values = try cabinet.values(crates[0].persistentModelID)
    #expect(values["text"] as? String == "new" && values["number"] as? Int == 1)
    #expect(cabinet.models.count == 2)
    // Nothing to save, nothing to hand over.
    try context.save()
    crates[0].text = "new"
    try context.save()
    #expect(cabinet.saves.count == 2)
  }

  @Test func whatTheStoreRefusesStaysPending() throws {
    let (container, context) = try crates(1)
    let crate = try #require(try context.fetch(byNumber).first)
    crate.text = "new"
    context.insert(Crate(number: 2))
    cabinet.beforeSave = { throw CocoaError(.fileWriteOutOfSpace) }
    #expect(throws: CocoaError.self) { try context.save() }
    #expect(context.hasChanges && context.insertedModelsArray.count == 1 && context.changedModelsArray.count == 1)
    #expect(try ModelContext(container).fetch(byNumber).map(\.text) == [""])
    #expect(try context.fetch(byNumber).map(\.text) == ["new", ""])
    cabinet.beforeSave = {}
    try context.save()
    #expect(try ModelContext(container).fetch(byNumber).map(\.text) == ["new", ""])
    #expect(cabinet.models.count == 2)
  }

  @Test func otherContextsAreTold() throws {
    let (container, context) = try crates(1)
    let other = ModelContext(container)
    let held = try #require(try other.fetch(byNumber).first)
    try #require(try context.fetch(byNumber).first).text = "new"
    try context.save()
    _ = try other.fetchCount(byNumber)
    #expect(held.text == "new")
    context.delete(try #require(try context.fetch(byNumber).first))
    try context.save()
    #expect(try other.fetch(byNumber).isEmpty)
    #expect(held.modelContext == nil && held.text == "new")
  }

  @Test func whatTheStoreMakesOfAModelIsTakenOver() throws {
    let (container, context) = try crates()
    cabinet.rewrite = { [unowned cabinet] in
      try? cabinet.edited($0) { $0["text"] = ($0["text"] as? String ?? "") + "!" }
    }
    let crate = Crate(number: 1, text: "hey")
    context.insert(crate)
    try context.save()
    #expect(try context.fetch(byNumber).first === crate)
    #expect(crate.text == "hey!" && !context.hasChanges)
    #expect(try ModelContext(container).fetch(byNumber).first?.text == "hey!")
  }

  @Test(arguments: [true, false])
  func insertThatTheStoreHasAlreadyIsUnited(_ isFetched: Bool) throws {
    let container = try cabinet.container(Sensor.self)
    let first = ModelContext(container)
    first.insert(Sensor("a", label: "old", level: 1))
    try first.save()
    let known = try #require(cabinet.models.keys.first)
    cabinet.known = { _ in known }
    // A container that has not read it.
    let context = ModelContext(isFetched ? container : try cabinet.container(Sensor.self))
    let sensor = Sensor("b", label: "new")
    context.insert(sensor)
    let temporary = sensor.persistentModelID
    try context.save()
    let found = try #require(try context.fetch(FetchDescriptor<Sensor>()).first)
    #expect(found.persistentModelID == known && found.code == "b" && found.label == "new")
    #expect(cabinet.models.count == 1)
    #expect(context.model(for: temporary) === found)
  }

  // MARK: Fetching

  @Test func whatTheStoreHasByNowIsSeen() throws {
    let (_, context) = try crates(1, 2)
    let crates = try context.fetch(byNumber)
    try cabinet.edit(crates[0].persistentModelID) { $0["text"] = "theirs" }
    cabinet.models[crates[1].persistentModelID] = nil
    #expect(try context.fetch(byNumber).map(\.text) == ["theirs"])
    #expect(crates[0].text == "theirs" && crates[1].modelContext == nil)
    // Edits are kept, as those of other contexts are met.
    crates[0].note = "mine"
    try cabinet.edit(crates[0].persistentModelID) { $0["text"] = "theirs again" }
    #expect(try context.fetch(byNumber).first === crates[0])
    #expect(crates[0].text == "theirs again" && crates[0].note == "mine")
    context.rollback()
    #expect(crates[0].note == nil)
  }

  @Test func predicatesAndOrdersAreMemorysOrTheStores() throws {
    let (_, context) = try crates(1, 2, 3, 4)
    let odd = FetchDescriptor<Crate>(
      predicate: #Predicate { $0.number % 2 == 1 }, sortBy: [SortDescriptor(\.number, order: .reverse)])
    #expect(try context.fetch(odd).map(\.number) == [3, 1])
    #expect(try context.fetchCount(odd) == 2)
    #expect(try context.fetchIdentifiers(odd).count == 2)
    var limited = odd
    limited.fetchLimit = 1
    limited.fetchOffset = 1
    #expect(try context.fetch(limited).map(\.number) == [1])
    // A store that filters: what it leaves out by now is asked for by its identifier.
    let first = try #require(try context.fetch(byNumber).first)
    try cabinet.edit(first.persistentModelID) { $0["number"] = 10 }
    cabinet.filter = { [unowned cabinet] identifier, _ in
      ((try? cabinet.values(identifier)["number"]) as? Int ?? 0) % 2 == 1
    }
    let fetches = cabinet.fetches.count
    #expect(try context.fetch(odd).map(\.number) == [3])
    #expect(cabinet.fetches.count > fetches + 1)
  }

  @Test func countsAreTheStoresWhileNothingIsPending() throws {
    let (_, context) = try crates(1, 2)
    #expect(try context.fetchCount(byNumber) == 2)
    #expect(cabinet.counts == 1)
    context.insert(Crate(number: 3))
    #expect(try context.fetchCount(byNumber) == 3)
    #expect(cabinet.counts == 1)
  }

  @Test func relatedModelsComeAlong() throws {
    let container = try cabinet.container(Family.self, Member.self)
    let writer = ModelContext(container)
    let family = Family(name: "Roe")
    family.members = [Member(name: "Ann"), Member(name: "Bob")]
    writer.insert(family)
    try writer.save()
    // By the answer itself.
    cabinet.answersRelated = true
    cabinet.fetches = []
    let one = ModelContext(try cabinet.container(Family.self, Member.self))
    #expect(try one.all(Family.self).first?.members.map(\.name) == ["Ann", "Bob"])
    #expect(cabinet.fetches == ["Family"])
    // From what the store has at hand.
    cabinet.answersRelated = false
    cabinet.fetches = []
    cabinet.cache = Set(cabinet.models.keys)
    cabinet.cachedAsked = []
    let two = ModelContext(try cabinet.container(Family.self, Member.self))
    #expect(try two.all(Family.self).first?.members.map(\.name) == ["Ann", "Bob"])
    #expect(cabinet.fetches == ["Family"] && Set(cabinet.cachedAsked) == Set(family.members.map(\.persistentModelID)))
    // By another question.
    cabinet.fetches = []
    cabinet.cache = []
    let three = ModelContext(try cabinet.container(Family.self, Member.self))
    #expect(try three.all(Family.self).first?.members.map(\.name) == ["Ann", "Bob"])
    #expect(cabinet.fetches.contains("Member"))
    let asked = cabinet.fetches.count
    #expect(
      try three.fetchCount(
        FetchDescriptor<Family>(predicate: #Predicate { family in family.members.contains { $0.name == "Bob" } })) == 1)
    #expect(cabinet.fetches.count > asked)
  }

  @Test func relationshipsAreDeletedByTheirRules() throws {
    let container = try cabinet.container(Family.self, Member.self)
    let context = ModelContext(container)
    let family = Family(name: "Roe")
    family.members = [Member(name: "Ann"), Member(name: "Bob")]
    context.insert(family)
    let alone = Member(name: "Zoe")
    context.insert(alone)
    try context.save()
    context.delete(family)
    try context.save()
    #expect(cabinet.models.keys.map(\.entityName) == ["Member"])
    #expect(Set(cabinet.saves.last?.deleted.map(\.persistentIdentifier.entityName) ?? []) == ["Family", "Member"])
    #expect(cabinet.saves.last?.deleted.count == 3)
    #expect(try context.all(Member.self) == [alone])
  }

  @Test func undoAndRollback() throws {
    let (_, context) = try crates(1)
    let manager = UndoManager()
    context.undoManager = manager
    let crate = try #require(try context.fetch(byNumber).first)
    crate.text = "new"
    context.insert(Crate(number: 2))
    try context.save()
    manager.undo()
    try context.save()
    #expect(cabinet.models.count == 1)
    #expect(try cabinet.values(crate.persistentModelID)["text"] as? String == "")
    manager.redo()
    try context.save()
    #expect(cabinet.models.count == 2)
    #expect(try context.fetch(byNumber).map(\.text) == ["new", ""])
  }

  // MARK: The rest of the protocol

  @Test func contextsBeginAndEnd() throws {
    let container = try cabinet.container(Crate.self)
    var context: ModelContext? = ModelContext(container)
    let id = context?.editingState.id
    _ = try context?.fetch(byNumber)
    _ = try context?.fetch(byNumber)
    #expect(cabinet.states.filter { $0.id == id }.map(\.begins) == [true])
    context = nil
    #expect(cabinet.states.filter { $0.id == id }.map(\.begins) == [true, false])
  }

  @Test func deletionsByPredicateAreTheStoresWhereTheyAreAlone() throws {
    let (_, context) = try crates(1, 2, 3)
    try context.delete(model: Crate.self, where: #Predicate { $0.number > 0 })
    #expect(try context.fetchCount(byNumber) == 0)
    let saves = cabinet.saves.count
    try context.save()
    #expect(cabinet.batches == ["Crate some true"] && cabinet.saves.count == saves && cabinet.models.isEmpty)
    #expect(try context.fetchCount(byNumber) == 0)
    // With something else it is part of the save.
    for number in 4...5 { context.insert(Crate(number: number)) }
    try context.save()
    try context.delete(model: Crate.self, where: #Predicate { $0.number == 4 })
    context.insert(Crate(number: 6))
    try context.save()
    #expect(cabinet.batches.count == 1 && cabinet.saves.last?.deleted.count == 1)
    #expect(try context.fetch(byNumber).map(\.number) == [5, 6])
    // What was deleted before is not this one's.
    context.delete(try #require(try context.fetch(byNumber).last))
    try context.delete(model: Crate.self, where: #Predicate { $0.number == 5 })
    try context.save()
    #expect(cabinet.batches.count == 1 && cabinet.models.isEmpty)
    // What was rolled back is no deletion.
    context.insert(Crate(number: 7))
    try context.save()
    try context.delete(model: Crate.self)
    context.rollback()
    context.delete(try #require(try context.fetch(byNumber).first))
    try context.save()
    #expect(cabinet.batches.count == 1 && cabinet.models.isEmpty)
  }

  @Test func everythingIsErased() throws {
    let (container, context) = try crates(1, 2)
    let held = try context.fetch(byNumber)
    try container.erase()
    #expect(cabinet.models.isEmpty)
    #expect(try context.fetch(byNumber).isEmpty)
    #expect(held.allSatisfy { $0.modelContext == nil })
    context.insert(Crate(number: 3))
    try context.save()
    #expect(cabinet.models.count == 1)
  }

  @Test func historyIsTheStoresOrNobodys() throws {
    let (_, context) = try crates(1)
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
  }

  @Test func maintenanceIsNotForIt() throws {
    let (container, _) = try crates(1)
    let folder = TestFolder()
    #expect(throws: DataStoreError.unsupportedFeature) { try container.backup(to: folder.url("copy.store")) }
    #expect(throws: DataStoreError.unsupportedFeature) { try container.integrityCheck() }
    #expect(try container.compact() == 0)
    #expect(folder.names.isEmpty)
  }

  /// Names of rows are kept for as long as somebody has them.
  @Test func namesAreForgotten() throws {
    try {
      let (_, context) = try crates(1, 2, 3)
      #expect(try context.fetchIdentifiers(byNumber).allSatisfy { $0.storeIdentifier == cabinet.identifier })
      try context.delete(model: Crate.self)
      try context.save()
    }()
    cabinet.saves = []
    cabinet.models = [:]
    #expect(SurrogateKey.count(ofStore: cabinet.identifier) == 0)
  }
}
