import DurabilityWork
import Foundation
import SwiftData
import Testing

enum SpansV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Span.self] }

  @Model final class Span {
    var start: Int
    var end: Int
    @Relationship(deleteRule: .cascade) var parts: [Part] = []
    init(start: Int, end: Int) {
      self.start = start
      self.end = end
    }
  }

  @Model final class Part {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum SpansV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Span.self] }

  @Model final class Span {
    var start: Int
    var length = 0
    var words = ""
    init(start: Int) { self.start = start }
  }
}

enum SpansPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [SpansV1.self, SpansV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: SpansV1.self, toVersion: SpansV2.self,
        willMigrate: { context in
          for span in try context.fetch(FetchDescriptor<SpansV1.Span>()) where span.start < 0 { context.delete(span) }
          guard try context.previousContext() == nil else { throw CancellationError() }
        },
        didMigrate: { context in
          guard let former = try context.previousContext() else { throw CancellationError() }
          for old in try former.fetch(FetchDescriptor<SpansV1.Span>()) {
            let new = try context.existingModel(for: old.persistentModelID, as: SpansV2.Span.self)
            new.length = old.end - old.start
            new.words = old.parts.map(\.name).joined(separator: "+")
          }
        })
    ]
  }
}

@Suite struct BothModelsTests {
  @Test func aStageHasTheOldAndTheNewModels() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: SpansV1.self)) { context in
      for (start, end) in [(1, 5), (2, 9), (-1, 0)] {
        let span = SpansV1.Span(start: start, end: end)
        context.insert(span)
        span.parts = [SpansV1.Part(name: "a\(start)"), SpansV1.Part(name: "b\(start)")]
      }
    }
    let spans = try store.open(Schema(versionedSchema: SpansV2.self), plan: SpansPlan.self) { context in
      try context.all(SpansV2.Span.self).map { "\($0.start) \($0.length) \($0.words)" }.sorted()
    }
    #expect(spans == ["1 4 a1+b1", "2 7 a2+b2"])
    // Neither the copy for the stage nor the former tables are left.
    #expect(!store.folder.names.contains { $0.contains("stage") })
    #expect(try store.tables().filter { $0.contains("former") || $0.contains("Part") } == [])
  }
}

enum MomentV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Before.Moment.self] }
}

enum MomentV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Moment.self] }

  @Model final class Moment {
    var time = 0
    init(time: Int) { self.time = time }
  }
}

enum MomentPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [MomentV1.self, MomentV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: MomentV1.self, toVersion: MomentV2.self, willMigrate: nil,
        didMigrate: { context in
          for old in try context.previousContext()?.fetch(FetchDescriptor<Before.Moment>()) ?? [] {
            let new = try context.existingModel(for: old.persistentModelID, as: MomentV2.Moment.self)
            new.time = Int(old.time.timeIntervalSinceReferenceDate)
          }
        })
    ]
  }
}

extension BothModelsTests {
  @Test func whatCannotBeTakenOverIsLeftToACustomStage() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: MomentV1.self)) { context in
      context.insert(Before.Moment(time: Date(timeIntervalSinceReferenceDate: 5)))
    }
    let times = try store.open(Schema(versionedSchema: MomentV2.self), plan: MomentPlan.self) { context in
      try context.all(MomentV2.Moment.self).map(\.time)
    }
    #expect(times == [5])
  }
}

enum JourneyV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Mirrored.Owner.self, Mirrored.Crate.self] }
}

enum JourneyV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Renamed.Keeper.self, Renamed.Crate.self] }
}

enum JourneyPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [JourneyV1.self, JourneyV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: JourneyV1.self, toVersion: JourneyV2.self, willMigrate: nil,
        didMigrate: { context in
          for old in try context.previousContext()?.fetch(FetchDescriptor<Mirrored.Owner>()) ?? [] {
            let new = try context.existingModel(for: old.persistentModelID, as: Renamed.Keeper.self)
            new.title += " (\(old.crates.count))"
          }
        })
    ]
  }
}

extension BothModelsTests {
  @Test func aRenamedModelIsFoundByItsFormerObject() throws {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: JourneyV1.self)) { context in
      let owner = Mirrored.Owner(name: "Ann")
      context.insert(owner)
      owner.crates = [Mirrored.Crate(name: "a"), Mirrored.Crate(name: "b")]
    }
    let titles = try store.open(Schema(versionedSchema: JourneyV2.self), plan: JourneyPlan.self) { context in
      try context.all(Renamed.Keeper.self).map { "\($0.title) \($0.boxes.map(\.name).sorted())" }
    }
    #expect(titles == ["Ann (2) [\"a\", \"b\"]"])
  }
}
