import Foundation
import LarderData
import LarderSQLite
import SwiftData
import TestSeeds
import Testing

/// Stores of one's own that answer what they should not, or at the wrong time, and what contexts make of it.
@Suite struct DataStoreTroubleTests {
  let cabinet = Cabinet()

  private func crates(_ numbers: Int...) throws -> (container: ModelContainer, context: ModelContext) {
    let container = try cabinet.container(Crate.self)
    let context = ModelContext(container)
    for number in numbers { context.insert(Crate(number: number)) }
    try context.save()
    return (container, context)
  }

  private var byNumber: FetchDescriptor<Crate> { FetchDescriptor(sortBy: [SortDescriptor(\.number)]) }

  // MARK: Models of one identifier

  /// One model that is answered twice is one; two that are different are an error that names the identifier, and what was
  /// known of it stays.
  @Test func twoSnapshotsOfOneIdentifierAreATypedError() throws {
    let box = CardBox()
    let container = try box.container([Crate.self])
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    try context.save()
    let card = try #require(box.cards.values.first)
    box.besides = [card]
    #expect(try ModelContext(container).fetch(byNumber).map(\.number) == [1])
    let another = Crate(number: 2)
    let elsewhere = CardBox()
    let there = ModelContext(try elsewhere.container([Crate.self]))
    there.insert(another)
    try there.save()
    let other = try #require(elsewhere.cards.values.first)
    box.besides = [other.copy(persistentIdentifier: card.persistentIdentifier, remappedIdentifiers: nil)]
    let error = #expect(throws: FetchError.self) { try ModelContext(container).fetch(byNumber) }
    #expect(error?.identifier == card.persistentIdentifier)
    box.besides = []
    #expect(try context.fetch(byNumber).map(\.number) == [1])
  }

