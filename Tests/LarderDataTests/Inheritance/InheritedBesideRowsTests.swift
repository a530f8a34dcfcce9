import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

/// Attributes beside the row and transformed ones, of a superclass and of its subclasses.
@Suite struct InheritedBesideRowsTests {
  private func store(_ place: StoreLocation) throws -> TestStore {
    try TestStore(place, Exhibit.self, Statue.self, Bronze.self)
  }

  /// One of each class, by their numbers 1, 2 and 3.
  private func stored(_ place: StoreLocation) throws -> TestStore {
    let store = try store(place)
    let context = store.context()
    let bronze = Bronze(3, scan: Data([3, 3, 3]))
    bronze.picture = Data([30])
    bronze.marks = [Photo.Mark(x: 1, y: 2)]
    bronze.picturesOfCasting = ["a", "b"]
    bronze.paint = Paint("green")
    bronze.isWarm = false
    bronze.isShown = true
    bronze.angle = 90
    let exhibit = Exhibit(1)
    exhibit.picture = Data([10])
    context.insert(bronze)
    context.insert(Statue(2, scan: Data([2, 2])))
    context.insert(exhibit)
    try context.save()
    #expect(bronze.angle == 90 && bronze.isShown && !bronze.isWarm)
    return store
  }

  private func all(_ context: ModelContext) throws -> [Exhibit] {
    try context.fetch(FetchDescriptor<Exhibit>(sortBy: [SortDescriptor(\.number)]))
  }

  private func bronze(_ context: ModelContext) throws -> Bronze {
    try #require(try context.fetch(FetchDescriptor<Bronze>()).first)
  }

  private func statements(_ context: ModelContext) throws -> Int64 {
    try context.core.sessions[0].read { $0.status().statementRuns }
  }

