import Botany
import Foundation
import LarderData
import SwiftData
import Testing

@Suite struct InheritanceTests {
  static let models: [any PersistentModel.Type] = [
    Plant.self, Tree.self, Oak.self, Flower.self, Weed.self, Keeper.self, Visitor.self,
  ]

  private func plants(_ place: StoreLocation) throws -> (TestStore, ModelContext) {
    let store = try TestStore(place, Tree.self, Oak.self, Flower.self, Weed.self, Keeper.self, Visitor.self)
    let context = store.context()
    insertPlants(context)
    try context.save()
    return (store, store.context())
  }

  private func names(_ models: [some Plant]) -> [String] { models.map(\.name).sorted() }

  // MARK: Fetching

  @Test(arguments: StoreLocation.allCases)
  func fetchOfASuperclassYieldsObjectsOfTheirClasses(_ place: StoreLocation) throws {
    let (_, context) = try plants(place)
    let all = try context.fetch(FetchDescriptor<Plant>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["beech", "moss", "nettle", "oak", "rose"])
    #expect(all.map { String(describing: type(of: $0)) } == ["Tree", "Plant", "Weed", "Oak", "Flower"])
    let trees = try context.fetch(FetchDescriptor<Tree>(sortBy: [SortDescriptor(\.height)]))
    #expect(trees.map(\.name) == ["beech", "oak"])
    #expect(trees[0] === all[0])
    #expect(trees[1] === all[3])
    #expect((all[3] as? Oak)?.acorns == 5)
    #expect((all[3] as? Oak)?.bark == .rough)
    #expect(trees[0].bark == .smooth)
    #expect((all[4] as? Flower)?.height == 1)
    #expect(try context.fetch(FetchDescriptor<Oak>()).map(\.height) == [30])
  }

  @Test(arguments: StoreLocation.allCases)
  func fetchOfASubclassLeavesOthersOut(_ place: StoreLocation) throws {
    let (_, context) = try plants(place)
    #expect(try context.fetchCount(FetchDescriptor<Plant>()) == 5)
    #expect(try context.fetchCount(FetchDescriptor<Tree>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<Weed>()) == 1)
    var limited = FetchDescriptor<Tree>(sortBy: [SortDescriptor(\.height, order: .reverse)])
    limited.fetchLimit = 1
    #expect(try context.fetch(limited).map(\.name) == ["oak"])
    #expect(try context.fetchCount(limited) == 1)
    limited.fetchOffset = 1
    #expect(try context.fetch(limited).map(\.name) == ["beech"])
    var seen: [String] = []
    try context.enumerate(FetchDescriptor<Tree>()) { seen.append($0.name) }
    #expect(seen == ["beech", "oak"])
  }

