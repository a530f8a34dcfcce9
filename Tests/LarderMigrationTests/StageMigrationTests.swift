import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData
import Testing

// What a stage's own work may do, and what it finds.

enum CodeV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Label.self] }

  @Model final class Label {
    var text: String
    init(text: String) { self.text = text }
  }
}

enum CodeV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Label.self] }

  @Model final class Label {
    var text: String
    @Attribute(.unique) var code = ""
    init(text: String) { self.text = text }
  }
}

/// `didMigrate` gives each row what is to be unique, and makes one more.
enum CodePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [CodeV1.self, CodeV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: CodeV1.self, toVersion: CodeV2.self, willMigrate: nil,
        didMigrate: { context in
          for label in try context.fetch(FetchDescriptor<CodeV2.Label>()) { label.code = "code of \(label.text)" }
          let new = CodeV2.Label(text: "new")
          new.code = "new"
          context.insert(new)
        })
    ]
  }
}

/// `didMigrate` leaves them alike.
enum CarelessPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [CodeV1.self, CodeV2.self] }
  static var stages: [MigrationStage] {
    [.custom(fromVersion: CodeV1.self, toVersion: CodeV2.self, willMigrate: nil, didMigrate: { _ in })]
  }
}

/// Its work opens another store, and tries to open its own again.
enum ImportingPlan: SchemaMigrationPlan {
  @TaskLocal static var other: URL?
  @TaskLocal static var own: URL?

  static var schemas: [any VersionedSchema.Type] { [CodeV1.self, CodeV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: CodeV1.self, toVersion: CodeV2.self, willMigrate: nil,
        didMigrate: { context in
          guard let other, let own else { return }
          let imported = ModelContext(
            try ModelContainer(for: Before.Bare.self, configurations: ModelConfiguration(url: other)))
          for label in try context.fetch(FetchDescriptor<CodeV2.Label>()) {
            label.code = "\(label.text) \(try imported.fetchCount(FetchDescriptor<Before.Bare>()))"
          }
          do {
            _ = try ModelContainer(for: CodeV2.Label.self, configurations: ModelConfiguration(url: own))
            Issue.record("It opened.")
          } catch let error as StoreError {
            #expect(error.code == .busy)
          }
        })
    ]
  }
}

/// Its work passes over a save that fails.
enum SwallowingPlan: SchemaMigrationPlan {
  @TaskLocal static var disk: FaultVFS?

  static var schemas: [any VersionedSchema.Type] { [CodeV1.self, CodeV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: CodeV1.self, toVersion: CodeV2.self,
        willMigrate: { context in
          disk?.setQuota(0)
          for index in 0..<20_000 {
            context.insert(CodeV1.Label(text: "\(index) \(String(repeating: "x", count: 2_000))"))
          }
          try? context.save()
          disk?.setQuota(nil)
          context.rollback()
          context.insert(CodeV1.Label(text: "after"))
          try? context.save()
        }, didMigrate: { _ in })
    ]
  }
}

/// Its work does what a test says.
enum ToldPlan: SchemaMigrationPlan {
  @TaskLocal static var work: @Sendable (ModelContext) throws -> Void = { _ in }

  static var schemas: [any VersionedSchema.Type] { [CodeV1.self, CodeV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: CodeV1.self, toVersion: CodeV2.self, willMigrate: nil,
        didMigrate: { context in
          for label in try context.fetch(FetchDescriptor<CodeV2.Label>()) { label.code = label.text }
          try work(context)
        })
    ]
  }
}

