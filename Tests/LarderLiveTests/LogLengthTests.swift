import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// The write-ahead log stays short beside whatever reads all the time.
@Suite struct LogLengthTests {
  private static let moved: Int64 = 20
  /// Readers that happen to be at work are asked again each time that the log has grown by so much: a machine on which they
  /// hardly run lets it grow by more than usual.
  private static let bound: Int64 = 40 * moved
  private let docks: Docks

  init() throws {
    var settings = DatabaseSettings()
    settings.checkpointFrames = Self.moved
    settings.durability = .relaxed
    docks = try Docks(.disk, settings: settings)
  }

  /// Saves again and again, by some frames each time.
  ///
  /// - Returns: The most frames that the log had.
  private func save(_ count: Int, then read: () throws -> Void = {}) throws -> Int64 {
    let context = ModelContext(docks.container)
    let ship = Ship("a")
    context.insert(ship)
    var longest: Int64 = 0
    for number in 0..<count {
      ship.tonnage = number
      try context.save()
      longest = max(longest, try docks.container.store.database.withWriter { $0.logFrameCount })
      try read()
    }
    return longest
  }

  @Test(arguments: [1, 4])
  func liveQueriesDoNotKeepIt(_ count: Int) async throws {
    let container = docks.container
    let queries = (0..<count).map { _ in
      Task.detached {
        for try await ships in ModelContext(container).liveResults(ships()) { _ = ships.first?.tonnage }
      }
    }
    let longest = try save(3_000)
    for query in queries { query.cancel() }
    #expect(longest <= Self.bound)
  }

  /// Contexts that have read keep a snapshot for a moment, and each save is followed by such reads.
  @Test func contextsLetGo() throws {
    let contexts = (0..<3).map { _ in ModelContext(docks.container) }
    let longest = try save(500) { for context in contexts { _ = try context.fetchCount(ships()) } }
    #expect(longest <= 4 * Self.moved)
  }

  @Test func observersDoNotKeepIt() throws {
    let context = ModelContext(docks.container)
    let observer = try ResultsObserver<Ship, Never>(modelContext: context, isolation: nil)
    let longest = try save(1_000) { _ = observer.results.first?.tonnage }
    #expect(longest <= Self.bound)
  }

  /// What reads for long keeps the log as long as it reads, and no longer.
  @Test func logBeginsAnewAfterALongFetch() throws {
    try docks.elsewhere { for number in 0..<10 { $0.insert(Ship("\(number)")) } }
    let reader = try docks.container.store.database.checkOut()
    try reader.beginSnapshot()
    try reader.takeSnapshot()
    #expect(try save(300) > Self.bound)
    reader.endSnapshot()
    docks.container.store.database.checkIn(reader)
    _ = try save(30)
    #expect(try save(100) <= 4 * Self.moved)
  }
}
