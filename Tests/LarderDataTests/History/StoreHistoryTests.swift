import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// What a store tells of what was saved.
@Suite struct HistoryTests {
  @Test(arguments: StoreLocation.allCases)
  func eachSaveIsATransaction(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self, Sensor.self)
    let context = store.context()
    let began = Date()
    let crates = (1...3).map { Crate(number: $0) }
    for crate in crates { context.insert(crate) }
    context.insert(Sensor("s"))
    try context.saveAs("first")
    crates[0].text = "a"
    crates[1].text = "b"
    crates[1].note = "c"
    try context.saveAs(nil)
    context.delete(crates[2])
    try context.saveAs("last")
    // Nothing changes, so nothing is told.
    try context.save()
    crates[0].text = "a"
    try context.save()

    let history = try store.context().history()
    #expect(history.map(\.author) == ["first", nil, "last"])
    #expect(
      history.map { $0.changes.map(\.summary) } == [
        ["insert Crate", "insert Crate", "insert Crate", "insert Sensor"],
        ["update Crate text", "update Crate text note"], ["delete Crate"],
      ])
    #expect(history[0].changes.prefix(3).map(\.changedPersistentIdentifier) == crates.map(\.persistentModelID))
    #expect(history[2].changes.map(\.changedPersistentIdentifier) == [crates[2].persistentModelID])
    #expect(history.map(\.id) == [1, 2, 3])
    #expect(history.allSatisfy { $0.timestamp >= began && $0.timestamp <= .now })
    #expect(history.allSatisfy { $0.storeIdentifier == crates[0].persistentModelID.storeIdentifier })
    #expect(history[0].processIdentifier == String(ProcessInfo.processInfo.processIdentifier))
    #expect(history[0].bundleIdentifier == Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
    // The same again, and identifiers of changes are each one's own.
    #expect(try context.history() == history)
    let identifiers = history.flatMap(\.changes).map { change -> Int64? in
      switch change {
      case .insert(let change): change.changeIdentifier as? Int64
      case .update(let change): change.changeIdentifier as? Int64
      case .delete(let change): change.changeIdentifier as? Int64
      }
    }
    #expect(Set(identifiers.compactMap { $0 }).count == 7)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatFollowsATokenIsFound(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 1...10 {
      context.insert(Crate(number: number))
      try context.saveAs(number.isMultiple(of: 2) ? "even" : "odd")
    }
    let all = try context.history()
    let token = all[3].token
    #expect(try context.history(#Predicate { $0.token > token }).map(\.id) == [5, 6, 7, 8, 9, 10])
    #expect(try context.history(#Predicate { token < $0.token && $0.author == "odd" }).map(\.id) == [5, 7, 9])
    #expect(try context.history(#Predicate { $0.token <= token }).map(\.id) == [1, 2, 3, 4])
    #expect(try context.history(#Predicate { $0.token == token }).map(\.id) == [4])
    #expect(try context.history(#Predicate { !($0.token > token) || $0.id == 9 }).map(\.id) == [1, 2, 3, 4, 9])
    let number: Int64 = 8
    #expect(try context.history(#Predicate { $0.id >= number }).map(\.id) == [8, 9, 10])
    #expect(try context.history(#Predicate { $0.transactionIdentifier < 3 }).map(\.id) == [1, 2])
    #expect(try context.history(#Predicate { $0.token > token }, limit: 2).map(\.id) == [5, 6])
    #expect(
      try context.history(limit: 3, sortBy: [SortDescriptor(\.id, order: .reverse)]).map(\.id) == [10, 9, 8])
    #expect(try context.history(#Predicate { $0.token > token && $0.token < token }).isEmpty)
    let now = Date()
    #expect(try context.history(#Predicate { $0.timestamp > now }).isEmpty)
    // Nothing follows the last.
    let last = all[9].token
    #expect(try context.history(#Predicate { $0.token > last }).isEmpty)
  }

  /// What one has seen is not read again: the bound of the token is the query's own.
  @Test(.directly("it counts statements")) func whatPrecedesATokenIsNotRead() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    for number in 1...500 {
      context.insert(Crate(number: number))
      try context.save()
    }
    let token = try #require(try context.history(limit: 498).last).token
    let reader = store.context()
    var counts: [Int] = []
    let few = try reader.reading { counts.append(try reader.history(#Predicate { $0.token > token }).count) }
    let all = try reader.reading { counts.append(try reader.history().count) }
    #expect(counts == [2, 500])
    #expect(few.machineSteps * 10 < all.machineSteps)
  }

  @Test(arguments: StoreLocation.allCases)
  func tombstonesKeepWhatIsToOutlastTheModel(_ place: StoreLocation) throws {
    let store = try TestStore(place, Consignment.self)
    let context = store.context()
    let sent = Date(timeIntervalSinceReferenceDate: 123.25)
    let full = Consignment(
      "é\u{0}\"\\\n", weight: -.infinity, count: .min, note: "n", place: Site(name: "p", x: 1.5, y: -0.0),
      marks: ["a", "b"],
      sent: sent, seal: Data([0, 255]), scan: Data([1, 2, 3]), other: "gone")
    let empty = Consignment("empty", weight: 0.1)
    context.insert(full)
    context.insert(empty)
    try context.save()
    context.delete(full)
    context.delete(empty)
    try context.save()

    let changes = try #require(try context.history().last).changes
    let tombstones = changes.compactMap { change -> HistoryTombstone<Consignment>? in
      guard case .delete(let delete) = change else { return nil }
      return (delete as? any HistoryDelete<Consignment>)?.tombstone
    }
    try #require(tombstones.count == 2)
    #expect(tombstones[0][\.code] as? String == "é\u{0}\"\\\n")
    #expect(tombstones[0][\.weight] as? Double == -.infinity)
    #expect(tombstones[0][\.count] as? Int == .min)
    #expect(tombstones[0][\.note] as? String == "n")
    #expect(tombstones[0][\.place] as? Site == Site(name: "p", x: 1.5, y: 0))
    #expect(tombstones[0][\.marks] as? [String] == ["a", "b"])
    #expect(tombstones[0][\.sent] as? Date == sent)
    #expect(tombstones[0][\.seal] as? Data == Data([0, 255]))
    #expect(tombstones[0][\.scan] as? Data == Data([1, 2, 3]))
    #expect(tombstones[0][\.other] == nil)
    #expect(Array(tombstones[0]).count == 9)
    #expect(tombstones[1][\.code] as? String == "empty")
    #expect(tombstones[1][\.weight] as? Double == 0.1)
    #expect(tombstones[1][\.note] == nil)
    #expect(tombstones[1][\.scan] == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatADeletionTakesAlongIsToldToo(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self)
    let context = store.context()
    let family = Family(name: "f")
    context.insert(family)
    family.members = [Member(name: "a"), Member(name: "b")]
    try context.save()
    context.delete(family)
    try context.save()
    #expect(
      try #require(try context.history().last).changes.map(\.summary)
        == ["delete Family", "delete Member", "delete Member"])
  }

  @Test(arguments: StoreLocation.allCases)
  func relationshipsAreTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, Course.self)
    let context = store.context()
    let course = Course(title: "c")
    let student = Student(name: "s")
    context.insert(course)
    context.insert(student)
    try context.save()
    course.students.append(student)
    try context.save()
    let summary = try #require(try context.history().last).changes.map(\.summary)
    #expect(summary == ["update Course students", "update Student courses"])
  }

  @Test(.directly("it looks at what an SQLite store shares and records"), arguments: StoreLocation.allCases)
  func upsertsAndBatchesAreTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    for number in 1...5 { context.insert(Sensor("\(number)")) }
    try context.save()
    // One that is there already and becomes another, one that is as it was, and a new one.
    context.insert(Sensor("1", level: 9))
    context.insert(Sensor("2"))
    context.insert(Sensor("6"))
    try context.save()
    try context.updateAndSave(Sensor.self, where: #Predicate { $0.level < 5 }) { $0.set(\.count, to: 7) }
    try context.delete(model: Sensor.self, where: #Predicate { $0.count == 7 })
    try context.save()
    let history = try context.history().dropFirst().map { $0.changes.map(\.summary) }
    #expect(history.count == 3)
    #expect(history[0] == ["insert Sensor", "update Sensor code label level count spot note"])
    #expect(history[1] == Array(repeating: "update Sensor count", count: 5))
    #expect(history[2] == Array(repeating: "delete Sensor", count: 5))
  }

  @Test(arguments: StoreLocation.allCases)
  func classesAreTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, Exhibit.self, Statue.self)
    let context = store.context()
    let statue = Statue(1, scan: Data([1]))
    context.insert(statue)
    try context.save()
    statue.number = 2
    statue.height = 3
    try context.save()
    let history = try context.history()
    #expect(history.map { $0.changes.map(\.summary) } == [["insert Statue"], ["update Statue number height"]])
    #expect(history[1].changes[0].changedPersistentIdentifier == statue.persistentModelID)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatIsNotSavedIsNotTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, Passport.self)
    let context = try store.saved([Passport(number: 1, holder: "a"), Passport(number: 2, holder: "b")])
    let passports = try context.fetch(FetchDescriptor<Passport>(sortBy: [SortDescriptor(\.number)]))
    passports[0].number = 2
    #expect(throws: SaveError.self) { try context.save() }
    context.rollback()
    #expect(throws: CancellationError.self) {
      try context.transaction {
        passports[0].holder = "c"
        throw CancellationError()
      }
    }
    #expect(try context.history().count == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func saveTellsItsToken(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    nonisolated(unsafe) var told: [String: any HistoryToken] = [:]
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      told = notification.userInfo?[key] as? [String: any HistoryToken] ?? [:]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Crate(number: 1))
    try context.save()
    let transaction = try #require(try context.history().first)
    #expect(told.count == 1)
    #expect(told[transaction.storeIdentifier] as? DefaultHistoryToken == transaction.token)
    #expect(told.values.first?.storeIdentifier == transaction.storeIdentifier)
  }

  @Test func tokensAreKept() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = try store.saved([Crate(number: 1)])
    let token = try #require(try context.history().first).token
    let kept = try JSONEncoder().encode(token)
    let read = try JSONDecoder().decode(DefaultHistoryToken.self, from: kept)
    #expect(read == token && read.hashValue == token.hashValue && read.tokenValue == token.tokenValue)
    func made(_ numbers: String) throws -> DefaultHistoryToken {
      try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(#"{"tokenValue":{\#(numbers)}}"#.utf8))
    }
    let (a1, a2, b1) = (try made(#""a":1"#), try made(#""a":2"#), try made(#""b":1"#))
    #expect(a1 < a2 && !(a2 < a1) && !(a1 < a1))
    #expect(b1 < a1 && !(a1 < b1) && b1 < a2)
    #expect(try a1 == made(#""a":1,"b":0"#) && a1 < made(#""a":1,"b":1"#))
    #expect(try made("") < b1)
    context.insert(Crate(number: 2))
    try context.save()
    #expect(try context.history(#Predicate { $0.token > read }).map(\.id) == [2])
  }

  @Test(.directly("it looks at what an SQLite store shares and records")) func severalStoresAreReadAsOne() throws {
    let folder = TestFolder()
    let container = try ModelContainer(
      for: Schema([Crate.self, Passport.self]),
      configurations: ModelConfiguration("crates", schema: Schema([Crate.self]), url: folder.url("crates.store")),
      ModelConfiguration("passports", schema: Schema([Passport.self]), url: folder.url("passports.store")))
    let context = ModelContext(container)
    for number in 1...3 {
      context.insert(Crate(number: number))
      try context.save()
      context.insert(Passport(number: number, holder: "\(number)"))
      try context.save()
    }
    context.insert(Crate(number: 4))
    context.insert(Passport(number: 4, holder: "4"))
    try context.save()
    let all = try context.history()
    let summaries: [[String]] = all.prefix(6).map { $0.changes.map(\.summary) }
    let pair: [[String]] = [["insert Crate"], ["insert Passport"]]
    #expect(summaries == pair + pair + pair)
    #expect(all.count == 8 && Set(all.map(\.storeIdentifier)).count == 2)
    for (place, transaction) in all.enumerated() {
      let token = transaction.token
      let rest = try context.history(#Predicate { $0.token > token })
      #expect(rest == Array(all[(place + 1)...]))
      #expect(rest.map(\.token) == all[(place + 1)...].map(\.token))
    }
    #expect(try context.history(limit: 3) == Array(all.prefix(3)))
    #expect(
      try context.history(limit: 1, sortBy: [SortDescriptor(\.token, order: .reverse)]).first?.token == all.last?.token)
    let third = all[2].token
    try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= third }))
    #expect(try context.history() == Array(all[3...]))
    #expect(try context.history(#Predicate { $0.token > third }) == Array(all[3...]))
    let second = all[1].token
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.history(#Predicate { $0.token > second }) }
  }

  @Test func theNewestIsFoundAlone() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    for number in 1...500 {
      context.insert(Crate(number: number))
      try context.save()
    }
    var found: [Int64] = []
    let work = try context.reading {
      found = try context.history(limit: 1, sortBy: [SortDescriptor(\.token, order: .reverse)]).map(\.id)
    }
    #expect(found == [500])
    #expect(work.machineSteps < 300)
  }

  @Test(arguments: StoreLocation.allCases)
  func refusedAtTheLastMomentIsNotTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = try store.saved([Crate(number: 1)])
    let hook = store.container.store.observers.add { _, _ in throw CancellationError() }
    context.insert(Crate(number: 2))
    #expect(throws: CancellationError.self) { try context.save() }
    #expect(try context.history().map(\.id) == [1])
    store.container.store.observers.remove(hook)
    try context.save()
    #expect(try context.history().map(\.id) == [1, 2])
  }

  @Test(arguments: StoreLocation.allCases)
  func whatADeletionTakesOutOfAToOneIsTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, Person.self)
    let context = store.context()
    let person = Person(name: "p")
    context.insert(person)
    person.permit = Permit(number: "1")
    try context.save()
    context.delete(person)
    try context.save()
    let summary = try #require(try context.history().last).changes.map(\.summary)
    #expect(summary.contains("delete Person"))
    let rows = try store.value("SELECT count(*) FROM Permit WHERE holder IS NOT NULL")
    #expect(rows == .integer(0))
  }

  @Test(arguments: StoreLocation.allCases)
  func whatAnUndoBringsBackIsAnInsert(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    context.undoManager = UndoManager()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    let identifier = crate.persistentModelID
    context.delete(crate)
    try context.save()
    context.undoManager?.undo()
    try context.save()
    let history = try context.history()
    #expect(history.map { $0.changes.map(\.summary) } == [["insert Crate"], ["delete Crate"], ["insert Crate"]])
    #expect(history[2].changes[0].changedPersistentIdentifier == identifier)
  }

  @Test(arguments: StoreLocation.allCases)
  func valuesBesideTheRowAreTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, Consignment.self)
    let context = store.context()
    let one = Consignment("one", scan: Data([1]))
    context.insert(one)
    try context.save()
    one.scan = Data([2])
    try context.save()
    // Edited, and met by an insert with another value, in one save.
    one.other = "o"
    context.insert(Consignment("one", other: "o"))
    try context.save()
    let history = try context.history().map { $0.changes.map(\.summary) }
    #expect(history[1] == ["update Consignment scan"])
    #expect(history[2].count == 1 && history[2][0].contains("scan") && history[2][0].contains("other"))
  }

  /// Neither row changes by itself.
  @Test(arguments: StoreLocation.allCases)
  func pairsThatAnUpsertBringsAreTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, Account.self, Region.self, Entry.self, Tag.self)
    let context = store.context()
    let tag = Tag(name: "t")
    context.insert(Account("1"))
    context.insert(tag)
    try context.save()
    let other = store.context()
    let theirs = try #require(try other.all(Account.self).first)
    #expect(theirs.labels.isEmpty)

    func upsert() throws {
      let again = Account("1")
      context.insert(again)
      again.labels = [tag]
      try context.save()
    }
    try upsert()
    let history = try context.history()
    #expect(history.count == 2 && history.last?.changes.map(\.summary) == ["update Account labels"])
    _ = try other.fetchCount(FetchDescriptor<Tag>())
    #expect(theirs.labels.map(\.name) == ["t"])
    // And nothing, where it is there already.
    try upsert()
    #expect(try context.history() == history)
  }

  private struct Foreign: HistoryTransaction {
    var id: Int { 0 }
    var timestamp: Date { .now }
    var changes: [HistoryChange] { [] }
    var token: DefaultHistoryToken { try! JSONDecoder().decode(DefaultHistoryToken.self, from: Data("{}".utf8)) }
    var transactionIdentifier: Int { 0 }
    var storeIdentifier: String { "" }
    var author: String? { nil }
  }

  @Test func transactionsOfOtherStoresAreRefused() throws {
    let context = try TestStore(.memory, Crate.self).context()
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<Foreign>())
    }
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.deleteHistory(HistoryDescriptor<Foreign>())
    }
  }
}
