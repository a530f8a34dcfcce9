import LarderSupport
import Observation
import SwiftData
import Testing

@testable import LarderData

/// Objects whose setters go the long way, for an undo manager or for fetches among what is
/// pending. An object that is watched in this way is not observed.
@Suite struct WatchedObjectTests {
  private struct Watched {
    let store: TestStore
    let context: ModelContext
    let manager: LarderData.UndoManager
    let crate: Crate

    /// A crate that is edited here and watched, and whose number another context has saved since.
    init(_ place: StoreLocation) throws {
      store = try TestStore(place, Crate.self)
      let other = store.context()
      let theirs = Crate(number: 1, text: "former")
      other.insert(theirs)
      try other.save()
      (context, manager) = store.undoing()
      crate = try #require(try context.all(Crate.self).first)
      crate.text = "edited"
      context.processPendingChanges()
      #expect(crate._$header.pointee.status.contains(.changeTracked))
      theirs.number = 2
      try other.save()
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func readingOneTakesNothingOver(_ place: StoreLocation) throws {
    let watched = try Watched(place)
    #expect(watched.crate.number == 1)
    #expect(watched.context.core.hasRemoteChanges)
    _ = try watched.context.all(Crate.self)
    #expect(watched.crate.number == 2 && watched.crate.text == "edited")
  }

  /// Who observes one sees what there is by now, and is told of what comes.
  @Test(arguments: StoreLocation.allCases)
  func observingOneTakesOver(_ place: StoreLocation) throws {
    let watched = try Watched(place)
    // Called on this thread.
    nonisolated(unsafe) var changes = 0
    withObservationTracking {
      #expect(watched.crate.number == 2)
    } onChange: {
      changes += 1
    }
    #expect(!watched.context.core.hasRemoteChanges && changes == 0)
    watched.crate.number = 3
    #expect(changes == 1)
  }
}
