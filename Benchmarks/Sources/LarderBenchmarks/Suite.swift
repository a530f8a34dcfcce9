import CLimits
@_spi(Measuring) import LarderData
import SwiftData

/// What is measured, round by round: each piece of work on both sides, one directly after the other, in turns.
final class Suite {
  let stores: Stores
  let records: Records
  let changed: Records
  /// The order in which look-ups ask.
  let order: [Int32]
  /// The loop is measured at these numbers of records.
  let sizes: [Int]
  /// So many records as a first synchronisation may bring; nil where that would take too long.
  let most: Int?
  var measurements = Measurements()
  private(set) var oursFirst = false

  private let feed: URL
  private var texts: [Int: FeedText] = [:]
  private(set) var number = 0

  init(stores: Stores, dtos: [QuakeDTO], sizes: [Int], most: Int?, feed: URL) {
    self.most = most
    self.feed = feed
    self.stores = stores
    records = Records(dtos)
    changed = Records(Records.changed(dtos))
    var generator = SeededGenerator(state: 2018)
    order = Array(0..<Int32(dtos.count)).shuffled(using: &generator)
    self.sizes = sizes
  }

  enum Section: String, CaseIterable {
    case flat, located, loop, upserts, ingest, usual, sizes, pending, walks, strings, readers, pages, relationships,
      contexts, http
  }

  func round(_ sections: [Section]) async throws {
    oursFirst.toggle()
    number += 1
    for section in sections {
      switch section {
      case .flat: try await flat()
      case .located: try await located()
      case .loop: for size in sizes { try await loop(size) }
      case .upserts: try await upserts()
      case .ingest: try await ingest()
      case .usual: try await usual()
      case .sizes: try await otherSizes()
      case .pending: try await pending()
      case .walks: try await walks()
      case .strings: try await strings()
      case .readers: try await readers()
      case .pages: try pages()
      case .relationships: try await relationships()
      case .contexts: try await contexts()
      case .http: try await http()
      }
    }
  }

  /// The feed as text, made when it is first measured.
  func feedText(_ count: Int) throws -> FeedText {
    if let text = texts[count] { return text }
    let made = try FeedText(feed: feed, records: count)
    texts[count] = made
    return made
  }

  func readRecords(_ count: Int) throws -> [QuakeDTO] { try Records.read(feed: feed, count: count) }

  /// A budget, which is for 100,000 records: what one of fewer or of more costs is told. From few to many it must not grow,
  /// which is judged by itself (``growths()``).
  func judged(_ budget: Double, _ count: Int) -> Double? { count == Budget.records ? budget : nil }

  /// Measures both sides of a row, in an order that changes with each round.
  func measure(
    _ name: String, budget: Double?, rows: Int, limit: () async throws -> Void, ours: () async throws -> Void
  ) async throws {
    var oursTime = 0.0
    if oursFirst { oursTime = try await nanoseconds(ours) }
    let limitTime = try await nanoseconds(limit)
    if !oursFirst { oursTime = try await nanoseconds(ours) }
    measurements.add(name, budget: budget, rows: rows, ours: oursTime, limit: limitTime)
  }

  // MARK: - A flat model

  private func flat() async throws {
    let count = records.count
    let limit = try stores.limit(.flat)
    let container = try stores.container()

    let writing = ModelContext(container)
    writing.autosaveEnabled = false
    try await measure("insert + save", budget: Budget.insert, rows: count) {
      try limit.insert(records, count)
    } ours: {
      for dto in records.dtos {
        writing.insert(
          Quake(
            code: dto.code, magnitude: dto.magnitude, time: dto.time, place: dto.place, longitude: dto.longitude,
            latitude: dto.latitude))
      }
      try writing.save()
    }

    try await fetch(
      limit, container, names: ("fetch, every property read", "free what was fetched"), budget: Budget.fetch
    ) { (quake: Quake) in
      Double(quake.code.utf8.count) + quake.magnitude + quake.time.timeIntervalSinceReferenceDate
        + Double(quake.place.utf8.count) + quake.longitude + quake.latitude
    }

    try await lookUp(
      limit, container, name: "look-up by unique attribute, kept transaction", budget: Budget.keptLookUp, kept: true)
    try await lookUp(
      limit, container, name: "look-up by unique attribute, autocommit", budget: Budget.autocommitLookUp, kept: false)
  }

