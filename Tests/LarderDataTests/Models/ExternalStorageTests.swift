import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

/// `.externalStorage`: in a table of its own, read when it is first touched.
@Suite struct ExternalStorageTests {
  private let table = "\"larder_external_Photo_image\""

  private func stored(_ place: StoreLocation, _ count: Int = 1) throws -> TestStore {
    let store = try TestStore(place, Photo.self)
    let context = store.context()
    for number in 0..<count {
      let photo = Photo(title: "\(number)", image: Data(repeating: UInt8(number), count: 10_000))
      photo.text = number == 0 ? "first" : nil
      photo.marks = [Photo.Mark(x: 1, y: 2)]
      photo.kind = .raw
      context.insert(photo)
    }
    try context.save()
    return store
  }

  private func first(_ context: ModelContext) throws -> Photo {
    try #require(try context.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.size)])).first)
  }

  private func statements(_ context: ModelContext) throws -> Int64 {
    try context.core.sessions[0].read { $0.status().statementRuns }
  }

  @Test(arguments: StoreLocation.allCases)
  func externalValuesLieInTablesOfTheirOwn(_ place: StoreLocation) throws {
    let store = try stored(place)
    #expect(try store.value("SELECT length(value) FROM \(table)") == .integer(10_000))
    #expect(try store.value("SELECT value FROM larder_external_Photo_text") == .text("first"))
    #expect(try store.value("SELECT value FROM larder_external_Photo_marks") == .text("[{\"x\":1,\"y\":2}]"))
    #expect(try store.value("SELECT value FROM larder_external_Photo_kind") == .text("raw"))
    let columns = try store.rows("SELECT name FROM pragma_table_info('Photo')").map { "\($0[0])" }
    #expect(columns == ["larder_id", "larder_version", "title", "size"])
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  @Test(.directly("it counts statements"), arguments: StoreLocation.allCases)
  func externalValuesAreReadWhenFirstTouched(_ place: StoreLocation) throws {
    let store = try stored(place, 2)
    let context = store.context()
    let before = try statements(context)
    let photos = try context.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.title)]))
    #expect(try statements(context) == before + 1)
    #expect(photos[0].image == Data(repeating: 0, count: 10_000))
    #expect(try statements(context) == before + 2, "one value, one statement: siblings are not loaded with it")
    _ = photos[0].image
    #expect(try statements(context) == before + 2)
    #expect(photos[0].text == "first" && photos[1].text == nil)
    #expect(photos[1].marks == [Photo.Mark(x: 1, y: 2)] && photos[1].kind == .raw)
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreLocation.allCases)
  func assigningAnExternalValueNeedsNotLoadIt(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let photo = try first(context)
    let before = try statements(context)
    photo.image = Data([9])
    #expect(try statements(context) == before)
    #expect(photo.hasChanges)
    try context.save()
    #expect(try store.value("SELECT value FROM \(table)") == .blob([9]))
    #expect(try store.value("SELECT larder_version FROM Photo") == .integer(2))
    // What is loaded is compared.
    photo.image = Data([9])
    #expect(!context.hasChanges)
    photo.text = nil
    photo.marks.append(Photo.Mark(x: 3, y: 4))
    try context.save()
    #expect(try store.rows("SELECT * FROM larder_external_Photo_text").isEmpty)
    #expect(try first(store.context()).marks.count == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func rollbackRestoresExternalValues(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let photo = try first(context)
    photo.image = Data([9])
    context.rollback()
    #expect(!photo.hasChanges)
    #expect(photo.image.count == 10_000)
    let before = try statements(context)
    photo.image = Data([8])
    context.rollback()
    #expect(photo.image.count == 10_000)
    #expect(try statements(context) == before, "it was loaded before the change, and still is")
  }

  @Test(arguments: StoreLocation.allCases)
  func externalValuesGoWithTheirRow(_ place: StoreLocation) throws {
    let store = try stored(place, 3)
    let context = store.context()
    context.delete(try first(context))
    try context.save()
    #expect(try store.value("SELECT count(*) FROM \(table)") == .integer(2))
    try context.delete(model: Photo.self)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM \(table)") == .integer(0))
    #expect(try store.value("SELECT count(*) FROM larder_external_Photo_marks") == .integer(0))
  }

  @Test(arguments: StoreLocation.allCases)
  func saveThatFailsWritesNoExternalValue(_ place: StoreLocation) throws {
    let store = try stored(place, 2)
    let context = store.context()
    let photos = try context.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.title)]))
    photos[0].image = Data([9])
    photos[1].title = "0"
    #expect(throws: SaveError.self) { try context.save() }
    #expect(try store.value("SELECT length(value) FROM \(table) WHERE row = 1") == .integer(10_000))
    photos[1].title = "1"
    try context.save()
    #expect(try store.value("SELECT length(value) FROM \(table) WHERE row = 1") == .integer(1))
    photos[0].marks = [Photo.Mark(x: .nan, y: 0)]
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.properties == ["marks"] && error?.code == .unstorableValue)
  }

  @Test(arguments: StoreLocation.allCases)
  func upsertWritesExternalValues(_ place: StoreLocation) throws {
    let store = try stored(place)
    let (context, other) = (store.context(), store.context())
    let (photo, seen) = (try first(context), try first(other))
    #expect(seen.image.count == 10_000)
    func again(_ image: Data) -> Photo {
      let again = Photo(title: "0", image: image)
      again.size = 10_000
      again.text = "first"
      again.marks = [Photo.Mark(x: 1, y: 2)]
      again.kind = .raw
      return again
    }
    context.insert(again(Data([7])))
    try context.save()
    #expect(photo.image == Data([7]) && photo.size == 10_000)
    #expect(try store.value("SELECT count(*) FROM Photo") == .integer(1))
    // The row itself did not change; its version tells others.
    _ = try first(other)
    #expect(seen.image == Data([7]))
    // The same once more changes nothing.
    context.insert(again(Data([7])))
    let writing = try store.writing { try context.save() }
    #expect(writing.rowChanges == 0)
    photo.image = Data([6])
    try context.save()
    #expect(try store.value("SELECT value FROM \(table)") == .blob([6]), "the version that the context knows is right")
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func externalValueThatCannotBeReadIsEmptyAndStopsTheSave(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let photo = try first(context)
    try store.execute("DELETE FROM \(table)")
    try store.execute("UPDATE larder_external_Photo_marks SET value = '{'")
    #expect(photo.image == Data())
    let error = try #require(context.pendingError as? FetchError)
    #expect(error.code == .rowNotFound && error.explanation.contains("Photo.image of row 1"))
    photo.size = 1
    #expect(throws: FetchError.self) { try context.save() }
    context.pendingError = nil
    #expect(photo.marks == [])
    #expect((context.pendingError as? FetchError)?.code == .unreadableValue)
    context.rollback()
    try store.execute("UPDATE larder_external_Photo_marks SET value = '[]'")
    #expect(photo.marks == [] && context.pendingError == nil)
  }

  @Test func deletedModelHasWhatItHadLoaded() throws {
    let store = try stored(.memory)
    let context = store.context()
    let photo = try first(context)
    _ = photo.image
    context.delete(photo)
    try context.save()
    #expect(photo.image.count == 10_000)
    #expect(photo.text == nil && photo.marks == [] && photo.kind == .plain)
  }

  @Test(arguments: StoreLocation.allCases)
  func anotherContextsChangeIsReadWithTheRow(_ place: StoreLocation) throws {
    let store = try stored(place)
    let (one, other) = (store.context(), store.context())
    let (mine, theirs) = (try first(one), try first(other))
    #expect(theirs.image.count == 10_000)
    let told = Counted(0)
    withObservationTracking {
      _ = theirs.image
    } onChange: {
      told.update { $0 += 1 }
    }
    mine.image = Data([1])
    try one.save()
    _ = try first(other)
    #expect(theirs.image == Data([1]))
    #expect(told.value == 1)
  }

  @Test func externalPropertyInAQueryIsAnError() throws {
    let context = try stored(.memory).context()
    #expect {
      try context.fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.text == "first" }))
    } throws: {
      "\($0)".contains("Photo.text") && "\($0)".contains(".externalStorage")
    }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.text)]))
    }
  }

  @Test func storeRemembersExternalTables() throws {
    let store = try stored(.disk)
    let schema = try store.value(
      """
      SELECT json_group_array(external.value ->> 'name') FROM larder_store, json_each(larder_store.value) AS entity,
        json_each(entity.value, '$.externals') AS external WHERE larder_store.key = 'schema'
      """)
    #expect(
      schema
        == .text(
          "[\"larder_external_Photo_image\",\"larder_external_Photo_text\",\"larder_external_Photo_marks\","
            + "\"larder_external_Photo_kind\"]"))
    // Another opening finds them as they are.
    let again = try TestStore.open(.disk, store.url, [Photo.self])
    #expect(try first(ModelContext(again)).image.count == 10_000)
  }

  @Test func backingDataHasExternalValues() throws {
    let store = try stored(.memory)
    let photo = try first(store.context())
    let copy = Photo(backingData: photo.persistentBackingData)
    #expect(copy.image == photo.image && copy.text == "first" && copy.kind == .raw)
  }
}
