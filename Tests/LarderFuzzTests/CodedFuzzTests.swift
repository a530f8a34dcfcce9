import DurabilityWork
import Foundation
import LarderData
import LarderTool
import SwiftData
import Testing

/// What comes from elsewhere as text: tokens, identifiers, predicates, exports.
@Suite(.serialized) struct CodedFuzzTests {
  /// The whole, which `LARDER_SIZE=100` runs.
  private static let whole = 1_000_000
  private static let few = 5_000
  /// An export is a whole import, so that a share is of fewer.
  private static let thinned = 20

  private func container() throws -> ModelContainer {
    let container = try ModelContainer(
      for: Spoon.self, Drawer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<5 { context.insert(Spoon("s\(number)", size: number)) }
    try context.save()
    return container
  }

  private func rounds(
    _ name: String, _ well: [[UInt8]], _ body: ([UInt8], inout SeededGenerator) throws -> Bool
  ) throws -> (taken: Int, all: Int) {
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.few)
    let guarded = Rounds(name, rounds)
    defer { guarded.end() }
    var taken = 0
    for round in 0..<rounds {
      guarded.begin(round)
      var random = SeededGenerator(seed: Share.seed, round)
      let bytes = Mutation.ofEither(well[Int.random(in: 0..<well.count, using: &random)], well, &random)
      if try body(bytes, &random) { taken += 1 }
    }
    return (taken, rounds)
  }

  @Test func tokensThatAreNone() throws {
    let container = try container()
    let context = ModelContext(container)
    let tokens = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token)
    let well = try tokens.map { Array(try JSONEncoder().encode($0)) }
    let (taken, all) = try rounds("inputs", well) { bytes, _ in
      guard let token = try? JSONDecoder().decode(DefaultHistoryToken.self, from: Data(bytes)) else { return false }
      _ = try? context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
      _ = token < tokens[0]
      return true
    }
    print("seed \(Share.seed): \(taken) of \(all) tokens were taken")
    #expect(taken > 0 && taken < all)
  }

  @Test func identifiersThatAreNone() throws {
    let container = try container()
    let context = ModelContext(container)
    let well = try context.fetch(FetchDescriptor<Spoon>()).map { Array(try JSONEncoder().encode($0.persistentModelID)) }
    let (taken, all) = try rounds("inputs", well) { bytes, _ in
      guard let id = try? JSONDecoder().decode(PersistentIdentifier.self, from: Data(bytes)) else { return false }
      _ = try? context.existingModel(for: id, as: Spoon.self)
      _ = context.registeredModel(for: id) as Spoon?
      _ = (
        id.entityName, id.storeIdentifier, "\(id)",
        id == (try? JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id)))
      )
      return true
    }
    print("seed \(Share.seed): \(taken) of \(all) identifiers were taken")
    #expect(taken > 0 && taken < all)
  }

  @Test func rowsThatAreNone() throws {
    let well = [
      #"[1,1,"s1",0.25,null,{"blob":"AAEC"},"[\"a\"]"]"#,
      #"[-9223372036854775808,1e300,{"real":"-inf"},"\u00e9\ud83d\ude00"]"#,
      #"["",[],{}]"#, #"[null,null,-0.0,{"text":"/w=="}]"#,
    ].map { Array($0.utf8) }
    let (taken, all) = try rounds("inputs", well) { bytes, _ in
      var scanner = RowParser(bytes[...])
      do { return try scanner.parseRow(limit: 8).count <= 8 } catch is RowParser.ParseError { return false }
    }
    print("seed \(Share.seed): \(taken) of \(all) rows were taken")
    #expect(taken > 0 && taken < all)
  }

  /// Each is a whole import, so there are fewer.
  @Test func exportsThatAreNone() throws {
    let folder = try WorkFolder()
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Spoon.self, Drawer.self, configurations: ModelConfiguration(url: folder.file("seed.store"))))
      let drawer = Drawer("d")
      for number in 0..<5 { context.insert(Spoon("s\(number)", size: number, drawer: drawer)) }
      try context.save()
    }
    var options = SQLiteStore.Options(url: folder.file("seed.store"))
    options.isReadOnly = true
    _ = FileManager.default.createFile(atPath: folder.path("lines"), contents: nil)
    _ = try StoreExport(
      try SQLiteStore.open(options, layouts: []), to: try FileHandle(forWritingTo: folder.file("lines"))
    ).run()
    let well = [Array(try Data(contentsOf: folder.file("lines")))]
    let rounds = Share.rounds(of: Self.whole, atLeast: 300, thinned: Self.thinned)
    let guarded = Rounds("exports", rounds)
    defer { guarded.end() }
    var taken = 0
    for round in 0..<rounds {
      guarded.begin(round)
      var random = SeededGenerator(seed: Share.seed, round)
      try Data(Mutation.ofEither(well[0], well, &random)).write(to: folder.file("fuzzed"))
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: folder.path("fuzzed.store") + suffix)
      }
      do {
        _ = try StoreImport(try FileHandle(forReadingFrom: folder.file("fuzzed")), to: folder.path("fuzzed.store"))
          .run()
        taken += 1
      } catch {
        // A typed error of one kind or the other: that it is one is all.
        continue
      }
      let container = try? ModelContainer(
        for: Spoon.self, Drawer.self, configurations: ModelConfiguration(url: folder.file("fuzzed.store")))
      guard let container else { continue }
      for spoon in (try? ModelContext(container).fetch(FetchDescriptor<Spoon>())) ?? [] {
        _ = (spoon.tags, spoon.drawer?.name)
      }
    }
    print("seed \(Share.seed): \(taken) of \(rounds) exports were taken")
    #expect(taken < rounds)
  }
}
