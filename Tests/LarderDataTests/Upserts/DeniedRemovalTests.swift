import Foundation
import LarderData
import SwiftData
import Testing

@Model final class Wharf {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .deny, inverse: \Mooring.wharf) var moorings: [Mooring] = []
  init(_ name: String) { self.name = name }
}

@Model final class Mooring {
  var number: Int
  var wharf: Wharf?
  init(_ number: Int) { self.number = number }
}

/// A complete snapshot lacks a row that may not be deleted.
@Suite(.directly("a bulk upsert is of SQLite stores")) struct DeniedRemovalTests {
  private func upsert(_ names: [String], _ store: TestStore) throws -> UpsertReport {
    try store.container.upsert(names, into: Wharf.self, by: \.name, removing: .missing) { wharf in
      wharf.set(\.name) { $0 }
    }
  }

  private func names(_ store: TestStore) throws -> Set<String> {
    Set(try store.context().all(Wharf.self).map(\.name))
  }

  private func code(_ report: UpsertReport) -> SaveError.Code? { (report.removalProblem as? SaveError)?.code }

  @Test(arguments: StoreLocation.allCases)
  func aRowThatMayNotGoIsReported(_ place: StoreLocation) throws {
    let store = try TestStore(place, Wharf.self, Mooring.self)
    let needed = Wharf("needed")
    needed.moorings = [Mooring(1)]
    let context = try store.saved([needed, Wharf("a")])
    let report = try upsert(["a", "b"], store)
    #expect(report.inserted == 1 && report.unchanged == 1 && report.removed == 0)
    #expect(code(report) == .deletionDenied)
    #expect(try names(store) == ["a", "b", "needed"])
    // As soon as nothing needs it.
    for mooring in try context.all(Mooring.self) { context.delete(mooring) }
    try context.save()
    let next = try upsert(["a", "b"], store)
    #expect(next.removed == 1 && next.removalProblem == nil)
    #expect(try names(store) == ["a", "b"])
    #expect(try store.value("SELECT count(*) FROM sqlite_temp_schema") == .integer(0))
  }

  /// Of as many as are deleted by two transactions.
  @Test(arguments: StoreLocation.allCases)
  func othersGoWhereOneMayNot(_ place: StoreLocation) throws {
    let store = try TestStore(place, Wharf.self, Mooring.self)
    #expect(try upsert(["needed"] + (1...1_500).map { "w\($0)" }, store).inserted == 1_501)
    let context = store.context()
    let needed = try #require(try context.all(Wharf.self).first { $0.name == "needed" })
    needed.moorings = [Mooring(1)]
    try context.save()
    let report = try upsert(["new"], store)
    #expect(report.inserted == 1 && code(report) == .deletionDenied)
    #expect(report.removed > 0)
    let left = try names(store)
    #expect(left.count == 1_502 - report.removed && left.isSuperset(of: ["needed", "new"]))
  }
}
