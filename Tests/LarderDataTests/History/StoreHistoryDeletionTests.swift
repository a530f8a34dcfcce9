import Foundation
import LarderSQLite
import LarderSupport
import SwiftData
import Testing

@testable import LarderData

/// History that goes, and those who have not read it.
@Suite struct HistoryDeletionTests {
  private func filled(_ place: StoreLocation, _ count: Int) throws -> (TestStore, ModelContext, [Transaction]) {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 1...count {
      context.insert(Crate(number: number))
      try context.saveAs(number.isMultiple(of: 2) ? "even" : "odd")
    }
    return (store, context, try context.history())
  }

  @Test(arguments: StoreLocation.allCases)
  func whoHasNotReadItIsTold(_ place: StoreLocation) throws {
    let (store, context, all) = try filled(place, 10)
    defer { withExtendedLifetime(store) {} }
    let (third, fifth, seventh) = (all[2].token, all[4].token, all[6].token)
    try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= fifth }))
    #expect(try context.history().map(\.id) == [6, 7, 8, 9, 10])
    let error = #expect(throws: SwiftDataError.self) { try context.history(#Predicate { $0.token > third }) }
    #expect(error == .historyTokenExpired)
    #expect(error?.explanation?.contains("up to number 5") == true)
    #expect(try context.history(#Predicate { $0.token > fifth }).map(\.id) == [6, 7, 8, 9, 10])
    #expect(try context.history(#Predicate { $0.token > seventh }).map(\.id) == [8, 9, 10])
    // Who deletes some of those that follow has deleted what another may look for.
    try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.author == "even" }))
    #expect(try context.history().map(\.id) == [7, 9])
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.history(#Predicate { $0.token > seventh }) }
  }

  @Test(arguments: StoreLocation.allCases)
  func numbersGoOnAfterAllIsDeleted(_ place: StoreLocation) throws {
    let (store, context, all) = try filled(place, 3)
    let last = all[2].token
    try context.deleteHistory(HistoryDescriptor<Transaction>())
    #expect(try context.history().isEmpty)
    #expect(try context.history(#Predicate { $0.token > last }).isEmpty)
    context.insert(Crate(number: 4))
    try context.save()
    #expect(try store.context().history(#Predicate { $0.token > last }).map(\.id) == [4])
  }

  /// More than are in memory at once, with others between them.
  @Test(arguments: StoreLocation.allCases)
  func aLongHistoryIsDeletedInParts(_ place: StoreLocation) throws {
    let (store, context, all) = try filled(place, 2_200)
    defer { withExtendedLifetime(store) {} }
    try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.author == "even" }))
    #expect(try context.history().map(\.id) == Array(stride(from: 1, to: 2_200, by: 2)))
    let start = all[99].token
    try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= start }))
    try context.deleteHistory(HistoryDescriptor<Transaction>())
    #expect(try context.history().isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func limitedDeletionTakesTheFirst(_ place: StoreLocation) throws {
    let (store, context, _) = try filled(place, 5)
    defer { withExtendedLifetime(store) {} }
    var descriptor = HistoryDescriptor<Transaction>()
    descriptor.fetchLimit = 2
    try context.deleteHistory(descriptor)
    #expect(try context.history().map(\.id) == [3, 4, 5])
  }

  @Test(arguments: StoreLocation.allCases)
  func erasingBeginsAnew(_ place: StoreLocation) throws {
    let (store, context, all) = try filled(place, 3)
    let last = all[2].token
    try store.container.erase()
    #expect(try context.history().isEmpty)
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.history(#Predicate { $0.token > last }) }
    context.insert(Crate(number: 1))
    try context.save()
    let next = try #require(try context.history().first)
    #expect(next.token > last)
    let token = next.token
    #expect(try context.history(#Predicate { $0.token > token }).isEmpty)
  }

  /// As after a backup was put in its place.
  @Test func tokenOfALaterStateIsRefused() throws {
    let (store, context, all) = try filled(.disk, 3)
    let last = all[2].token
    try store.execute("DELETE FROM larder_history WHERE number > 1")
    let error = #expect(throws: SwiftDataError.self) { try context.history(#Predicate { $0.token > last }) }
    #expect(error == .historyTokenExpired)
    #expect(error?.explanation?.contains("older copy") == true)
  }

  private func container(_ place: StoreLocation, _ folder: TestFolder, _ retention: HistoryRetention) throws
    -> ModelContainer
  {
    var configuration =
      place == .disk
      ? ModelConfiguration(url: folder.url("test.store")) : ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.historyRetention = retention
    return try ModelContainer(for: Crate.self, configurations: configuration)
  }

  @Test(arguments: StoreLocation.allCases)
  func growthHasABound(_ place: StoreLocation) throws {
    let folder = TestFolder()
    let container = try container(place, folder, HistoryRetention(age: nil, size: 2_000))
    let context = ModelContext(container)
    var largest = 0
    for number in 1...400 {
      context.insert(Crate(number: number))
      try context.save()
      largest = max(largest, try context.history().count)
    }
    let history = try context.history()
    // {"Crate":{"inserted":[n]}} is some 26 bytes, and what is too much goes with every 64th save.
    #expect(history.count > 50 && largest < 2_000 / 26 + 70)
    #expect(history.last?.id == 400)
    let first = try #require(history.first).id
    #expect(history.map(\.id) == Array(first...400))
    let token = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: Data(#"{"tokenValue":{"\#(history[0].storeIdentifier)":5}}"#.utf8))
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.history(#Predicate { $0.token > token }) }
  }

  @Test func whatIsTooOldGoes() throws {
    let folder = TestFolder()
    let container = try container(.disk, folder, HistoryRetention(age: 3_600, size: nil))
    let context = ModelContext(container)
    for number in 1...100 {
      context.insert(Crate(number: number))
      try context.save()
    }
    #expect(try context.history().count == 100)
    try container.store.database.withWriter {
      try $0.execute("UPDATE larder_history SET time = time - 4000 WHERE number <= 90")
    }
    for number in 101...128 {
      context.insert(Crate(number: number))
      try context.save()
    }
    #expect(try context.history().map(\.id) == Array(91...128))
    // One that was saved while the clock was wrong takes none before it along.
    try container.store.database.withWriter {
      try $0.execute("UPDATE larder_history SET time = 0 WHERE number = 100")
    }
    for number in 129...192 {
      context.insert(Crate(number: number))
      try context.save()
    }
    #expect(try context.history().map(\.id) == Array(91...192))
  }

  /// No number is no limit.
  @Test func anAgeThatIsNoNumberIsNone() throws {
    let folder = TestFolder()
    let context = ModelContext(try container(.disk, folder, HistoryRetention(age: .nan, size: nil)))
    for number in 1...128 {
      context.insert(Crate(number: number))
      try context.save()
    }
    #expect(try context.history().count == 128)
    let united = HistoryRetention(age: 5).maximum(with: HistoryRetention(age: .nan))
    #expect(united.age == nil && HistoryRetention(age: .nan).maximum(with: HistoryRetention(age: 5)).age == nil)
  }

  /// A few large transactions are as much as many small ones.
  @Test(arguments: StoreLocation.allCases)
  func largeTransactionsHaveABound(_ place: StoreLocation) throws {
    let folder = TestFolder()
    var configuration =
      place == .disk
      ? ModelConfiguration(url: folder.url("test.store")) : ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.historyRetention = HistoryRetention(age: nil, size: 100_000)
    let context = ModelContext(try ModelContainer(for: Consignment.self, configurations: configuration))
    for number in 0..<20 { context.insert(Consignment("\(number)", note: String(repeating: "n", count: 40_000))) }
    try context.save()
    for consignment in try context.all(Consignment.self) {
      context.delete(consignment)
      try context.save()
    }
    // 40 kB each: two, and the one that was being written.
    #expect(try context.history().map(\.id) == [19, 20, 21])
  }

  /// All of what is kept is in memory until the save is done, wherever it lay.
  @Test(.directly("the limit is the context's that saves"), arguments: StoreLocation.allCases)
  func tombstonesHaveABound(_ place: StoreLocation) throws {
    let store = try TestStore(place, Consignment.self)
    let note = String(repeating: "n", count: 1_000)
    let context = try store.saved((0..<10).map { Consignment("\($0)", note: note, scan: Data(count: 1_000)) })
    for consignment in try context.all(Consignment.self) { context.delete(consignment) }
    try TombstoneReader.$maximumBytes.withValue(5_000) { try context.save() }
    let changes = try #require(try context.history().last).changes
    #expect(changes.count == 10)
    let notes = changes.compactMap { change -> String? in
      guard case .delete(let delete) = change else { return nil }
      return (delete as? any HistoryDelete<Consignment>)?.tombstone[\.note] as? String
    }
    #expect((2...3).contains(notes.count))
  }

  /// Else its row could not be deleted, where the history cannot hold it. What is smaller is kept, of the same row and of
  /// others.
  @Test(.directly("the limit is the context's that saves"), arguments: StoreLocation.allCases)
  func aValueThatIsTooLargeForATombstoneIsLeftOut(_ place: StoreLocation) throws {
    let store = try TestStore(place, Consignment.self)
    let context = try store.saved([
      Consignment("a", note: String(repeating: "é", count: 3_000), seal: Data([1])),
      Consignment("b", note: "n", scan: Data(count: 6_000)),
    ])
    for consignment in try context.all(Consignment.self) { context.delete(consignment) }
    let said = Locked<[String]>([])
    let listener: @Sendable (String) -> Void = { line in said.withLock { $0.append(line) } }
    try Log.$listener.withValue(listener) {
      try TombstoneReader.$maximumBytes.withValue(5_000) { try context.save() }
    }
    #expect(try context.all(Consignment.self).isEmpty)
    #expect(said.withLock { $0 }.filter { $0.contains("leaves out values") }.count == 1)
    let changes = try #require(try context.history().last).changes
    var tombstones = changes.compactMap { change -> HistoryTombstone<Consignment>? in
      guard case .delete(let delete) = change else { return nil }
      return (delete as? any HistoryDelete<Consignment>)?.tombstone
    }
    tombstones.sort { ($0[\.code] as? String ?? "") < ($1[\.code] as? String ?? "") }
    try #require(tombstones.count == 2)
    #expect(tombstones[0][\.code] as? String == "a" && tombstones[0][\.note] == nil)
    #expect(tombstones[0][\.seal] as? Data == Data([1]))
    #expect(tombstones[1][\.code] as? String == "b" && tombstones[1][\.note] as? String == "n")
    #expect(tombstones[1][\.scan] == nil && tombstones[1][\.place] as? Site == Site(name: "", x: 0, y: 0))
    #expect(try store.container.integrityCheck() == [])
  }

  /// One transaction of the history holds what is kept of all models of a save.
  @Test(.directly("the limit is the context's that saves"))
  func theModelsOfASaveShareTheRoomForTombstones() throws {
    let store = try TestStore(.memory, Bulky.Barrel.self, Bulky.Hamper.self)
    let label = String(repeating: "l", count: 3_000)
    let context = try store.saved([Bulky.Barrel(label: label), Bulky.Hamper(label: label)])
    for barrel in try context.all(Bulky.Barrel.self) { context.delete(barrel) }
    for hamper in try context.all(Bulky.Hamper.self) { context.delete(hamper) }
    try TombstoneReader.$maximumBytes.withValue(5_000) { try context.save() }
    let changes = try #require(try context.history().last).changes
    let labels = changes.compactMap { change -> String? in
      guard case .delete(let delete) = change else { return nil }
      return (delete as? any HistoryDelete<Bulky.Barrel>)?.tombstone[\.label] as? String
        ?? (delete as? any HistoryDelete<Bulky.Hamper>)?.tombstone[\.label] as? String
    }
    #expect(changes.count == 2 && labels == [label])
  }

  /// Whoever begins has something to go on from, whatever the history has.
  @Test(arguments: StoreLocation.allCases)
  func whoBeginsHasAToken(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let first = try context.currentHistoryToken()
    context.insert(Crate(number: 1))
    try context.save()
    #expect(try context.history(#Predicate { $0.token > first }).map(\.id) == [1])
    let second = try context.currentHistoryToken()
    #expect(try context.history().last?.token == second)
    #expect(try context.history(#Predicate { $0.token > second }).isEmpty)
    // With nothing left it is still known how far it went.
    try context.deleteHistory(HistoryDescriptor<Transaction>())
    let third = try context.currentHistoryToken()
    #expect(third == second)
    context.insert(Crate(number: 2))
    try context.save()
    #expect(try context.history(#Predicate { $0.token > third }).map(\.id) == [2])
    try context.deleteHistory(HistoryDescriptor<Transaction>())
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.history(#Predicate { $0.token > third }) }
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.history(#Predicate { $0.token > first }) }
  }

  @Test func theLongerOfTwoRetentionsHolds() throws {
    let folder = TestFolder()
    let short = try container(.disk, folder, HistoryRetention(age: nil, size: 100))
    let long = try container(.disk, folder, .unlimited)
    let context = ModelContext(short)
    for number in 1...128 {
      context.insert(Crate(number: number))
      try context.save()
    }
    #expect(try ModelContext(long).history().count == 128)
  }

  @Test func unlimitedHistoryStays() throws {
    let folder = TestFolder()
    let context = ModelContext(try container(.disk, folder, .unlimited))
    for number in 1...200 {
      context.insert(Crate(number: number))
      try context.save()
    }
    #expect(try context.history().count == 200)
  }

  @Test func readOnlyStoresKeepTheirs() throws {
    let folder = TestFolder()
    do {
      let container = try container(.disk, folder, .unlimited)
      let context = ModelContext(container)
      context.insert(Crate(number: 1))
      try context.save()
    }
    let container = try ModelContainer(
      for: Crate.self, configurations: ModelConfiguration(url: folder.url("test.store"), allowsSave: false))
    let context = ModelContext(container)
    #expect(try context.history().count == 1)
    let error = #expect(throws: StoreError.self) { try context.deleteHistory(HistoryDescriptor<Transaction>()) }
    #expect(error?.code == .readOnly)
    #expect(try context.history().count == 1)
  }

  private static let damaged = [
    #"{"Crate":{"inserted":[1,0]}}"#, #"{"Crate":{"inserted":[1,-99999999999]}}"#, #"{"Crate":3}"#, "[", "",
    #"{"Crate":{"deleted":[1],"tombstones":{"1":{"text":{"integer":"x"}}}}}"#,
  ]

  @Test(arguments: damaged)
  func damagedTransactionIsAnError(_ text: String) throws {
    let (store, context, _) = try filled(.disk, 2)
    try store.execute("UPDATE larder_history SET changes = '\(text)' WHERE number = 2")
    let error = #expect(throws: StoreError.self) { try context.history() }
    #expect(error?.code == .corrupt)
    #expect(error?.explanation.contains("transaction 2") == true)
    let number: Int64 = 1
    #expect(try context.history(#Predicate { $0.id <= number }).count == 1)
    // As the error says.
    try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.id <= 2 }))
    context.insert(Crate(number: 3))
    try context.save()
    #expect(try context.history().map(\.id) == [3])
  }
}

/// Models that might be large.
enum Bulky {
  @Model final class Barrel {
    @Attribute(.preserveValueOnDeletion) var label: String
    init(label: String) { self.label = label }
  }

  @Model final class Hamper {
    @Attribute(.preserveValueOnDeletion) var label: String
    init(label: String) { self.label = label }
  }
}
