import SwiftData

/// What ComingFromSwiftData.md has in place of `@Query`.
// snippet: live list
@MainActor @Observable
final class StrongQuakes {
  private let observer: ResultsObserver<Quake, Never>
  var quakes: FetchResultsCollection<Quake> { observer.results }

  init(_ container: ModelContainer) throws {
    observer = try ResultsObserver(
      filterBy: #Predicate { $0.magnitude >= 5 }, sortBy: [SortDescriptor(\.magnitude, order: .reverse)],
      modelContainer: container)
  }
}
// snippet end
