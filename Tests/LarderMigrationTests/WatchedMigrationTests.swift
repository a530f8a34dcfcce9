import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Synchronization
import Testing

/// Wants no more after it was looked at some times.
private final class Impatient: Progress, @unchecked Sendable {
  private let looks = Atomic<Int>(0)
  private let patience: Int

  init(patience: Int) {
    self.patience = patience
    super.init(parent: nil, userInfo: nil)
  }

  override var isCancelled: Bool {
    get { looks.add(1, ordering: .relaxed).newValue > patience }
    set { super.isCancelled = newValue }
  }
}

/// Who watches a migration, and who is told of it.
@Suite struct WatchedMigrationTests {
  /// Lists of pairs, as many as a number of owners and of crates have.
  private func store(_ count: Int) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Shared.Owner.self) { context in
      for number in 0..<count {
        context.insert(Shared.Owner(name: "\(number)"))
        context.insert(Shared.Crate(name: "\(number)"))
      }
    }
    try store.execute(
      "INSERT INTO larder_Crate_owners (source, target) SELECT c.larder_id, o.larder_id FROM Crate AS c, Owner AS o")
    return store
  }

  @Test func pairsAreCounted() throws {
    let store = try store(5)
    let progress = Progress(totalUnitCount: 0)
    try store.open(Listed.Owner.self, options: MigrationOptions(progress: progress)) { _ in }
    #expect(progress.totalUnitCount >= 25)
    #expect(progress.completedUnitCount == progress.totalUnitCount)
  }

  /// There are few rows; all the work is in statements over the pairs.
  @Test func aLongStatementIsCancelled() throws {
    let store = try store(300)
    let before = store.bytes
    let error = store.failure(Listed.Owner.self, options: MigrationOptions(progress: Impatient(patience: 40)))
    #expect(error is CancellationError, "\(String(describing: error))")
    #expect(store.bytes == before)
    #expect(!store.folder.names.contains { $0.contains("former") })
    let count = try store.open(Listed.Owner.self) { try $0.all(Listed.Owner.self).map(\.crates.count) }
    #expect(Set(count) == [300])
  }

  private func container(_ store: TemporaryStore, _ models: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: store.url)])
  }

  private func tells(_ container: ModelContainer) -> Int { container.store.database.meeting?.tellCount ?? 0 }

  @Test func thoseWhoListenAreToldOfMigrationsTablesAndCompacting() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { $0.insert(Plain.Note(title: "a", pages: 1)) }
    // As another process has it open.
    let other = try Database(path: store.url.path)
    other.meeting?.listen {}
    defer { other.close() }
    do {
      let migrated = try container(store, Fuller.Note.self)
      #expect(tells(migrated) == 1)
    }
    do {
      let more = try container(store, Fuller.Note.self, Loose.Word.self, Loose.Page.self)
      #expect(tells(more) == 1)
      try more.compact()
      #expect(tells(more) == 2)
    }
    let same = try container(store, Fuller.Note.self)
    #expect(tells(same) == 0)
  }
}
