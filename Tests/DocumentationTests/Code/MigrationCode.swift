import SwiftData

/// What the article on migrations shows: a journal of trips in three versions.
enum MigrationCode {
  // snippet: migration versions
  enum JournalV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Entry.self] }

    @Model
    final class Entry {
      var title: String
      var place: String
      var seconds: Double

      init(title: String, place: String, seconds: Double) {
        self.title = title
        self.place = place
        self.seconds = seconds
      }
    }
  }

  enum JournalV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Entry.self] }

    @Model
    final class Entry {
      @Attribute(originalName: "title") var headline: String
      var place: String
      var seconds: Double
      var isFavourite = false

      init(headline: String, place: String, seconds: Double) {
        self.headline = headline
        self.place = place
        self.seconds = seconds
      }
    }
  }

  enum JournalV3: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    static var models: [any PersistentModel.Type] { [Entry.self, StoreLocation.self] }

    @Model
    final class Entry {
      var headline: String
      var place: StoreLocation?
      var minutes = 0
      var isFavourite = false

      init(headline: String) { self.headline = headline }
    }

    @Model
    final class StoreLocation {
      @Attribute(.unique) var name: String
      @Relationship(inverse: \Entry.place) var entries: [Entry] = []

      init(name: String) { self.name = name }
    }
  }
  // snippet end

  // snippet: migration names
  typealias Entry = JournalV3.Entry
  typealias StoreLocation = JournalV3.StoreLocation
  // snippet end

  // snippet: migration plan
  enum JournalPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [JournalV1.self, JournalV2.self, JournalV3.self] }
    static var stages: [MigrationStage] { [toV2, toV3] }

    static let toV2 = MigrationStage.lightweight(fromVersion: JournalV1.self, toVersion: JournalV2.self)

    static let toV3 = MigrationStage.custom(
      fromVersion: JournalV2.self, toVersion: JournalV3.self,
      willMigrate: { context in
        // The models of version 2.
        try context.delete(model: JournalV2.Entry.self, where: #Predicate { $0.headline == "" })
      },
      didMigrate: { context in
        // Those of version 3; and what version 2 had, to read from.
        guard let former = try context.previousContext() else { return }
        var places: [String: JournalV3.StoreLocation] = [:]
        for old in try former.fetch(FetchDescriptor<JournalV2.Entry>()) {
          let entry = try context.existingModel(for: old.persistentModelID, as: JournalV3.Entry.self)
          let place = places[old.place] ?? JournalV3.StoreLocation(name: old.place)
          places[old.place] = place
          entry.place = place
          entry.minutes = Int(old.seconds / 60)
        }
        try context.save()
      })
  }
  // snippet end

  static func open(_ file: URL) throws -> ModelContainer {
    // snippet: migration container
    let schema = Schema(versionedSchema: JournalV3.self)
    let container = try ModelContainer(
      for: schema, migrationPlan: JournalPlan.self, configurations: ModelConfiguration(url: file))
    // snippet end
    return container
  }

  static func openWatched(_ file: URL) throws -> (container: ModelContainer, progress: Progress) {
    let schema = Schema(versionedSchema: JournalV3.self)
    // snippet: migration options
    let progress = Progress(totalUnitCount: 0)
    let container = try ModelContainer(
      for: schema, migrationPlan: JournalPlan.self, configurations: [ModelConfiguration(url: file)],
      migration: MigrationOptions(duplicates: .keepLast, keepsPreviousStore: true, progress: progress))
    // snippet end
    return (container, progress)
  }

  // snippet: migration renamed
  @Model
  final class Journey: RenamedModel {
    static var originalEntityName: String { "Trip" }

    @Attribute(originalName: "name") var title: String

    init(title: String) { self.title = title }
  }
  // snippet end
}

/// The model that was renamed, as it was.
enum FormerMigrationCode {
  @Model
  final class Trip {
    var name: String

    init(name: String) { self.name = name }
  }
}

/// The same with what later models have no place for.
enum RicherMigrationCode {
  @Model
  final class Trip {
    var name: String
    var notes = "bring an umbrella"

    init(name: String) { self.name = name }
  }

  @Model
  final class Draft {
    var text = ""

    init() {}
  }
}