  /// Everything into objects; what is fetched is read whole, and freeing it is measured by itself.
  private func fetch<Model: PersistentModel>(
    _ limit: Limit, _ container: ModelContainer, names: (fetch: String, free: String), budget: Double,
    read: (Model) -> Double
  ) async throws {
    let context = ModelContext(container)
    // Both sides' page caches are warm.
    _ = try limit.fetch()
    _ = try ModelContext(container).fetch(FetchDescriptor<Model>())

    var limitSum = 0.0
    var oursSum = 0.0
    var fetched: [Model] = []
    var limitTime = 0.0
    try await measure(names.fetch, budget: budget, rows: records.count) {
      limitTime = try await nanoseconds {
        let rows = try limit.fetch()
        limitSum = rows.sum
      }
    } ours: {
      fetched = try context.fetch(FetchDescriptor<Model>())
      for model in fetched { oursSum += read(model) }
    }
    try require(oursSum == limitSum && fetched.count == records.count, "both sides read the same")

    let free = await nanoseconds { fetched = [] }
    measurements.add(names.free, budget: Budget.free, rows: records.count, ours: free, limit: limitTime)
  }

  private func lookUp(
    _ limit: Limit, _ container: ModelContainer, name: String, budget: Double, kept: Bool
  ) async throws {
    let context = ModelContext(container)
    context.larderRetainsReadTransaction = kept
    var limitSum = 0.0
    var oursSum = 0.0
    try await measure(name, budget: budget, rows: order.count) {
      limitSum = try limit.lookUp(records, order, oneTransaction: kept)
    } ours: {
      for index in order {
        let code = records.dtos[Int(index)].code
        let predicate = #Predicate<Quake> { $0.code == code }
        oursSum += try context.fetch(FetchDescriptor(predicate: predicate)).first?.magnitude ?? .nan
      }
    }
    try require(oursSum == limitSum, "both sides find the same")
  }

  // MARK: - A flat composite

  private func located() async throws {
    let limit = try stores.limit(.located)
    let container = try stores.container()
    try limit.insert(records, records.count)
    let writing = ModelContext(container)
    writing.autosaveEnabled = false
    for dto in records.dtos {
      writing.insert(
        LocatedQuake(
          code: dto.code, magnitude: dto.magnitude, time: dto.time, name: dto.place, longitude: dto.longitude,
          latitude: dto.latitude))
    }
    try writing.save()

    try await fetch(
      limit, container, names: ("fetch with a composite, every property read", "free what was fetched, composite"),
      budget: Budget.compositeFetch
    ) { (quake: LocatedQuake) in
      let location = quake.location
      return Double(quake.code.utf8.count) + quake.magnitude + quake.time.timeIntervalSinceReferenceDate
        + Double(location.name.utf8.count) + location.longitude + location.latitude
    }
  }

  // MARK: - The loop

  /// The loop into an empty store, over what is there already, and over what has changed.
  func loop(_ count: Int) async throws {
    let same = Array(records.dtos.prefix(count))
    let different = Array(changed.dtos.prefix(count))
    // Few records take so little time that the noise is large: measured more often.
    let repetitions = min(max(records.count / count / 10, 1), 5)
    for _ in 0..<repetitions {
      let limit = try stores.limit(.flat)
      let container = try stores.container()
      try await loop("an empty store", limit, container, same) { try limit.upsert(records, count) }
      try await loop("unchanged rows", limit, container, same) { try limit.upsert(records, count) }
      try await loop("changed rows", limit, container, different) { try limit.upsert(changed, count) }

      let fetched = try ModelContext(container).fetch(FetchDescriptor<Quake>())
      try require(
        fetched.count == count && fetched.reduce(0) { $0 + $1.magnitude } == different.reduce(0) { $0 + $1.magnitude },
        "the loop stored what it was given")
    }
  }

  private func loop(
    _ what: String, _ limit: Limit, _ container: ModelContainer, _ dtos: [QuakeDTO], upsert: () throws -> Void
  ) async throws {
    let service = QuakeSyncService(modelContainer: container)
    let budget = judged(Budget.loop, dtos.count)
    try await measure(Self.loopName(what, dtos.count), budget: budget, rows: dtos.count) {
      try upsert()
    } ours: {
      try await service.sync(dtos)
    }
  }

  static func loopName(_ what: String, _ count: Int) -> String { "the loop, \(what), \(count)" }
  static let loopCases = ["an empty store", "unchanged rows", "changed rows"]

  func require(_ condition: Bool, _ claim: String) throws {
    if !condition { throw LimitError(description: "It is not so that \(claim).") }
  }
}

/// A small generator with a seed, so that every run asks in the same order.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    // SplitMix64
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
