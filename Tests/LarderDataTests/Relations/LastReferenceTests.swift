import Foundation
import LarderModels
import Testing

@testable import LarderData

@Model final class Kite {
  var name: String
  @Relationship(inverse: \KitePart.spoolOf) var spool: KitePart?
  @Relationship(inverse: \KitePart.tailOf) var tails: [KitePart]
  @Relationship(inverse: \KitePart.ribbonOf) var ribbons: [KitePart]?
  var cloth: Cloth
  var knot: Knot?
  @Attribute(.ephemeral) var line: (any Line)?

  init(name: String) {
    self.name = name
    tails = []
    cloth = Cloth(yarn: Yarn {})
  }
}

/// What a kite is made of.
@Model final class KitePart {
  var length: Int
  var spoolOf: Kite?
  var tailOf: Kite?
  var ribbonOf: Kite?
  @Transient var atTheEnd: () -> Void = {}

  init(length: Int) { self.length = length }
  deinit { atTheEnd() }
}

/// A value that holds an object: it ends where the value is replaced.
struct Cloth: Codable {
  var color = "red"
  var yarn: Yarn

  enum CodingKeys: CodingKey { case color }
  init(color: String = "red", yarn: Yarn) {
    self.color = color
    self.yarn = yarn
  }
  init(from decoder: any Decoder) throws {
    color = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .color)
    yarn = Yarn {}
  }
}

/// Values of which the compiler does not know how large they are: they are written otherwise than those above.
protocol Line {
  var color: String { get }
}

struct Rope: Line {
  var color: String
  var yarn: Yarn
}

struct Knot: Codable {
  var line: any Line

  enum CodingKeys: CodingKey { case color }
  init(line: any Line) { self.line = line }
  init(from decoder: any Decoder) throws {
    let color = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .color)
    line = Rope(color: color, yarn: Yarn {})
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(line.color, forKey: .color)
  }
}

final class Yarn {
  let atTheEnd: () -> Void
  init(_ atTheEnd: @escaping () -> Void) { self.atTheEnd = atTheEnd }
  deinit { atTheEnd() }
}

/// A property held the last reference to what it gives up, whose end reads and writes that very property.
@Suite struct LastReferenceTests {
  @Test func theEndOfAToOneFindsItGone() {
    let kite = Kite(name: "a")
    var found: [Int?] = []
    let leave = {
      let spool = KitePart(length: 1)
      spool.atTheEnd = { [unowned kite] in
        found.append(kite.spool?.length)
        kite.spool = KitePart(length: 3)
      }
      kite.spool = spool
    }
    leave()
    kite.spool = KitePart(length: 2)
    #expect(found == [2])
    #expect(kite.spool?.length == 3)
    leave()
    kite.spool = nil
    #expect(found == [2, nil])
    #expect(kite.spool?.length == 3)
  }

  @Test func theEndOfMembersFindsThemGone() {
    let kite = Kite(name: "a")
    var found: [[Int]] = []
    let enter = {
      let tail = KitePart(length: 1)
      tail.atTheEnd = { [unowned kite] in
        found.append(kite.tails.map(\.length))
        kite.tails.append(KitePart(length: 3))
      }
      kite.tails = [tail]
    }
    enter()
    kite.tails = [KitePart(length: 2)]
    #expect(found == [[2]])
    #expect(kite.tails.map(\.length) == [2, 3])
    enter()
    kite.tails.removeAll()
    #expect(found == [[2], []])
    #expect(kite.tails.map(\.length) == [3])
    enter()
    kite.tails.remove(at: 0)
    #expect(found == [[2], [], []])
    #expect(kite.tails.map(\.length) == [3])
  }