  @Test(arguments: StoreLocation.allCases)
  func classesHaveTheirOwnTablesBesideTheirRows(_ place: StoreLocation) throws {
    let store = try stored(place)
    let columns = try store.rows("SELECT name FROM pragma_table_info('Exhibit')").map { "\($0[0])" }
    #expect(
      columns == [
        "larder_id", "larder_version", "larder_class", "number", "paint", "hall", "larder_hall_order", "Statue_height",
        "Statue_base", "Statue_sculptor", "larder_Statue_sculptor_order", "Bronze_alloy",
      ])
    #expect(try store.value("SELECT count(*) FROM larder_external_Exhibit_picture") == .integer(2))
    #expect(try store.value("SELECT count(*) FROM larder_external_Statue_scan") == .integer(2))
    #expect(try store.value("SELECT value FROM larder_external_Bronze_picturesOfCasting") == .text("[\"a\",\"b\"]"))
    #expect(try store.value("SELECT Statue_base FROM Exhibit WHERE number = 3") == .blob(Array("gold".utf8)))
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
    // Another opening finds them as they are.
    guard place == .disk else { return }
    let again = try TestStore.open(.disk, store.url, [Exhibit.self, Statue.self, Bronze.self])
    #expect(try bronze(ModelContext(again)).scan == Data([3, 3, 3]))
  }

  @Test(.directly("it counts statements"), arguments: StoreLocation.allCases)
  func valuesBesideTheRowAreReadWhenFirstTouchedWhateverWasFetched(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let before = try statements(context)
    let exhibits = try all(context)
    let statue = try #require(exhibits[1] as? Statue)
    let bronze = try #require(exhibits[2] as? Bronze)
    #expect(try statements(context) == before + 1)
    #expect(exhibits[0].picture == Data([10]) && bronze.picture == Data([30]) && statue.picture == nil)
    #expect(try statements(context) == before + 4)
    #expect(statue.scan == Data([2, 2]) && statue.marks == [])
    #expect(bronze.scan == Data([3, 3, 3]) && bronze.marks == [Photo.Mark(x: 1, y: 2)])
    #expect(bronze.picturesOfCasting == ["a", "b"])
    #expect(bronze.paint?.name == "green" && bronze.base.name == "gold" && statue.base.name == "grey")
    #expect(bronze.height == 3 && bronze.alloy == "tin")
    // What is in memory only begins as it is written.
    #expect(!bronze.isShown && bronze.angle == nil && bronze.cover == Cover(color: 7) && bronze.isWarm)
    #expect(!context.hasChanges)
    // By the class's own fetch the columns of no other class stand between.
    let own = try self.bronze(store.context())
    #expect(own.base.name == "gold" && own.paint?.name == "green" && own.scan.count == 3 && own.isWarm)
  }

  @Test(arguments: StoreLocation.allCases)
  func changesBesideTheRowAreSavedAndTakenBack(_ place: StoreLocation) throws {
    let store = try stored(place)
    let (context, other) = (store.context(), store.context())
    let (mine, theirs) = (try bronze(context), try bronze(other))
    #expect(theirs.scan.count == 3 && theirs.picture == Data([30]) && theirs.picturesOfCasting?.count == 2)
    mine.picture = nil
    mine.scan = Data([9])
    mine.picturesOfCasting = ["c"]
    mine.isShown = true
    mine.angle = 1
    mine.isWarm = false
    mine.base = Paint("white")
    context.rollback()
    #expect(mine.picture == Data([30]) && mine.scan.count == 3 && mine.picturesOfCasting == ["a", "b"])
    #expect(!mine.isShown && mine.angle == nil && mine.isWarm && mine.base.name == "gold" && !mine.hasChanges)
    mine.picture = nil
    mine.scan = Data([9])
    mine.picturesOfCasting = ["c"]
    mine.angle = 1
    try context.save()
    #expect(try store.value("SELECT larder_version FROM Exhibit WHERE number = 3") == .integer(2))
    #expect(try store.value("SELECT count(*) FROM larder_external_Exhibit_picture") == .integer(1))
    _ = try all(other)
    #expect(theirs.picture == nil && theirs.scan == Data([9]) && theirs.picturesOfCasting == ["c"])
    // What is not stored is no update.
    mine.angle = 2
    mine.isWarm = false
    let writing = try store.writing { try context.save() }
    #expect(writing.rowChanges == 0)
    #expect(mine.angle == 2 && !mine.isWarm)
  }

  @Test(arguments: StoreLocation.allCases)
  func upsertOfASubclassWritesWhatIsBesideTheRow(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let known = try bronze(context)
    let again = Bronze(3, scan: Data([8]))
    again.picture = Data([80])
    again.angle = 8
    context.insert(again)
    try context.save()
    #expect(known.scan == Data([8]) && known.picture == Data([80]) && known.angle == 8)
    #expect(try store.value("SELECT count(*) FROM larder_external_Statue_scan") == .integer(2))
    let fresh = try bronze(store.context())
    #expect(fresh.scan == Data([8]) && fresh.picture == Data([80]) && fresh.picturesOfCasting == nil)
    // Of another class nothing is written, neither into the row nor beside it.
    let statue = Statue(3, scan: Data([7]))
    statue.picture = Data([70])
    context.insert(statue)
    #expect(throws: SaveError.self) { try context.save() }
    context.rollback()
    #expect(try bronze(store.context()).picture == Data([80]))
  }

  @Test(arguments: StoreLocation.allCases)
  func valuesBesideTheRowGoWithRowsOfTheirClass(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    context.delete(try bronze(context))
    try context.save()
    #expect(try store.rows("SELECT * FROM larder_external_Bronze_picturesOfCasting").isEmpty)
    #expect(try store.value("SELECT count(*) FROM larder_external_Statue_scan") == .integer(1))
    try context.delete(model: Statue.self)
    try context.save()
    #expect(try store.rows("SELECT * FROM larder_external_Statue_scan").isEmpty)
    #expect(try all(context).first?.picture == Data([10]))
  }

  @Test func inheritedPropertyBesideTheRowIsObserved() throws {
    let store = try stored(.memory)
    let context = store.context()
    let bronze = try bronze(context)
    for change in [{ bronze.picture = nil }, { bronze.isShown = true }, { bronze.angle = 5 }, { bronze.scan = Data() }]
    {
      let told = Counted(0)
      withObservationTracking {
        _ = (bronze.picture, bronze.isShown, bronze.angle, bronze.scan)
      } onChange: {
        told.update { $0 += 1 }
      }
      change()
      #expect(told.value == 1)
    }
    let told = Counted(0)
    withObservationTracking {
      _ = (bronze.picture, bronze.isShown, bronze.angle, bronze.scan)
    } onChange: {
      told.update { $0 += 1 }
    }
    context.rollback()
    #expect(told.value == 1)
  }

  @Test func inheritedPropertyBesideTheRowInAQueryIsAnError() throws {
    let context = try stored(.memory).context()
    #expect {
      try context.fetch(FetchDescriptor<Bronze>(predicate: #Predicate { $0.picture != nil }))
    } throws: {
      "\($0)".contains("picture") && "\($0)".contains(".externalStorage")
    }
    #expect {
      try context.fetch(FetchDescriptor<Bronze>(predicate: #Predicate { $0.isShown }))
    } throws: {
      "\($0)".contains("isShown") && "\($0)".contains(".ephemeral")
    }
  }

  @Test func backingDataHasInheritedValuesBesideTheRow() throws {
    let store = try stored(.memory)
    let context = store.context()
    let bronze = try bronze(context)
    bronze.angle = 4
    let copy = Bronze(backingData: bronze.persistentBackingData as any BackingData<Exhibit>)
    #expect(copy.picture == Data([30]) && copy.scan.count == 3 && copy.picturesOfCasting == ["a", "b"])
    #expect(copy.base.name == "gold" && copy.angle == 4 && copy.number == 3)
    #expect(bronze.modelContext == context)
  }

  @Test(arguments: StoreLocation.allCases)
  func predicateOfASubclassFindsAPendingObjectByItsIdentifier(_ place: StoreLocation) throws {
    let store = try store(place)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let bronze = Bronze(1, scan: Data())
    context.insert(bronze)
    context.insert(Statue(2, scan: Data()))
    let id = bronze.persistentModelID
    #expect(
      try context.fetch(FetchDescriptor<Exhibit>(predicate: #Predicate { $0.persistentModelID == id })) == [bronze])
    #expect(
      try context.fetch(FetchDescriptor<Bronze>(predicate: #Predicate { $0.persistentModelID == id })) == [bronze])
    try context.save()
    let saved = bronze.persistentModelID
    #expect(try context.fetch(FetchDescriptor<Statue>(predicate: #Predicate { $0.id == saved })) == [bronze])
    #expect(
      try context.fetch(FetchDescriptor<Statue>(predicate: #Predicate { $0.persistentModelID == saved })) == [bronze])
  }
}
