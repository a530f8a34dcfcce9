import Foundation
import LarderData
import LarderSQLite
import SwiftData
import TestSeeds
import Testing

/// Names in backticks may have what separates the names of several properties.
@Suite struct IndexNameTests {
  enum Loose {
    @Model final class Crate {
      #Index<Crate>([\.b, \.`a,b`])
      @Attribute(.unique) var `a,b`: String = ""
      var a: String = ""
      var b: String = ""
      init(_ whole: String, _ a: String, _ b: String) {
        `a,b` = whole
        (self.a, self.b) = (a, b)
      }
    }
  }

  enum Tight {
    @Model final class Crate {
      #Unique<Crate>([\.a, \.b])
      #Index<Crate>([\.b, \.`a,b`], [\.b, \.a, \.b])
      @Attribute(.unique) var `a,b`: String = ""
      var a: String = ""
      var b: String = ""
      init(_ whole: String, _ a: String, _ b: String) {
        `a,b` = whole
        (self.a, self.b) = (a, b)
      }
    }
  }

  @Test func noTwoListsOfNamesHaveOneIndex() {
    var random = Share.generator
    let letters = ["a", "b", ",", "(", ")", "\"", " ", "\"\"", "_", "é"]
    func name() -> String {
      (0..<Int.random(in: 1...4, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }.joined()
    }
    var known: [String: [String]] = [:]
    for _ in 0..<Share.rounds(of: 1_000_000, atLeast: 20_000) {
      let columns = (0..<Int.random(in: 1...3, using: &random)).map { _ in name() }
      let list = [name()] + columns
      let index = StoreFormat.indexName(list[0], columns)
      let other = known.updateValue(list, forKey: index)
      #expect(other == nil || other == list, "\(index), LARDER_SEED=\(random.seed)")
      #expect(StoreFormat.uniqueIndexName(list[0], columns) != index)
    }
    #expect(StoreFormat.indexName("Crate", ["a", "b"]) == "larder_index_Crate(a,b)")
    #expect(StoreFormat.uniqueIndexName("Crate", ["a,b"]) == "larder_unique_Crate(\"a,b\")")
  }

  private func indexes(_ store: TestStore) throws -> Set<String> {
    Set(
      try store.rows("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").compactMap {
        if case .text(let name) = $0[0] { name } else { nil }
      })
  }

  @Test(arguments: StoreLocation.allCases) func constraintsAreApart(_ place: StoreLocation) throws {
    let store = try TestStore(place, Tight.Crate.self)
    let context = store.context()
    for crate in [Tight.Crate("1", "x", "y"), Tight.Crate("2", "x", "z"), Tight.Crate("1", "v", "w")] {
      context.insert(crate)
    }
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Tight.Crate>(sortBy: [SortDescriptor(\.`a,b`)])).map(\.a) == ["v", "x"])
    context.insert(Tight.Crate("3", "x", "z"))
    try context.save()
    #expect(
      try context.fetch(FetchDescriptor<Tight.Crate>(sortBy: [SortDescriptor(\.`a,b`)])).map(\.`a,b`) == ["1", "3"])
    #expect(try store.container.integrityCheck() == [])
    let whole = "3"
    let explanation = try context.explain(FetchDescriptor<Tight.Crate>(predicate: #Predicate { $0.`a,b` == whole }))
    #expect(explanation.indexes == ["larder_unique_Crate(\"a,b\")"])
  }

  /// As stores have them that were made before.
  private func former() throws -> TestStore {
    let store = try TestStore(.disk, Loose.Crate.self)
    _ = try store.saved([Loose.Crate("1", "x", "y"), Loose.Crate("2", "x", "z")])
    try store.execute(
      """
      DROP INDEX "larder_unique_Crate(""a,b"")"; CREATE UNIQUE INDEX "larder_unique_Crate(a,b)" ON Crate ("a,b");
      DROP INDEX "larder_index_Crate(b,""a,b"")"; CREATE INDEX "larder_index_Crate(b,a,b)" ON Crate (b, "a,b");
      """)
    return store
  }

  @Test(.directly("the file is looked at")) func formerNamesStay() throws {
    let store = try former()
    let container = try store.asAnotherProcess()
    let context = ModelContext(container)
    context.insert(Loose.Crate("2", "new", "z"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Loose.Crate>()) == 2)
    #expect(try container.integrityCheck() == [])
    let whole = "2"
    let explanation = try context.explain(FetchDescriptor<Loose.Crate>(predicate: #Predicate { $0.`a,b` == whole }))
    #expect(explanation.indexes == ["larder_unique_Crate(a,b)"])
    try store.execute(
      "DROP INDEX \"larder_unique_Crate(a,b)\"; CREATE UNIQUE INDEX \"larder_unique_Crate(a,b)\" ON Crate (a)")
    #expect(try container.integrityCheck().map(\.kind) == [.missingSchemaObject])
  }

  /// What another index is to be called by now gets another name first.
  @Test(.directly("the file is looked at")) func formerNamesMakeWay() throws {
    let store = try former()
    let container = try TestStore.open(.disk, store.url, [Tight.Crate.self])
    let migrated = TestStore(container)
    #expect(
      try indexes(migrated) == [
        "larder_unique_Crate(\"a,b\")", "larder_unique_Crate(a,b)", "larder_index_Crate(b,\"a,b\")",
        "larder_index_Crate(b,a)",
      ])
    #expect(try container.integrityCheck() == [])
    let context = ModelContext(container)
    context.insert(Tight.Crate("3", "x", "z"))
    try context.save()
    #expect(
      try context.fetch(FetchDescriptor<Tight.Crate>(sortBy: [SortDescriptor(\.`a,b`)])).map(\.`a,b`) == ["1", "3"])
  }
}