  @Test func theEndOfOptionalMembersFindsThemGone() {
    let kite = Kite(name: "a")
    var found: [[Int]?] = []
    let enter = {
      let ribbon = KitePart(length: 1)
      ribbon.atTheEnd = { [unowned kite] in
        found.append(kite.ribbons?.map(\.length))
        kite.ribbons = (kite.ribbons ?? []) + [KitePart(length: 3)]
      }
      kite.ribbons = [ribbon]
    }
    enter()
    kite.ribbons = [KitePart(length: 2)]
    #expect(found == [[2]])
    #expect(kite.ribbons?.map(\.length) == [2, 3])
    enter()
    kite.ribbons = nil
    #expect(found == [[2], nil])
    #expect(kite.ribbons?.map(\.length) == [3])
  }

  @Test func theEndOfAValueFindsItGone() {
    let kite = Kite(name: "a")
    var found: [String] = []
    kite.cloth = Cloth(
      color: "white",
      yarn: Yarn { [unowned kite] in
        found.append(kite.cloth.color)
        kite.cloth = Cloth(color: "green", yarn: Yarn {})
      })
    kite.cloth = Cloth(color: "blue", yarn: Yarn {})
    #expect(found == ["blue"])
    #expect(kite.cloth.color == "green")
  }

  @Test func theEndOfAValueOfUnknownSizeFindsItGone() {
    let kite = Kite(name: "a")
    var found: [String?] = []
    func rope(_ color: String) -> Rope {
      Rope(
        color: color,
        yarn: Yarn { [unowned kite] in
          found.append(kite.knot?.line.color)
          found.append(kite.line?.color)
          kite.knot = Knot(line: Rope(color: "green", yarn: Yarn {}))
          kite.line = Rope(color: "yellow", yarn: Yarn {})
        })
    }
    kite.knot = Knot(line: rope("white"))
    kite.knot = Knot(line: Rope(color: "blue", yarn: Yarn {}))
    #expect(found == ["blue", nil])
    #expect(kite.knot?.line.color == "green")
    kite.line = rope("white")
    kite.line = nil
    #expect(found == ["blue", nil, "green", nil])
    #expect(kite.line?.color == "yellow")
    kite.knot = Knot(line: rope("black"))
    kite.knot = nil
    #expect(found == ["blue", nil, "green", nil, nil, "yellow"])
    #expect(kite.knot?.line.color == "green")
  }

