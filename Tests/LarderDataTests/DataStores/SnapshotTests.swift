import Foundation
import LarderData
import SwiftData
import Testing

/// A snapshot of a store's own: what it has of a crate, and nothing of any other model.
struct CrateRecord: DataStoreSnapshot {
  enum CodingKeys: String, CodingKey { case persistentIdentifier, number, text }

  let persistentIdentifier: PersistentIdentifier
  var number: Int
  var text: String

  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    guard let data = backingData as? any BackingData<Crate> else { preconditionFailure("no crate") }
    persistentIdentifier =
      data.persistentModelID
      ?? PersistentIdentifier(identity: .of(store: nil, entity: "Crate"), key: 1, isSaved: false)
    number = data.getValue(forKey: \.number)
    text = data.getValue(forKey: \.text)
  }

  private init(_ identifier: PersistentIdentifier, _ other: CrateRecord) {
    persistentIdentifier = identifier
    (number, text) = (other.number, other.text)
  }

  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> CrateRecord { CrateRecord(persistentIdentifier, self) }
}

final class RecordStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = RecordStore
    var name = "records"
    var schema: Schema?
  }

  typealias Snapshot = CrateRecord

  let configuration: Configuration
  let schema: Schema
  let identifier = "records"
  private var records: [PersistentIdentifier: CrateRecord] = [:]

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, CrateRecord> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(records.values))
  }

  func save(_ request: DataStoreSaveChangesRequest<CrateRecord>) throws -> DataStoreSaveChangesResult<CrateRecord> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for record in request.inserted {
      remapped[record.persistentIdentifier] = try .identifier(
        for: identifier, entityName: "Crate", primaryKey: records.count + remapped.count + 1)
    }
    for record in request.inserted + request.updated {
      let known = remapped[record.persistentIdentifier] ?? record.persistentIdentifier
      records[known] = record.copy(persistentIdentifier: known, remappedIdentifiers: nil)
    }
    for record in request.deleted { records[record.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}

@Suite struct SnapshotTests {
  @Test func snapshotsOfAStoresOwn() throws {
    let container = try ModelContainer(for: Crate.self, configurations: RecordStore.Configuration())
    let context = ModelContext(container)
    for number in 1...3 { context.insert(Crate(number: number, text: "\(number)", note: "not kept")) }
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(
      FetchDescriptor<Crate>(predicate: #Predicate { $0.number > 1 }, sortBy: [.init(\.number)]))
    #expect(found.map(\.text) == ["2", "3"])
    // What the snapshot leaves out stays as it is in memory.
    #expect(found.map(\.note) == ["not kept", "not kept"])
    found[0].text = "two"
    other.delete(found[1])
    try other.save()
    #expect(try context.fetch(FetchDescriptor<Crate>(sortBy: [.init(\.number)])).map(\.text) == ["1", "two"])
  }

  /// Every kind of value, through the coded form and back.
  @Test func defaultSnapshotsKeepEveryValue() throws {
    let cabinet = Cabinet()
    let container = try cabinet.container(EveryValue.self)
    let context = ModelContext(container)
    let value = EveryValue()
    value.double = -.infinity
    value.int64 = .min
    value.uint64 = UInt64(Int64.max)
    value.decimal = Decimal(string: "123456789012345678901234567890.12345678") ?? 0
    value.string = "e\u{301}\0\r\n\u{1F469}\u{200D}\u{1F680}"
    value.data = Data([0, 255, 10])
    value.grade = .high
    value.rank = .second
    value.measure = Measure(value: 1.5, unit: "m")
    value.numbers = [3, 1, 2]
    value.tags = ["b", "a"]
    value.ratios = ["x": 0.1]
    value.spot = Site(name: "here", x: 1, y: -2)
    value.home = Site(name: "there", x: 0.1, y: 0.2)
    value.optionalDate = Date(timeIntervalSinceReferenceDate: 0.1)
    context.insert(value)
    try context.save()
    let identifier = value.persistentModelID
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "n")
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "n")
    let kept = try #require(cabinet.models[identifier])
    cabinet.models[identifier] = try decoder.decode(DefaultSnapshot.self, from: encoder.encode(kept))
    let read = try #require(try ModelContext(try cabinet.container(EveryValue.self)).all(EveryValue.self).first)
    #expect(read.persistentModelID == identifier)
    #expect(read.double == value.double && read.int64 == .min && read.uint64 == value.uint64)
    #expect(
      read.decimal == value.decimal && Array(read.string.utf8) == Array(value.string.utf8) && read.data == value.data)
    #expect(read.grade == .high && read.rank == .second && read.measure == value.measure)
    #expect(read.numbers == [3, 1, 2] && read.tags == ["a", "b"] && read.ratios == ["x": 0.1])
    #expect(read.spot == value.spot && read.home == value.home && read.optionalDate == value.optionalDate)
    #expect(read.optionalDouble == nil && read.optionalDecimal == nil)
  }

  @Test func attributesAreAppliedToBackingData() throws {
    let cabinet = Cabinet()
    let context = ModelContext(try cabinet.container(Crate.self))
    context.insert(Crate(number: 7, text: "seven"))
    try context.save()
    let snapshot = try #require(cabinet.models.values.first)
    let data = Crate(number: 0).persistentBackingData
    #expect(snapshot._applyToBackingData(data))
    let crate = Crate(backingData: data)
    #expect(crate.number == 7 && crate.text == "seven" && crate.note == nil)
  }

  @Test func unreadableAnswersAreTypedErrors() throws {
    let cabinet = Cabinet()
    let container = try cabinet.container(Crate.self, Sensor.self)
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    context.insert(Sensor("a"))
    try context.save()
    let crate = try #require(cabinet.models.keys.first { $0.entityName == "Crate" })
    let sensor = try #require(cabinet.models.keys.first { $0.entityName == "Sensor" })
    // A model of another store.
    let good = cabinet.models
    let stranger = try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Crate", primaryKey: 1)
    cabinet.models[crate] = good[crate]?.copy(persistentIdentifier: stranger, remappedIdentifiers: nil)
    let error = #expect(throws: SwiftDataError.self) { try context.all(Crate.self) }
    #expect(error == .unknownDataStoreSchema && error?.explanation?.contains("elsewhere") == true)
    // A value that a new model cannot be without.
    cabinet.models = good
    let other = ModelContext(try cabinet.container(Crate.self, Sensor.self))
    cabinet.models[crate] = try cabinet.edited(try #require(good[crate])) { $0["number"] = nil }
    #expect(throws: FetchError.self) { try other.all(Crate.self) }
    #expect(try other.all(Sensor.self).count == 1)
    // Two of one key.
    cabinet.models = good
    let double = try cabinet.identifier("Sensor")
    cabinet.models[double] = good[sensor]?.copy(persistentIdentifier: double, remappedIdentifiers: nil)
    let conflict = #expect(throws: FetchError.self) { try context.all(Sensor.self) }
    #expect(conflict?.code == .unreadableValue)
    #expect(try context.all(Crate.self).count == 1)
    cabinet.models = good
    #expect(try context.all(Sensor.self).map(\.code) == ["a"])
    // Keys that change places are none.
    let (one, two) = (sensor, double)
    cabinet.models[two] = try cabinet.edited(
      try #require(good[sensor]?.copy(persistentIdentifier: two, remappedIdentifiers: nil))
    ) {
      $0["code"] = "b"
    }
    #expect(Set(try context.all(Sensor.self).map(\.code)) == ["a", "b"])
    try cabinet.edit(one) { $0["code"] = "b" }
    try cabinet.edit(two) { $0["code"] = "a" }
    #expect(
      try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == "a" })).map(\.persistentModelID) == [
        two
      ])
  }

  @Test func identifiersOfAnyKey() throws {
    let store = UUID().uuidString
    func identifier(_ key: some Comparable & CustomStringConvertible & Codable & Hashable) throws
      -> PersistentIdentifier
    {
      try .identifier(for: store, entityName: "Crate", primaryKey: key)
    }
    #expect(try identifier(7) == identifier("7"))
    #expect(try identifier("07") != identifier(7))
    #expect(try identifier("a") == identifier("a") && identifier("a") != identifier("b"))
    #expect(try identifier("a") < identifier("b") && identifier(2) < identifier(10))
    let (one, other) = (try identifier("a"), try identifier("a"))
    #expect(Set([one, other]).count == 1)
    #expect(throws: SwiftDataError.self) { try identifier("") }
    for key in ["0", "-1", "9223372036854775807", "1152921504606846976", "é", "e\u{301}", " 1"] {
      let one = try identifier(key)
      let coded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(one))
      #expect(coded == one && coded.storeIdentifier == store && coded.entityName == "Crate")
    }
    #expect(try identifier("é") != identifier("e\u{301}"), "keys are compared as strings are: by their bytes")
  }
}