  @Test func deletionsBeforeAnUpdateByPredicateAreHandedOver() throws {
    let (_, context) = try crates(1, 2, 3)
    try context.delete(model: Crate.self, where: #Predicate { $0.number == 1 })
    try context.updateAndSave(Crate.self, where: #Predicate { $0.number == 2 }) { $0.set(\.text, to: "two") }
    #expect(cabinet.models.count == 2 && cabinet.batches.isEmpty)
    #expect(try context.fetch(byNumber).map(\.text) == ["two", ""])
  }

  @Test func whatAnUpdateByPredicateInsertedIsToldByItsOwnIdentifier() throws {
    let (_, context) = try crates(1)
    context.insert(Crate(number: 2))
    let log = SaveLog(context)
    try context.updateAndSave(Crate.self) { $0.set(\.text, to: "new") }
    let told = (log.saves[0].updated ?? []) + (log.saves[0].inserted ?? [])
    #expect(Set(told) == Set(cabinet.models.keys))
    #expect(try cabinet.models.keys.allSatisfy { try cabinet.values($0)["text"] as? String == "new" })
  }

  /// Two stores, of which the first is written first, and a context of both.
  private func pair() throws -> (first: Cabinet, second: Cabinet, context: ModelContext, family: Family) {
    let other = Cabinet()
    let (first, second) = cabinet.identifier < other.identifier ? (cabinet, other) : (other, cabinet)
    let container = try ModelContainer(
      for: Schema([Crate.self, Family.self, Member.self]),
      configurations: [
        CabinetConfiguration(cabinet: first, name: "first", schema: Schema([Crate.self])),
        CabinetConfiguration(cabinet: second, name: "second", schema: Schema([Family.self, Member.self])),
      ])
    let context = ModelContext(container)
    let family = Family(name: "Roe")
    family.members = [Member(name: "Ann")]
    context.insert(family)
    try context.save()
    return (first, second, context, family)
  }

  /// What another context saves meanwhile has a save begin anew, or refuses it: no store is to notice.
  @Test(arguments: [MergePolicy.error, .mergeByPropertyStoreTrump])
  func whatBeginsAnewIsHandedOverOnce(_ policy: MergePolicy) throws {
    let (first, second, context, family) = try pair()
    context.mergePolicy = policy
    family.name = "Doe"
    family.members[0].name = "Eve"
    context.insert(Crate(number: 1))
    let container = context.container
    let meanwhile = once(ModelContext.willSave, of: context) {
      let someone = ModelContext(container)
      try #require(try someone.all(Family.self).first).name = "Poe"
      try someone.save()
    }
    if policy == .error {
      #expect(throws: SaveError.self) { try context.save() }
      #expect(first.saves.isEmpty && first.models.isEmpty && context.hasChanges)
      NotificationCenter.default.removeObserver(meanwhile)
      context.mergePolicy = .mergeByPropertyStoreTrump
    }
    defer { NotificationCenter.default.removeObserver(meanwhile) }
    try context.save()
    #expect(first.saves.count == 1 && first.models.count == 1)
    #expect(try second.values(family.persistentModelID)["name"] as? String == "Poe")
    #expect(try second.values(family.members[0].persistentModelID)["name"] as? String == "Eve")
    #expect(try context.all(Crate.self).count == 1)
  }

  @Test func whatTheFirstOfTwoStoresKeptIsSaved() throws {
    let (first, second, context, family) = try pair()
    context.insert(Crate(number: 1))
    family.name = "Doe"
    second.beforeSave = { throw CocoaError(.fileWriteOutOfSpace) }
    #expect(throws: CocoaError.self) { try context.save() }
    #expect(first.models.count == 1 && context.insertedModelsArray.isEmpty)
    #expect(context.changedModelsArray.count == 1 && family.name == "Doe")
    second.beforeSave = {}
    try context.save()
    #expect(first.saves.count == 1 && first.models.count == 1)
    #expect(try second.values(family.persistentModelID)["name"] as? String == "Doe")
    #expect(try ModelContext(context.container).all(Crate.self).count == 1)
  }

  @Test func whatTheStoreMadeOfASaveIsNoLongerSoAfterAnother() throws {
    let (container, context) = try crates(1)
    let crate = try #require(try context.fetch(byNumber).first)
    let other = ModelContext(container)
    let same = try #require(try other.fetch(byNumber).first)
    let cabinet = cabinet
    cabinet.rewrite = { [unowned cabinet] snapshot in try? cabinet.edited(snapshot) { $0["note"] = "kept" } }
    let meanwhile = once(ModelContext.didSave, of: context) {
      #expect(try other.fetch(byNumber).first?.text == "one")
      same.text = "two"
      try other.save()
    }
    defer { NotificationCenter.default.removeObserver(meanwhile) }
    crate.text = "one"
    try context.save()
    same.number = 5
    try other.save()
    #expect(try cabinet.values(crate.persistentModelID)["text"] as? String == "two")
    #expect(same.text == "two" && same.note == "kept")
  }

  /// The store has kept it: made again, it would be there twice.
  @Test func aSaveThatIsKeptIsOverThoughItsAnswerCannotBeRead() throws {
    let (container, context) = try crates()
    let cabinet = cabinet
    cabinet.rewrite = { [unowned cabinet] in try? cabinet.edited($0) { $0["number"] = "none" } }
    context.insert(Crate(number: 1))
    try context.save()
    #expect(!context.hasChanges && cabinet.saves.count == 1 && cabinet.models.count == 1)
    try context.save()
    #expect(cabinet.saves.count == 1)
    withExtendedLifetime(container) {}
  }

  @Test func twoInsertsThatBecomeOneModel() throws {
    let (container, context) = try crates()
    let cabinet = cabinet
    let one = try cabinet.identifier("Crate")
    cabinet.known = { _ in one }
    let inserted = [Crate(number: 1, text: "first"), Crate(number: 2, text: "second")]
    for crate in inserted { context.insert(crate) }
    try context.save()
    #expect(cabinet.models.count == 1)
    #expect(try context.fetch(byNumber).count == 1)
    #expect(try ModelContext(container).fetch(byNumber).count == 1)
    #expect(try context.existingModel(for: one, as: Crate.self).modelContext == context)
    let number = try #require(try context.fetch(byNumber).first?.number)
    #expect(try cabinet.values(one)["number"] as? Int == number)
    // As of two inserts with one key: the later one's values, one instance in the context, and the other leads to it.
    #expect(number == 2)
    #expect(inserted.filter { $0.modelContext != nil }.map(\.number) == [2])
    #expect(inserted.allSatisfy { $0.persistentModelID == one })
  }

  // MARK: Fetching

  @Test func identifiersThatNobodyHoldsAreForgotten() throws {
    let (container, context) = try crates(1, 2, 3)
    let other = ModelContext(try cabinet.container(Crate.self))
    cabinet.namesMatches = true
    #expect(try other.fetchIdentifiers(FetchDescriptor<Crate>()).count == 3)
    try context.delete(model: Crate.self)
    try context.save()
    cabinet.saves = []
    #expect(try ModelContext(container).fetchCount(byNumber) == 0)
    #expect(SurrogateKey.count(ofStore: cabinet.identifier) == 0)
    withExtendedLifetime(other) {}
  }

  /// The store has it again while the same fetch still asks for what the answer refers to.
  @Test func modelThatComesBackInTheMidstOfAFetch() throws {
    let models: [any PersistentModel.Type] = [Family.self, Member.self]
    let container = try ModelContainer(for: Schema(models), configurations: [CabinetConfiguration(cabinet: cabinet)])
    let context = ModelContext(container)
    let members = [Member(name: "Ann"), Member(name: "Bob")]
    for member in members { context.insert(member) }
    try context.save()
    let bob = members[1].persistentModelID
    let kept = cabinet.models[bob]
    // Somebody removes one, and puts the other into a family of which the context does not know.
    let elsewhere = ModelContext(
      try ModelContainer(for: Schema(models), configurations: [CabinetConfiguration(cabinet: cabinet)]))
    let ann = try #require(try elsewhere.all(Member.self).first { $0.name == "Ann" })
    ann.family = Family(name: "Roe")
    try elsewhere.save()
    cabinet.models[bob] = nil
    let cabinet = cabinet
    cabinet.answersRelated = true
    cabinet.beforeFetch = { [unowned cabinet] entity in if entity == "Family" { cabinet.models[bob] = kept } }
    _ = try context.all(Family.self)
    cabinet.models[bob] = nil
    cabinet.answersRelated = false
    cabinet.beforeFetch = { [unowned cabinet] entity in
      if entity == "Family" {
        cabinet.models[bob] = kept
        cabinet.answersRelated = true
      }
    }
    ann.family = Family(name: "Doe")
    try elsewhere.save()
    cabinet.models[bob] = nil
    cabinet.answersRelated = false
    #expect(try context.all(Member.self).map(\.name).sorted() == ["Ann", "Bob"])
    #expect(try context.existingModel(for: bob, as: Member.self).name == "Bob")
    cabinet.beforeFetch = { _ in }
    #expect(try ModelContext(container).all(Member.self).count == 2)
  }

  /// A store that has relationships at one end alone is asked for all of a model, also where all of a class below it is known.
  @Test func membersOfAllClassesAreAskedFor() throws {
    let models: [any PersistentModel.Type] = [Beast.self, Lynx.self, Cub.self, Den.self]
    let cabinet = cabinet
    func context() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Schema(models), configurations: [CabinetConfiguration(cabinet: cabinet)]))
    }
    cabinet.below = ["Beast": ["Lynx", "Cub"], "Lynx": ["Cub"]]
    cabinet.rewrite = { [unowned cabinet] snapshot in
      try? cabinet.edited(snapshot) { values in
        values["beasts"] = nil
        values["lynxes"] = nil
      }
    }
    let den = Den("den")
    let saving = try context()
    for beast in [Beast("a", home: den), Lynx("b", home: den, lives: 9)] { saving.insert(beast) }
    try saving.save()
    let reading = try context()
    let lynx = try #require(try reading.all(Lynx.self).first)
    #expect(lynx.home?.beasts.map(\.name).sorted() == ["a", "b"])
    #expect(try reading.all(Beast.self).count == 2)
  }

  /// What the store answers once more is no change: another's edits are saved without a conflict.
  @Test func answersThatSayTheSameChangeNothing() throws {
    let container = try cabinet.container(EveryValue.self)
    let context = ModelContext(container)
    context.mergePolicy = .error
    let value = EveryValue()
    value.double = -.infinity
    value.decimal = Decimal(string: "123456789012345678901234567890.12345678") ?? 0
    value.string = "e\u{301}\0"
    value.data = Data([0, 255, 10])
    value.measure = Measure(value: 1.5, unit: "m")
    value.tags = ["b", "a", "c"]
    value.ratios = ["x": 0.1, "y": 0.2]
    value.spot = Site(name: "here", x: 1, y: -2)
    value.optionalDate = Date(timeIntervalSinceReferenceDate: 0.1)
    context.insert(value)
    try context.save()
    value.string = "edited"
    let log = SaveLog(context)
    for _ in 0..<3 { #expect(try ModelContext(container).all(EveryValue.self).count == 1) }
    try context.save()
    #expect(log.saves.count == 1 && cabinet.saves.count == 2)
    #expect(try ModelContext(container).all(EveryValue.self).first?.string == "edited")
  }

  // MARK: Calling back

  /// A store must not use its own container's contexts; one that does is told so, or answered, and nothing waits for itself.
  @Test func aStoreThatCallsBackDoesNotWaitForItself() throws {
    let (container, context) = try crates(1)
    let cabinet = cabinet
    var counted: Int?
    var failure: (any Error)?
    cabinet.beforeSave = { [unowned cabinet] in
      cabinet.beforeSave = {}
      let own = ModelContext(container)
      counted = try own.fetchCount(FetchDescriptor<Crate>())
      own.insert(Crate(number: 3))
      do { try own.save() } catch { failure = error }
    }
    context.insert(Crate(number: 2))
    try context.save()
    #expect(counted != nil && failure != nil)
    #expect(cabinet.models.count == 2)
    #expect(try context.fetch(byNumber).map(\.number) == [1, 2])
  }

  /// The rows in memory are in use for as long as a store takes to save.
  @Test func contextsWaitForAStoreThatIsSlow() throws {
    let (container, _) = try crates(1)
    #expect(container.store.database.settings.queueTimeout >= .seconds(600))
  }

  // MARK: Several threads

  @Test func contextsOfSeveralThreadsDoNotWaitForEachOther() throws {
    let other = Cabinet()
    let container = try ModelContainer(
      for: Schema([Crate.self, Family.self, Member.self, Sensor.self]),
      configurations: [
        CabinetConfiguration(cabinet: cabinet, name: "first", schema: Schema([Crate.self])),
        CabinetConfiguration(cabinet: other, name: "second", schema: Schema([Family.self, Member.self])),
        ModelConfiguration(schema: Schema([Sensor.self]), isStoredInMemoryOnly: true),
      ])
    let saved = Counted(0)
    let start = ContinuousClock.now
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      var random = SeededGenerator(seed: UInt64(worker))
      let context = ModelContext(container)
      for step in 0..<60 {
        do {
          switch Int.random(in: 0..<6, using: &random) {
          case 0: context.insert(Crate(number: step))
          case 1: context.insert(Sensor("\(worker) \(step)"))
          case 2:
            let family = Family(name: "\(worker) \(step)")
            family.members = [Member(name: "a")]
            context.insert(family)
          case 3: _ = try context.all(Family.self).last?.members.count
          case 4: _ = try context.all(Crate.self).count + context.all(Sensor.self).count
          default:
            let count = context.insertedModelsArray.count
            try context.save()
            saved.update { $0 += count }
          }
        } catch {
          Issue.record("\(error)")
        }
      }
      context.rollback()
    }
    #expect(ContinuousClock.now - start < .seconds(20), "nobody waited in vain")
    let context = ModelContext(container)
    let count =
      try context.all(Crate.self).count + context.all(Sensor.self).count + context.all(Family.self).count
      + context.all(Member.self).count
    #expect(count == saved.value && saved.value > 0)
    #expect(cabinet.models.count + other.models.count == count - (try context.all(Sensor.self).count))
  }

  /// Another program has given two models one key: it is the fetch that meets them.
  @Test func twoModelsOfOneKeyAreNamedByTheFetch() throws {
    let container = try cabinet.container(Sensor.self)
    let context = ModelContext(container)
    context.insert(Sensor("a"))
    try context.save()
    let one = try #require(cabinet.models.values.first)
    let second = try cabinet.identifier("Sensor")
    cabinet.models[second] = one.copy(persistentIdentifier: second, remappedIdentifiers: nil)
    for context in [context, ModelContext(container)] {
      let error = #expect(throws: FetchError.self) { try context.all(Sensor.self) }
      #expect(error?.code == .unreadableValue && error?.entityName == "Sensor")
      for words in [one.persistentIdentifier.debugDescription, second.debugDescription, "(by code)"] {
        #expect(error?.explanation.contains(words) == true, "\(error?.explanation ?? "")")
      }
    }
    try cabinet.edit(second) { $0["code"] = "b" }
    #expect(try context.all(Sensor.self).map(\.code).sorted() == ["a", "b"])
  }

  /// One model twice is one.
  @Test func anAnswerMayHaveAModelTwice() throws {
    let (_, context) = try crates(1)
    cabinet.answersRelated = true
    #expect(try context.all(Crate.self).map(\.number) == [1])
  }
}
