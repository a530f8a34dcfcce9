import Foundation
import LarderData
import SwiftData
import Testing

@Suite("Where a configuration keeps its store")
struct SchemaConfigurationTests {
  private static let home = URL(filePath: "/home/ada")

  @Test(
    "The default place follows the environment",
    arguments: [
      ([:], "/usr/bin/trips", "/home/ada/.local/share/trips/default.store"),
      (["XDG_DATA_HOME": "/data"], "trips", "/data/trips/default.store"),
      (["XDG_DATA_HOME": "/data/", "HOME": "/home/ann"], "trips", "/data/trips/default.store"),
      (["XDG_DATA_HOME": "relative", "HOME": "/home/ann"], "./trips", "/home/ann/.local/share/trips/default.store"),
      (["XDG_DATA_HOME": ""], "trips", "/home/ada/.local/share/trips/default.store"),
      (["XDG_DATA_HOME": "/data"], "", "/data/SwiftData/default.store"),
      (["XDG_DATA_HOME": "/data"], "a/..", "/data/SwiftData/default.store"),
    ] as [([String: String], String, String)])
  func defaultPlace(environment: [String: String], program: String, path: String) {
    let place = DefaultStoreLocation(environment: environment, home: Self.home, program: program)
    #expect(place.file(for: "default").path == path)
  }

  @Test("A configuration is named, and its file after it")
  func names() {
    #expect(ModelConfiguration().name == "default")
    #expect(ModelConfiguration().url.lastPathComponent == "default.store")
    #expect(ModelConfiguration("Trips").url.lastPathComponent == "Trips.store")
    #expect(ModelConfiguration("Trips").url.deletingLastPathComponent() == DefaultStoreLocation.current.folder)
    let file = ModelConfiguration(url: URL(filePath: "/srv/trips.sqlite"), allowsSave: false)
    #expect(file.name == "trips" && !file.allowsSave && !file.isStoredInMemoryOnly)
    #expect(file.id == URL(filePath: "/srv/trips.sqlite"))
  }

  @Test("A store in memory has no file")
  func inMemory() {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(memory.isStoredInMemoryOnly && memory.url.absoluteString == "file:///dev/null")
    #expect(ModelConfiguration(url: URL(filePath: "/dev/null")).isStoredInMemoryOnly)
    #expect(!ModelConfiguration().isStoredInMemoryOnly)
    #expect(throws: Never.self) { try ModelConfiguration("a/b", isStoredInMemoryOnly: true).validate() }
  }

  @Test("Models can be given as types or as a schema")
  func models() {
    #expect(ModelConfiguration(for: ShapeNote.self).schema == Schema(ShapeNote.self))
    #expect(ModelConfiguration(schema: Schema(ShapeNote.self), isStoredInMemoryOnly: true).isStoredInMemoryOnly)
    #expect(ModelConfiguration().schema == nil)
  }

  @Test("Configurations are equal if they keep the same models in the same place in the same way")
  func equality() {
    #expect(ModelConfiguration("A") == ModelConfiguration("A", groupContainer: .none, cloudKitDatabase: .private("x")))
    #expect(ModelConfiguration("A") != ModelConfiguration("B"))
    #expect(ModelConfiguration("A") != ModelConfiguration("A", allowsSave: false))
    #expect(ModelConfiguration("A") != ModelConfiguration("A", schema: Schema(ShapeNote.self)))
    #expect(ModelConfiguration("A", isStoredInMemoryOnly: true) != ModelConfiguration("B", isStoredInMemoryOnly: true))
    #expect(Set([ModelConfiguration("A"), ModelConfiguration("A")]).count == 1)
  }

  @Test("What has no effect here is kept as given")
  func inert() {
    let configuration = ModelConfiguration(
      "A", groupContainer: .identifier("group"), cloudKitDatabase: .private("database"))
    #expect(configuration.groupAppContainerIdentifier == "group")
    #expect(configuration.cloudKitContainerIdentifier == "database")
    #expect(ModelConfiguration().groupAppContainerIdentifier == nil)
    #expect(ModelConfiguration(cloudKitDatabase: .none).cloudKitContainerIdentifier == nil)
    #expect(ModelConfiguration("A").debugDescription.contains("A.store"))
  }

  @Test(
    "Names that can't be a file's are refused",
    arguments: ["a/b", "", ".", "..", "../../etc/x", ".hidden", "a\u{0}b", "a\nb"])
  func invalidNames(name: String) {
    let error = #expect(throws: SwiftDataError.self) { try ModelConfiguration(name).validate() }
    #expect(error == .configurationFileNameContainsInvalidCharacters)
    #expect(error?.explanation?.contains("Leave out") == true)
  }

  @Test("Names are as long as a file system and SQLite's suffixes allow", arguments: ["x", "é", "🦖"])
  func longNames(letter: String) throws {
    let most = (255 - "-journal".utf8.count - ".store".utf8.count) / letter.utf8.count
    #expect(throws: Never.self) { try ModelConfiguration(String(repeating: letter, count: most)).validate() }
    let error = #expect(throws: SwiftDataError.self) {
      try ModelConfiguration(String(repeating: letter, count: most + 1)).validate()
    }
    #expect(error == .configurationFileNameTooLong)
  }

  @Test("A URL must name a file on this machine")
  func urls() throws {
    let web = try #require(URL(string: "https://example.com/a.store"))
    let error = #expect(throws: SwiftDataError.self) { try ModelConfiguration(url: web).validate() }
    #expect(error == .loadIssueModelContainer)
    let folder = #expect(throws: SwiftDataError.self) {
      try ModelConfiguration(url: URL(filePath: "/srv/stores/")).validate()
    }
    #expect(folder == .configurationFileNameContainsInvalidCharacters)
    #expect(throws: Never.self) { try ModelConfiguration("a/b", url: URL(filePath: "/srv/.a")).validate() }
  }
}
