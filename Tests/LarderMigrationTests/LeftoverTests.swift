import Foundation
import LarderData
import SwiftData
import Testing

/// What an earlier version has left in the store, since a later one did not name it.
@Suite struct LeftoverTests {
  enum First: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Journey {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Second: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Journey.self] }

    @Model final class Journey: RenamedModel {
      static var originalEntityName: String { "Trip" }
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: First.self, toVersion: Second.self)] }
  }

  /// The rows of the model that is renamed must not go for those that have its new name.
  @Test func aRenameOntoTheNameOfALeftoverIsRefused() throws {
    let store = try TemporaryStore()
    try store.open(First.Trip.self, First.Journey.self) { $0.insert(First.Journey("leftover")) }
    try store.open(Schema(versionedSchema: First.self)) { context in
      for number in 0..<3 { context.insert(First.Trip("trip \(number)")) }
    }
    let before = store.bytes
    let error = #expect(throws: StoreError.self) {
      try store.open(Schema(versionedSchema: Second.self), plan: Plan.self) { _ in }
    }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.explanation.contains("the store has a Journey already") == true, "\(error?.explanation ?? "")")
    #expect(store.bytes == before)
    let trips = try store.open(Schema(versionedSchema: First.self)) { try $0.all(First.Trip.self).count }
    #expect(trips == 3)
  }

  @Test func withoutALeftoverItIsCarried() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: First.self)) { $0.insert(First.Trip("trip")) }
    let names = try store.open(Schema(versionedSchema: Second.self), plan: Plan.self) { context in
      try context.all(Second.Journey.self).map(\.name)
    }
    #expect(names == ["trip"])
  }
}
