import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import Patience
import SwiftData
import Testing

/// What cannot be read for a moment, just when the last commit for long comes.
@Suite struct PassingFailureTests {
  private static let fails = "ALTER TABLE Ship RENAME COLUMN notes TO other"
  private static let passes = "ALTER TABLE Ship RENAME COLUMN other TO notes"

  /// A ship is saved that the query cannot read.
  private func saveUnread(_ docks: Docks) throws {
    let isHeld = Locked(true)
    LiveQueryExecutor.shared(for: docks.container.core).run { _ in while isHeld.withLock({ $0 }) { usleep(100) } }
    defer { isHeld.withLock { $0 = false } }
    try docks.elsewhere { $0.insert(Ship("b")) }
    try docks.execute(Self.fails)
  }

  /// Who is told by himself is told when it is over.
  @MainActor
  @Test func observersAreTold() async throws {
    let docks = try Docks(.memory)
    try docks.elsewhere { $0.insert(Ship("a")) }
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: docks.container)
    try saveUnread(docks)
    try await until("the failure") { observer.fetchError != nil }
    // The same failure is told of once, however often somebody looks.
    let before = observer.fetchError.map { "\($0)" } ?? ""
    let failure = Told { _ = observer.fetchError }
    #expect(observer.results.map(\.name) == ["a"])
    try await settle()
    #expect(!failure.isRaised, "\(before), then \(observer.fetchError.map { "\($0)" } ?? "")")
    let told = Told { _ = observer.results }
    try docks.execute(Self.passes)
    try await until("the ship") { told.isRaised }
    #expect(failure.isRaised)
    #expect(observer.results.map(\.name) == ["a", "b"])
    #expect(observer.fetchError == nil)
  }

  /// Who looks himself sees it at once.
  @Test func whoLooksSeesIt() async throws {
    let docks = try Docks(.memory)
    try docks.elsewhere { $0.insert(Ship("a")) }
    let observer = try ResultsObserver(
      fetchDescriptor: ships(), modelContext: ModelContext(docks.container), isolation: nil)
    try saveUnread(docks)
    await docks.runnerIsDone()
    #expect(observer.results.map(\.name) == ["a"])
    #expect(observer.fetchError is StoreError)
    try docks.execute(Self.passes)
    #expect(observer.results.map(\.name) == ["a", "b"])
    #expect(observer.fetchError == nil)
  }

  /// Objects in hand follow, too.
  @MainActor
  @Test func objectsFollow() async throws {
    let docks = try Docks(.memory)
    try docks.elsewhere { $0.insert(Ship("a", tonnage: 1)) }
    let ship = try #require(try docks.container.mainContext.fetch(ships()).first)
    let told = Told { _ = ship.tonnage }
    try docks.elsewhere { try $0.fetch(ships()).first?.tonnage = 2 }
    try docks.execute(Self.fails)
    try await settle()
    #expect(!told.isRaised)
    try docks.execute(Self.passes)
    try await until("the tonnage") { told.isRaised }
    #expect(ship.tonnage == 2)
  }
}
