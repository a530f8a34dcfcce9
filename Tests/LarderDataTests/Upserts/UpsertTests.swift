import CSQLite
import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Records that become rows by a key.
@Suite(.directly("a bulk upsert is of SQLite stores")) struct UpsertTests {
  private func store(_ place: StoreLocation) throws -> TestStore {
    try TestStore(place, Bale.self, Lorry.self, Sticker.self)
  }

  private func upsert(
    _ records: [BaleRecord], _ store: TestStore, removing removal: UpsertRemoval<Bale> = .none
  ) throws -> UpsertReport {
    try store.container.upsert(records, into: Bale.self, by: \.code, author: "feed", removing: removal) {
      $0.everything()
    }
  }

  private func counts(_ report: UpsertReport) -> [Int] {
    [report.inserted, report.updated, report.unchanged, report.failed]
  }
  private var byCode: FetchDescriptor<Bale> { FetchDescriptor(sortBy: [SortDescriptor(\.code)]) }

  // MARK: Rows

  @Test(arguments: StoreLocation.allCases)
  func recordsBecomeRows(_ place: StoreLocation) throws {
    let store = try store(place)
    var records = BaleRecord.numbered(1...9) { $0.price = 9.5 }
    #expect(counts(try upsert(records, store)) == [9, 0, 0, 0])
    records[2].note = "fragile"
    records[3].weight = -0.0
    records.append(BaleRecord(code: "P10"))
    #expect(counts(try upsert(records, store)) == [1, 2, 7, 0])
    let goods = try store.context().fetch(byCode)
    #expect(Set(goods.map(\.code)) == Set((1...10).map { "P\($0)" }) && goods.count == 10)
    let third = try #require(goods.first { $0.code == "P3" })
    #expect(third.note == "fragile" && third.weight == 3 && third.price == Decimal(string: "9.5"))
    // What no record sets: its default in new rows, what it is in others.
    #expect(third.grade == .low && third.spot == Site(name: "", x: 0, y: 0) && third.sent == nil)
    let context = store.context()
    try #require(try context.fetch(byCode).first { $0.code == "P3" }).grade = .high
    try context.save()
    records[2].note = nil
    #expect(counts(try upsert(records, store)) == [0, 1, 9, 0])
    let again = try #require(try store.context().fetch(byCode).first { $0.code == "P3" })
    #expect(again.note == nil && again.grade == .high)
    #expect(again.persistentModelID == third.persistentModelID)
    // Numbers are the store's own, one after the other.
    #expect(try store.rows("SELECT larder_id FROM Bale ORDER BY larder_id").last?.first == .integer(10))
    let ship = Bale("later")
    context.insert(ship)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Bale>()) == 11)
    #expect(try store.container.integrityCheck().isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatChangesNothingWritesNothing(_ place: StoreLocation) throws {
    let store = try store(place)
    let records = BaleRecord.numbered(1...500) { $0.note = "n" }
    _ = try upsert(records, store)
    let context = store.context()
    let history = try context.history().count
    let saves = Counted(0)
    let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) {
      note in
      if (note.object as? ModelContext)?.author == "feed again" { saves.update { $0 += 1 } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    // The number of a first row is set apart when it is needed.
    let writing = try store.writing {
      let report = try store.container.upsert(records, into: Bale.self, by: \.code, author: "feed again") {
        $0.everything()
      }
      #expect(counts(report) == [0, 0, 500, 0])
    }
    #expect(writing.status.pagesWritten == 0 && writing.rowChanges == 0)
    #expect(try context.history().count == history)
    #expect(saves.value == 0)
  }

  @Test(arguments: StoreLocation.allCases)
  func eachTransactionIsTold(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let reader = store.context()
    _ = try upsert(BaleRecord.numbered(1...3), store)
    let held = try reader.fetch(byCode)
    _ = try upsert(BaleRecord.numbered(2...4) { if $0.code == "P2" { $0.weight = 20 } }, store)
    _ = try reader.fetchCount(FetchDescriptor<Lorry>())
    #expect(held.map(\.weight) == [1, 20, 3])
    let history = try context.history()
    #expect(history.map(\.author) == ["feed", "feed"])
    #expect(history[1].changes.map(\.summary) == ["insert Bale", "update Bale weight price note lorry"])
  }

  @Test(arguments: StoreLocation.allCases)
  func oneKeyTwiceIsOneRow(_ place: StoreLocation) throws {
    let store = try store(place)
    let records = [BaleRecord(code: "a", weight: 1), BaleRecord(code: "a", weight: 2)]
    #expect(counts(try upsert(records, store)) == [1, 1, 0, 0])
    #expect(try store.context().fetch(byCode).map(\.weight) == [2])
    let history = try store.context().history()
    #expect(history.count == 1 && history[0].changes.map(\.summary) == ["insert Bale"])
  }

  @Test(arguments: StoreLocation.allCases)
  func severalAttributesAreAKey(_ place: StoreLocation) throws {
    let store = try store(place)
    func upsert(_ records: [BaleRecord]) throws -> UpsertReport {
      try store.container.upsert(records, into: Bale.self, by: \.shelf, \.depot) { parcel in
        parcel.set(\.code) { $0.code ?? "" }
        parcel.set(\.depot) { $0.depot }
        parcel.set(\.shelf) { $0.shelf }
        parcel.set(\.spot.name) { $0.note ?? "" }
        parcel.set(\.spot.x) { $0.weight }
        parcel.set(\.spot.y) { _ in 0 }
      }
    }
    let records = [
      BaleRecord(code: "a", note: "one", depot: "north", shelf: 1), BaleRecord(code: "b", depot: "north", shelf: 2),
      BaleRecord(code: "c", depot: "south", shelf: nil),
    ]
    let report = try upsert(records)
    #expect(counts(report) == [2, 0, 0, 1])
    #expect(report.firstFailures.first?.index == 2, "a key that is nil is none")
    #expect(try store.context().fetch(byCode).map(\.spot.name) == ["one", ""])
    #expect(counts(try upsert([BaleRecord(code: "z", note: "one", depot: "north", shelf: 1)])) == [0, 1, 0, 0])
    #expect(try store.context().fetch(byCode).map(\.code) == ["b", "z"])
  }

  // MARK: Relationships

  @Test(arguments: StoreLocation.allCases)
  func othersAreRelatedByTheirKeys(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = try store.saved([Lorry("A"), Lorry("B")])
    let vans = try context.fetch(FetchDescriptor<Lorry>(sortBy: [SortDescriptor(\.plate)]))
    #expect(vans[0].goods.isEmpty)
    var records = BaleRecord.numbered(1...4) { $0.lorry = "A" }
    records[3].lorry = nil
    #expect(counts(try upsert(records, store)) == [4, 0, 0, 0])
    _ = try context.fetchCount(FetchDescriptor<Lorry>())
    #expect(vans[0].goods.map(\.code) == ["P1", "P2", "P3"])
    // Moved behind those that are there; what stays keeps its place.
    records[0].lorry = "B"
    records[3].lorry = "A"
    #expect(counts(try upsert(records, store)) == [0, 2, 2, 0])
    _ = try context.fetchCount(FetchDescriptor<Lorry>())
    #expect(vans[0].goods.map(\.code) == ["P2", "P3", "P4"] && vans[1].goods.map(\.code) == ["P1"])
    #expect(try store.context().fetch(byCode).map { $0.lorry?.plate } == ["B", "A", "A", "A"])
    records[1].lorry = "nobody's"
    let report = try upsert(records, store)
    #expect(counts(report) == [0, 0, 3, 1])
    let error = report.firstFailures.first?.error as? SaveError
    #expect(error?.properties == ["lorry"] && error?.explanation.contains("nobody") == false)
    #expect(try store.value("SELECT count(*) FROM pragma_foreign_key_check") == .integer(0))
  }

  // MARK: What no record names

  @Test(arguments: StoreLocation.allCases)
  func whatNoRecordNamesIsRemoved(_ place: StoreLocation) throws {
    let store = try store(place)
    _ = try upsert(BaleRecord.numbered(1...9), store)
    let context = store.context()
    let held = try context.fetch(byCode)
    let label = Sticker("red")
    label.goods = held
    context.insert(label)
    try context.save()
    let report = try upsert(BaleRecord.numbered(4...10), store, removing: .missing)
    #expect(counts(report) == [1, 0, 6, 0] && report.removed == 3)
    _ = try context.fetchCount(byCode)
    #expect(held.filter { $0.modelContext == nil }.map(\.code) == ["P1", "P2", "P3"])
    #expect(label.goods.count == 6)
    // Of those alone that match.
    let light = try upsert([], store, removing: .missing(among: #Predicate { $0.weight < 6 }))
    #expect(light.removed == 2)
    let left = try store.context().fetch(byCode).map(\.code)
    #expect(left == ["P6", "P7", "P8", "P9", "P10"])
    // A record whose key nobody knows may be any of them.
    let broken = try upsert([BaleRecord(isBroken: true)], store, removing: .missing)
    #expect(broken.removed == 0 && broken.failed == 1 && broken.removalProblem is BrokenRecord)
    // One that cannot be stored is there all the same.
    let bad = try upsert([BaleRecord(code: "P6", weight: .nan)], store, removing: .missing)
    #expect(counts(bad) == [0, 0, 0, 1] && bad.removalProblem == nil)
    #expect(bad.removed == 4)
    #expect(try store.context().fetch(byCode).map(\.code) == ["P6"])
    // Vans take their goods along.
    _ = try store.saved([Lorry("A")])
    _ = try upsert([BaleRecord(code: "x", lorry: "A")], store)
    let vans = try store.container.upsert([BaleRecord](), into: Lorry.self, by: \.plate, removing: .missing) { van in
      van.set(\.plate) { $0.lorry ?? "" }
      van.set(\.driver) { $0.note ?? "" }
    }
    #expect(vans.removed == 1)
    #expect(try store.context().fetch(byCode).map(\.code) == ["P6"])
    #expect(try store.value("SELECT count(*) FROM sqlite_temp_schema") == .integer(0))
  }

  /// They come between each other's transactions, by one connection.
  @Test(arguments: StoreLocation.allCases)
  func snapshotsAtOnceKeepTheirKeysApart(_ place: StoreLocation) throws {
    let store = try store(place)
    _ = try upsert(BaleRecord.numbered(1...9), store)
    func begin() throws -> BulkUpsert<Bale, BaleRecord> {
      try store.container.bulkUpsert(by: [\Bale.code], author: nil, recordsKeys: true) { $0.everything() }
    }
    let (one, other, third) = (try begin(), try begin(), try begin())
    let lorries: BulkUpsert<Lorry, BaleRecord> = try store.container.bulkUpsert(
      by: [\Lorry.plate], author: nil, recordsKeys: true
    ) { lorry in
      lorry.set(\.plate) { $0.lorry ?? "" }
      lorry.set(\.driver) { $0.note ?? "" }
    }
    try one.write(BaleRecord.numbered(1...4), { false })
    try lorries.write([BaleRecord(lorry: "A")], { false })
    try other.write(BaleRecord.numbered(8...12), { false })
    other.abandon()
    try one.write(BaleRecord.numbered(5...7), { false })
    try lorries.finish(.missing, { false })
    try one.finish(.missing, { false })
    #expect(one.report.removed == 5 && lorries.report.removed == 0)
    #expect(try store.context().fetch(byCode).map(\.code) == (1...7).map { "P\($0)" })
    // Of no records at all, and with a number that was another's.
    let fourth = try begin()
    try third.finish(.missing(among: #Predicate { $0.weight < 3 }), { false })
    #expect(third.report.removed == 2)
    fourth.abandon()
    #expect(try store.value("SELECT count(*) FROM sqlite_temp_schema") == .integer(0))
  }

  /// What the record stands for is not known.
  @Test(arguments: StoreLocation.allCases)
  func aRecordWithoutAKeyKeepsAllRows(_ place: StoreLocation) throws {
    let store = try store(place)
    func upsert(_ records: [BaleRecord]) throws -> UpsertReport {
      try store.container.upsert(records, into: Bale.self, by: \.depot, \.shelf, removing: .missing) {
        $0.everything()
        $0.set(\.depot) { $0.depot }
        $0.set(\.shelf) { $0.shelf }
      }
    }
    let records = BaleRecord.numbered(1...3) { $0.depot = "d" }.enumerated().map { place, record in
      var record = record
      record.shelf = place
      return record
    }
    #expect(try upsert(records).inserted == 3)
    var lacking = records[2]
    lacking.shelf = nil
    let report = try upsert([records[0], records[1], lacking])
    #expect(report.failed == 1 && report.removed == 0 && report.removalProblem is SaveError)
    #expect(try store.context().fetchCount(byCode) == 3)
  }

  /// What triggers write is none of what the upsert does.
  @Test(arguments: StoreLocation.allCases)
  func triggersOfOthersAreNoRecords(_ place: StoreLocation) throws {
    let store = try store(place)
    try store.execute(
      """
      CREATE TABLE journal (what TEXT);
      CREATE TRIGGER made AFTER INSERT ON Bale BEGIN
        UPDATE Bale SET note = 'seen' WHERE larder_id = new.larder_id;
        INSERT INTO journal VALUES ('made');
      END;
      CREATE TRIGGER changed AFTER UPDATE OF weight ON Bale BEGIN INSERT INTO journal VALUES ('changed'); END;
      """)
    #expect(counts(try upsert(BaleRecord.numbered(1...5), store)) == [5, 0, 0, 0])
    #expect(try store.value("SELECT max(larder_id) < 1000 FROM Bale") == .integer(1))
    let context = store.context()
    let held = try context.fetch(byCode)
    var records = BaleRecord.numbered(1...6)
    records[0].weight = 20
    // The notes that the trigger has written are none of the records'.
    let report = try upsert(records, store)
    #expect(report.inserted == 1 && report.failed == 0)
    #expect(try context.fetch(byCode).map(\.code) == (1...6).map { "P\($0)" })
    #expect(held[0].weight == 20)
    #expect(try store.value("SELECT count(*) FROM journal") == .integer(11))
  }

  // MARK: What cannot be

  /// A text that SQLite refuses is told of the record that has it, whatever else is wrong with that one, and of no other.
  @Test func twoThingsWrongWithOneRecord() throws {
    let store = try store(.memory)
    try store.container.store.database.withWriter { connection in
      _ = sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, 10_000)
    }
    var records = BaleRecord.numbered(1...3)
    records[0].note = String(repeating: "n", count: 20_000)
    records[0].weight = .nan
    let report = try upsert(records, store)
    #expect(counts(report) == [2, 0, 0, 1])
    #expect(report.firstFailures.map(\.index) == [0])
  }

  @Test(arguments: StoreLocation.allCases)
  func badRecordsAreReported(_ place: StoreLocation) throws {
    let store = try store(place)
    var records = BaleRecord.numbered(0...9)
    records[1].isBroken = true
    records[3].weight = .nan
    records[5].depot = "d"
    let report = try upsert(records, store)
    #expect(counts(report) == [8, 0, 0, 2])
    #expect(report.firstFailures.map(\.index) == [1, 3])
    #expect(report.firstFailures[0].error is BrokenRecord)
    #expect((report.firstFailures[1].error as? SaveError)?.properties == ["weight"])
    #expect(try store.context().fetchCount(byCode) == 8)
    // Another row has what is unique.
    let clash = [
      BaleRecord(code: "P0", depot: "d", shelf: 1), BaleRecord(code: "P2", depot: "d", shelf: 1),
    ]
    let second = try store.container.upsert(clash, into: Bale.self, by: \.code) { parcel in
      parcel.set(\.code) { $0.code ?? "" }
      parcel.set(\.depot) { $0.depot }
      parcel.set(\.shelf) { $0.shelf }
    }
    #expect(counts(second) == [0, 1, 0, 1])
    #expect((second.firstFailures.first?.error as? SaveError)?.code == .uniquenessConflict)
    let many = try upsert(BaleRecord.numbered(1...300) { $0.isBroken = true }, store)
    #expect(many.failed == 300 && many.firstFailures.count == UpsertReport.maximumFailures)
    #expect(try store.container.integrityCheck().isEmpty)
  }

  @Test func mappingsThatCannotBeAreTypedErrors() throws {
    let store = try TestStore(.memory, Bale.self, Lorry.self, Sticker.self, Photo.self, Crate.self)
    let records = [BaleRecord(code: "a")]
    func refuses<Model: PersistentModel>(
      _ model: Model.Type, _ key: PartialKeyPath<Model>, _ words: String,
      _ mapping: (inout UpsertMapping<Model, BaleRecord>) -> Void
    ) {
      let error = #expect(throws: SwiftDataError.self) {
        try store.container.upsert(records, into: model, by: key, mapping: mapping)
      }
      #expect(error == .modelValidationFailure && error?.explanation?.contains(words) == true, "\(error as Any)")
    }
    refuses(Bale.self, \.weight, "weight is not unique") { $0.everything() }
    refuses(Bale.self, \.code, "key code is not set") { $0.set(\.weight) { $0.weight } }
    refuses(Lorry.self, \.plate, "driver is not set") { $0.set(\.plate) { $0.lorry ?? "" } }
    refuses(Photo.self, \.title, "image has .externalStorage") { $0.set(\.title) { $0.code ?? "" } }
    refuses(Bale.self, \.code, "unique by itself") { parcel in
      parcel.everything()
      parcel.relate(\.lorry, by: \.driver) { $0.lorry }
    }
    #expect(throws: (any Error).self) {
      try store.container.upsert(records, into: Bale.self, by: \.code) { parcel in
        parcel.everything()
        parcel.set(\.lorry) { _ in nil }
      }
    }
    let elsewhere = try TestStore(.memory, Crate.self)
    #expect(throws: SwiftDataError.self) {
      try elsewhere.container.upsert(records, into: Bale.self, by: \.code) { $0.everything() }
    }
    #expect(try store.context().fetchCount(byCode) == 0)
  }

  @Test func readOnlyStoresAreLeftAlone() throws {
    let store = try store(.disk)
    _ = try upsert(BaleRecord.numbered(1...2), store)
    let container = try TestStore.open(
      .disk, store.url, [Bale.self, Lorry.self, Sticker.self], allowsSave: false)
    let error = #expect(throws: SaveError.self) {
      try container.upsert(BaleRecord.numbered(1...3), into: Bale.self, by: \.code) { $0.everything() }
    }
    #expect(error?.code == .savingNotAllowed)
  }
}