  @Test(arguments: StoreLocation.allCases)
  func predicatesReadInheritedAndOwnProperties(_ place: StoreLocation) throws {
    let (store, context) = try plants(place)
    defer { withExtendedLifetime(store) {} }
    func count(_ predicate: Predicate<Tree>) throws -> Int {
      try context.fetch(FetchDescriptor(predicate: predicate)).count
    }
    #expect(try count(#Predicate { $0.name == "oak" }) == 1)
    #expect(try count(#Predicate { $0.name == "oak" && $0.height > 25 }) == 1)
    #expect(try count(#Predicate { $0.name == "rose" || $0.height > 1 }) == 2)
    #expect(try count(#Predicate { $0.place == nil }) == 2)
    let oaks = #Predicate<Oak> { $0.acorns == 5 && $0.height == 30 && $0.code == "o" }
    #expect(try context.fetchCount(FetchDescriptor(predicate: oaks)) == 1)
    let byPlace = FetchDescriptor<Tree>(predicate: #Predicate { $0.place?.row == 1 })
    #expect(try context.fetch(byPlace).isEmpty)
    let beech = try #require(try context.fetch(FetchDescriptor<Tree>()).first)
    beech.place = Bed(row: 1, column: 2)
    #expect(try context.fetch(byPlace) == [beech])
    try context.save()
    #expect(try context.fetch(byPlace) == [beech])
    #expect(try context.fetch(FetchDescriptor<Tree>(sortBy: [SortDescriptor(\.name, order: .reverse)])).count == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func predicatesMayCast(_ place: StoreLocation) throws {
    let (store, context) = try plants(place)
    func found(_ predicate: Predicate<Plant>, in context: ModelContext) throws -> [String] {
      let descriptor = FetchDescriptor(predicate: predicate)
      #expect(try context.fetchCount(descriptor) == context.fetch(descriptor).count)
      return try names(context.fetch(descriptor))
    }
    let isTree = #Predicate<Plant> { $0 is Tree }
    let isHigh = #Predicate<Plant> { ($0 as? Tree)?.height ?? 0 > 25 }
    let both = #Predicate<Plant> { ($0 as? Oak)?.acorns == 5 || ($0 as? Flower)?.height == 1 }
    let byKeeper = #Predicate<Plant> { ($0 as? Tree)?.keeper?.name == "Ann" }
    #expect(try found(isTree, in: context) == ["beech", "oak"])
    #expect(try found(isHigh, in: context) == ["oak"])
    #expect(try found(both, in: context) == ["oak", "rose"])
    #expect(try found(#Predicate { !($0 is Tree) && $0.name != "moss" }, in: context) == ["nettle", "rose"])
    // What is pending.
    let trees = try context.fetch(FetchDescriptor<Tree>(sortBy: [SortDescriptor(\.height)]))
    trees[0].height = 50
    trees[1].height = 2
    context.insert(Tree(code: "t2", name: "yew", height: 60))
    #expect(try found(isHigh, in: context) == ["beech", "yew"])
    #expect(try found(isTree, in: context) == ["beech", "oak", "yew"])
    trees[1].keeper = Keeper(name: "Ann")
    #expect(try found(byKeeper, in: context) == ["oak"])
    try context.save()
    let fresh = store.context()
    #expect(try found(isHigh, in: fresh) == ["beech", "yew"])
    #expect(try found(byKeeper, in: fresh) == ["oak"])
    let ofGarden = #Predicate<Tree> { $0 is Oak && $0.keeper?.name == "Ann" }
    #expect(try fresh.fetch(FetchDescriptor(predicate: ofGarden)).map(\.name) == ["oak"])
  }

  @Test(arguments: StoreLocation.allCases)
  func bulkChangesAndAggregatesKnowTheClass(_ place: StoreLocation) throws {
    let (store, context) = try plants(place)
    #expect(try context.updateAndSave(Tree.self, where: #Predicate { $0.name != "x" }) { $0.add(1, to: \.height) } == 2)
    #expect(
      try context.updateAndSave(Plant.self) { $0.set(\.planted, to: Date(timeIntervalSinceReferenceDate: 1)) } == 5)
    let fresh = store.context()
    #expect(try fresh.fetch(FetchDescriptor<Tree>(sortBy: [SortDescriptor(\.height)])).map(\.height) == [21, 31])
    #expect(try fresh.sum(of: \Tree.height) == 52)
    fresh.insert(Oak(code: "o2", name: "new", height: 8, acorns: 0))
    #expect(try fresh.sum(of: \Tree.height) == 60)
  }

