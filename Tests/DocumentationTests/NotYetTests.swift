import SwiftData
import Testing

/// What README.md says of the things that are not there yet, and of known limits.
@Suite struct NotYetTests {
  private let memory = ModelConfiguration(isStoredInMemoryOnly: true)

  @Test func optionsWithoutEffectAreAccepted() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: NotYet.Photo.self, configurations: ModelConfiguration(url: folder.file("photos.store")))
    let context = ModelContext(container)
    let photo = NotYet.Photo()
    photo.bytes = Data(repeating: 7, count: 500_000)
    photo.name = "one"
    context.insert(photo)
    try context.save()
    let size = try Shell.run(
      "sqlite3 photos.store 'SELECT length(value) FROM larder_external_Photo_bytes'", in: folder.url)
    #expect(size == "500000\n")
    let index = try Shell.run(
      "sqlite3 photos.store 'SELECT sql FROM sqlite_schema WHERE type = \"index\"'", in: folder.url)
    #expect(index.hasPrefix("CREATE INDEX"))
    var descriptor = FetchDescriptor<NotYet.Photo>()
    descriptor.propertiesToFetch = [\.name]
    #expect(try ModelContext(container).fetch(descriptor).first?.bytes.count == 500_000)
  }

  @Test func defaultValuesAreEvaluatedForEachFetchedObject() throws {
    let container = try ModelContainer(for: NotYet.Counted.self, configurations: memory)
    let context = ModelContext(container)
    for number in 0..<10 { context.insert(NotYet.Counted(name: "\(number)")) }
    try context.save()
    NotYet.Counted.evaluations = 0
    let fetched = try ModelContext(container).fetch(FetchDescriptor<NotYet.Counted>())
    #expect(fetched.count == 10)
    #expect(NotYet.Counted.evaluations == 10, "mend the limits in README.md and Documentation/design.md")
  }

  @Test func initializersThatOnlyCheckArePassedOver() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: NotYet.Share.self, configurations: ModelConfiguration(url: folder.file("shares.store")))
    let context = ModelContext(container)
    let share = NotYet.Share()
    share.checked = NotYet.Checked(percent: 120)
    context.insert(share)
    try context.save()
    #expect(try Shell.run("sqlite3 shares.store 'SELECT checked_percent FROM Share'", in: folder.url) == "120\n")
    #expect(try ModelContext(container).fetch(FetchDescriptor<NotYet.Share>()).first?.checked.percent == 120)
  }
}
