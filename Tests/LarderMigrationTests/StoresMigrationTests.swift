import DurabilityWork
import Foundation
import SwiftData
import Testing

/// A container of several stores, a plan for all of their models; and versions that only a number tells apart.
@Suite struct StoresMigrationTests {
  enum TwoV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Before.Note.self, Before.Bare.self] }
  }

  enum TwoV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [After.Note.self, Before.Bare.self] }
  }

  /// The same models, whose values are other ones.
  enum TwoV3: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    static var models: [any PersistentModel.Type] { [After.Note.self, Before.Bare.self] }
  }

  enum TwoPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TwoV3.self, TwoV1.self, TwoV2.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: TwoV1.self, toVersion: TwoV2.self),
        .custom(
          fromVersion: TwoV2.self, toVersion: TwoV3.self, willMigrate: nil,
          didMigrate: { context in
            // Asked in each store, of which one has notes.
            guard context.container.schema.entitiesByName["Note"] != nil else { return }
            for note in try context.fetch(FetchDescriptor<After.Note>()) { note.stars *= 2 }
          }),
      ]
    }
  }

  private func open(_ folder: WorkFolder, _ version: any VersionedSchema.Type, isPlanned: Bool) throws -> ModelContext {
    let schema = Schema(versionedSchema: version)
    let bare = Schema([Before.Bare.self])
    let container = try ModelContainer(
      for: schema, migrationPlan: isPlanned ? TwoPlan.self : nil,
      configurations: ModelConfiguration("rest", url: folder.file("rest.store")),
      ModelConfiguration("bare", schema: bare, url: folder.file("bare.store")))
    return ModelContext(container)
  }

  @Test func eachStoreIsBroughtToItsModels() throws {
    let folder = try WorkFolder()
    do {
      let context = try open(folder, TwoV1.self, isPlanned: false)
      context.insert(Before.Note(title: "a", stars: 3, gone: ""))
      context.insert(Before.Bare(name: "b"))
      try context.save()
    }
    // A stage that only changes values is taken once.
    for _ in 0..<2 {
      let context = try open(folder, TwoV3.self, isPlanned: true)
      #expect(try context.all(After.Note.self).map(\.stars) == [6])
      #expect(try context.all(Before.Bare.self).map(\.name) == ["b"])
    }
  }
}
