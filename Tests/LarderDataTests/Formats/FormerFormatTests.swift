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

/// Stores that former versions of the format left behind, each written by the code of its time, in Tests/Fixtures.
@Suite struct FormerFormatTests {
  private static let formats = [1]

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
    let url = try copy(of: format)
    return try ModelContainer(
      for: Sensor.self, Family.self, Course.self, Exhibit.self, Statue.self,
      configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
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
    #expect(try context.history().isEmpty)
    try #require(try context.all(Family.self).first).members.append(Member(name: "c"))
    try context.save()
    #expect(try context.history().count == 1)
    #expect(try ModelContext(container).all(Family.self).first?.members.map(\.name) == ["b", "a", "c"])
  }

  /// Who may not change it reads it as it is.
  @Test(arguments: formats)
  func isReadAsItIs(_ format: Int) throws {
    let container = try container(format, allowsSave: false)
    let context = ModelContext(container)
    try expectContents(context)
    #expect(try context.history().isEmpty)
    #expect(folder.bytes() == (try Data(contentsOf: fixture(format))))
    #expect((folder.bytes("test.store-wal") ?? Data()).isEmpty)
    #expect(try container.store.database.read { try $0.int64("PRAGMA user_version") } == Int64(format))
  }

  /// Programs of its time open it still.
  @Test(arguments: formats)
  func isAsItWasWhereItIsRefused(_ format: Int) throws {
    let url = try copy(of: format)
    let error = #expect(throws: StoreError.self) {
      try ModelContainer(for: Unfit.Sensor.self, configurations: ModelConfiguration(url: url))
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
