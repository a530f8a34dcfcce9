import Foundation
import LarderData
import LarderMigration
import SwiftData
import Testing

private enum Early {
  @Model
  final class Crane {
    var name: String
    var height: Int
    var note: String?
    init(_ name: String, height: Int) {
      self.name = name
      self.height = height
    }
  }

  @Model
  final class Hoist {
    var load: Int
    init(load: Int) { self.load = load }
  }
}

private enum Late {
  @Model
  final class Crane {
    var name: String
    init(_ name: String) { self.name = name }
  }

  /// What a hoist was, without saying so.
  @Model
  final class Winch {
    var load: Int
    init(load: Int) { self.load = load }
  }
}

private enum Said {
  @Model
  final class Winch: RenamedModel {
    static var originalEntityName: String { "Hoist" }
    var load: Int
    init(load: Int) { self.load = load }
  }
}

private enum Kinds {
  @Model
  class Tool {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model
  final class Saw: Tool {
    var teeth: Int
    init(_ name: String, teeth: Int) {
      self.teeth = teeth
      super.init(name)
    }
  }
}

/// What opening a store tells of values that have no place in the models, and of rows that are left out.
@Suite struct MigrationReportTests {
  private func container(
    _ models: any PersistentModel.Type..., store: TemporaryStore, options: MigrationOptions = MigrationOptions()
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(models), configurations: [ModelConfiguration(url: store.url)], migration: options)
  }

  private func filled() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Early.Crane.self, Early.Hoist.self) { context in
      for number in 0..<3 { context.insert(Early.Crane("crane \(number)", height: number)) }
      for number in 0..<2 { context.insert(Early.Hoist(load: number)) }
    }
    return store
  }

  /// Nothing that holds values goes unless somebody says so.
  @Test func valuesThatModelsLackAreKept() throws {
    let store = try filled()
    let before = store.bytes
    let error = #expect(throws: StoreError.self) { try container(Late.Crane.self, store: store) }
    #expect(error?.code == .valueLoss)
    #expect(error?.explanation.contains("Crane.height (3 rows)") == true, "\(String(describing: error))")
    // A property without values is none.
    #expect(error?.explanation.contains("note") == false)
    #expect(store.bytes == before)
    let heights = try store.open(Early.Crane.self) { try $0.all(Early.Crane.self).map(\.height).sorted() }
    #expect(heights == [0, 1, 2])
  }

  @Test func valuesThatGoAreReported() throws {
    let store = try filled()
    let report = try container(
      Late.Crane.self, Early.Hoist.self, store: store, options: MigrationOptions(removedValues: .discard)
    ).migrationReport
    #expect(report.isMigrated)
    #expect(
      report.removedProperties == [
        MigrationReport.RemovedProperty(entityName: "Crane", propertyName: "height", rows: 3)
      ])
    #expect(report.unlistedModels.isEmpty)
    // The next time there is nothing to say.
    #expect(try container(Late.Crane.self, Early.Hoist.self, store: store).migrationReport == MigrationReport())
  }

  @Test func rowsThatAreLeftOutAreReported() throws {
    let store = try filled()
    for _ in 0..<2 {
      let container = try container(Early.Crane.self, Late.Winch.self, store: store)
      #expect(container.migrationReport.unlistedModels.map(\.description) == ["2 rows of Hoist"])
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Late.Winch>()) == 0)
    }
    // They are where they were.
    #expect(try store.open(Early.Hoist.self) { try $0.fetchCount(FetchDescriptor<Early.Hoist>()) } == 2)
  }

  @Test func renamedModelsAreNotLeftOut() throws {
    let store = try filled()
    let container = try container(Early.Crane.self, Said.Winch.self, store: store)
    #expect(container.migrationReport.unlistedModels.isEmpty && container.migrationReport.isMigrated)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Said.Winch>()) == 2)
  }

  @Test func modelsWithoutRowsAreNotLeftOut() throws {
    let store = try TemporaryStore()
    try store.open(Early.Crane.self, Early.Hoist.self) { _ in }
    #expect(try container(Early.Crane.self, store: store).migrationReport == MigrationReport())
  }

  @Test func containersOfSeveralStoresReportAll() throws {
    let (one, other) = (try filled(), try filled())
    let container = try ModelContainer(
      for: Early.Crane.self, Early.Hoist.self,
      configurations: ModelConfiguration("one", schema: Schema([Early.Crane.self]), url: one.url),
      ModelConfiguration("other", schema: Schema([Early.Hoist.self]), url: other.url))
    #expect(container.migrationReport.unlistedModels.map(\.description) == ["2 rows of Hoist", "3 rows of Crane"])
  }

  @Test func storesInMemoryHaveNothingToReport() throws {
    let container = try ModelContainer(
      for: Kinds.Tool.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(container.migrationReport == MigrationReport())
  }
}
