import Foundation
import LarderSQLite
import SwiftData
import Synchronization
import Testing

@testable import LarderData

enum VanishingRows {
  /// Rings while it is decoded, which is while its row is read.
  struct Bell: Codable, Equatable {
    var name = "bell"

    static let errand = Locked<(@Sendable () -> Void)?>(nil)

    enum CodingKeys: CodingKey { case name }

    init() {}

    init(from decoder: any Decoder) throws {
      let errand = Bell.errand.withLock { errand in
        defer { errand = nil }
        return errand
      }
      errand?()
      name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }
  }

  @Model
  final class Ledge {
    var number: Int
    /// A list, so that it is decoded: a value by itself has columns of its own.
    var bells: [Bell]

    init(number: Int) {
      self.number = number
      bells = [Bell()]
    }
  }
}

/// What others delete while a store is handed a save.
@Suite struct VanishedRowTests {
  private typealias Ledge = VanishingRows.Ledge

  @Test func anUpdateDoesNotBringBackWhatOthersDelete() throws {
    let folder = TestFolder()
    let wrapping = Wrapping(folder.url("a.store"))
    let container = try ModelContainer(
      for: Schema([Ledge.self]), configurations: [WrappedConfiguration(wrapping: wrapping)])
    let context = ModelContext(container)
    let ledge = Ledge(number: 1)
    context.insert(ledge)
    try context.save()
    wrapping.beforeSave = { inner in
      let store = inner.core.stores[0].store
      VanishingRows.Bell.errand.withLock {
        // As soon as the store has looked whether the row is there.
        $0 = {
          do {
            try store.database.withWriter { try $0.execute("DELETE FROM \"\(Ledge._$layout.tableName)\"") }
          } catch {
            Issue.record(error)
          }
          store.commits.add(1, ordering: .releasing)
        }
      }
    }
    ledge.number = 2
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.code == .vanishedRow && error?.identifiers == [ledge.persistentModelID])
    let store = try DefaultStore(ModelConfiguration(schema: Schema([Ledge.self]), url: wrapping.url))
    #expect(try store.core.stores[0].store.database.read { try $0.int64("SELECT count(*) FROM Ledge") } == 0)
  }
}
