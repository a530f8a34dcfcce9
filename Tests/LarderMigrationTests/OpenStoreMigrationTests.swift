import Foundation
import LarderData
import LarderMigration
import SwiftData
import Testing

private enum OpenV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Jar.self] }

  @Model
  final class Jar {
    var grams: Int
    init(grams: Int) { self.grams = grams }
  }
}

private enum OpenV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Jar.self] }

  @Model
  final class Jar {
    var grams: Int
    var label = "none"
    init(grams: Int) { self.grams = grams }
  }
}

private enum OpenPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [OpenV1.self, OpenV2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: OpenV1.self, toVersion: OpenV2.self)] }
}

private enum FailingOpenPlan: SchemaMigrationPlan {
  struct Stop: Error {}
  static var schemas: [any VersionedSchema.Type] { [OpenV1.self, OpenV2.self] }
  static var stages: [MigrationStage] {
    [.custom(fromVersion: OpenV1.self, toVersion: OpenV2.self, willMigrate: { _ in throw Stop() }, didMigrate: nil)]
  }
}

private enum OpenRenamed {
  @Model
  final class Pot: RenamedModel {
    static var originalEntityName: String { "Jar" }
    var grams: Int
    init(grams: Int) { self.grams = grams }
  }
}

/// A store is migrated while this program has it open by its former models.
@Suite struct OpenStoreMigrationTests {
  private func container(_ version: any VersionedSchema.Type, _ store: TemporaryStore) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: OpenPlan.self,
      configurations: ModelConfiguration(url: store.url))
  }

  /// With a number or without one, by a plan or by itself.
  @Test(arguments: [true, false]) func storeThatIsOpenIsMigrated(isVersioned: Bool) throws {
    let store = try TemporaryStore()
    func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
      if isVersioned { return try container(version, store) }
      return try ModelContainer(for: Schema(version.models), configurations: ModelConfiguration(url: store.url))
    }
    let older = ModelContext(try open(OpenV1.self))
    let jar = OpenV1.Jar(grams: 7)
    older.insert(jar)
    try older.save()
    // A snapshot is held, and something is pending.
    #expect(try older.all(OpenV1.Jar.self).count == 1)
    jar.grams = 8
    older.insert(OpenV1.Jar(grams: 9))

    let newer = ModelContext(try open(OpenV2.self))
    #expect(newer.container.migrationReport.isMigrated)
    #expect(try newer.all(OpenV2.Jar.self).map(\.grams) == [7])

    let fetching = #expect(throws: StoreError.self) { try older.fetch(FetchDescriptor<OpenV1.Jar>()) }
    #expect(fetching?.code == .schemaMismatch)
    let saving = #expect(throws: StoreError.self) { try older.save() }
    #expect(saving?.code == .schemaMismatch)
    // What was not saved is still there, and nowhere else.
    #expect(jar.grams == 8 && older.insertedModelsArray.count == 1 && older.changedModelsArray.count == 1)
    try newer.transaction { newer.insert(OpenV2.Jar(grams: 10)) }
    #expect(try newer.all(OpenV2.Jar.self).map(\.grams).sorted() == [7, 10])
    // Whoever opens it by the models that it has gets what is there.
    #expect(try ModelContext(open(OpenV2.self)).fetchCount(FetchDescriptor<OpenV2.Jar>()) == 2)
  }

  @Test func migrationThatFailsLeavesTheOpenContainerAsItWas() throws {
    let store = try TemporaryStore()
    let older = ModelContext(try container(OpenV1.self, store))
    older.insert(OpenV1.Jar(grams: 7))
    try older.save()
    #expect(throws: FailingOpenPlan.Stop.self) {
      try ModelContainer(
        for: Schema(versionedSchema: OpenV2.self), migrationPlan: FailingOpenPlan.self,
        configurations: ModelConfiguration(url: store.url))
    }
    older.insert(OpenV1.Jar(grams: 8))
    try older.save()
    #expect(try older.all(OpenV1.Jar.self).map(\.grams).sorted() == [7, 8])
  }

  @Test func rowsOfARenamedModelAreNotLeftBehind() throws {
    let store = try TemporaryStore()
    func open(_ model: any PersistentModel.Type) throws -> ModelContext {
      ModelContext(try ModelContainer(for: Schema([model]), configurations: ModelConfiguration(url: store.url)))
    }
    let older = try open(OpenV1.Jar.self)
    older.insert(OpenV1.Jar(grams: 7))
    try older.save()
    let newer = try open(OpenRenamed.Pot.self)
    #expect(try newer.all(OpenRenamed.Pot.self).map(\.grams) == [7])
    #expect(throws: StoreError.self) { try older.all(OpenV1.Jar.self) }
  }

  /// Identifiers that the older container has reserved are not given again.
  @Test func bothGiveIdentifiersOfTheirOwn() throws {
    let store = try TemporaryStore()
    var older: ModelContainer? = try container(OpenV1.self, store)
    do {
      let context = ModelContext(try #require(older))
      for grams in 0..<3 { context.insert(OpenV1.Jar(grams: grams)) }
      try context.save()
    }
    let newer = try container(OpenV2.self, store)
    let context = ModelContext(newer)
    for grams in 3..<6 { context.insert(OpenV2.Jar(grams: grams)) }
    try context.save()
    withExtendedLifetime(older) {}
    older = nil
    for grams in 6..<9 { context.insert(OpenV2.Jar(grams: grams)) }
    try context.save()
    #expect(try context.all(OpenV2.Jar.self).map(\.grams).sorted() == Array(0..<9))
    #expect(try newer.integrityCheck().isEmpty)
  }
}
