import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a program leaves of a store that it never closes, as one with its container in a global variable does.
@Suite struct EndingTests {
  #if os(Linux)
    @Test func normalEndMovesTheLogIntoTheFile() async throws {
      let folder = TestFolder()
      let url = folder.url("test.store")
      await #expect(processExitsWith: .exitCode(0)) { [url = url as URL] in
        try EndingTests.saveAndKeep(url)
        exit(0)
      }
      #expect((folder.bytes("test.store-wal") ?? Data()).isEmpty)
      #expect(try numbers(inACopyOfTheFileAloneOf: folder) == [1, 2])
    }

    /// A context that saves by itself does so before the program is gone.
    ///
    /// Not with the leak sanitizer, which ends the program otherwise: what the job that calls `exit` has in hand is never
    /// let go.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["LSAN_OPTIONS"] == nil))
    func endOfTheProgramSaves() async throws {
      let folder = TestFolder()
      let url = folder.url("test.store")
      await #expect(processExitsWith: .exitCode(0)) { [url = url as URL] in
        try await EndingTests.changeAndEnd(url)
      }
      #expect(try numbers(in: url) == [1, 2, 3])
    }

    /// The second change waits for a second, which the program does not have; an actor's context is saved on its queue.
    @MainActor private static func changeAndEnd(_ url: URL) async throws {
      let container = try TestStore.open(.disk, url, [Crate.self])
      kept = container
      container.mainContext.insert(Crate(number: 1))
      for _ in 0..<1_000 where container.mainContext.hasChanges { try await Task.sleep(for: .milliseconds(1)) }
      let worker = Worker(modelContainer: container)
      keptWorker = worker
      await worker.insert(2)
      await worker.insert(3)
      try await worker.delete(3)
      container.mainContext.insert(Crate(number: 3))
      exit(0)
    }

    /// One that has begun by then is no less awaited than one that is still to come.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["LSAN_OPTIONS"] == nil))
    func endOfTheProgramWaitsForASaveUnderWay() async throws {
      let folder = TestFolder()
      let url = folder.url("test.store")
      await #expect(processExitsWith: .exitCode(0)) { [url = url as URL] in
        try await EndingTests.endWhileSaving(url)
      }
      #expect(try numbers(in: url) == [1])
    }

    @MainActor private static func endWhileSaving(_ url: URL) async throws {
      kept = try TestStore.open(.disk, url, [Crate.self])
      let worker = try Worker(modelContainer: #require(kept))
      keptWorker = worker
      let (saves, continuation) = AsyncStream.makeStream(of: Void.self)
      let observer = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: nil, queue: nil) {
        _ in
        continuation.yield()
        Thread.sleep(forTimeInterval: 0.2)
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      await worker.insert(1)
      for await _ in saves { exit(0) }
    }

    /// Who is told of the last save may change something.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["LSAN_OPTIONS"] == nil))
    func endOfTheProgramSavesWhatIsChangedByTheLastSave() async throws {
      let folder = TestFolder()
      let url = folder.url("test.store")
      await #expect(processExitsWith: .exitCode(0)) { [url = url as URL] in
        try await EndingTests.changeWhenSaved(url)
      }
      #expect(try numbers(in: url) == [1, 2])
    }

    @MainActor private static func changeWhenSaved(_ url: URL) async throws {
      let container = try TestStore.open(.disk, url, [Crate.self])
      kept = container
      let context = container.mainContext
      let name = ModelContext.didSave
      let observer = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
        MainActor.assumeIsolated {
          if (try? kept?.mainContext.fetchCount(FetchDescriptor<Crate>())) == 1 {
            kept?.mainContext.insert(Crate(number: 2))
          }
        }
      }
      context.insert(Crate(number: 1))
      withExtendedLifetime(observer) { exit(0) }
    }

    @ModelActor
    fileprivate actor Worker {
      func insert(_ number: Int) {
        modelContext.autosaveEnabled = true
        modelContext.insert(Crate(number: number))
      }
      func delete(_ number: Int) throws {
        try modelContext.delete(model: Crate.self, where: #Predicate { $0.number == number })
      }
    }

    @Test func killLeavesTheLogWhichBelongsToTheStore() async throws {
      let folder = TestFolder()
      let url = folder.url("test.store")
      await #expect(processExitsWith: .signal(SIGKILL)) { [url = url as URL] in
        try EndingTests.saveAndKeep(url)
        kill(getpid(), SIGKILL)
      }
      #expect(folder.bytes("test.store-wal")?.isEmpty == false)
      #expect(try numbers(in: url) == [1, 2])
    }
  #endif

  /// Unsafe, but only a process of its own, with one thread, ever sets it.
  nonisolated(unsafe) private static var kept: ModelContainer?
  nonisolated(unsafe) private static var keptWorker: AnyObject?

  private static func saveAndKeep(_ url: URL) throws {
    let container = try TestStore.open(.disk, url, [Crate.self])
    kept = container
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    try context.save()
    context.insert(Crate(number: 2))
    try context.save()
  }

  private func numbers(inACopyOfTheFileAloneOf folder: TestFolder) throws -> [Int] {
    try FileManager.default.copyItem(at: folder.url("test.store"), to: folder.url("copy.store"))
    return try numbers(in: folder.url("copy.store"))
  }

  private func numbers(in url: URL) throws -> [Int] {
    let context = ModelContext(try TestStore.open(.disk, url, [Crate.self]))
    return try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])).map(\.number)
  }
}
