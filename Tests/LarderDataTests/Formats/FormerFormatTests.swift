import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// A model that no rows of the stores can be brought to.
enum Unfit {
  @Model
  final class Sensor {
    var code: Int
    var missing: String

    init(code: Int) {
      self.code = code
      missing = ""
    }
  }
}

/// Stores that versions of the format have left behind, each written by the code of its time, in Tests/Fixtures.
///
/// A new version of the format comes with a store of its own, before anything else changes:
/// `LARDER_FIXTURE=Tests/Fixtures/format-3.store swift test --filter whatIsWrittenNowIsRead`.
@Suite struct FormerFormatTests {
  private static let formats = [1, 2]

  private let folder = TestFolder()

  private func fixture(_ format: Int) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/format-\(format).store").standardizedFileURL
  }

  /// The store of a format, copied when it is first asked for.
  private func copy(of format: Int) throws -> URL {
    let url = folder.url("test.store")
    if !FileManager.default.fileExists(atPath: url.path) {
      try FileManager.default.copyItem(at: fixture(format), to: url)
    }
    return url
  }

  private func container(_ format: Int, allowsSave: Bool = true) throws -> ModelContainer {
    try container(format, at: copy(of: format), allowsSave: allowsSave)
  }

  private func container(_ format: Int, at url: URL, allowsSave: Bool = true) throws -> ModelContainer {
    var models: [any PersistentModel.Type] = [Sensor.self, Family.self, Course.self, Exhibit.self, Statue.self]
    // The first has no history, and so nothing that outlasts its deletion.
    if format > 1 { models.append(Consignment.self) }
    return try ModelContainer(
      for: Schema(models), configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
  }

  /// Writes what the fixtures hold.
  private func write(to url: URL) throws {
    let context = ModelContext(try container(Int(StoreFormat.version), at: url))
    let first = Sensor("é\u{0}", label: "b", level: 2.5, count: .max, spot: Site(name: "s", x: 1, y: 2))
    first.note = "n"
    let second = Sensor("two", label: "a")
    let family = Family(name: "f")
    let course = Course(title: "c")
    let exhibit = Exhibit(1)
    exhibit.picture = Data([1, 2, 3])
    let box = Consignment("box", weight: 1.5, scan: Data([7]))
    let all: [any PersistentModel] = [first, second, family, course, exhibit, Statue(2, scan: Data([9, 9])), box]
    for model in all { context.insert(model) }
    family.members = [Member(name: "b"), Member(name: "a", age: 7)]
    course.students = [Student(name: "y"), Student(name: "x")]
    try context.saveAs("maker")
    second.level = 3
    context.delete(box)
    try context.saveAs(nil)
  }

  private func expectHistory(_ context: ModelContext, of format: Int) throws {
    let history = try context.history()
    if format == 1 { return #expect(history.isEmpty) }
    try #require(history.count == 2)
    #expect(history.map(\.author) == ["maker", nil])
    #expect(history[0].changes.count == 11 && history[0].changes.allSatisfy(\.isInsert))
    #expect(history[1].changes.map(\.summary).sorted() == ["delete Consignment", "update Sensor level"])
    let tombstone = history[1].changes.lazy.compactMap { change -> HistoryTombstone<Consignment>? in
      guard case .delete(let delete) = change else { return nil }
      return (delete as? any HistoryDelete<Consignment>)?.tombstone
    }.first
    #expect(tombstone?[\.code] as? String == "box" && tombstone?[\.weight] as? Double == 1.5)
    #expect(tombstone?[\.scan] as? Data == Data([7]))
  }

  @Test func whatIsWrittenNowIsRead() throws {
    let url = folder.url("made.store")
    try write(to: url)
    if let fixture = ProcessInfo.processInfo.environment["LARDER_FIXTURE"] {
      try FileManager.default.copyItem(at: url, to: URL(filePath: fixture))
    }
    let format = Int(StoreFormat.version)
    let context = ModelContext(try container(format, at: url, allowsSave: false))
    try expectContents(context)
    try expectHistory(context, of: format)
  }

  /// So that none is forgotten.
  @Test func eachVersionHasAFixture() {
    #expect(Self.formats == Array(1...Int(StoreFormat.version)))
  }

  private func expectContents(_ context: ModelContext) throws {
    let sensors = try context.fetch(FetchDescriptor<Sensor>(sortBy: [SortDescriptor(\.label, order: .reverse)]))
    try #require(sensors.count == 2)
    #expect(sensors[0].code == "é\u{0}" && sensors[0].level == 2.5 && sensors[0].count == .max)
    #expect(sensors[0].note == "n" && sensors[0].spot == Site(name: "s", x: 1, y: 2) && sensors[1].code == "two")
    let family = try #require(try context.all(Family.self).first)
    #expect(family.members.map(\.name) == ["b", "a"] && family.members.map(\.age) == [0, 7])
    let course = try #require(try context.all(Course.self).first)
    #expect(course.students.map(\.name) == ["y", "x"])
    #expect(course.students.allSatisfy { $0.courses == [course] })
    let exhibits = try context.fetch(FetchDescriptor<Exhibit>(sortBy: [SortDescriptor(\.number)]))
    #expect(exhibits.map(\.number) == [1, 2] && exhibits[0].picture == Data([1, 2, 3]))
    #expect((exhibits[1] as? Statue)?.scan == Data([9, 9]))
  }

  @Test(arguments: formats)
  func isBroughtToThisOne(_ format: Int) throws {
    let container = try container(format)
    let context = ModelContext(container)
    try expectContents(context)
    #expect(try container.store.database.read { try $0.int64("PRAGMA user_version") } == StoreFormat.version)
    try expectHistory(context, of: format)
    try #require(try context.all(Family.self).first).members.append(Member(name: "c"))
    try context.save()
    // What was there before may have become too old.
    #expect(try context.history().last?.changes.map(\.summary).contains("insert Member") == true)
    #expect(try ModelContext(container).all(Family.self).first?.members.map(\.name) == ["b", "a", "c"])
    #expect(try container.integrityCheck() == [])
  }

  /// Who may not change it reads it as it is.
  @Test(arguments: formats)
  func isReadAsItIs(_ format: Int) throws {
    let container = try container(format, allowsSave: false)
    let context = ModelContext(container)
    try expectContents(context)
    try expectHistory(context, of: format)
    #expect(folder.bytes() == (try Data(contentsOf: fixture(format))))
    #expect((folder.bytes("test.store-wal") ?? Data()).isEmpty)
    #expect(try container.store.database.read { try $0.int64("PRAGMA user_version") } == Int64(format))
  }

  /// Programs of its time open it still.
  @Test(arguments: formats)
  func isAsItWasWhereItIsRefused(_ format: Int) throws {
    let url = try copy(of: format)
    let error = #expect(throws: StoreError.self) {
      try ModelContainer(
        for: Schema([Unfit.Sensor.self]), configurations: [ModelConfiguration(url: url)],
        migration: MigrationOptions(removedValues: .discard))
    }
    #expect(error?.code == .schemaMismatch)
    #expect(folder.bytes() == (try Data(contentsOf: fixture(format))))
  }

  @Test func aLaterFormatIsRefused() throws {
    do {
      let container = try container(1)
      try container.store.database.withWriter { try $0.execute("PRAGMA user_version = \(StoreFormat.version + 1)") }
    }
    let error = #expect(throws: StoreError.self) { try container(1) }
    #expect(error?.code == .newerFormat)
  }
}
