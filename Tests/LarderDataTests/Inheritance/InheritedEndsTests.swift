import Foundation
import SwiftData
import Testing

@testable import LarderData

/// Relationships that a superclass declares and those that a subclass does, of one object.
@Suite struct InheritedEndsTests {
  private func store(_ place: StoreLocation) throws -> TestStore {
    try TestStore(place, Exhibit.self, Statue.self, Bronze.self)
  }

  /// A bronze with everything, a statue beside it and an exhibit that is neither.
  private func stored(_ place: StoreLocation) throws -> TestStore {
    let store = try store(place)
    let context = store.context()
    let hall = Hall("east")
    let bronze = Bronze(3, scan: Data([3]))
    bronze.picture = Data([30])
    hall.exhibits = [Statue(2, scan: Data([2])), bronze, Exhibit(1)]
    bronze.pedestal = Pedestal(weight: 100)
    bronze.tours = [Tour("short"), Tour("long")]
    bronze.students = [Sculptor("Eve")]
    let sculptor = Sculptor("Ann")
    sculptor.statues = [bronze]
    context.insert(sculptor)
    context.insert(hall)
    context.insert(Plaque("a bronze", of: bronze))
    try context.save()
    return store
  }

  private func one<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws -> Model {
    try #require(try context.fetch(FetchDescriptor<Model>()).first)
  }

  @Test(arguments: StoreLocation.allCases)
  func relationshipsOfEachClassAreRead(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let hall = try one(Hall.self, context)
    #expect(hall.exhibits.map(\.number) == [2, 3, 1])
    let bronze = try #require(hall.exhibits[1] as? Bronze)
    #expect(bronze.hall === hall && bronze.label?.text == "a bronze" && bronze.pedestal?.weight == 100)
    #expect(bronze.sculptor?.name == "Ann" && bronze.students.map(\.name) == ["Eve"])
    #expect(bronze.tours.map(\.name) == ["short", "long"])
    #expect(hall.exhibits[0].label == nil && (hall.exhibits[0] as? Statue)?.pedestal == nil)
    #expect(try one(Plaque.self, context).exhibit === bronze)
    #expect(try one(Pedestal.self, context).statue === bronze)
    #expect(try one(Sculptor.self, context).statues.allSatisfy { $0 === bronze })
    #expect(try context.fetch(FetchDescriptor<Tour>()).allSatisfy { $0.stops == [bronze] })
    #expect(bronze.picture == Data([30]) && bronze.scan == Data([3]))
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreLocation.allCases)
  func predicatesFollowRelationshipsOfEachClass(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let numbers = { (predicate: Predicate<Bronze>) in
      try context.fetch(FetchDescriptor<Bronze>(predicate: predicate)).map(\.number)
    }
    #expect(try numbers(#Predicate { $0.hall?.name == "east" }) == [3])
    #expect(try numbers(#Predicate { $0.label?.text == "a bronze" }) == [3])
    #expect(try numbers(#Predicate { $0.pedestal?.weight == 100 }) == [3])
    #expect(try numbers(#Predicate { $0.sculptor?.name == "Bob" }) == [])
    #expect(try numbers(#Predicate { $0.tours.contains { $0.name == "long" } }) == [3])
    #expect(try numbers(#Predicate { $0.students.contains { $0.name == "Eve" } && $0.alloy == "tin" }) == [3])
    let halls = try context.fetch(
      FetchDescriptor<Hall>(predicate: #Predicate { $0.exhibits.contains { ($0 as? Bronze)?.alloy == "tin" } }))
    #expect(halls.count == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func changesOfBothEndsAreSavedWithValuesBesideTheRow(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let bronze = try one(Bronze.self, context)
    let west = Hall("west")
    context.insert(west)
    bronze.hall = west
    bronze.picture = Data([31])
    bronze.scan = Data([32])
    bronze.pedestal = Pedestal(weight: 7)
    bronze.tours.removeFirst()
    bronze.students.append(Sculptor("Tom"))
    try one(Sculptor.self, context).statues.append(Bronze(4, scan: Data([4])))
    #expect(west.exhibits == [bronze])
    try context.save()
    let fresh = store.context()
    let read = try #require(try fresh.fetch(FetchDescriptor<Bronze>(predicate: #Predicate { $0.number == 3 })).first)
    #expect(read.hall?.name == "west" && read.pedestal?.weight == 7 && read.tours.map(\.name) == ["long"])
    #expect(read.students.map(\.name) == ["Eve", "Tom"] && read.picture == Data([31]) && read.scan == Data([32]))
    let halls = try fresh.fetch(FetchDescriptor<Hall>(sortBy: [SortDescriptor(\.name)]))
    #expect(halls.map { $0.exhibits.map(\.number) } == [[2, 1], [3]])
    #expect(try fresh.fetch(FetchDescriptor<Pedestal>(predicate: #Predicate { $0.statue == nil })).count == 1)
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  /// Who has the key to a row is not seen in the row: others' commits are noticed all the same.
  @Test(arguments: StoreLocation.allCases)
  func mirroredToOnesFollowOthersCommits(_ place: StoreLocation) throws {
    let store = try stored(place)
    let (mine, other) = (store.context(), store.context())
    let bronze = try one(Bronze.self, mine)
    #expect(bronze.label != nil && bronze.pedestal != nil)
    let theirs = try one(Bronze.self, other)
    let statue = try #require(try other.fetch(FetchDescriptor<Statue>(predicate: #Predicate { $0.number == 2 })).first)
    try one(Plaque.self, other).exhibit = statue
    statue.pedestal = theirs.pedestal
    #expect(theirs.label == nil && theirs.pedestal == nil)
    try other.save()
    let seen = try #require(try mine.fetch(FetchDescriptor<Statue>(predicate: #Predicate { $0.number == 2 })).first)
    #expect(bronze.label == nil && bronze.pedestal == nil)
    #expect(seen.label?.text == "a bronze" && seen.pedestal?.weight == 100)
  }

  @Test(arguments: StoreLocation.allCases)
  func deletionFollowsRelationshipsOfEachClass(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let bronze = try one(Bronze.self, context)
    let label = try one(Plaque.self, context)
    context.delete(bronze)
    // The label must have its exhibit.
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.code == .deletionDenied)
    context.delete(label)
    try context.save()
    #expect(try one(Hall.self, context).exhibits.map(\.number) == [2, 1])
    #expect(try context.fetch(FetchDescriptor<Tour>()).allSatisfy(\.stops.isEmpty))
    #expect(try context.fetchCount(FetchDescriptor<Pedestal>()) == 0)
    #expect(try store.rows("SELECT * FROM larder_external_Exhibit_picture").isEmpty)
    #expect(try store.value("SELECT count(*) FROM larder_external_Statue_scan") == .integer(1))
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  /// An object that was deleted before it was ever saved, and that another must have.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func pendingObjectOfASubclassIsDeletedWithWhatNeedsIt(_ place: StoreLocation, isMended: Bool) throws {
    let store = try store(place)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let bronze = Bronze(1, scan: Data([1]))
    let label = Plaque("b", of: bronze)
    context.insert(label)
    context.delete(bronze)
    #expect(label.exhibit === bronze)
    if isMended {
      label.exhibit = Statue(2, scan: Data([2]))
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Exhibit>()).map(\.number) == [2])
    } else {
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .deletionDenied)
      context.delete(label)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Exhibit>()) == 0)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func deletedHallTakesExhibitsOfAllClasses(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    context.delete(try one(Plaque.self, context))
    context.delete(try one(Hall.self, context))
    try context.save()
    for table in ["Exhibit", "Pedestal", "larder_external_Statue_scan", "larder_external_Exhibit_picture"] {
      #expect(try store.value("SELECT count(*) FROM \(table)") == .integer(0))
    }
  }
}