  @Test(arguments: StoreLocation.allCases)
  func pendingObjectsOfSubclassesArePartOfAFetch(_ place: StoreLocation) throws {
    let store = try TestStore(place, Tree.self, Oak.self, Flower.self, Weed.self, Keeper.self, Visitor.self)
    let context = store.context()
    insertPlants(context)
    func all() throws -> [String] { names(try context.fetch(FetchDescriptor<Plant>())) }
    let byName = FetchDescriptor<Plant>(predicate: #Predicate { $0.name == "oak" })
    #expect(try all() == ["beech", "moss", "nettle", "oak", "rose"])
    #expect(names(try context.fetch(FetchDescriptor<Tree>())) == ["beech", "oak"])
    #expect(try context.fetch(byName).count == 1)
    #expect(try context.fetchCount(FetchDescriptor<Flower>()) == 1)
    try context.save()
    let oak = try #require(try context.fetch(FetchDescriptor<Oak>()).first)
    oak.name = "holm oak"
    #expect(try context.fetch(byName).isEmpty)
    let renamed = FetchDescriptor<Plant>(predicate: #Predicate { $0.name == "holm oak" })
    #expect(try context.fetch(renamed) == [oak])
    #expect(try context.fetchIdentifiers(renamed) == [oak.persistentModelID])
    #expect(try context.fetch(FetchDescriptor<Plant>(sortBy: [SortDescriptor(\.name)])).map(\.name)[1] == "holm oak")
    context.delete(oak)
    #expect(try all() == ["beech", "moss", "nettle", "rose"])
    #expect(try context.fetchCount(FetchDescriptor<Tree>()) == 1)
    context.rollback()
    #expect(oak.name == "oak")
    #expect(try all() == ["beech", "moss", "nettle", "oak", "rose"])
  }

  // MARK: Identifiers

  @Test(arguments: StoreLocation.allCases)
  func identifierIsTheObjectsWhateverItIsTakenAs(_ place: StoreLocation) throws {
    let (store, context) = try plants(place)
    let ids = try context.fetchIdentifiers(FetchDescriptor<Plant>())
    #expect(ids.map(\.entityName) == ["Plant", "Tree", "Oak", "Flower", "Weed"])
    let oakID = ids[2]
    #expect(try context.fetchIdentifiers(FetchDescriptor<Tree>()) == [ids[1], oakID])
    let asPlant = try PersistentIdentifier.identifier(
      for: store.container.store.identifier, entityName: "Plant", primaryKey: oakID.key)
    let asTree = try PersistentIdentifier.identifier(
      for: store.container.store.identifier, entityName: "Tree", primaryKey: oakID.key)
    #expect(asPlant == oakID)
    #expect(asTree == asPlant)
    #expect(Set([asPlant, asTree, oakID]).count == 1)
    let none: Oak? = context.registeredModel(for: oakID)
    #expect(none == nil)
    let oak = try #require(context.model(for: asPlant) as? Oak)
    #expect(oak.persistentModelID == oakID)
    #expect((oak as Plant).persistentModelID == oakID)
    #expect((oak as Plant).persistentModelID.entityName == "Oak")
    #expect(context.model(for: oakID) === oak)
    let registered: Plant? = context.registeredModel(for: oakID)
    #expect(registered === oak)
    let registeredTree: Tree? = context.registeredModel(for: asPlant)
    #expect(registeredTree === oak)
    // Of another class than the row.
    let flower: Flower? = context.registeredModel(for: oakID)
    #expect(flower == nil)
    #expect(throws: (any Error).self) { try context.existingModel(for: oakID, as: Flower.self) }
    let data = try JSONEncoder().encode(oakID)
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == asPlant)
  }

  @Test func identifiersBeforeTheInsertNameTheClass() {
    let oak: Plant = Oak(code: "x", name: "x", height: 1, acorns: 1)
    #expect(oak.persistentModelID.entityName == "Oak")
    #expect(oak == oak)
  }

  // MARK: Saving

  @Test(arguments: StoreLocation.allCases)
  func editsOfInheritedAndOwnPropertiesAreSaved(_ place: StoreLocation) throws {
    let (store, context) = try plants(place)
    let oak = try #require(try context.fetch(FetchDescriptor<Oak>()).first)
    oak.name = "holm oak"
    oak.height = 31
    oak.acorns = 6
    oak.measured = Bed(row: 3, column: 4)
    #expect(oak.hasChanges)
    try context.save()
    let again = try #require(try store.context().fetch(FetchDescriptor<Plant>()).first { $0 is Oak } as? Oak)
    #expect(again.name == "holm oak")
    #expect(again.height == 31)
    #expect(again.acorns == 6)
    #expect(again.measured == Bed(row: 3, column: 4))
    #expect(again.bark == .rough)
    // Read anew into the instance in hand.
    again.acorns = 7
    try again.modelContext?.save()
    _ = try context.fetch(FetchDescriptor<Plant>())
    #expect(oak.acorns == 7)
    oak.height = 40
    oak.acorns = 0
    oak.code = "other"
    context.rollback()
    #expect(oak.height == 31)
    #expect(oak.acorns == 7)
    #expect(oak.code == "o")
  }

  @Test(arguments: StoreLocation.allCases)
  func insertThatMatchesARowOfItsClassUpdatesIt(_ place: StoreLocation) throws {
    let (store, context) = try plants(place)
    context.insert(Tree(code: "t", name: "red beech", height: 21))
    try context.save()
    let trees = try store.context().fetch(FetchDescriptor<Tree>(sortBy: [SortDescriptor(\.height)]))
    #expect(trees.map(\.name) == ["red beech", "oak"])
    let flower = Flower(code: "f2", name: "tulip", height: 2)
    flower.registration = "r"
    context.insert(flower)
    try context.save()
    let other = Flower(code: "f2", name: "tulip", height: 3)
    other.registration = "r"
    context.insert(other)
    try context.save()
    #expect(flower.height == 3)
    #expect(try context.fetchCount(FetchDescriptor<Flower>()) == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func insertWithTheKeyOfAnotherClassIsAnError(_ place: StoreLocation) throws {
    let (store, context) = try plants(place)
    context.insert(Flower(code: "t", name: "lily", height: 2))
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.code == .uniquenessConflict)
    #expect(error?.explanation.contains("Tree") == true)
    context.rollback()
    #expect(try store.context().fetchCount(FetchDescriptor<Plant>()) == 5)
    // Its key is free in the save that deletes it.
    let beech = try #require(try context.fetch(FetchDescriptor<Plant>(predicate: #Predicate { $0.code == "t" })).first)
    context.delete(beech)
    context.insert(Plant(code: "t", name: "lichen"))
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Tree>()) == 1)
    #expect(try store.context().fetchCount(FetchDescriptor<Plant>()) == 5)
  }

  @Test func objectsOfTwoClassesMaySwapTheirKeys() throws {
    let (store, context) = try plants(.disk)
    let oak = try #require(try context.fetch(FetchDescriptor<Oak>()).first)
    let rose = try #require(try context.fetch(FetchDescriptor<Flower>()).first)
    (oak.code, rose.code) = ("f", "o")
    try context.save()
    let codes = try store.context().fetch(FetchDescriptor<Plant>(sortBy: [SortDescriptor(\.name)])).map(\.code)
    #expect(codes == ["t", "p", "w", "f", "o"])
  }

  @Test(arguments: StoreLocation.allCases)
  func changeSetNamesEachObjectsClass(_ place: StoreLocation) throws {
    let store = try TestStore(place, Tree.self, Oak.self, Flower.self, Weed.self, Keeper.self, Visitor.self)
    let context = store.context()
    insertPlants(context)
    final class Told: @unchecked Sendable {
      var names: [String: [String]] = [:]
    }
    let told = Told()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      for (key, value) in $0.userInfo ?? [:] {
        told.names["\(key)"] = (value as? [PersistentIdentifier])?.map(\.entityName)
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    typealias Key = ModelContext.NotificationKey
    #expect(told.names[Key.insertedIdentifiers.rawValue]?.sorted() == ["Flower", "Oak", "Plant", "Tree", "Weed"])
    let oak = try #require(try context.fetch(FetchDescriptor<Oak>()).first)
    oak.name = "x"
    try context.delete(model: Flower.self)
    try context.save()
    #expect(told.names[Key.updatedIdentifiers.rawValue] == ["Oak"])
    #expect(told.names[Key.deletedIdentifiers.rawValue] == ["Flower"])
  }

  // MARK: Deleting

  @Test(arguments: StoreLocation.allCases, [false, true])
  func deletionByPredicateTakesSubclassesAlongIfToldSo(_ place: StoreLocation, loaded: Bool) throws {
    let (store, context) = try plants(place)
    let held = loaded ? try context.fetch(FetchDescriptor<Plant>()) : []
    try context.delete(model: Tree.self, includeSubclasses: false)
    #expect(names(try context.fetch(FetchDescriptor<Plant>())) == ["moss", "nettle", "oak", "rose"])
    try context.save()
    #expect(names(try store.context().fetch(FetchDescriptor<Plant>())) == ["moss", "nettle", "oak", "rose"])
    context.insert(Oak(code: "o2", name: "new oak", height: 1, acorns: 0))
    try context.delete(model: Plant.self, where: #Predicate { $0.name.contains("oak") }, includeSubclasses: false)
    #expect(try context.fetchCount(FetchDescriptor<Oak>()) == 2)
    try context.delete(model: Plant.self, where: #Predicate { $0.name.contains("oak") })
    #expect(names(try context.fetch(FetchDescriptor<Plant>())) == ["moss", "nettle", "rose"])
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Plant>()) == 3)
    try context.delete(model: Plant.self)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Plant>()) == 0)
    withExtendedLifetime(held) {}
  }

  // MARK: Observation

  @Test func inheritedAndOwnPropertiesAreObserved() throws {
    let (_, context) = try plants(.memory)
    let oak = try #require(try context.fetch(FetchDescriptor<Oak>()).first)
    final class Count: @unchecked Sendable { var value = 0 }
    func changes(_ read: @escaping () -> Void, _ change: () -> Void) -> Int {
      let count = Count()
      withObservationTracking {
        read()
      } onChange: {
        count.value += 1
      }
      change()
      return count.value
    }
    #expect(changes({ _ = oak.name }, { oak.name = "a" }) == 1)
    #expect(changes({ _ = oak.height }, { oak.height = 5 }) == 1)
    #expect(changes({ _ = oak.acorns }, { oak.name = "b" }) == 0)
    #expect(changes({ _ = oak.acorns }, { oak.acorns = 9 }) == 1)
    #expect(changes({ _ = oak.garden }, { oak.garden = Garden(name: "g") }) == 1)
    let keeper = Keeper(name: "k")
    context.insert(keeper)
    #expect(changes({ _ = oak.keeper }, { keeper.trees = [oak] }) == 1)
  }

  // MARK: Backing data

  @Test func backingDataHasAllValues() {
    let oak = Oak(code: "c", name: "n", height: 2, acorns: 3)
    let data = oak.persistentBackingData
    #expect(data.getValue(forKey: \.name) == "n")
    let copy = Oak(backingData: data)
    #expect(copy.name == "n")
    #expect(copy.height == 2)
    #expect(copy.acorns == 3)
    #expect(copy.bark == .rough)
    var own: any BackingData<Oak> = data._generateCurrentClassBackingData()
    #expect(own.getValue(forKey: \.acorns) == 3)
    own.setValue(forKey: \.acorns, to: 4)
    own.setValue(forKey: \.name, to: "m")
    let second = Oak(backingData: own)
    #expect(second.acorns == 4)
    #expect(second.name == "m")
    #expect(oak.getValue(forKey: \.height) == 2)
    // By the class at the top every class is made, and keeps what it has beyond it.
    let top: any BackingData<Plant> = own._superClassBackingData(of: Oak.self)
    #expect(top.getValue(forKey: \.name) == "m")
    let plant = Plant(backingData: top)
    #expect(plant.name == "m")
    let back: any BackingData<Oak> = top._generateCurrentClassBackingData()
    #expect(back.getValue(forKey: \.acorns) == 4)
  }
}
