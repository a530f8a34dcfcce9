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

  // MARK: Without a plan

  /// The rows of the former name would lie there unread.
  @Test func rowsOfTheFormerNameBesideTheNewOneAreNotPassedOver() throws {
    let store = try TemporaryStore()
    try store.open(First.Trip.self, First.Journey.self) { context in
      context.insert(First.Trip("trip"))
      context.insert(First.Journey("journey"))
    }
    let before = store.bytes
    let error = store.failure(Second.Journey.self) as? StoreError
    #expect(error?.code == .schemaMismatch)
    let said = error?.explanation ?? ""
    #expect(said.contains("Journey was Trip, and the store has both"), "\(said)")
    #expect(store.bytes == before)
    // Nor by whoever only reads.
    #expect(throws: StoreError.self) {
      try ModelContainer(
        for: Second.Journey.self, configurations: ModelConfiguration(url: store.url, allowsSave: false))
    }
    // What the error says to do: both are read, and the former ones can go.
    try store.open(Second.Journey.self, First.Trip.self) { context in
      for trip in try context.all(First.Trip.self) {
        context.insert(Second.Journey(trip.name))
        context.delete(trip)
      }
    }
    let names = try store.open(Second.Journey.self) { try $0.all(Second.Journey.self).map(\.name).sorted() }
    #expect(names == ["journey", "trip"])
  }

  /// The earlier program, run once more, makes the table of the former name anew.
  @Test func whatAnEarlierProgramWroteAfterTheRenameIsNotPassedOver() throws {
    let store = try TemporaryStore()
    try store.open(First.Trip.self) { $0.insert(First.Trip("one")) }
    try store.open(Second.Journey.self) { (context: ModelContext) throws in
      #expect(try context.all(Second.Journey.self).count == 1)
    }
    try store.open(First.Trip.self) { _ in }
    // An empty table is nothing that could be missed.
    try store.open(Second.Journey.self) { (context: ModelContext) throws in
      #expect(try context.all(Second.Journey.self).count == 1)
    }
    try store.open(First.Trip.self) { $0.insert(First.Trip("two")) }
    #expect((store.failure(Second.Journey.self) as? StoreError)?.code == .schemaMismatch)
    // A container that has the store open already is told the same.
    let open = try ModelContainer(for: First.Trip.self, configurations: ModelConfiguration(url: store.url))
    let error = store.failure(Second.Journey.self) as? StoreError
    #expect(error?.explanation.contains("Journey was Trip") == true, "\(error?.explanation ?? "")")
    #expect(try ModelContext(open).all(First.Trip.self).map(\.name) == ["two"])
  }

  enum Swapped: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Trip.self, Journey.self] }

    @Model final class Trip: RenamedModel {
      static var originalEntityName: String { "Journey" }
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Journey: RenamedModel {
      static var originalEntityName: String { "Trip" }
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  /// Nothing tells whether their rows have changed places already.
  @Test func modelsThatTakeEachOthersNamesAreRefused() throws {
    let store = try TemporaryStore()
    try store.open(First.Trip.self, First.Journey.self) { context in
      context.insert(First.Trip("trip"))
      context.insert(First.Journey("journey"))
    }
    let before = store.bytes
    let error = store.failure(Swapped.Trip.self, Swapped.Journey.self) as? StoreError
    #expect(error?.code == .schemaMismatch)
    for words in ["Trip was Journey", "Journey was Trip"] {
      #expect(error?.explanation.contains(words) == true, "\(error?.explanation ?? "")")
    }
    #expect(store.bytes == before)
    // One alone has its rows from nowhere else.
    let one = try TemporaryStore()
    try one.open(First.Trip.self) { $0.insert(First.Trip("trip")) }
    let names = try one.open(Swapped.Journey.self) { try $0.all(Swapped.Journey.self).map(\.name) }
    #expect(names == ["trip"])
    // Nor is a new store made that could not be opened again.
    let new = try TemporaryStore()
    #expect((new.failure(Swapped.Trip.self, Swapped.Journey.self) as? StoreError)?.code == .schemaMismatch)
    // A version's number says that it has been done.
    let numbered = try TemporaryStore()
    for count in 1...2 {
      let names = try numbered.open(Schema(versionedSchema: Swapped.self)) { context in
        context.insert(Swapped.Trip("trip"))
        return try context.all(Swapped.Trip.self)
      }
      #expect(names.count == count)
    }
  }

  enum SwappingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Both.self, Swapped.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Both.self, toVersion: Swapped.self)] }

    enum Both: VersionedSchema {
      static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
      static var models: [any PersistentModel.Type] { [First.Trip.self, First.Journey.self] }
    }
  }

  /// A stage without work of its own would leave each its rows, too.
  @Test func aStageThatHasModelsTakeEachOthersNamesIsRefused() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: SwappingPlan.Both.self)) { context in
      context.insert(First.Trip("trip"))
      context.insert(First.Journey("journey"))
    }
    let error = #expect(throws: StoreError.self) {
      try store.open(Schema(versionedSchema: Swapped.self), plan: SwappingPlan.self) { _ in }
    }
    #expect(error?.code == .schemaMismatch && error?.explanation.contains("Trip was Journey") == true)
  }

  /// Without a Journey, between the version that has both and the one that gives its name away.
  enum Between: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 5, 0) }
    static var models: [any PersistentModel.Type] { [First.Trip.self] }
  }

  /// From both models to a Journey that was a Trip.
  enum ReplacingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SwappingPlan.Both.self, Second.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: SwappingPlan.Both.self, toVersion: Second.self)] }
  }

  /// The journeys go before, but their table has the name.
  enum DeletingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SwappingPlan.Both.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: SwappingPlan.Both.self, toVersion: Second.self,
          willMigrate: { context in
            try context.delete(model: First.Journey.self)
            try context.save()
          }, didMigrate: nil)
      ]
    }
  }

  enum SteppingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SwappingPlan.Both.self, Between.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: SwappingPlan.Both.self, toVersion: Between.self),
        .lightweight(fromVersion: Between.self, toVersion: Second.self),
      ]
    }
  }

  enum CarryingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SwappingPlan.Both.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: SwappingPlan.Both.self, toVersion: Second.self, willMigrate: nil,
          didMigrate: { context in
            for trip in try context.previousContext()?.fetch(FetchDescriptor<First.Trip>()) ?? [] {
              context.insert(Second.Journey(trip.name))
            }
            try context.save()
          })
      ]
    }
  }

  private func both() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: SwappingPlan.Both.self)) { context in
      context.insert(First.Trip("trip"))
      context.insert(First.Journey("journey"))
    }
    return store
  }

  /// The trips would go, and the journeys stay what they are.
  @Test(arguments: [ReplacingPlan.self, DeletingPlan.self] as [any SchemaMigrationPlan.Type])
  func aNameThatIsGivenAwayInOneStageIsRefused(_ plan: any SchemaMigrationPlan.Type) throws {
    let store = try both()
    let before = store.bytes
    let error = #expect(throws: StoreError.self) {
      try store.open(Schema(versionedSchema: Second.self), plan: plan) { _ in }
    }
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.explanation.contains("Journey was Trip, and version 1.0.0 has both") == true, "\(error?.explanation ?? "")"
    )
    #expect(store.bytes == before)
  }

  /// What the error says to do.
  @Test func aNameThatIsGivenAwayByAStageOfItsOwnIsCarried() throws {
    for (plan, names) in [
      (SteppingPlan.self as any SchemaMigrationPlan.Type, ["trip"]), (CarryingPlan.self, ["journey", "trip"]),
    ] {
      let store = try both()
      let found = try store.open(Schema(versionedSchema: Second.self), plan: plan) { context in
        try context.all(Second.Journey.self).map(\.name).sorted()
      }
      #expect(found == names)
    }
  }
}
