import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

@Model
class Luggage {
  #Unique<Luggage>([\.code])
  var code: String
  var weight = 0

  init(_ code: String) { self.code = code }
}

@Model
final class Trunk: Luggage {
  override init(_ code: String) { super.init(code) }
}

/// Look-ups by a key in a table without rows: a first synchronisation asks for each key of the list that it takes over.
@Suite struct EmptyTableTests {
  private let store: TestStore
  private let context: ModelContext

  init() throws {
    store = try TestStore(.disk, Luggage.self, Trunk.self)
    context = store.context()
  }

  private func luggage(_ code: String, in context: ModelContext) throws -> Luggage? {
    try context.fetch(FetchDescriptor<Luggage>(predicate: #Predicate { $0.code == code })).first
  }

  private func trunk(_ code: String) throws -> Trunk? {
    try context.fetch(FetchDescriptor<Trunk>(predicate: #Predicate { $0.code == code })).first
  }

  /// Asks for more keys than it takes to find out that there are no rows.
  private func askForMany() throws {
    for number in 0..<TableEmptiness.lookupsBeforeCheck * 2 {
      #expect(try luggage("none \(number)", in: context) == nil)
    }
  }

  /// How many statements so many look-ups take within one snapshot, which may end at any time.
  private func statements(_ lookups: Int) throws -> Int {
    var fewest = Int.max
    for _ in 0..<50 {
      let context = store.context()
      _ = try context.fetchCount(FetchDescriptor<Luggage>())
      let status = try context.reading {
        for number in 0..<lookups { _ = try luggage("none \(number)", in: context) }
      }
      fewest = min(fewest, Int(status.statementRuns))
    }
    return fewest
  }

  @Test(.directly("it counts statements")) func anEmptyTableIsAskedOnlyAFewTimes() throws {
    // One of these asks whether there is any row.
    #expect(try statements(40) == TableEmptiness.lookupsBeforeCheck)
    _ = try store.saved([Luggage("there")])
    #expect(try statements(40) == 41)
    #expect(try statements(TableEmptiness.lookupsBeforeCheck - 1) == TableEmptiness.lookupsBeforeCheck - 1)
  }

  @Test func whatIsInsertedIsFound() throws {
    try askForMany()
    context.insert(Luggage("mine"))
    #expect(try luggage("mine", in: context) != nil)
    #expect(try luggage("other", in: context) == nil)
    try context.save()
    try askForMany()
    let other = store.context()
    #expect(try luggage("mine", in: other) != nil)
  }

  @Test func whatOthersSaveIsFound() throws {
    try askForMany()
    _ = try store.saved([Luggage("theirs")])
    #expect(try luggage("theirs", in: context) != nil)
    try context.delete(model: Luggage.self)
    try context.save()
    try askForMany()
    _ = try store.saved([Luggage("again")])
    #expect(try luggage("again", in: context) != nil)
  }

  @Test func whatAnotherProcessSavesIsFoundAsSoonAsOtherwise() async throws {
    try askForMany()
    let other = ModelContext(try store.asAnotherProcess())
    other.insert(Luggage("far"))
    try other.save()
    var turns = 0
    while try luggage("far", in: context) == nil, turns < 10_000 {
      turns += 1
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try luggage("far", in: context) != nil)
  }

  @Test func keysThatCannotBeHadAreErrors() throws {
    try askForMany()
    let (codes, place) = (["a"], 3)
    #expect(throws: FetchError.self) {
      try context.fetch(FetchDescriptor<Luggage>(predicate: #Predicate { $0.code == codes[place] }))
    }
  }

  /// No class is looked for in a table of others' rows.
  @Test(.directly("it counts steps")) func aLargeTableIsNotReadForAClassWithoutRows() throws {
    _ = try store.saved((0..<2_000).map { Luggage("plain \($0)") })
    let status = try context.reading {
      for number in 0..<100 where try trunk("none \(number)") != nil {
        Issue.record("a class has a row of another one")
      }
    }
    #expect(status.machineSteps < 100 * 50)
  }

  @Test func classesOfOneTableAreToldApart() throws {
    _ = try store.saved([Luggage("plain")])
    for number in 0..<20 { #expect(try trunk("none \(number)") == nil) }
    #expect(try luggage("plain", in: context) != nil)
    _ = try store.saved([Trunk("trunk")])
    #expect(try trunk("trunk") != nil)
    #expect(try trunk("plain") == nil)
  }
}
