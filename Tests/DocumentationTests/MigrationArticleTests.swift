import SwiftData
import Testing

/// What the article on migrations says.
@Suite struct MigrationArticleTests {
  private typealias Code = MigrationCode

  private func firstStore(_ folder: TemporaryFolder) throws -> URL {
    let file = folder.file("journal.store")
    let container = try ModelContainer(
      for: Schema(versionedSchema: Code.JournalV1.self), configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    for (title, place) in [("Arrival", "Kyoto"), ("Rain", "Uji"), ("Tea", "Kyoto"), ("", "Nara")] {
      context.insert(Code.JournalV1.Entry(title: title, place: place, seconds: 600))
    }
    try context.save()
    return file
  }

  @Test func planOfTheArticleIsCarriedOut() throws {
    let folder = try TemporaryFolder()
    let file = try firstStore(folder)
    let context = ModelContext(try Code.open(file))
    let places = try context.fetch(FetchDescriptor<Code.StoreLocation>(sortBy: [SortDescriptor(\.name)]))
    #expect(places.map(\.name) == ["Kyoto", "Uji"])
    #expect(places[0].entries.map(\.headline).sorted() == ["Arrival", "Tea"])
    let entries = try context.fetch(FetchDescriptor<Code.Entry>(predicate: #Predicate { $0.minutes == 10 }))
    #expect(entries.count == 3 && entries.allSatisfy { !$0.isFavourite && $0.place != nil })
  }

  @Test func formerStoreStaysUntilTheNextOpening() throws {
    let folder = try TemporaryFolder()
    let file = try firstStore(folder)
    let progress = try Code.openWatched(file).progress
    #expect(progress.isFinished)
    #expect(FileManager.default.fileExists(atPath: folder.file("journal.store.former").path))
    do { _ = try Code.openWatched(file) }
    #expect(!FileManager.default.fileExists(atPath: folder.file("journal.store.former").path))
  }

  @Test func renamedModelKeepsItsRows() throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.file("trips.store"))
    do {
      let context = ModelContext(try ModelContainer(for: FormerMigrationCode.Trip.self, configurations: configuration))
      context.insert(FormerMigrationCode.Trip(name: "Kyoto"))
      try context.save()
    }
    let context = ModelContext(try ModelContainer(for: Code.Journey.self, configurations: configuration))
    #expect(try context.fetch(FetchDescriptor<Code.Journey>()).map(\.title) == ["Kyoto"])
  }

  @Test func whatHasNoPlaceIsReported() throws {
    typealias Journey = Code.Journey
    let folder = try TemporaryFolder()
    let file = folder.file("trips.store")
    do {
      let context = ModelContext(
        try ModelContainer(
          for: RicherMigrationCode.Trip.self, RicherMigrationCode.Draft.self,
          configurations: ModelConfiguration(url: file)))
      for number in 0..<12 { context.insert(RicherMigrationCode.Trip(name: "\(number)")) }
      for _ in 0..<3 { context.insert(RicherMigrationCode.Draft()) }
      try context.save()
    }
    #expect(throws: StoreError.self) {
      try ModelContainer(for: Journey.self, configurations: ModelConfiguration(url: file))
    }
    var lines: [String] = []
    func print(_ item: some CustomStringConvertible) { lines.append(item.description) }
    // snippet: removed values
    let container = try ModelContainer(
      for: Schema([Journey.self]), configurations: [ModelConfiguration(url: file)],
      migration: MigrationOptions(removedValues: .discard))
    for property in container.migrationReport.removedProperties { print(property) }  // Trip.notes (12 rows)
    // snippet end
    // snippet: models left out
    for model in container.migrationReport.unlistedModels { print(model) }  // 3 rows of Draft
    // snippet end
    #expect(lines == ["Trip.notes (12 rows)", "3 rows of Draft"])
  }
}
