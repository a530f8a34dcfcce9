import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import SwiftData
import Testing

/// Copies of stores that are in use.
@Suite struct BackupTests {
  private let folder = TestFolder()

  private func numbers(_ url: URL) throws -> [Int] {
    let container = try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: url))
    return try ModelContext(container).all(Crate.self).map(\.number).sorted()
  }

  @Test(arguments: StoreLocation.allCases)
  func copyIsTheStore(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = try store.saved((1...500).map { Crate(number: $0, text: "crate \($0)") })
    context.insert(Crate(number: 0))
    let copy = folder.url("copy.store")
    let progress = Progress(totalUnitCount: -1)
    try store.container.backup(to: copy, progress: progress)
    #expect(progress.totalUnitCount > 0 && progress.completedUnitCount == progress.totalUnitCount)
    // What is not saved is not in it; what is saved afterwards neither.
    try context.save()
    #expect(try numbers(copy) == Array(1...500))
    #expect(folder.names.allSatisfy { !$0.contains("part") })
    #expect(try folder.mode("copy.store") == 0o600)
    // It goes on as the store that it is of.
    let container = try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: copy))
    #expect(container.store.identifier == store.container.store.identifier)
    #expect(try ModelContext(container).history().count == 1)
    #expect(try container.integrityCheck() == [])
  }

  /// By whatever name: a link to it, or the name that it was given while it was open.
  @Test func theStoreItselfIsNotReplaced() throws {
    let url = folder.url("crates.store")
    let container = try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    try context.save()
    let link = folder.url("link.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    let hard = folder.url("hard.store")
    try FileManager.default.linkItem(at: url, to: hard)
    for name in [url, link, hard] {
      let error = #expect(throws: StoreError.self) { try container.backup(to: name) }
      #expect(error?.explanation.contains("is the store itself") == true)
    }
    let moved = folder.url("moved.store")
    try FileManager.default.moveItem(at: url, to: moved)
    let error = #expect(throws: StoreError.self) { try container.backup(to: moved) }
    #expect(error?.explanation.contains("is the store itself") == true)
  }

  @Test func writingGoesOnMeanwhile() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = try store.saved((1...20_000).map { Crate(number: $0, text: String(repeating: "x", count: 200)) })
    let copy = folder.url("copy.store")
    var steps = 0
    try store.container.store.database.copy(to: copy.path) { _, _ in
      steps += 1
      for crate in try context.fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.number < 50 })) {
        crate.number += 100_000
      }
      context.insert(Crate(number: -steps))
      try context.save()
    }
    #expect(steps > 1)
    #expect(try numbers(copy) == Array(1...20_000))
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 20_000 + steps)
  }

  @Test func whatIsThereIsReplacedAsAWhole() throws {
    let copy = folder.url("copy.store")
    for count in 1...2 {
      let store = try TestStore(.disk, Crate.self)
      _ = try store.saved((1...count).map { Crate(number: $0) })
      try store.container.backup(to: copy)
      #expect(try numbers(copy) == Array(1...count))
    }
  }

  /// The log of a copy that somebody had open, and that was killed, is nothing of the next one.
  @Test func logOfAFormerCopyIsNotPlayedIntoTheNext() throws {
    let copy = folder.url("copy.store")
    let first = try TestStore(.disk, Crate.self)
    _ = try first.saved((1...100).map { Crate(number: $0) })
    try first.container.backup(to: copy)
    let kept = folder.url("kept")
    do {
      let container = try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: copy))
      let context = ModelContext(container)
      for crate in try context.all(Crate.self) { crate.text = String(repeating: "x", count: 500) }
      try context.save()
      try FileManager.default.copyItem(at: folder.url("copy.store-wal"), to: kept)
    }
    try FileManager.default.copyItem(at: kept, to: folder.url("copy.store-wal"))
    let second = try TestStore(.disk, Crate.self)
    _ = try second.saved((1...3).map { Crate(number: $0) })
    try second.container.backup(to: copy)
    #expect(try numbers(copy) == [1, 2, 3])
    let container = try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: copy))
    #expect(try container.integrityCheck() == [])
  }

  @Test func aCopyThatIsOpenIsNotReplaced() throws {
    let copy = folder.url("copy.store")
    let store = try TestStore(.disk, Crate.self)
    _ = try store.saved([Crate(number: 1)])
    try store.container.backup(to: copy)
    let open = try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: copy))
    let context = ModelContext(open)
    context.insert(Crate(number: 2))
    try context.save()
    let error = #expect(throws: StoreError.self) { try store.container.backup(to: copy) }
    #expect(error?.code == .busy && error?.url == copy)
    let said = error?.explanation ?? ""
    #expect(said.hasPrefix(copy.path(percentEncoded: false) + " cannot be replaced by the copy: somebody has it open."))
    context.insert(Crate(number: 3))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 3)
    #expect(!folder.names.contains { $0.hasSuffix("part") })
  }

  /// With what SQLite fails to read a file, and at once; nil where it does not.
  private static func failure(reading path: String) -> ResultCode? {
    do {
      let connection = try Connection(path: path, access: .readWrite)
      defer { connection.close() }
      connection.setBusyTimeout(.zero)
      _ = try connection.int64("SELECT count(*) FROM sqlite_schema")
      return nil
    } catch {
      return (error as? SQLiteError)?.code
    }
  }

  /// Whoever comes between the look at the former copy and the new one's name would write a log that belongs to neither.
  @Test func nobodyReadsWhatIsReplacedBeforeItIs() throws {
    let copy = folder.url("copy.store")
    let store = try TestStore(.disk, Crate.self)
    let context = try store.saved([Crate(number: 1)])
    try store.container.backup(to: copy)
    context.insert(Crate(number: 2))
    try context.save()
    let failures = Locked<[ResultCode?]>([])
    let watch = DurableFileIO.Observer(willRename: { from, to in
      let found = [from, to].map { Self.failure(reading: $0) }
      failures.withLock { $0 += found }
      return 0
    })
    try DurableFileIO.$observer.withValue(watch) { try store.container.backup(to: copy) }
    #expect(failures.withLock { $0 } == [.busy, .busy])
    #expect(folder.names.filter { $0.hasPrefix("copy.store") } == ["copy.store"])
    #expect(try numbers(copy) == [1, 2])
  }

  /// He has read nothing by then. What he writes must not come beside the new one.
  @Test func whoHasOpenedWhatIsReplacedDoesNotWriteBesideTheNewOne() throws {
    let copy = folder.url("copy.store")
    let store = try TestStore(.disk, Crate.self)
    let context = try store.saved([Crate(number: 1)])
    try store.container.backup(to: copy)
    let early = try Connection(path: copy.path, access: .readWrite)
    context.insert(Crate(number: 2))
    try context.save()
    try store.container.backup(to: copy)
    #expect(throws: SQLiteError.self) { try early.execute("PRAGMA journal_mode = WAL; DELETE FROM Crate") }
    early.close()
    #expect(folder.names.filter { $0.hasPrefix("copy.store") } == ["copy.store"])
    #expect(try numbers(copy) == [1, 2])
  }

  /// Else whoever makes the next copy would take it for what a killed process has left.
  @Test func aCopyIsHeldUntilItHasItsName() throws {
    let store = try TestStore(.disk, Crate.self)
    _ = try store.saved([Crate(number: 1)])
    let copy = folder.url("copy.store")
    let opened = Locked<[Int32]>([])
    let watch = DurableFileIO.Observer(willRename: { from, _ in
      // Closed later: that would drop the locks that SQLite has on it in this process.
      let descriptor = open(from, O_RDWR)
      opened.withLock { $0.append(descriptor) }
      #expect(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0)
      return 0
    })
    try DurableFileIO.$observer.withValue(watch) { try store.container.backup(to: copy) }
    let descriptors = opened.withLock { $0 }
    #expect(descriptors.count == 1)
    for descriptor in descriptors { close(descriptor) }
    #expect(try numbers(copy) == [1])
  }

  @Test func cancellingLeavesWhatWasThere() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = try store.saved([Crate(number: 1)])
    let copy = folder.url("copy.store")
    try store.container.backup(to: copy)
    context.insert(Crate(number: 2))
    try context.save()
    let progress = Progress(totalUnitCount: -1)
    progress.cancel()
    #expect(throws: CancellationError.self) { try store.container.backup(to: copy, progress: progress) }
    #expect(try numbers(copy) == [1])
    #expect(!folder.names.contains { $0.contains("part") })
  }

  /// While the copy is checked, when all of it has been copied.
  @Test func cancellingWhileTheCopyIsCheckedLeavesWhatWasThere() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = try store.saved([Crate(number: 1)])
    let copy = folder.url("copy.store")
    try store.container.backup(to: copy)
    context.insert(Crate(number: 2))
    try context.save()
    let progress = Progress(totalUnitCount: -1)
    var wasChecked = false
    #expect(throws: CancellationError.self) {
      try store.container.store.backUp(to: copy, progress) { _ in
        wasChecked = true
        progress.cancel()
      }
    }
    #expect(wasChecked)
    #expect(try numbers(copy) == [1])
    #expect(!folder.names.contains { $0.contains("part") })
  }

  @Test func placesThatCannotBeAreTypedErrors() throws {
    let store = try TestStore(.disk, Crate.self)
    _ = try store.saved([Crate(number: 1)])
    for (url, words) in [
      (store.url, "store itself"), (folder.url, "folder"), (folder.url("missing/copy.store"), "can't be made"),
      (try #require(URL(string: "https://example.org/copy")), "no file"),
    ] {
      let error = #expect(throws: StoreError.self) { try store.container.backup(to: url) }
      #expect(error?.code == .cannotOpen)
      #expect(error?.explanation.contains(words) == true)
    }
    #expect(throws: StoreError.self) { try store.container.backup(to: folder.url("x"), configurationName: "none") }
    // By another name.
    let link = folder.url("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store.url)
    let container = try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: link))
    #expect(throws: StoreError.self) { try container.backup(to: store.url) }
    #expect(throws: StoreError.self) { try store.container.backup(to: link) }
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 1)
  }

  @Test func eachStoreOfAContainerIsCopied() throws {
    let container = try ModelContainer(
      for: Schema([Crate.self, Passport.self]),
      configurations: ModelConfiguration("crates", schema: Schema([Crate.self]), url: folder.url("crates.store")),
      ModelConfiguration("passports", schema: Schema([Passport.self]), url: folder.url("passports.store")))
    let context = ModelContext(container)
    context.insert(Crate(number: 7))
    context.insert(Passport(number: 1, holder: "h"))
    try context.save()
    try container.backup(to: folder.url("copy.store"), configurationName: "crates")
    #expect(try numbers(folder.url("copy.store")) == [7])
  }
}
