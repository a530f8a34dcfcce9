import Foundation
import LarderData
import LarderMigration
import SwiftData
import Testing

private enum ShelfV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self] }

  @Model
  final class Book {
    var title: String
    init(title: String) { self.title = title }
  }
}

private enum ShelfV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self] }

  @Model
  final class Book {
    var title: String
    var sortTitle = ""
    init(title: String) { self.title = title }
  }
}

private enum ShelfV3: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self] }

  @Model
  final class Book {
    var title: String
    var sortTitle = ""
    var pages = 0
    init(title: String) { self.title = title }
  }
}

/// Lists its last version alone.
private enum LastStep: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ShelfV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(fromVersion: ShelfV1.self, toVersion: ShelfV2.self, willMigrate: nil) { context in
        for book in try context.fetch(FetchDescriptor<ShelfV2.Book>()) { book.sortTitle = book.title.lowercased() }
      }
    ]
  }
}

private enum Down: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, ShelfV2.self, ShelfV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: ShelfV3.self, toVersion: ShelfV2.self),
      .custom(fromVersion: ShelfV2.self, toVersion: ShelfV1.self, willMigrate: nil, didMigrate: nil),
    ]
  }
}

private enum DownInTheOtherOrder: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { Down.schemas.reversed() }
  static var stages: [MigrationStage] { Down.stages }
}

private enum UpAndDown: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { Down.schemas }
  static var stages: [MigrationStage] {
    Down.stages + [
      .lightweight(fromVersion: ShelfV1.self, toVersion: ShelfV2.self),
      .lightweight(fromVersion: ShelfV2.self, toVersion: ShelfV3.self),
    ]
  }
}

private enum UpOnly: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { Down.schemas }
  static var stages: [MigrationStage] { Array(UpAndDown.stages.suffix(2)) }
}

/// The ways that a plan's stages lead: from the version that the store has to that of the container's models.
@Suite struct PlanWayTests {
  @Test func stagesNameTheVersionsOfAPlan() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: ShelfV1.self)) { $0.insert(ShelfV1.Book(title: "Emma")) }
    for _ in 0..<2 {
      let titles = try store.open(Schema(versionedSchema: ShelfV2.self), plan: LastStep.self) { context in
        try context.all(ShelfV2.Book.self).map(\.sortTitle)
      }
      #expect(titles == ["emma"])
    }
  }

  @Test(arguments: [Down.self, DownInTheOtherOrder.self, UpAndDown.self] as [any SchemaMigrationPlan.Type])
  func planMayLeadDown(_ plan: any SchemaMigrationPlan.Type) throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: ShelfV3.self)) { $0.insert(ShelfV3.Book(title: "Emma")) }
    for _ in 0..<2 {
      let titles = try store.open(Schema(versionedSchema: ShelfV1.self), plan: plan) { context in
        try context.all(ShelfV1.Book.self).map(\.title)
      }
      #expect(titles == ["Emma"])
    }
    // It is of that version from then on.
    try store.open(Schema(versionedSchema: ShelfV1.self)) { _ in }
  }

  @Test func planThatLeadsBothWaysLeadsToTheModelsVersion() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: ShelfV1.self)) { $0.insert(ShelfV1.Book(title: "Emma")) }
    for version in [ShelfV3.self, ShelfV1.self, ShelfV2.self, ShelfV3.self] as [any VersionedSchema.Type] {
      let count = try store.open(Schema(versionedSchema: version), plan: UpAndDown.self) { context in
        switch version.versionIdentifier {
        case ShelfV1.versionIdentifier: try context.fetchCount(FetchDescriptor<ShelfV1.Book>())
        case ShelfV2.versionIdentifier: try context.fetchCount(FetchDescriptor<ShelfV2.Book>())
        default: try context.fetchCount(FetchDescriptor<ShelfV3.Book>())
        }
      }
      #expect(count == 1)
    }
  }

  @Test func laterStoreIsRefusedWhereNoStageLeadsDown() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: ShelfV3.self)) { $0.insert(ShelfV3.Book(title: "Emma")) }
    let before = store.bytes
    let error = #expect(throws: StoreError.self) {
      try store.open(Schema(versionedSchema: ShelfV1.self), plan: UpOnly.self) { _ in }
    }
    #expect(error?.code == .newerSchema)
    #expect(store.bytes == before)
  }
}
