import LarderData
import SwiftData
import TestSeeds
import Testing

/// Random edits in transactions within each other. Before each one the state of the context is put by.
struct RandomTransactions {
  private let seed: UInt64
  private let container: ModelContainer
  private let context: ModelContext
  private var random: SeededGenerator
  private var count = 0

  init(_ seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    container = try ModelContainer(
      for: Rack.self, Jug.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    if random.chance(30) { context.undoManager = UndoManager() }
  }

  /// One transaction, with others in it.
  mutating func round() throws {
    for _ in 0..<3 { try edit() }
    if random.chance(50) { try context.save() }
    let stored = try picture(ModelContext(container))
    var expected: [String] = []
    do {
      try context.transaction {
        try block(0)
        expected = try picture(context)
        if random.chance(25) { throw TransactionTests.Refused() }
      }
      #expect(try picture(ModelContext(container)) == expected, "seed \(seed)")
      #expect(try picture(context) == expected, "seed \(seed)")
    } catch is TransactionTests.Refused {
      #expect(try picture(ModelContext(container)) == stored, "seed \(seed)")
      #expect(try picture(context) == stored, "seed \(seed)")
    }
    #expect(!context.hasChanges, "seed \(seed)")
  }

  private mutating func block(_ depth: Int) throws {
    for _ in 0..<Int.random(in: 0..<5, using: &random) { try edit() }
    if random.chance(15) { try context.save() }
    for _ in 0..<(depth < 3 ? Int.random(in: 0..<3, using: &random) : 0) {
      let before = try picture(context)
      do {
        try context.transaction {
          try block(depth + 1)
          if random.chance(50) { throw TransactionTests.Refused() }
        }
      } catch is TransactionTests.Refused {
        #expect(try picture(context) == before, "seed \(seed), \(depth) deep")
      }
      for _ in 0..<Int.random(in: 0..<3, using: &random) { try edit() }
    }
  }

  private mutating func edit() throws {
    let jugs = try context.fetch(FetchDescriptor<Jug>(sortBy: [SortDescriptor(\.number)]))
    let racks = try context.fetch(FetchDescriptor<Rack>(sortBy: [SortDescriptor(\.name)]))
    count += 1
    let (jug, rack) = (jugs.randomElement(using: &random), racks.randomElement(using: &random))
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: context.insert(Jug(count))
    case 2:
      let new = Jug(count)
      context.insert(new)
      new.rack = rack
    case 3: jug?.text = "text \(count)"
    case 4: jug?.rack = rack
    case 5: if let jug, let rack, !rack.jugs.contains(jug) { rack.jugs.append(jug) }
    case 6: if let jug { context.delete(jug) }
    case 7: context.insert(Rack("rack \(count)"))
    default:
      if let rack, random.chance(50) {
        context.delete(rack)
      } else if rack?.jugs.isEmpty == false {
        rack?.jugs.removeFirst()
      }
    }
  }

  private func picture(_ context: ModelContext) throws -> [String] {
    let jugs = try context.fetch(FetchDescriptor<Jug>()).map { "\($0.number) \($0.text) \($0.rack?.name ?? "")" }
    let racks = try context.fetch(FetchDescriptor<Rack>()).map { rack in
      "\(rack.name): \(rack.jugs.map { "\($0.number)" }.sorted())"
    }
    return (jugs + racks).sorted()
  }
}
