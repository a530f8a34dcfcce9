import Dispatch
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// A list and the objects in it are of one commit, also where others commit while it is brought up to date.
@MainActor
@Suite struct WholeListTests {
  private let docks: Docks
  private let context: ModelContext

  init() throws {
    docks = try Docks()
    context = docks.container.mainContext
    context.autosaveEnabled = false
    try docks.elsewhere { context in
      context.insert(Ship("a", tonnage: 5))
      context.insert(Ship("b", tonnage: 20))
    }
  }

  /// Whether what is pending concerns a list is found out by a look at the store, which may find a commit that nobody here
  /// has been told of. What the list was before is not shown with the objects as they are since.
  ///
  /// - Parameter isAnswered: Whether the query has found another answer before that commit.
  @Test(arguments: MergePolicy.allCases, [false, true])
  func aCommitThatIsFoundInTheMidstOfALook(_ policy: MergePolicy, isAnswered: Bool) throws {
    context.mergePolicy = policy
    let observer = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.tonnage > 10 }, sortBy: [SortDescriptor(\.tonnage)], modelContext: context)
    #expect(observer.results.map(\.name) == ["b"])
    // From now on the list has to be looked at.
    observer.results.first?.notes = "pending"
    if isAnswered {
      try docks.elsewhere { try $0.fetch(ships()).first?.tonnage = 30 }
      // The context takes it over, and the list is not looked at.
      _ = try context.fetchCount(FetchDescriptor<Harbour>())
      awaitQueries()
    }

    context.core.sessions[0].releaseSnapshot()
    let program = try Connection(path: docks.container.store.url.path)
    try program.execute("UPDATE Ship SET tonnage = 1, larder_version = larder_version + 1 WHERE name = 'b'")
    program.close()
    let shown = Array(observer.results)
    #expect(shown.map(\.tonnage) == (isAnswered ? [30] : []))
    #expect(shown.map(\.name) == (isAnswered ? ["a"] : []))
  }

  /// Returns when what has been committed so far is answered.
  private func awaitQueries() {
    let done = DispatchSemaphore(value: 0)
    LiveQueryExecutor.shared(for: docks.container.core).run { _ in done.signal() }
    done.wait()
  }
}
