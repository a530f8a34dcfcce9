import SwiftData
import Testing

/// What ComingFromSwiftData.md says, as far as no other article's tests say it.
@Suite(.timeLimit(.minutes(10))) struct ComingArticleTests {
  private let memory = ModelConfiguration(isStoredInMemoryOnly: true)
  private static let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)

  private static func makeQuake(_ code: String, _ magnitude: Double) -> Quake {
    Quake(code: code, magnitude: magnitude, time: .now, location: place)
  }

  @MainActor @Test func listsFollowTheStore() async throws {
    let container = try ModelContainer(for: Quake.self, configurations: memory)
    let quakes = try StrongQuakes(container)
    let told = Told { _ = quakes.quakes.count }
    let importer = QuakeImporter(modelContainer: container)
    for (code, magnitude) in [("ak1", 5.4), ("ak2", 2.5), ("ak3", 6.0)] {
      try await importer.importQuakes([
        QuakeDTO(code: code, magnitude: magnitude, time: .now, place: "Alaska", longitude: -150, latitude: 61)
      ])
    }
    while !told.isRaised { try await Task.sleep(for: .milliseconds(1)) }
    #expect(quakes.quakes.map(\.code) == ["ak3", "ak1"])

    // What draws the list is told of it, and of what changes in its objects.
    try container.mainContext.delete(model: Quake.self, where: #Predicate { $0.code == "ak3" })
    try container.mainContext.save()
    #expect(quakes.quakes.map(\.code) == ["ak1"])
  }

  /// What the article shows of another package.
  private static let manifest = """
    // snippet: manifest
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "Quakes",
      platforms: [.macOS(.v15), .iOS(.v18)],
      products: [.library(name: "QuakesData", targets: ["QuakesData"])],
      dependencies: [
        .package(url: "https://example.com/Larder.git", from: "0.1.0")
      ],
      targets: [
        .target(
          name: "QuakesData",
          dependencies: [.product(name: "SwiftData", package: "Larder", condition: .when(platforms: [.linux]))]),
        .testTarget(
          name: "QuakesDataTests",
          dependencies: [
            "QuakesData",
            .product(name: "LarderTesting", package: "Larder", condition: .when(platforms: [.linux])),
          ]),
      ])
    // snippet end
    """

  /// SwiftPM reads the manifest; what it depends on is not asked for.
  @Test func manifestIsRead() throws {
    let folder = try TemporaryFolder()
    let text = Self.manifest.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast()
    try text.joined(separator: "\n").write(to: folder.file("Package.swift"), atomically: true, encoding: .utf8)
    for path in ["Sources/QuakesData", "Tests/QuakesDataTests"] {
      try FileManager.default.createDirectory(at: folder.file(path), withIntermediateDirectories: true)
    }
    let json = try Shell.run("swift package dump-package", in: folder.url)
    let package = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(package["name"] as? String == "Quakes")
    #expect(json.ranges(of: "\"platformNames\"").count == 2)
  }

  /// The tables of a store that Apple's framework made, as far as they matter.
  @Test func storesOfApplesFrameworkAreRefused() throws {
    let folder = try TemporaryFolder()
    _ = try Shell.run(
      "sqlite3 default.store 'CREATE TABLE ZQUAKE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCODE VARCHAR);"
        + "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)'", in: folder.url)
    let before = try Data(contentsOf: folder.file("default.store"))
    let error = #expect(throws: StoreError.self) {
      try ModelContainer(for: Quake.self, configurations: ModelConfiguration(url: folder.file("default.store")))
    }
    #expect(error?.code == .foreignDatabase)
    #expect(try Data(contentsOf: folder.file("default.store")) == before)
  }

  @Test func storesLieInTheProgramsFolder() {
    #expect(ModelConfiguration().url.lastPathComponent == "default.store")
    #expect(ModelConfiguration("Quakes").url.lastPathComponent == "Quakes.store")
    let program = ProcessInfo.processInfo.processName
    #expect(ModelConfiguration().url.deletingLastPathComponent().lastPathComponent == program)
  }

  @Test func autosaveIsTheMainContexts() async throws {
    let container = try ModelContainer(for: Quake.self, configurations: memory)
    #expect(!ModelContext(container).autosaveEnabled)
    #expect(await MainActor.run { container.mainContext.autosaveEnabled && container.mainContext.undoManager == nil })
  }

  @Test func identifiersArePermanentAtOnce() throws {
    let context = ModelContext(try ModelContainer(for: Quake.self, configurations: memory))
    let quake = Self.makeQuake("ak1", 5.4)
    context.insert(quake)
    let id = quake.persistentModelID
    #expect(id.isTemporary)
    try context.save()
    #expect(quake.persistentModelID == id && !quake.persistentModelID.isTemporary)
  }

  @Test func batchesIncludeWhatIsPending() throws {
    let context = ModelContext(try ModelContainer(for: Quake.self, configurations: memory))
    context.insert(Self.makeQuake("ak1", 5.4))
    #expect(try context.fetch(FetchDescriptor<Quake>(), batchSize: 10).count == 1)
  }

  @Test func twoPendingInsertsOfOneKeyAreOneRow() throws {
    let context = ModelContext(try ModelContainer(for: Quake.self, configurations: memory))
    context.insert(Self.makeQuake("ak1", 5.4))
    context.insert(Self.makeQuake("ak1", 5.6))
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Quake>()).map(\.magnitude) == [5.6])
  }
}
