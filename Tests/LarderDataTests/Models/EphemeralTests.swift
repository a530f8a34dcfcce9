import Foundation
import SwiftData
import Testing

@testable import LarderData

/// `.ephemeral`: tracked, and not stored.
@Suite struct EphemeralTests {
  private func stored(_ place: StoreLocation) throws -> TestStore {
    let store = try TestStore(place, Song.self)
    let context = store.context()
    let song = Song(title: "one")
    song.isPlaying = true
    song.position = 1.5
    song.cover.color = 1
    context.insert(song)
    try context.save()
    #expect(song.isPlaying && song.position == 1.5 && song.cover.color == 1)
    return store
  }

  @Test(arguments: StoreLocation.allCases)
  func ephemeralValuesAreNotStored(_ place: StoreLocation) throws {
    let store = try stored(place)
    let song = try #require(try store.context().fetch(FetchDescriptor<Song>()).first)
    #expect(!song.isPlaying && song.position == nil && song.cover == Cover(color: 7))
    let columns = try store.rows("SELECT name FROM pragma_table_info('Song')").map { "\($0[0])" }
    #expect(columns == ["larder_id", "larder_version", "title", "plays"])
  }

  @Test(arguments: StoreLocation.allCases)
  func ephemeralChangesAreTracked(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let song = try #require(try context.fetch(FetchDescriptor<Song>()).first)
    song.isPlaying = false
    #expect(!context.hasChanges, "an equal value is no change")
    song.isPlaying = true
    song.cover.color = 2
    #expect(song.hasChanges && context.changedModelsArray.count == 1)
    context.rollback()
    #expect(!song.isPlaying && song.cover.color == 7 && !song.hasChanges)
  }

  @Test func ephemeralPropertiesAreObserved() throws {
    let store = try stored(.memory)
    let context = store.context()
    let song = try #require(try context.fetch(FetchDescriptor<Song>()).first)
    let told = Counted(0)
    withObservationTracking {
      _ = song.position
    } onChange: {
      told.update { $0 += 1 }
    }
    song.position = 3
    #expect(told.value == 1)
    #expect(song.modelContext == context)
  }

  /// A type may compare less than it has.
  @Test(arguments: StoreLocation.allCases)
  func equalEphemeralValuesAreAssigned(_ place: StoreLocation) throws {
    let store = try TestStore(place, Vinyl.self)
    let vinyl = Vinyl(title: "one")
    vinyl.sleeve = Sleeve(number: 1, text: "in no context")
    #expect(vinyl.sleeve.text == "in no context")
    vinyl.poster = Sleeve(number: 2, text: "")
    let context = try store.saved([vinyl])
    let told = Counted(0)
    withObservationTracking {
      _ = (vinyl.sleeve, vinyl.poster)
    } onChange: {
      told.update { $0 += 1 }
    }
    vinyl.sleeve = Sleeve(number: 1, text: "saved")
    vinyl.poster?.text = "saved"
    #expect(vinyl.sleeve.text == "saved" && vinyl.poster?.text == "saved")
    #expect(told.value == 0 && !context.hasChanges, "and are no change")
    vinyl.sleeve = Sleeve(number: 3, text: "another")
    #expect(told.value == 1 && context.hasChanges)
    context.rollback()
    #expect(vinyl.sleeve.text == "saved")
    // What becomes the same row gives it what it has.
    let same = Vinyl(title: "one")
    same.sleeve = Sleeve(number: 1, text: "upserted")
    context.insert(same)
    try context.save()
    #expect(vinyl.sleeve.text == "upserted")
  }

  @Test(arguments: StoreLocation.allCases)
  func savingOnlyEphemeralChangesWritesNothing(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let song = try #require(try context.fetch(FetchDescriptor<Song>()).first)
    song.position = 9
    let log = SaveLog(context)
    let writing = try store.writing { try context.save() }
    #expect(writing.rowChanges == 0)
    #expect(log.saves.allSatisfy { $0.updated == [] })
    #expect(song.position == 9 && !song.hasChanges)
    song.position = 10
    song.plays = 1
    try context.save()
    #expect(song.position == 10)
    #expect(try store.value("SELECT plays FROM Song") == .integer(1))
    // A row that is read anew leaves them as they are.
    try store.execute("UPDATE Song SET plays = 5, larder_version = larder_version + 1")
    _ = try context.fetch(FetchDescriptor<Song>())
    #expect(song.plays == 5 && song.position == 10)
  }

  @Test(arguments: StoreLocation.allCases)
  func upsertTakesEphemeralValuesOver(_ place: StoreLocation) throws {
    let store = try stored(place)
    let context = store.context()
    let song = try #require(try context.fetch(FetchDescriptor<Song>()).first)
    let other = Song(title: "one")
    other.position = 4
    context.insert(other)
    try context.save()
    #expect(song.position == 4)
  }

  @Test func ephemeralPropertyInAQueryIsAnError() throws {
    let context = try stored(.memory).context()
    #expect {
      try context.fetch(FetchDescriptor<Song>(predicate: #Predicate { $0.isPlaying }))
    } throws: {
      "\($0)".contains("Song.isPlaying") && "\($0)".contains(".ephemeral")
    }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.position)]))
    }
  }

  @Test func schemaCallsThemTransient() {
    let attributes = Schema([Song.self]).entitiesByName["Song"]?.attributesByName
    #expect(attributes?["cover"]?.isTransient == true && attributes?["plays"]?.isTransient == false)
  }
}
