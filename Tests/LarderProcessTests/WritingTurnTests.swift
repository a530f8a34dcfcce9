import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import SwiftData
import Synchronization
import Testing

/// Processes that write at the same time.
@Suite(.serialized) struct WritingTurnTests {
  /// How many transactions each of several writers gets while one of them never pauses.
  ///
  /// - Parameter works: What each does instead, where that is another thing.
  private func compete(
    _ databases: [Database], seconds: Double, works: [Int: @Sendable (Database) throws -> Void] = [:]
  ) throws -> (counts: [Int], failures: [String]) {
    let isOver = Atomic<Bool>(false)
    let results = Locked<([Int], [String])>((databases.map { _ in 0 }, []))
    let threads = databases.enumerated().map { place, database in
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        while !isOver.load(ordering: .relaxed) {
          do {
            if let work = works[place] {
              try work(database)
            } else {
              try database.write { connection in
                try connection.execute("UPDATE tally SET count = count + 1 WHERE writer = \(place)")
                // It holds the lock for most of the time.
                Thread.sleep(forTimeInterval: 0.001)
              }
            }
            results.withLock { $0.0[place] += 1 }
          } catch { results.withLock { $0.1.append("\(error)") } }
        }
        done.signal()
      }
      return done
    }
    Thread.sleep(forTimeInterval: seconds)
    isOver.store(true, ordering: .relaxed)
    for thread in threads { thread.wait() }
    return results.withLock { $0 }
  }

  /// Without turns the one that asks again at once takes nearly everything.
  @Test func nobodyStarves() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-turns-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "tally.db").path
    var settings = DatabaseSettings()
    settings.durability = .relaxed
    settings.busyTimeout = .seconds(20)
    let databases = try (0..<3).map { _ in try Database(path: path, settings: settings, vfs: "unix") }
    try databases[0].write { connection in
      try connection.execute("CREATE TABLE tally (writer INTEGER PRIMARY KEY, count INTEGER NOT NULL)")
      for writer in 0..<3 { try connection.execute("INSERT INTO tally VALUES (\(writer), 0)") }
    }
    let (counts, failures) = try compete(databases, seconds: 1.5)
    print("transactions of each: \(counts)")
    #expect(failures.isEmpty)
    let all = counts.reduce(0, +)
    // A fair share is a third.
    for count in counts { #expect(count > all / 10, "\(counts)") }
    for (writer, count) in counts.enumerated() {
      #expect(
        try databases[0].read { try $0.int64("SELECT count FROM tally WHERE writer = \(writer)") } == Int64(count))
    }
  }

  /// What a migration and a compaction do waits for its turn like any other writing, and gets it.
  @Test func whatTakesLongHasItsTurn() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-turns-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "tally.db").path
    var settings = DatabaseSettings()
    settings.durability = .relaxed
    settings.busyTimeout = .seconds(20)
    let databases = try (0..<3).map { _ in try Database(path: path, settings: settings, vfs: "unix") }
    try databases[0].write { connection in
      try connection.execute("CREATE TABLE tally (writer INTEGER PRIMARY KEY, count INTEGER NOT NULL)")
      for writer in 0..<3 { try connection.execute("INSERT INTO tally VALUES (\(writer), 0)") }
    }
    let (counts, failures) = try compete(
      databases, seconds: 1.5,
      works: [
        1: { database in
          try database.withWriter { try database.executeInTurn("VACUUM", on: $0) }
          Thread.sleep(forTimeInterval: 0.005)
        },
        2: { database in
          try database.exclusively { connection in
            try database.transactionInTurn(on: connection) {
              try connection.execute("UPDATE tally SET count = count + 1 WHERE writer = 2")
              // Another layer's write is part of it.
              try database.write { try $0.execute("UPDATE tally SET count = count + 1 WHERE writer = 1") }
              Thread.sleep(forTimeInterval: 0.001)
            }
          }
        },
      ])
    print("writes, compactions and migrations: \(counts)")
    #expect(failures.isEmpty)
    let all = counts.reduce(0, +)
    // Nobody compacts all the time.
    #expect(counts[0] > all / 10 && counts[2] > all / 10 && counts[1] > all / 20, "\(counts)")
    for writer in [1, 2] {
      #expect(
        try databases[0].read { try $0.int64("SELECT count FROM tally WHERE writer = \(writer)") } == Int64(counts[2]))
    }
  }

  /// One that is stopped while it is its turn does not stop the others.
  @Test func aTurnThatNeverEndsIsPassedOver() throws {
    let shared = try SharedStore()
    var settings = DatabaseSettings()
    settings.busyTimeout = .milliseconds(400)
    let here = try shared.open(settings: settings)
    let there = try shared.open(settings: settings)
    try here.work { $0.insert(Crate("c1")) }
    let meeting = try #require(there.meeting)
    meeting.enableTurns()
    #expect(meeting.awaitTurn(timeout: .zero) == .acquired(waited: .zero))
    Thread.sleep(forTimeInterval: 0.02)
    try here.work { try $0.crates()[0].weight = 1 }
    // It is waited for once.
    #expect(here.meeting?.awaitTurn(timeout: .seconds(60)) == CrossProcessSignal.Turn.none)
    try here.work { try $0.crates()[0].weight = 2 }
    meeting.endTurn()
    #expect(try ModelContext.plain(there).crates()[0].weight == 2)
  }

  /// Whoever writes much knows that another process waits, and who does not wait is not taken for one that does.
  @Test(.timeLimit(.minutes(10))) func aWriterKnowsThatOthersWait() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-turns-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "tally.db").path
    let (here, there) = (try Database(path: path, vfs: "unix"), try Database(path: path, vfs: "unix"))
    let hasWritten = DispatchSemaphore(value: 0)
    try here.write { _ in
      #expect(!here.hasWaitingWriters)
      Thread.detachNewThread {
        try? there.write { _ in }
        hasWritten.signal()
      }
      while !here.hasWaitingWriters { Thread.sleep(forTimeInterval: 0.001) }
    }
    hasWritten.wait()
    try here.write { _ in #expect(!here.hasWaitingWriters) }
  }

  /// Whoever holds the lock for longer than is allowed is named by an error, after the time that is allowed.
  @Test func whoWaitsTooLongIsTold() throws {
    let shared = try SharedStore()
    var settings = DatabaseSettings()
    settings.busyTimeout = .milliseconds(200)
    let here = try shared.open(settings: settings)
    let there = try shared.open(settings: settings)
    try here.work { $0.insert(Crate("c1")) }
    let context = ModelContext.plain(here)
    let crate = try context.crates()[0]
    crate.weight = 5
    let start = ContinuousClock.now
    try there.store.database.write { _ in
      let error = #expect(throws: StoreError.self) { try context.save() }
      #expect(error?.code == .busy)
    }
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    // What was pending is, and is saved now.
    #expect(context.hasChanges)
    try context.save()
    #expect(try ModelContext.plain(there).crates()[0].weight == 5)
  }
}
