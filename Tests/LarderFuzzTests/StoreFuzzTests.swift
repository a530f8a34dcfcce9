import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

@Model
final class Spoon {
  #Index<Spoon>([\.size])
  @Attribute(.unique) var name: String
  var size: Int
  var price: Decimal
  var made: Date
  var tags: [String]
  @Attribute(.externalStorage) var photo: Data?
  @Relationship(inverse: \Drawer.spoons) var drawer: Drawer?

  init(_ name: String, size: Int, drawer: Drawer? = nil) {
    self.name = name
    self.size = size
    price = Decimal(size) / 4
    made = Date(timeIntervalSinceReferenceDate: Double(size))
    tags = [name]
    self.drawer = drawer
  }
}

@Model
final class Drawer {
  var name: String
  var spoons: [Spoon] = []
  init(_ name: String) { self.name = name }
}

/// A file that is damaged anywhere, or made to harm: an error, or what is left of it, and nothing else.
@Suite(.serialized) struct StoreFuzzTests {
  /// The whole, which `LARDER_SIZE=100` runs.
  private static let whole = 1_000_000
  private static let few = 300
  /// Each is a whole life of a store, so that a share is of fewer.
  private static let thinned = 20

  private func seed(_ folder: WorkFolder) throws -> [UInt8] {
    do {
      let container = try open(folder.file("seed.store"))
      let context = ModelContext(container)
      let drawers = (0..<3).map { Drawer("d\($0)") }
      for drawer in drawers { context.insert(drawer) }
      for number in 0..<20 {
        let spoon = Spoon("s\(number)", size: number, drawer: drawers[number % 3])
        context.insert(spoon)
        spoon.photo = number == 4 ? Data(repeating: 7, count: 9_000) : nil
      }
      try context.save()
      for spoon in try context.fetch(FetchDescriptor<Spoon>()).prefix(3) { context.delete(spoon) }
      try context.save()
      try container.store.database.checkpoint(.truncate)
    }
    return Array(try Data(contentsOf: folder.file("seed.store")))
  }

  private func open(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Spoon.self, Drawer.self, configurations: ModelConfiguration(url: url))
  }

  /// Whatever a program does with a store.
  private func use(_ url: URL, _ random: inout SeededGenerator) throws {
    let container = try open(url)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let size = Int.random(in: 0..<20, using: &random)
    for spoon in (try? context.fetch(FetchDescriptor<Spoon>(sortBy: [SortDescriptor(\.name)]))) ?? [] {
      _ = (spoon.name, spoon.price, spoon.made, spoon.tags, spoon.photo?.count, spoon.drawer?.name)
    }
    for drawer in (try? context.fetch(FetchDescriptor<Drawer>())) ?? [] { _ = drawer.spoons.map(\.name) }
    _ = try? context.fetchCount(FetchDescriptor<Spoon>(predicate: #Predicate { $0.size < size }))
    _ = try? context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.changes.count)
    _ = try? container.integrityCheck()
    context.insert(Spoon("new \(size)", size: size))
    try? context.save()
  }

  @Test func damagedStoresAreErrors() throws {
    let folder = try WorkFolder()
    let well = try seed(folder)
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.few, thinned: Self.thinned)
    let guarded = Rounds("stores", rounds)
    var (opened, refused) = (0, 0)
    for round in 0..<rounds {
      guarded.begin(round)
      var random = SeededGenerator(seed: Share.seed, round)
      // Most of a file is never looked at; the head of each page is.
      var bytes = Mutation.of(well, [], &random)
      if Bool.random(using: &random), !bytes.isEmpty {
        let page = 4_096 * Int.random(in: 0...max(0, bytes.count / 4_096 - 1), using: &random)
        let place = page + Int.random(in: 0..<120, using: &random)
        if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
      }
      let url = folder.file("fuzzed.store")
      for suffix in ["", "-wal", "-shm", "-signal"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
      try Data(bytes).write(to: url)
      do {
        try use(url, &random)
        opened += 1
      } catch is StoreError {
        refused += 1
      } catch {
        Issue.record("seed \(Share.seed), round \(round): \(error)")
      }
    }
    print("seed \(Share.seed): \(rounds) damaged stores, \(opened) opened, \(refused) refused")
    guarded.end()
    #expect(opened > 0 && refused > 0)
  }
}
