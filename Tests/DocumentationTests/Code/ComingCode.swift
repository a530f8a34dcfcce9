import SwiftData

/// What ComingFromSwiftData.md has in place of `@Query`.
// snippet: live list
@MainActor @Observable
final class StrongQuakes {
  private(set) var quakes: [Quake] = []
  private(set) var fetchError: (any Error)?
  private let context: ModelContext

  init(_ container: ModelContainer) { context = container.mainContext }

  /// Fetches now, and after each save of this process, until the task is cancelled.
  func follow() async {
    let (saves, save) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { _ in save.yield() }
    defer { NotificationCenter.default.removeObserver(observer) }
    fetch()
    for await _ in saves { fetch() }
  }

  private func fetch() {
    let strong = FetchDescriptor<Quake>(
      predicate: #Predicate { $0.magnitude >= 5 }, sortBy: [SortDescriptor(\.magnitude, order: .reverse)])
    do {
      quakes = try context.fetch(strong)
      fetchError = nil
    } catch {
      fetchError = error
    }
  }
}
// snippet end
