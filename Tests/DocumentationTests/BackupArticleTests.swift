import SwiftData
import Testing

/// The steps of BackupAndRepair.md, each run.
@Suite struct BackupArticleTests {
  @Test func storesAreCopiedCheckedAndCompacted() throws {
    let files = try TemporaryFolder()
    let folder = files.url
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: files.file("quakes.store")))
    let context = ModelContext(container)
    let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    context.insert(Quake(code: "ak0001", magnitude: 4.5, time: .now, location: place))
    try context.save()
    // snippet: backup
    try container.backup(to: folder.appending(component: "quakes-monday.store"))
    // snippet end
    let copy = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: files.file("quakes-monday.store")))
    #expect(try ModelContext(copy).fetchCount(FetchDescriptor<Quake>()) == 1)
    // snippet: integrity
    for problem in try container.integrityCheck() {
      print(problem)
    }
    // snippet end
    #expect(try container.integrityCheck().isEmpty)
    // snippet: compact
    let bytes = try container.compact()
    // snippet end
    #expect(bytes >= 0)
  }
}
