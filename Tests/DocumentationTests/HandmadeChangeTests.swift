import SwiftData
import Testing

/// The consequences that Documentation/store-format.md names for what a person does with `sqlite3`.
@Suite struct HandmadeChangeTests {
  typealias Quake = StoreFormatCode.Quake

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try StoreFormatCode.fill(folder.file("store.db"))
  }

  private func open() throws -> ModelContainer {
    try ModelContainer(for: Quake.self, configurations: ModelConfiguration(url: folder.file("store.db")))
  }

  private func sqlite3(_ sql: String) throws { _ = try Shell.run("sqlite3 store.db \"\(sql)\"", in: folder.url) }

  /// Has every context of the container begin a new read transaction, without waiting for the old one's end.
  private func commit(_ container: ModelContainer) throws {
    let other = ModelContext(container)
    other.insert(
      Quake(code: UUID().uuidString, magnitude: 0, time: .now, location: .init(name: "", longitude: 0, latitude: 0)))
    try other.save()
  }

  private let first = FetchDescriptor<Quake>(predicate: #Predicate { $0.code == "ak0001" })

  @Test func updatesAreSeenByTheirVersion() throws {
    let container = try open()
    let context = ModelContext(container)
    let quake = try #require(try context.fetch(first).first)
    try sqlite3("UPDATE Quake SET magnitude = 1 WHERE code = 'ak0001'")
    try commit(container)
    _ = try context.fetch(first)
    #expect(quake.magnitude == 5.6)
    #expect(try ModelContext(container).fetch(first).map(\.magnitude) == [1])
    try sqlite3("UPDATE Quake SET magnitude = 2, larder_version = larder_version + 1 WHERE code = 'ak0001'")
    try commit(container)
    _ = try context.fetch(first)
    #expect(quake.magnitude == 2)
  }

  @Test func deletedRowsAreNoticed() throws {
    let container = try open()
    let context = ModelContext(container)
    let quake = try #require(try context.fetch(first).first)
    try sqlite3("DELETE FROM Quake WHERE code = 'ak0001'")
    quake.magnitude = 3
    try context.save()
    #expect(quake.modelContext == nil && !context.hasChanges)
  }

  @Test func rowsWithoutAnIdentifierGetOne() throws {
    try sqlite3(
      "INSERT INTO Quake (code, magnitude, time, location_name, location_longitude, location_latitude, shaking, status, "
        + "sources) VALUES ('by hand', 1, 0, 'here', 0, 0, 0, 'reviewed', '[]')")
    let container = try open()
    try commit(container)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 4)
    #expect(try context.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.code == "by hand" })).count == 1)
  }

  @Test func missingColumnsAreNoticedByFetches() throws {
    try sqlite3("ALTER TABLE Quake DROP COLUMN depth")
    let container = try open()
    #expect(throws: StoreError.self) { try ModelContext(container).fetch(first) }
  }

  @Test func bookkeepingIsNotToBeTouched() throws {
    try sqlite3("DELETE FROM larder_store")
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(error?.code == .damagedMetadata)
  }

  @Test func indexesMaintenanceAndJournalModeDoNoHarm() throws {
    try sqlite3("CREATE INDEX mine ON Quake (magnitude); VACUUM; REINDEX; PRAGMA journal_mode = DELETE")
    let container = try open()
    try commit(container)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Quake>()) == 3)
    #expect(try Shell.run("sqlite3 store.db 'PRAGMA journal_mode'", in: folder.url) == "wal\n")
  }

  // MARK: - Relationships

  private func trips() throws -> ModelContext {
    ModelContext(try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: folder.file("trips.db"))))
  }

  @Test func keysAreCheckedWhereSQLite3IsAskedTo() throws {
    try TripCode.fill(folder.file("trips.db"))
    let check = "PRAGMA foreign_keys = ON; "
    let refusal = try Shell.run(
      "sqlite3 trips.db \"\(check) DELETE FROM Trip WHERE name = 'Kyoto'\" 2>&1 || true", in: folder.url)
    #expect(refusal.contains("FOREIGN KEY constraint failed"))
    _ = try Shell.run("sqlite3 trips.db \"\(check) DELETE FROM Trip WHERE name = 'Alps'\"", in: folder.url)
    let pairs = try Shell.run("sqlite3 trips.db 'SELECT count(*) FROM larder_Guest_trips'", in: folder.url)
    #expect(pairs == "2\n")
  }

  @Test func keysThatLeadNowhereReadAsNothing() throws {
    try TripCode.fill(folder.file("trips.db"))
    _ = try Shell.run("sqlite3 trips.db \"DELETE FROM Trip WHERE name = 'Kyoto'\"", in: folder.url)
    let context = try trips()
    let stops = try context.fetch(FetchDescriptor<Stop>())
    #expect(stops.count == 3)
    #expect(stops.allSatisfy { $0.trip == nil })
    let guests = try context.fetch(FetchDescriptor<Guest>(sortBy: [SortDescriptor(\.name)]))
    #expect(guests.map { $0.trips.map(\.name) } == [["Alps"], []])
    let found = try Shell.run("sqlite3 trips.db 'PRAGMA foreign_key_check'", in: folder.url)
    #expect(found.split(separator: "\n").count == 5)
  }

  @Test func rowsWithoutAnOrderComeFirst() throws {
    try TripCode.fill(folder.file("trips.db"))
    func names() throws -> [String] {
      try trips().fetch(FetchDescriptor<Trip>()).first { $0.name == "Kyoto" }?.stops.map(\.name) ?? []
    }
    _ = try Shell.run(
      "sqlite3 trips.db \"INSERT INTO Stop (name, nights, trip) VALUES ('Nara', 1, 1); INSERT INTO Stop (name, nights, "
        + "trip, larder_trip_order) SELECT 'Osaka', 1, 1, max(larder_trip_order) + 65536 FROM Stop WHERE trip = 1\"",
      in: folder.url)
    #expect(try names() == ["Nara", "Gion", "Uji", "Fushimi", "Osaka"])
  }
}
