import Botany
import Foundation
import LarderData
import SwiftData
import Testing

@Suite struct InheritedRelationTests {
  private func store(_ place: StoreLocation) throws -> TestStore {
    try TestStore(place, Tree.self, Oak.self, Flower.self, Weed.self, Keeper.self, Visitor.self)
  }

  @Test(arguments: StoreLocation.allCases)
  func membersOfAToManyMayBeOfSubclasses(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let garden = Garden(name: "kew")
    garden.plants = [
      Oak(code: "o", name: "oak", height: 1, acorns: 1), Plant(code: "p", name: "moss"),
      Flower(code: "f", name: "rose", height: 1),
    ]
    context.insert(garden)
    #expect(garden.plants.map(\.name) == ["oak", "moss", "rose"])
    try context.save()
    let fresh = store.context()
    let read = try #require(try fresh.fetch(FetchDescriptor<Garden>()).first)
    #expect(read.plants.map { String(describing: type(of: $0)) } == ["Oak", "Plant", "Flower"])
    #expect(read.plants.allSatisfy { $0.garden === read })
    read.plants.swapAt(0, 2)
    let tree = Tree(code: "t", name: "beech", height: 3)
    tree.garden = read
    fresh.insert(tree)
    try fresh.save()
    let last = try #require(try store.context().fetch(FetchDescriptor<Garden>()).first)
    #expect(last.plants.map(\.name) == ["rose", "moss", "oak", "beech"])
  }

  @Test(arguments: StoreLocation.allCases)
  func pendingMembersOfSubclassesAreFound(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let garden = Garden(name: "kew")
    context.insert(garden)
    context.insert(Oak(code: "o", name: "oak", height: 1, acorns: 1))
    try context.save()
    let other = store.context()
    let read = try #require(try other.fetch(FetchDescriptor<Garden>()).first)
    let oak = try #require(try other.fetch(FetchDescriptor<Oak>()).first)
    oak.garden = read
    let rose = Flower(code: "f", name: "rose", height: 1)
    rose.garden = read
    other.insert(rose)
    #expect(Set(read.plants.map(\.name)) == ["oak", "rose"])
    other.rollback()
    #expect(read.plants.isEmpty)
    #expect(oak.garden == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func subclassHasRelationshipsOfItsOwn(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let keeper = Keeper(name: "Ann")
    let oak = Oak(code: "o", name: "oak", height: 1, acorns: 1)
    keeper.trees = [Tree(code: "t", name: "beech", height: 2), oak]
    keeper.favourite = oak
    let visitors = [Visitor(name: "x"), Visitor(name: "y")]
    oak.climbers = visitors
    context.insert(keeper)
    try context.save()
    #expect(visitors[0].climbed == [oak])
    let fresh = store.context()
    let read = try #require(try fresh.fetch(FetchDescriptor<Keeper>()).first)
    #expect(read.trees.map(\.name) == ["beech", "oak"])
    #expect(read.trees[1] is Oak)
    #expect(read.favourite === read.trees[1])
    #expect(read.trees[1].climbers.map(\.name) == ["x", "y"])
    let visitor = try #require(read.trees[1].climbers.first)
    #expect(visitor.climbed.first === read.trees[1])
    // By a fetch of the superclass, for all siblings.
    let plants = try store.context().fetch(FetchDescriptor<Plant>(sortBy: [SortDescriptor(\.name)]))
    #expect(plants.compactMap { ($0 as? Tree)?.keeper?.name } == ["Ann", "Ann"])
    #expect((plants[1] as? Oak)?.climbers.count == 2)
    read.trees.removeFirst()
    visitor.climbed = []
    try fresh.save()
    let last = store.context()
    #expect(try last.fetch(FetchDescriptor<Keeper>()).first?.trees.map(\.name) == ["oak"])
    #expect(try last.fetch(FetchDescriptor<Oak>()).first?.climbers.map(\.name) == ["y"])
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func deletionFollowsTheRulesOfEachMembersClass(_ place: StoreLocation, loaded: Bool) throws {
    let store = try store(place)
    let context = store.context()
    let garden = Garden(name: "kew")
    let keeper = Keeper(name: "Ann")
    let oak = Oak(code: "o", name: "oak", height: 1, acorns: 1)
    garden.plants = [oak, Flower(code: "f", name: "rose", height: 1)]
    keeper.trees = [oak]
    keeper.favourite = oak
    oak.climbers = [Visitor(name: "x")]
    context.insert(garden)
    context.insert(keeper)
    try context.save()
    let fresh = store.context()
    let held = loaded ? try fresh.fetch(FetchDescriptor<Plant>()) : []
    let readKeeper = try #require(try fresh.fetch(FetchDescriptor<Keeper>()).first)
    if loaded { #expect(readKeeper.trees.count == 1) }
    fresh.delete(try #require(try fresh.fetch(FetchDescriptor<Garden>()).first))
    #expect(try fresh.fetchCount(FetchDescriptor<Plant>()) == 0)
    #expect(try fresh.fetchCount(FetchDescriptor<Oak>()) == 0)
    #expect(readKeeper.trees.isEmpty)
    #expect(readKeeper.favourite == nil)
    try fresh.save()
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try store.rows("SELECT * FROM larder_Tree_climbers").isEmpty)
    let last = store.context()
    #expect(try last.fetchCount(FetchDescriptor<Plant>()) == 0)
    #expect(try last.fetch(FetchDescriptor<Keeper>()).first?.favourite == nil)
    withExtendedLifetime(held) {}
  }

  @Test func upsertOfASubclassKeepsWhatRefersToIt() throws {
    let store = try store(.disk)
    let context = store.context()
    let keeper = Keeper(name: "Ann")
    context.insert(keeper)
    context.insert(Oak(code: "o", name: "oak", height: 1, acorns: 1))
    try context.save()
    let second = Oak(code: "o", name: "holm oak", height: 2, acorns: 2)
    keeper.favourite = second
    keeper.trees = [second]
    try context.save()
    let last = store.context()
    let read = try #require(try last.fetch(FetchDescriptor<Keeper>()).first)
    #expect(read.favourite?.name == "holm oak")
    #expect(read.trees.map(\.acornsOrNone) == [2])
    #expect(try last.fetchCount(FetchDescriptor<Plant>()) == 1)
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }
}

extension Tree {
  fileprivate var acornsOrNone: Int? { (self as? Oak)?.acorns }
}
