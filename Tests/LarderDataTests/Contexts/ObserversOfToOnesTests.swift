import Foundation
import LarderData
import SwiftData
import Testing

/// Who observes a to-one whose key the other end has is told when it leads elsewhere, and of nothing else.
@Suite struct ObserversOfToOnesTests {
  private func hub(_ context: ModelContext) throws -> SealedHub {
    try #require(try context.fetch(FetchDescriptor<SealedHub>()).first)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatElseOthersSaveIsNoChangeOfAToOne(_ place: StoreLocation) throws {
    let store = try TestStore(place, SealedHub.self, HubSeal.self)
    let stored = SealedHub("k")
    stored.seal = HubSeal("s")
    _ = try store.saved([stored])
    let (mine, theirs) = (store.context(), store.context())
    let (shown, other) = (try hub(mine), try hub(theirs))
    let told = Counted(0)
    withObservationTracking {
      _ = shown.seal
    } onChange: {
      told.update { $0 += 1 }
    }
    other.key = "another"
    try theirs.save()
    _ = try mine.fetchCount(FetchDescriptor<HubSeal>())
    #expect(shown.key == "another")
    #expect(told.value == 0)
    let seal = try #require(shown.seal)
    #expect(seal.text == "s")
    // Nor is the same one again.
    shown.seal = seal
    #expect(told.value == 0 && !mine.hasChanges)
    other.seal = nil
    try theirs.save()
    _ = try mine.fetchCount(FetchDescriptor<HubSeal>())
    #expect(told.value == 1)
    #expect(shown.seal == nil)
  }

  /// Both in one save.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersSaveOfBothEndsIsTold(_ place: StoreLocation) throws {
    let store = try TestStore(place, SealedHub.self, HubSeal.self)
    let stored = SealedHub("k")
    stored.seal = HubSeal("s")
    _ = try store.saved([stored])
    let (mine, theirs) = (store.context(), store.context())
    let (shown, other) = (try hub(mine), try hub(theirs))
    let told = Counted(0)
    withObservationTracking {
      #expect(shown.seal?.text == "s")
    } onChange: {
      told.update { $0 += 1 }
    }
    other.key = "another"
    other.seal = HubSeal("t")
    try theirs.save()
    _ = try mine.fetchCount(FetchDescriptor<HubSeal>())
    #expect(told.value == 1)
    #expect(shown.key == "another" && shown.seal?.text == "t")
    // Nobody observes it.
    other.key = "third"
    other.seal = nil
    try theirs.save()
    _ = try mine.fetchCount(FetchDescriptor<HubSeal>())
    #expect(shown.key == "third" && shown.seal == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func aRollbackLeadsWhereItLedBefore(_ place: StoreLocation) throws {
    let store = try TestStore(place, SealedHub.self, HubSeal.self)
    let stored = SealedHub("k")
    stored.seal = HubSeal("s")
    let context = try store.saved([stored, HubSeal("t")])
    let another = try #require(try context.fetch(FetchDescriptor<HubSeal>()).first { $0.text == "t" })
    stored.key = "edited"
    stored.seal = another
    let told = Counted(0)
    withObservationTracking {
      _ = stored.seal
    } onChange: {
      told.update { $0 += 1 }
    }
    context.rollback()
    #expect(told.value == 1)
    #expect(stored.key == "k" && stored.seal?.text == "s" && another.hub == nil)
  }
}
