import Foundation
import SwiftData
import Testing

/// Members that leave a list and come again while nobody has loaded it.
@Suite struct RejoinedMemberTests {
  private func players(_ context: ModelContext) throws -> [Player] {
    try context.fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.number)]))
  }

  /// As they would be in one that is loaded, and as they are in the store afterwards.
  @Test(arguments: StoreLocation.allCases, [false, true]) func theyAreTheLast(_ place: StoreLocation, _ isLoaded: Bool)
    throws
  {
    let store = try TestStore(place, Player.self, Squad.self, Club.self, Coach.self, Locker.self)
    do {
      let all = (0..<3).map { Player(number: $0) }
      all[0].rivals = [all[2]]
      all[1].rivals = [all[2]]
      all[2].rivals = [all[2]]
      _ = try store.saved(all)
    }
    let before = try players(store.context())[2].rivalOf.map(\.number)
    let wanted = before.filter { $0 != 0 } + [0]
    #expect(before != wanted && before.count == 3)
    let context = store.context()
    let all = try players(context)
    if isLoaded { #expect(all[2].rivalOf.map(\.number) == before) }
    all[0].rivals = []
    all[0].rivals.append(all[2])
    #expect(all[2].rivalOf.map(\.number) == wanted)
    try context.save()
    #expect(all[2].rivalOf.map(\.number) == wanted)
    #expect(try players(store.context())[2].rivalOf.map(\.number) == wanted)
  }
}
