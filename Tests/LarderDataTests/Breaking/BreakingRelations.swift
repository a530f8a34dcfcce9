import LarderData
import SwiftData
import Testing

/// What the suites that break relationships have in common.
protocol BreakingRelations {}

extension BreakingRelations {
  func store(_ place: StoreLocation = .memory) throws -> TestStore {
    try TestStore(
      place, Tangle.Hub.self, Tangle.Spoke.self, Tangle.Bead.self, Tangle.Mark.self, Tangle.Link.self,
      Tangle.Human.self, Tangle.Odd.self, Tangle.Odd2.self)
  }

  func all<T: PersistentModel>(_ context: ModelContext, _ type: T.Type = T.self) throws -> [T] {
    try context.fetch(FetchDescriptor<T>())
  }

  func check(_ store: TestStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty, sourceLocation: sourceLocation)
  }
}
