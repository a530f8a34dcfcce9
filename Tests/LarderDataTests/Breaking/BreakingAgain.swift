import Foundation
import LarderData
import LarderSQLite
import Observation
import SwiftData
import Synchronization
import Testing

/// What the suites that break things again have in common.
protocol BreakingAgain {}

extension BreakingAgain {
  func store(_ place: StoreLocation = .memory) throws -> TestStore {
    try TestStore(
      place, Family.self, Member.self, Course.self, Student.self, Node.self, Library.self, Book.self, Shelf.self,
      Account.self, Region.self, Entry.self, Tag.self, Airport.self, Flight.self, Wide.self, Tangle.Human.self,
      Again.Pane.self,
      Again.Glass.self, Again.Mirror.self, Again.Frame.self, Again.Maker.self, Again.Stain.self, Again.Band.self,
      Again.Player.self, Again.Named.self, Again.Chest.self,
      Again.Trinket.self)
  }

  func all<T: PersistentModel>(_ context: ModelContext, _ type: T.Type = T.self) throws -> [T] {
    try context.fetch(FetchDescriptor<T>())
  }

  func families(_ context: ModelContext) throws -> [Family] {
    try context.fetch(FetchDescriptor<Family>(sortBy: [SortDescriptor(\.name)]))
  }

  func check(_ store: TestStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty, sourceLocation: sourceLocation)
  }

  /// Names of the members of a family, as a new context reads them.
  func stored(_ store: TestStore, _ place: Int = 0) throws -> [String] {
    let family = try families(store.context())[place]
    #expect(family.members.allSatisfy { $0.family === family })
    return family.members.map(\.name)
  }

  /// Whether observers of what is read were told while `change` ran.
  func isTold<T>(_ read: @autoclosure () -> T, _ change: () throws -> Void) rethrows -> Bool {
    let flag = Flag()
    _ = withObservationTracking(read) { flag.isRaised.store(true, ordering: .relaxed) }
    try change()
    return flag.isRaised.load(ordering: .relaxed)
  }

  /// Runs the body when what is read is about to change.
  func whenChanged<T>(_ read: @autoclosure () -> T, _ body: @escaping () -> Void) {
    // The observers of these tests are told on the thread that changes.
    nonisolated(unsafe) let body = body
    _ = withObservationTracking(read) { body() }
  }
}

private final class Flag: Sendable { let isRaised = Atomic<Bool>(false) }
