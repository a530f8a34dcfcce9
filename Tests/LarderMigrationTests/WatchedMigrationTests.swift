import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import Patience
import SwiftData
import Testing

/// Remembers what it was told.
private final class Recorder: Progress, @unchecked Sendable {
  private(set) var fractions: [Double] = []
  private(set) var totals: [Int64] = []

  init() { super.init(parent: nil, userInfo: nil) }

  override var completedUnitCount: Int64 {
    didSet { note() }
  }

  override var totalUnitCount: Int64 {
    didSet {
      totals.append(totalUnitCount)
      note()
    }
  }

  private func note() { fractions.append(Double(completedUnitCount) / Double(max(1, totalUnitCount))) }
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

  @Test(arguments: [0, 7] as [Int64]) func whatNeedsNoMigrationIsFinished(total: Int64) throws {
    let store = try store(1)
    let progress = Progress(totalUnitCount: total)
    try store.open(Shared.Owner.self, options: MigrationOptions(progress: progress)) { _ in }
    #expect(progress.isFinished && progress.fractionCompleted == 1)
  }

  /// Three books and three tags in four versions, with a stage's own work before and after.
  private func library() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: LibraryV1.self)) { context in
      for number in 0..<3 {
        context.insert(LibraryV1.Book(title: "\(number)", author: "Austen"))
        context.insert(LibraryV1.Tag(word: "\(number)"))
      }
    }
    return store
  }

  @Test func theTotalCoversAllStagesAndIsReachedAtTheEnd() throws {
    let store = try library()
    let progress = Recorder()
    try store.open(
      Schema(versionedSchema: LibraryV4.self), plan: LibraryPlan.self, options: MigrationOptions(progress: progress)
    ) { _ in }
    #expect(progress.totals.count == 1)
    #expect(progress.fractions == progress.fractions.sorted())
    #expect(progress.fractions.filter { $0 >= 1 }.count == 1)
    #expect(progress.fractions.last == 1 && progress.isFinished)
    // Somebody sees it move.
    #expect(Set(progress.fractions).count > 5, "\(progress.fractions)")
  }

  @Test func aMigrationThatFailsIsNotFinished() throws {
    let store = try library()
    let progress = Recorder()
    let error = store.failure(
      LibraryV2.Book.self, LibraryV2.Tag.self, plan: FailingPlan.self, options: MigrationOptions(progress: progress))
    #expect(error is FailingPlan.Unwilling)
    #expect(progress.completedUnitCount > 0)
    #expect(!progress.isFinished && progress.fractions.allSatisfy { $0 < 1 })
    try store.open(
      Schema(versionedSchema: LibraryV4.self), plan: LibraryPlan.self, options: MigrationOptions(progress: progress)
    ) { _ in }
    #expect(progress.isFinished)
  }

  @Test func severalStoresAreOneProgress() throws {
    let store = try TemporaryStore()
    var options = StoreOptions()
    options.usesDataStores = false
    func container(
      _ note: any PersistentModel.Type, _ owner: any PersistentModel.Type, _ migration: MigrationOptions
    ) throws -> ModelContainer {
      try StoreOptions.$current.withValue(options) {
        try ModelContainer(
          for: Schema([note, owner]),
          configurations: [
            ModelConfiguration("notes", schema: Schema([note]), url: store.url),
            ModelConfiguration("owners", schema: Schema([owner]), url: store.folder.file("owners.store")),
          ], migration: migration)
      }
    }
    do {
      let context = ModelContext(try container(Plain.Note.self, Shared.Owner.self, MigrationOptions()))
      for number in 0..<5 {
        context.insert(Plain.Note(title: "\(number)", pages: number))
        context.insert(Shared.Owner(name: "\(number)"))
      }
      try context.save()
    }
    let progress = Recorder()
    _ = try container(Fuller.Note.self, Listed.Owner.self, MigrationOptions(progress: progress))
    #expect(progress.totals.count == 1)
    #expect(progress.fractions == progress.fractions.sorted())
    #expect(progress.fractions.filter { $0 >= 1 }.count == 1 && progress.isFinished)
    #expect(Set(progress.fractions).count > 3, "\(progress.fractions)")
  }

  /// There are few rows; all the work is in statements over the pairs.
  @Test func aLongStatementIsCancelled() throws {
    let store = try store(300)
    let before = store.bytes
    let error = store.failure(Listed.Owner.self, options: MigrationOptions(progress: ImpatientProgress(patience: 40)))
    #expect(error is CancellationError, "\(String(describing: error))")
    #expect(store.bytes == before)
    #expect(!store.folder.names.contains { $0.contains("former") })
    let count = try store.open(Listed.Owner.self) { try $0.all(Listed.Owner.self).map(\.crates.count) }
    #expect(Set(count) == [300])
  }

  private func container(_ store: TemporaryStore, _ models: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: store.url)])
  }

  private func tells(_ container: ModelContainer) -> Int { container.store.database.signal?.sentSignalCount ?? 0 }

  @Test func thoseWhoListenAreToldOfMigrationsTablesAndCompacting() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { $0.insert(Plain.Note(title: "a", pages: 1)) }
    // As another process has it open.
    let other = try Database(path: store.url.path)
    other.signal?.listen {}
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