/// A to-one that mirrors itself, of which either end may be of the class below.
@Suite struct InheritedPairTests {
  enum Kinds: String, CaseIterable {
    case oneClass, leadingBelow, ledToBelow, bothBelow, rivalsBelow
  }

  /// Two contexts give one to two others.
  @Test(arguments: Kinds.allCases, [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
  func twoContextsPairOneWithTwoOthers(_ kinds: Kinds, _ policy: MergePolicy) throws {
    let store = try TestStore(.memory, Dancer.self, LeadDancer.self)
    func make(_ name: String, _ isBelow: Bool) -> Dancer { isBelow ? LeadDancer(name) : Dancer(name) }
    let theirs = try store.saved([
      make("B", kinds == .leadingBelow || kinds == .bothBelow),
      make("D", kinds == .ledToBelow || kinds == .rivalsBelow),
      make("E", kinds == .ledToBelow || kinds == .bothBelow || kinds == .rivalsBelow),
    ])
    let ours = store.context()
    ours.mergePolicy = policy
    func all(_ context: ModelContext) throws -> [Dancer] {
      try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
    }
    let (our, their) = (try all(ours), try all(theirs))
    our[0].partner = our[2]
    their[2].partner = their[1]
    try theirs.save()
    try ours.save()
    let expected = policy == .mergeByPropertyStoreTrump ? [nil, "E", "D"] : ["E", nil, "B"]
    #expect(try all(store.context()).map { $0.partner?.name } == expected)
    #expect(our.map { $0.partner?.name } == expected)
    #expect(try store.container.integrityCheck().isEmpty)
  }
}

@Model
class Dancer {
  var name: String
  @Relationship(inverse: Dancer.partnerOfPartner) var partner: Dancer?
  static var partnerOfPartner: AnyKeyPath { \Dancer.partner }

  init(_ name: String) { self.name = name }
}

@Model
final class LeadDancer: Dancer {
  var rank = 0

  override init(_ name: String) { super.init(name) }
}