@Suite struct StageMigrationTests {
  private func store(_ texts: [String] = ["a", "b"], onDisk disk: FaultVFS? = nil) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: CodeV1.self)) { context in
      for text in texts { context.insert(CodeV1.Label(text: text)) }
    }
    return store
  }

  private func codes(_ context: ModelContext) throws -> [String] {
    try context.all(CodeV2.Label.self).map(\.code).sorted()
  }

  @Test func aStageGivesWhatIsToBeUnique() throws {
    let store = try store()
    for duplicates in [MigrationOptions.Duplicates.keepFirst, .refuse] {
      let found = try store.open(
        Schema(versionedSchema: CodeV2.self), plan: CodePlan.self, options: MigrationOptions(duplicates: duplicates)
      ) { try codes($0) }
      #expect(found == ["code of a", "code of b", "new"])
    }
    #expect(try store.strings("SELECT name FROM sqlite_schema WHERE type = 'index'") == ["larder_unique_Label(code)"])
  }

  @Test func whatNobodyGaveAValueIsNotUnited() throws {
    let store = try store()
    let careless = store.failure(CodeV2.Label.self, plan: CarelessPlan.self) as? StoreError
    #expect(careless?.code == .duplicateValues)
    let unplanned = store.failure(CodeV2.Label.self, options: MigrationOptions(duplicates: .keepLast)) as? StoreError
    #expect(unplanned?.code == .duplicateValues)
    #expect(try store.open(Schema(versionedSchema: CodeV1.self)) { try $0.all(CodeV1.Label.self).count } == 2)
  }

  @Test func aStageMayOpenOtherStoresAndNotItsOwn() throws {
    let store = try store()
    let other = store.folder.file("other.store")
    try ImportingPlan.$other.withValue(other) {
      try ImportingPlan.$own.withValue(store.url) {
        let found = try store.open(Schema(versionedSchema: CodeV2.self), plan: ImportingPlan.self) { try codes($0) }
        #expect(found == ["a 0", "b 0"])
      }
    }
  }

  @Test func aFailedSaveThatAStagePassesOverUndoesAll() throws {
    let disk = FaultVFS()
    var options = StoreOptions()
    options.vfs = disk.name
    // A cache of its own size, so that the save has to write before it commits.
    options.settings.cacheKibibytes = 64
    try StoreOptions.$current.withValue(options) {
      let store = try store()
      SwallowingPlan.$disk.withValue(disk) {
        let error = store.failure(CodeV2.Label.self, plan: SwallowingPlan.self)
        #expect(error is StoreError, "\(String(describing: error))")
      }
      disk.setQuota(nil)
      let texts = try store.open(Schema(versionedSchema: CodeV1.self)) {
        try $0.all(CodeV1.Label.self).map(\.text).sorted()
      }
      #expect(texts == ["a", "b"])
    }
  }

  @Test func aStoreThatOnlyOtherModelsUseGetsThePlansModels() throws {
    let store = try TemporaryStore()
    try store.open(Before.Bare.self) { $0.insert(Before.Bare(name: "x")) }
    let found = try store.open(Schema(versionedSchema: CodeV2.self), plan: CodePlan.self) { try codes($0) }
    #expect(found == [])
  }

  /// The same shape under two numbers: the stage between is owed, whether the store is open already or not.
  @Test func aStageThatOnlyChangesValuesIsNotPassedOver() throws {
    enum Same: VersionedSchema {
      static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
      static var models: [any PersistentModel.Type] { [CodeV2.Label.self] }
    }
    enum SamePlan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [CodeV1.self, CodeV2.self, Same.self] }
      static var stages: [MigrationStage] {
        CodePlan.stages + [
          .custom(
            fromVersion: CodeV2.self, toVersion: Same.self,
            willMigrate: { context in
              for label in try context.fetch(FetchDescriptor<CodeV2.Label>()) { label.text += "!" }
            }, didMigrate: nil)
        ]
      }
    }
    let store = try TemporaryStore()
    // Made without a plan, in the shape of version 2.
    try store.open(CodeV2.Label.self) { $0.insert(CodeV2.Label(text: "a")) }
    do {
      let open = ModelContext(
        try ModelContainer(for: CodeV2.Label.self, configurations: ModelConfiguration(url: store.url)))
      #expect(try open.all(CodeV2.Label.self).map(\.text) == ["a"])
      try store.open(Schema(versionedSchema: Same.self), plan: SamePlan.self) { _ in }
      // Who has the same models, and no number, sees what the stage did.
      #expect(try open.all(CodeV2.Label.self).map(\.text) == ["a!"])
    }
    for _ in 0..<2 {
      let texts = try store.open(Schema(versionedSchema: Same.self), plan: SamePlan.self) { context in
        try context.all(CodeV2.Label.self).map(\.text)
      }
      #expect(texts == ["a!"])
    }
  }

  /// Neither the store nor what it was before.
  @Test func aStageCannotCompact() throws {
    let store = try store()
    for ofFormer in [false, true] {
      let work: @Sendable (ModelContext) throws -> Void = { context in
        let context = ofFormer ? try context.previousContext() ?? context : context
        try context.container.compact()
      }
      let error = ToldPlan.$work.withValue(work) {
        store.failure(CodeV2.Label.self, plan: ToldPlan.self) as? StoreError
      }
      #expect(error?.code == .busy)
      #expect(error?.explanation.hasPrefix("A stage of a migration is at work") == true, "\(error?.explanation ?? "")")
    }
    // It may pass over that.
    let work: @Sendable (ModelContext) throws -> Void = { _ = try? $0.container.compact() }
    let found = try ToldPlan.$work.withValue(work) {
      try store.open(Schema(versionedSchema: CodeV2.self), plan: ToldPlan.self) { try codes($0) }
    }
    #expect(found == ["a", "b"])
  }

  /// The file for the models before has a longer name than the store.
  @Test(arguments: [241, 242])
  func aStoreWhoseNameIsTooLongForTheFormerModelsIsToldSo(_ length: Int) throws {
    let store = try store()
    let url = store.folder.file(String(repeating: "n", count: length))
    try FileManager.default.moveItem(at: store.url, to: url)
    func migrate() throws {
      let work: @Sendable (ModelContext) throws -> Void = { _ = try $0.previousContext() }
      _ = try ToldPlan.$work.withValue(work) {
        try ModelContainer(
          for: Schema(versionedSchema: CodeV2.self), migrationPlan: ToldPlan.self,
          configurations: [ModelConfiguration(url: url)])
      }
    }
    if length == 241 { return try migrate() }
    let error = #expect(throws: StoreError.self) { try migrate() }
    #expect(error?.code == .cannotOpen)
    #expect(error?.explanation.contains("name has 242 bytes, and may have 241") == true, "\(error?.explanation ?? "")")
  }
}
