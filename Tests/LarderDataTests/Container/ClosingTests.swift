import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

@Suite(.directly("it is about SQLite's files")) struct ClosingTests {
  /// Whoever lets a container go does not wait for another process's lock, for numbers' sake.
  @Test func aContainerGoesWhileAnotherWrites() throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    var options = StoreOptions()
    options.settings.busyTimeout = .seconds(30)
    var container: ModelContainer? = try StoreOptions.$current.withValue(options) {
      try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: url))
    }
    do {
      let context = ModelContext(try #require(container))
      context.insert(Crate(number: 1))
      try context.save()
    }
    let other = try Connection(path: url.path)
    defer { other.close() }
    try other.execute("BEGIN IMMEDIATE")
    let began = ContinuousClock.now
    container = nil
    // 50 ms, and whatever else the machine has to do.
    #expect(ContinuousClock.now - began < .seconds(15))
    try other.execute("ROLLBACK")
  }
}
