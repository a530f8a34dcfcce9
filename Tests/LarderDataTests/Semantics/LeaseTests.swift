import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Contexts keep a reading connection for a moment.
@Suite struct LeaseTests {
  /// A read that outlasts the moment gives its connection back as well, though its context reads no more.
  @Test func connectionsOfLongReadsComeBack() throws {
    let store = try TestStore(.disk, Crate.self)
    var contexts: [ModelContext] = []
    for _ in 0..<Settings.defaultMaximumReaders {
      let context = store.context()
      contexts.append(context)
      try context.core.sessions[0].read { _ in
        Thread.sleep(forTimeInterval: 1.5 * Double(StoreSession.leaseMilliseconds) / 1_000)
      }
    }
    // With none left this would wait for half a minute, and be refused then.
    let began = ContinuousClock.now
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 0)
    #expect(ContinuousClock.now - began < .seconds(20))
    withExtendedLifetime(contexts) {}
  }
}