  /// In a context the last reference may go before the new value is there: the former one is then read from the store.
  @Test func theEndsOfSavedObjectsReadWhatIsLeft() throws {
    let container = try ModelContainer(
      for: Kite.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let kite = Kite(name: "a")
    context.insert(kite)
    var found: [String] = []
    let enter = {
      let spool = KitePart(length: 1)
      let tails = [KitePart(length: 2), KitePart(length: 3)]
      spool.atTheEnd = { [unowned kite] in found.append("spool \(kite.spool != nil)") }
      for tail in tails {
        tail.atTheEnd = { [unowned kite] in found.append("tails \(kite.tails.map(\.length))") }
      }
      kite.spool = spool
      kite.tails = tails
    }
    enter()
    try context.save()
    kite.tails.removeFirst()
    kite.spool = KitePart(length: 4)
    #expect(kite.spool?.length == 4)
    try context.save()
    #expect(kite.spool?.length == 4)
    for tail in kite.tails { context.delete(tail) }
    kite.spool.map(context.delete)
    try context.save()
    #expect(kite.tails.isEmpty && kite.spool == nil)
    #expect(found.sorted() == ["spool true", "tails [3]", "tails []"])
  }

  /// How a context lets go of what it alone held.
  enum Letting: CaseIterable {
    case deletedBeforeSaved, deletedAndRolledBack, insertedAndRolledBack, insertedDeletedAndRolledBack
    case replacedAndSaved, replacedAndRolledBack, deletedAndSaved
  }

  /// What ends then reads and changes the very relationships, and asks the context.
  @Test(arguments: Letting.allCases) func whateverAContextLetsGoOfMayUseIt(_ letting: Letting) throws {
    let container = try ModelContainer(
      for: Kite.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let kite = Kite(name: "a")
    context.insert(kite)
    // What a rollback gives back does not end before they do: it must not hold them.
    weak let heldKite = kite
    weak let heldContext = context
    var found = 0
    func end() {
      guard let kite = heldKite, let context = heldContext else { return }
      found += 1
      _ = (kite.spool?.length, kite.tails.map(\.length), kite.ribbons?.count, context.insertedModelsArray.count)
      kite.name += "!"
      kite.spool = KitePart(length: 10 + found)
      kite.tails.append(KitePart(length: 20 + found))
      if let one = kite.tails.first { context.delete(one) }
      context.insert(KitePart(length: 30 + found))
    }
    func parts() -> [KitePart] {
      (1...3).map { length in
        let part = KitePart(length: length)
        part.atTheEnd = { end() }
        return part
      }
    }
    func enter() { kite.tails = parts() }
    switch letting {
    case .deletedBeforeSaved:
      try context.save()
      _ = {
        for part in parts() {
          context.insert(part)
          kite.ribbons = [part]
          context.delete(part)
        }
      }()
      _ = kite.tails.count
      try context.save()
    case .deletedAndRolledBack:
      enter()
      try context.save()
      for tail in kite.tails { context.delete(tail) }
      context.rollback()
    case .insertedAndRolledBack:
      try context.save()
      enter()
      context.rollback()
    case .insertedDeletedAndRolledBack:
      try context.save()
      enter()
      for tail in kite.tails { context.delete(tail) }
      _ = kite.tails.count
      context.rollback()
    case .replacedAndSaved:
      enter()
      try context.save()
      kite.tails = [KitePart(length: 4)]
      try context.save()
    case .replacedAndRolledBack:
      enter()
      try context.save()
      kite.tails = [KitePart(length: 4)]
      context.rollback()
    case .deletedAndSaved:
      enter()
      try context.save()
      for tail in kite.tails { context.delete(tail) }
      try context.save()
    }
    try context.save()
    // What a rollback gives back does not end.
    let isGivenBack = [.deletedAndRolledBack, .replacedAndRolledBack].contains(letting)
    #expect((found == 0) == isGivenBack, "\(found)")
    // It is as whole as ever.
    let lengths = kite.tails.map(\.length)
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Kite>()).first)
    #expect(read.tails.map(\.length) == lengths && read.name == kite.name)
    #expect(try container.integrityCheck().isEmpty)
  }

  /// The oldest of those that are kept makes room for another.
  @Test func whatIsKeptForAWhileMayUseTheContext() throws {
    let container = try ModelContainer(
      for: Kite.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let kite = Kite(name: "a")
    context.insert(kite)
    var lengths: [Int]?
    ({
      let part = KitePart(length: 1)
      part.atTheEnd = {
        kite.tails.append(KitePart(length: 2))
        lengths = kite.tails.map(\.length)
      }
      context.core.retainTemporarily(part)
    })()
    for _ in 0..<StrongReferenceCache.capacity { context.core.retainTemporarily(kite) }
    #expect(lengths == [2])
  }

  /// While the last object of a context ends, its row may be fetched anew: the context goes with the object, not with the
  /// one that took its place.
  @Test func aContextLastsUntilTheEndOfItsLastObject() throws {
    let container = try ModelContainer(
      for: Kite.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try {
      let context = ModelContext(container)
      context.insert(KitePart(length: 1))
      try context.save()
    }()
    var part = try ModelContext(container).fetch(FetchDescriptor<KitePart>()).first
    weak let core = part?.modelContext?.core
    var found: [Int]?
    var alive: Int?
    var held: _ContextCore?
    part?.atTheEnd = {
      // So that a mistake is a wrong count, and not memory that is used after it was freed.
      held = core
      found = try? core?.facade.fetch(FetchDescriptor<KitePart>()).map(\.length)
      alive = core?.objectCount
    }
    part = nil
    #expect(found == [1])
    #expect(alive == 1)
    #expect(held?.objectCount == 0)
    held = nil
    #expect(core == nil)
  }
}
