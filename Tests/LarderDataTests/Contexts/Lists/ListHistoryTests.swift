import LarderData
import Testing

/// Random changes of lists that several contexts share and do not fetch anew before they change them.
///
/// `LARDER_SEED` repeats a run, `ROUNDS` multiplies its length; a failure prints the steps that are needed for it.
@Suite struct ListHistoryTests {
  /// More than of other histories: what goes wrong with lists goes wrong in few of them.
  private static let usual = 150
  /// A quarter of them: there contexts read at their own pace, and some of another container.
  private static let diskEvery: UInt64 = 4

  @Test func sharedListsAgreeWithSets() {
    let histories = RandomHistories(of: "sharedListsAgreeWithSets", usual: Self.usual, diskEvery: Self.diskEvery)
    var (saves, refused) = (0, 0)
    let isDone = histories.run { seed, place in
      var generator = ListGenerator(seed: seed)
      let steps = (0..<RandomHistories.steps).map { _ in generator.step() }
      let failure = Self.failure(of: steps, generator, place, &saves, &refused)
      return failure.map { failure in
        let failed = FailedHistory(steps, failure) { steps in
          var others = (0, 0)
          return Self.failure(of: steps, generator, place, &others.0, &others.1)
        }
        return "\(failed)"
      }
    }
    guard isDone else { return }
    print("sharedListsAgreeWithSets: \(saves) saves, \(refused) refused")
    #expect(saves > histories.count * 3)
  }

  private static func failure(
    of steps: [ListStep], _ generator: ListGenerator, _ place: StoreLocation, _ saves: inout Int, _ refused: inout Int
  ) -> String? {
    do {
      let store = try TestStore(place, Board.self, Card.self)
      let run = try ListRun(store, generator)
      for step in steps { try run.carryOut(step) }
      try run.end()
      saves += run.saves
      refused += run.refused
      return nil
    } catch {
      return "\(error)"
    }
  }
}
