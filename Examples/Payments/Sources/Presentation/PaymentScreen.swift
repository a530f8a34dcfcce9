import ExampleSupport
import Foundation
import LarderHTTP
import Observation

/// What holds the view models and keeps the windows in step with them, as an app's scene would.
@MainActor
final class PaymentScreen {
  /// How long changes are gathered before they are drawn.
  private static let pause = Duration.milliseconds(40)

  let list: PaymentListViewModel
  let sync: SyncManager
  let signIn: SignInViewModel
  let demo: DemoViewModel
  /// The windows.
  nonisolated let events = EventHub()

  /// How often what the windows show was drawn anew, whether or not it was another.
  private(set) var drawings = 0

  private let container: DIContainer

  init(container: DIContainer, connectivity: any ConnectivityMonitor, controls: any DemoControls) throws {
    self.container = container
    list = try PaymentListViewModel(
      modelContainer: container.stack.container, repository: container.paymentRepository, outbox: container.desk)
    sync = SyncManager(
      connectivity: connectivity, repository: container.paymentRepository, outbox: container.desk,
      lastSync: try container.stack.lastSync, hurry: container.sender.patience.again)
    signIn = SignInViewModel(container.customer)
    demo = DemoViewModel(controls)
  }

  /// Sends, syncs, and follows the store until it is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await self.push() }
      tasks.addTask { await self.sync.run() }
      tasks.addTask { await self.send() }
      tasks.addTask {
        await self.signIn.run { Terminal.say("The bank has ended the session: sign in on the page.") }
      }
    }
  }

  /// The form of a window.
  func form(_ form: PaymentForm = PaymentForm()) -> PaymentFormViewModel {
    PaymentFormViewModel(form, outbox: container.desk)
  }

  /// What every window shows.
  func parts() -> [String: HTML] { PageTemplate.parts(list, sync, signIn, demo) }

  /// Brings what was taken to the bank. A store that fails once may do so for a while.
  private func send() async {
    while !Task.isCancelled {
      do { try await PaymentQueue(sender: container.sender).run() } catch {
        if Task.isCancelled { return }
        Terminal.say("The payments on their way wait: \(SyncTrouble.words(error))")
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Tells the windows when something that they show is another. What they read of the view models is what is watched.
  func push() async {
    var last: [String: HTML]?
    while !Task.isCancelled {
      // It is told before the change. Both happen on the main actor, so that what is drawn next is drawn after it.
      let (changes, change) = AsyncStream.makeStream(of: Void.self)
      let parts = withObservationTracking {
        self.parts()
      } onChange: {
        change.yield()
      }
      drawings += 1
      if parts != last { events.send("change") }
      last = parts
      for await _ in changes { break }
      // A payment that finds no bank is on its way for a moment only.
      try? await Task.sleep(for: Self.pause)
    }
  }
}
