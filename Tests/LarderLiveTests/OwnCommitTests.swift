import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

/// What a program commits itself is known to it: a look for what others have committed finds nothing, whenever it comes, and
/// nobody is woken by it.
@Suite struct OwnCommitTests {
  private func upsert(_ records: [(name: String, country: String?)], _ docks: Docks) throws {
    _ = try docks.container.upsert(records, into: Harbour.self, by: \.name) { harbour in
      harbour.set(\.name) { $0.name }
      harbour.set(\.country) { $0.country }
    }
  }

  private func findsSomething(_ docks: Docks) throws -> Bool {
    let store = docks.container.store
    let reader = try store.database.checkOut()
    defer { store.database.checkIn(reader) }
    try reader.beginSnapshot()
    defer { reader.endSnapshot() }
    return try store.pollExternalCommits(on: reader.connection, always: true)
  }

  @Test func aLookFindsNothing() throws {
    let docks = try Docks(.disk)
    func check(_ what: Comment, _ work: () throws -> Void) throws {
      try work()
      #expect(try !findsSomething(docks), what)
    }
    try check("opened") {}
    try check("an upsert inserts") { try upsert([("a", "b")], docks) }
    try check("an upsert changes nothing") { try upsert([("a", "b")], docks) }
    try check("an upsert does both") { try upsert([("a", "c"), ("x", nil)], docks) }
    try check("an upsert takes several blocks of numbers") { try upsert((0..<5_000).map { ("n\($0)", "none") }, docks) }
    try check("a save inserts") { try docks.elsewhere { $0.insert(Harbour("H")) } }
    try check("an update by predicate") {
      try docks.elsewhere { try $0.updateAndSave(Harbour.self) { $0.set(\.country, to: "d") } }
    }
    try check("a deletion by predicate") { try docks.elsewhere { try $0.delete(model: Harbour.self) } }
    try check("history is deleted") {
      try ModelContext(docks.container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
  }
}
