import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Upserts among contexts: batches, pending edits, cancelling.
@Suite(.directly("a bulk upsert is of SQLite stores")) struct UpsertContextTests {
  private func store(_ place: StoreLocation) throws -> TestStore {
    try TestStore(place, Bale.self, Lorry.self, Sticker.self)
  }
  private var byCode: FetchDescriptor<Bale> { FetchDescriptor(sortBy: [SortDescriptor(\.code)]) }

  @Test(arguments: StoreLocation.allCases)
  func aContextShowsWhatItUpserted(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    context.author = "feed"
    let report = try context.upsert(BaleRecord.numbered(1...2), into: Bale.self, by: \.code) { $0.everything() }
    #expect(report.inserted == 2)
    let goods = try context.fetch(byCode)
    goods[0].note = "pending"
    context.insert(Bale("new"))
    try context.upsert(
      BaleRecord.numbered(1...2) { $0.weight = 7 }, into: Bale.self, by: \.code
    ) { parcel in
      parcel.set(\.code) { $0.code ?? "" }
      parcel.set(\.weight) { $0.weight }
    }
    #expect(goods.map(\.weight) == [7, 7] && goods[0].note == "pending")
    #expect(context.insertedModelsArray.count == 1 && context.changedModelsArray.count == 1)
    try context.save()
    #expect(try store.context().fetch(byCode).first { $0.code == "P1" }?.note == "pending")
    #expect(try store.context().fetchCount(byCode) == 3)
    #expect(try context.history().first?.author == "feed")
  }

  @Test(
    arguments: StoreLocation.allCases,
    [MergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite])
  func editsOfOthersFollowTheirPolicy(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try store(place)
    _ = try store.container.upsert(BaleRecord.numbered(1...1), into: Bale.self, by: \.code) { $0.everything() }
    let context = store.context()
    context.mergePolicy = policy
    let parcel = try #require(try context.fetch(byCode).first)
    parcel.weight = 50
    _ = try store.container.upsert(
      [BaleRecord(code: "P1", weight: 9, note: "theirs")], into: Bale.self, by: \.code
    ) { $0.everything() }
    if policy == .error {
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .mergeConflict)
      return
    }
    try context.save()
    let stored = try #require(try store.context().fetch(byCode).first)
    #expect(stored.weight == (policy == .mergeByPropertyStoreTrump ? 9 : 50))
    #expect(stored.note == (policy == .overwrite ? nil : "theirs") || policy == .overwrite)
  }

  /// Longer than a transaction lasts while somebody waits.
  private static let pause = 0.1

  /// Calls a closure after each transaction that an upsert commits.
  // @unchecked: the upsert and the test use it on one thread.
  private final class CommitProgress: Progress, @unchecked Sendable {
    var committed: (Int) -> Void = { _ in }
    override var completedUnitCount: Int64 {
      get { super.completedUnitCount }
      set {
        super.completedUnitCount = newValue
        committed(Int(newValue))
      }
    }
  }

  /// Others come between the batches, and find each whole.
  @Test(arguments: StoreLocation.allCases)
  func othersComeBetween(_ place: StoreLocation) throws {
    let store = try store(place)
    let others = store.context()
    let progress = CommitProgress(totalUnitCount: 0)
    var counts: [Int] = []
    progress.committed = { count in
      counts.append(count)
      others.insert(Sticker("after \(count)"))
      do {
        try others.save()
        #expect(try others.fetchCount(FetchDescriptor<Bale>()) == count)
      } catch {
        Issue.record(error)
      }
    }
    let report = try store.container.upsert(
      BaleRecord.numbered(0..<200), into: Bale.self, by: \.code, progress: progress
    ) { parcel in
      parcel.set(\.code) { record in
        // The first transaction is a short one, whoever waits.
        if record.code == "P100" { Thread.sleep(forTimeInterval: Self.pause) }
        return record.code ?? ""
      }
    }
    #expect(report.inserted == 200)
    // A machine that stands still for a while ends more transactions.
    #expect(counts.count >= 2 && counts.last == 200, "\(counts)")
    let written = try store.context().history().filter { $0.changes.contains { $0.summary.hasSuffix("Bale") } }
    #expect(written.count == counts.count)
    #expect(try store.context().fetchCount(FetchDescriptor<Sticker>()) == counts.count)
  }

  /// A transaction that may be long, since nobody waited, ends for who waits.
  @Test(arguments: StoreLocation.allCases)
  func whoWaitsComesBetween(_ place: StoreLocation) throws {
    let store = try store(place)
    let database = store.container.core.stores[0].store.database
    let hasCome = DispatchSemaphore(value: 0)
    let seen = Counted<Int64>(0)
    try store.container.upsert(BaleRecord.numbered(0..<200), into: Bale.self, by: \.code) { parcel in
      parcel.set(\.code) { record in
        if record.code == "P50" { Thread.sleep(forTimeInterval: Self.pause) }
        if record.code == "P120" {
          Thread.detachNewThread {
            do {
              let count = try database.write { connection in
                try connection.withStatement(for: "SELECT count(*) FROM Bale") { statement in
                  _ = try statement.step()
                  return statement.int64(0)
                }
              }
              seen.update { $0 = count }
            } catch {
              Issue.record(error)
            }
            hasCome.signal()
          }
          while !database.hasWaitingWriters { Thread.sleep(forTimeInterval: 0.001) }
          Thread.sleep(forTimeInterval: Self.pause)
        }
        return record.code ?? ""
      }
    }
    hasCome.wait()
    #expect((120..<200).contains(seen.value))
    #expect(try store.context().history().count >= 3)
    #expect(try store.context().fetchCount(byCode) == 200)
  }

  @Test(arguments: StoreLocation.allCases)
  func cancellingLeavesWholeBatches(_ place: StoreLocation) throws {
    let store = try store(place)
    let progress = Progress(totalUnitCount: 0)
    let records = BaleRecord.numbered(0..<20_000)
    #expect(throws: CancellationError.self) {
      try store.container.upsert(records, into: Bale.self, by: \.code, progress: progress) { parcel in
        parcel.set(\.code) { record in
          if record.code == "P9000" { progress.cancel() }
          return record.code ?? ""
        }
      }
    }
    let count = try store.context().fetchCount(byCode)
    #expect(count > 0 && count < 20_000)
    #expect(progress.totalUnitCount == 20_000)
    // It goes on where it was.
    let report = try store.container.upsert(records, into: Bale.self, by: \.code) { parcel in
      parcel.set(\.code) { $0.code ?? "" }
    }
    #expect(report.inserted == 20_000 - count && report.unchanged == count)
    #expect(try store.container.integrityCheck().isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func recordsMayStillBeComing(_ place: StoreLocation) async throws {
    let store = try store(place)
    let (stream, continuation) = AsyncStream.makeStream(of: BaleRecord.self)
    let records = BaleRecord.numbered(0..<10_000)
    Task.detached {
      for record in records { continuation.yield(record) }
      continuation.finish()
    }
    let progress = Progress(totalUnitCount: 0)
    let report = try await store.container.upsert(stream, into: Bale.self, by: \.code, progress: progress) {
      $0.everything()
    }
    #expect(report.inserted == 10_000 && progress.completedUnitCount == 10_000)
    let again = AsyncStream { continuation in
      for record in records.dropFirst(10) { continuation.yield(record) }
      continuation.finish()
    }
    let second = try await store.container.upsert(again, into: Bale.self, by: \.code, removing: .missing) {
      $0.everything()
    }
    #expect(second.unchanged == 9_990 && second.removed == 10)
  }

  @Test func aTaskThatIsCancelledEndsIt() async throws {
    let store = try store(.disk)
    let container = store.container
    let (stream, continuation) = AsyncStream.makeStream(of: BaleRecord.self)
    for record in BaleRecord.numbered(0..<10_000) { continuation.yield(record) }
    // It never ends by itself.
    let task = Task {
      try await container.upsert(stream, into: Bale.self, by: \.code) { $0.everything() }
    }
    while try ModelContext(container).fetchCount(FetchDescriptor<Bale>()) == 0 {
      try await Task.sleep(for: .milliseconds(1))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try store.context().fetchCount(byCode) > 0)
    #expect(try store.container.integrityCheck().isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func subclassesAreUpserted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Haulage.self, ColdHaulage.self)
    let freight = Haulage(1)
    _ = try store.saved([freight])
    func upsert(_ numbers: [Int]) throws -> UpsertReport {
      try store.container.upsert(numbers, into: ColdHaulage.self, by: \.number) { cold in
        cold.set(\.number) { $0 }
        cold.set(\.degrees) { -Double($0) }
      }
    }
    let report = try upsert([1, 2, 3])
    #expect(report.inserted == 2 && report.failed == 1)
    #expect((report.firstFailures.first?.error as? SaveError)?.code == .uniquenessConflict)
    #expect(try upsert([2, 3]).unchanged == 2)
    let all = try store.context().fetch(FetchDescriptor<Haulage>(sortBy: [SortDescriptor(\.number)]))
    #expect(all.map { $0 is ColdHaulage } == [false, true, true])
    #expect((all[2] as? ColdHaulage)?.degrees == -3)
  }

  @Test(arguments: StoreLocation.allCases)
  func modelsAreUpserted(_ place: StoreLocation) throws {
    let store = try store(place)
    func goods(_ numbers: ClosedRange<Int>, weight: Double = 1) -> [Bale] {
      let lorry = Lorry("A")
      return numbers.map { number in
        let bale = Bale("P\(number)")
        bale.weight = weight
        bale.lorry = lorry
        bale.labels = [Sticker("L\(number % 3)")]
        return bale
      }
    }
    let report = try store.container.upsert(goods(1...1_500), by: \.code, author: "feed")
    #expect(report.inserted == 1_500 && report.updated == 0 && report.unchanged == 0)
    #expect(try store.context().fetchCount(FetchDescriptor<Lorry>()) == 1)
    #expect(try store.context().fetchCount(FetchDescriptor<Sticker>()) == 3)
    #expect(try store.context().history().map(\.author) == ["feed", "feed"])
    let again = try store.container.upsert(goods(1...1_500), by: \.code)
    let numbers: [Int] = [again.inserted, again.failed, again.updated + again.unchanged]
    #expect(numbers == [0, 0, 1_500])
    let plain = (1...1_100).map { Bale("Q\($0)") }
    #expect(try store.container.upsert(plain, by: \.code).inserted == 1_100)
    let same = try store.container.upsert((1...1_100).map { Bale("Q\($0)") }, by: \.code)
    #expect(same.inserted == 0 && same.updated == 0 && same.unchanged == 1_100)
    let changed = goods(1_499...1_501, weight: 2)
    changed[1].weight = .nan
    let third = try store.container.upsert(changed, by: \.code)
    #expect(third.inserted == 1 && third.updated == 1 && third.failed == 1 && third.firstFailures.first?.index == 1)
    let last = try store.context().fetch(FetchDescriptor<Bale>(predicate: #Predicate { $0.weight == 2 }))
    #expect(Set(last.map(\.code)) == ["P1499", "P1501"] && last.allSatisfy { $0.lorry?.plate == "A" })
    #expect(throws: SwiftDataError.self) { try store.container.upsert(goods(1...1), by: \.weight) }
    #expect(try store.container.integrityCheck().isEmpty)
  }

  /// Another program's row has the number that was set apart.
  @Test(arguments: StoreLocation.allCases)
  func rowsOfAnotherProgramStay(_ place: StoreLocation) throws {
    let store = try store(place)
    _ = try store.container.upsert(BaleRecord.numbered(1...2), into: Bale.self, by: \.code) { $0.everything() }
    var records = BaleRecord.numbered(3...6)
    records[1].note = "here"
    let container = store.container
    _ = try container.upsert(records, into: Bale.self, by: \.code) { parcel in
      parcel.everything()
      parcel.set(\.note) { record in record.note }
    }
    try store.execute("INSERT INTO Lorry (larder_id, plate, driver) VALUES (999, 'Z', '')")
    try store.execute(
      "INSERT INTO Bale (larder_id, code, weight, grade, spot_name, spot_x, spot_y) VALUES (7, 'theirs', 1, 'low', '', 0, 0)"
    )
    let report = try container.upsert(BaleRecord.numbered(1...20), into: Bale.self, by: \.code) { $0.everything() }
    #expect(report.inserted == 14 && report.failed == 0)
    #expect(try store.context().fetchCount(byCode) == 21)
    #expect(try store.value("SELECT code FROM Bale WHERE larder_id = 7") == .text("theirs"))
  }
}
