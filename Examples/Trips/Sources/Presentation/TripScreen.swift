import ExampleSupport
import Foundation
import Observation
import SwiftData

/// What holds the view models and keeps the windows in step with them, as an app's scene would.
@MainActor
final class TripScreen {
  let list: TripListViewModel
  let server: ServerViewModel
  /// The windows.
  nonisolated let events = EventHub()

  private let dependencies: Dependencies

  init(dependencies: Dependencies, server: TripsServerProtocol) {
    self.dependencies = dependencies
    list = dependencies.makeTripList()
    self.server = ServerViewModel(server: server)
  }

  /// Shows what there is, and syncs; then follows the store until it is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await self.push() }
      tasks.addTask { await self.followSaves() }
      tasks.addTask { await self.load() }
      tasks.addTask { await self.sync() }
    }
  }

  /// Shows what the store has.
  func load() async {
    await list.loadTrips()
  }

  /// Asks the server, once at a time.
  func sync() async {
    guard !server.isAsked else { return }
    server.isAsked = true
    // The view model keeps the sentence of a failure until there is another; here it is about the latest sync only.
    list.syncError = nil
    await list.sync()
    server.isAsked = false
  }

  /// What a window shows.
  func parts(_ view: PageView) -> [String: HTML] {
    PageTemplate.parts(list, server, view)
  }

  /// Does what a form asks for.
  ///
  /// - Returns: What its window shows then: the list if the trip is kept, else the form.
  func submit(_ form: TripForm, _ action: TripForm.Action) async -> PageView {
    var form = form
    form.perform(action)
    guard action == .save else { return PageView(editing: form.id, draft: form) }
    do {
      try await dependencies.tripRepository.update(form.trip(), since: form.seen)
      await list.loadTrips()
      return PageView()
    } catch {
      // To save again replaces what is there now: whoever does has been told.
      await list.loadTrips()
      if let current = list.trips.first(where: { $0.id == form.id }) { form.seen = current.version }
      return PageView(editing: form.id, draft: form, problem: error.localizedDescription)
    }
  }

  /// Tells the windows when something that they show is another. What they read of the view models is what is watched.
  private func push() async {
    var last: [String: HTML]?
    while !Task.isCancelled {
      // It is told before the change. Both happen on the main actor, so that what is drawn next is drawn after it.
      let (changes, change) = AsyncStream.makeStream(of: Void.self)
      let parts = withObservationTracking {
        PageTemplate.parts(list, server)
      } onChange: {
        change.yield()
      }
      if parts != last { events.send("change") }
      last = parts
      for await _ in changes { break }
    }
  }

  /// Shows anew what is saved, whoever saves it, in this process or another.
  ///
  /// The live query tells which trips there are; legs, people and tags that are read of them tell of their own changes.
  private func followSaves() async {
    let trips: ResultsObserver<TripEntity, Never>
    do {
      trips = try ResultsObserver(modelContainer: dependencies.modelContainer)
    } catch {
      list.syncError = error.localizedDescription
      return
    }
    while !Task.isCancelled {
      let (changes, change) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = trips.results.map(Trip.init)
      } onChange: {
        change.yield()
      }
      // What was saved before they were watched.
      await list.loadTrips()
      for await _ in changes { break }
    }
  }
}
