import Foundation
import LarderData
import SwiftData
import TestSeeds
import Testing

/// Random operations on a context, each answer compared with that of plain arrays.
@Suite struct RandomOperationTests {
  @Test(arguments: StoreLocation.allCases)
  func randomOperationsAgreeWithArrays(_ place: StoreLocation) throws {
    let seed = Share.seed
    print("randomOperationsAgreeWithArrays (\(place)): seed \(seed)")
    var run = try Run(place, seed: seed)
    for step in 0..<Share.steps(2_000) { try run.step(step) }
    try run.end()
  }

  struct Run {
    let seed: UInt64
    let store: TestStore
    let context: ModelContext
    var random: SeededGenerator
    var oracle = FetchOracle()
    /// Models that somebody holds; the others come and go.
    var held: [Crate] = []

    init(_ place: StoreLocation, seed: UInt64) throws {
      self.seed = seed
      store = try TestStore(place, Crate.self)
      context = store.context()
      random = SeededGenerator(seed: seed)
    }

    mutating func step(_ step: Int) throws {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<22: insert()
      case 22..<45: try edit(step)
      case 45..<55: try delete(step)
      case 55..<57: try deleteMany()
      case 57..<63:
        try context.save()
        oracle.save()
      case 63..<66:
        context.rollback()
        oracle.rollback()
      case 66..<70: held.removeAll()
      default: try ask(step)
      }
      if step % 20 == 0 { try compareState(step) }
    }

    private mutating func insert() {
      let crate = Crate(
        number: Int.random(in: 0..<12, using: &random), text: FetchOracle.word(&random),
        note: random.chance(50) ? FetchOracle.word(&random) : nil)
      context.insert(crate)
      oracle.current.append(FetchOracle.Entry(crate))
      if random.chance(40) { held.append(crate) }
    }

    private mutating func edit(_ step: Int) throws {
      guard let place = oracle.current.indices.randomElement(using: &random) else { return }
      let crate = try context.existingModel(for: oracle.current[place].identifier, as: Crate.self)
      try #require(FetchOracle.Entry(crate) == oracle.current[place], "seed \(seed), step \(step)")
      switch Int.random(in: 0..<3, using: &random) {
      case 0: crate.number = Int.random(in: 0..<12, using: &random)
      case 1: crate.text = FetchOracle.word(&random)
      default: crate.note = random.chance(50) ? FetchOracle.word(&random) : nil
      }
      oracle.current[place] = FetchOracle.Entry(crate)
      if random.chance(30) { held.append(crate) }
    }

    private mutating func delete(_ step: Int) throws {
      guard let place = oracle.current.indices.randomElement(using: &random) else { return }
      context.delete(try context.existingModel(for: oracle.current[place].identifier, as: Crate.self))
      oracle.current.remove(at: place)
    }

    private mutating func deleteMany() throws {
      let filter = FetchOracle.Filter.random(&random)
      guard oracle.current.filter(filter.matches).count < 10 else { return }
      try context.delete(model: Crate.self, where: filter.predicate)
      oracle.current.removeAll(where: filter.matches)
    }

    private mutating func ask(_ step: Int) throws {
      let question = FetchOracle.question(&random)
      let descriptor = FetchOracle.descriptor(question)
      let expected = oracle.answer(question)
      let comment: Comment = "seed \(seed), step \(step): \(question.description)"
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try #require(try context.fetchCount(descriptor) == expected.count, comment)
      case 1: try #require(try context.fetchIdentifiers(descriptor) == expected.map(\.identifier), comment)
      default:
        let found = try context.fetch(descriptor)
        try #require(found.map(\.persistentModelID) == expected.map(\.identifier), comment)
        // Without pending changes the choice is that of the store, and the values are those in hand.
        if question.includesPending { try #require(found.map(FetchOracle.Entry.init) == expected, comment) }
        if random.chance(30) { held += found }
      }
    }

    private func compareState(_ step: Int) throws {
      let comment: Comment = "seed \(seed), step \(step)"
      let rows = try store.rows("SELECT larder_id, number, text, note FROM Crate ORDER BY larder_id")
      let expected = oracle.saved.sorted { $0.identifier < $1.identifier }.map { entry -> [_StoredValue] in
        [
          .integer(entry.identifier.key), .integer(Int64(entry.number)), .text(entry.text),
          entry.note.map { .text($0) } ?? .null,
        ]
      }
      try #require(rows == expected, comment)
      let savedIdentifiers = Set(oracle.saved.map(\.identifier))
      let currentIdentifiers = Set(oracle.current.map(\.identifier))
      try #require(
        Set(context.insertedModelsArray.map(\.persistentModelID)) == currentIdentifiers.subtracting(savedIdentifiers),
        comment)
      try #require(
        Set(context.deletedModelsArray.map(\.persistentModelID)).isSubset(
          of: savedIdentifiers.subtracting(currentIdentifiers)), comment)
      if oracle.hasChanges { try #require(context.hasChanges, comment) }
    }

    mutating func end() throws {
      try context.save()
      oracle.save()
      try compareState(-1)
      try #require(!context.hasChanges)
      let fresh = try store.context().fetch(FetchDescriptor<Crate>())
      try #require(fresh.map(FetchOracle.Entry.init) == oracle.current.sorted { $0.identifier < $1.identifier })
      if case .text(let result)? = try store.value("PRAGMA integrity_check") { try #require(result == "ok") }
    }
  }
}
