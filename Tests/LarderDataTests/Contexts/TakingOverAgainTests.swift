import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// What waits is taken over although something came between.
@Suite(.timeLimit(.minutes(20))) struct TakingOverAgainTests {
  /// The context was closed to others, and nobody knows what it missed.
  @MainActor @Test(arguments: StoreLocation.allCases)
  func mainContextIsToldOnceItMergesAgain(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Crate.self)
    let writer = try store.saved([Crate(number: 1, text: "old")])
    let context = store.container.mainContext
    let held = try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    context.automaticallyMergesChanges = false
    for crate in try writer.fetch(FetchDescriptor<Crate>()) { crate.text = "new" }
    try writer.save()
    context.automaticallyMergesChanges = true
    while held.text == "old" { try await Task.sleep(for: .milliseconds(1)) }
    for crate in try writer.fetch(FetchDescriptor<Crate>()) { crate.text = "newer" }
    try writer.save()
    while held.text == "new" { try await Task.sleep(for: .milliseconds(1)) }
    #expect(held.text == "newer")
  }

  /// A save that meets more of them than it would try again is no quarrel over one row.
  @Test(arguments: StoreLocation.allCases)
  func saveMeetsAnyNumberOfRowsThatOthersChanged(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let writer = try store.saved((0..<150).map { Crate(number: $0, text: "old") })
    let context = store.context()
    context.automaticallyMergesChanges = false
    context.mergePolicy = .mergeByPropertyStoreTrump
    for crate in try context.fetch(FetchDescriptor<Crate>()) {
      crate.text = "mine"
      crate.note = "mine"
    }
    for crate in try writer.fetch(FetchDescriptor<Crate>()) { crate.text = "theirs" }
    try writer.save()
    let (status, _) = try store.writing { try context.save() }
    #expect(try store.rows("SELECT DISTINCT text, note FROM Crate") == [[.text("theirs"), .text("mine")]])
    // Once in vain, once for good.
    #expect(status.statementRuns < 3 * 150)
  }

  /// Observers of a rollback read, and what others saved waits.
  @Test(arguments: StoreLocation.allCases)
  func rollbackIsNotDisturbedByWhatItsObserversRead(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let writer = try store.saved([Crate(number: 1, text: "old")])
    let context = store.context()
    let crate = try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    crate.text = "mine"
    for crate in try writer.fetch(FetchDescriptor<Crate>()) { crate.text = "theirs" }
    withObservationTracking {
      _ = crate.text
    } onChange: { [number = Reading(crate)] in
      _ = number.read()
    }
    try writer.save()
    context.rollback()
    #expect(crate.text == "theirs")
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.text) == ["theirs"])
  }

  // @unchecked: the observer is called where the rollback is.
  private struct Reading: @unchecked Sendable {
    let crate: Crate
    init(_ crate: Crate) { self.crate = crate }
    func read() -> Int {
      withObservationTracking {
        crate.number
      } onChange: {
      }
    }
  }
}
