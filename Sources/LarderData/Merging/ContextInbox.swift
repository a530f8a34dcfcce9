import LarderSQLite
import LarderSupport
import Synchronization

/// What others saved, until a context takes it over, in its own isolation.
///
/// Whoever saves puts a change set in, from any thread; only the context takes them out.
package final class ContextInbox: Sendable {
  /// More rows than these are not listed any more: the context then looks at all of its objects.
  static let capacity = 50_000

  package struct Mail {
    package private(set) var changes: [ChangeSet] = []
    var rowCount = 0
    /// Whether there were too many rows to list them.
    package fileprivate(set) var isOverfull = false

    var isEmpty: Bool { changes.isEmpty && !isOverfull }

    mutating func add(_ change: ChangeSet) {
      rowCount += change.rowCount
      if isOverfull || rowCount > ContextInbox.capacity {
        fill()
      } else {
        changes.append(change)
      }
    }

    fileprivate mutating func fill() {
      isOverfull = true
      changes.removeAll()
    }
  }

  private struct Box {
    var mail = Mail()
    var isOpen = true
    var wake: (@Sendable () -> Void)?
    /// Whether the context has been told of what waits.
    var isWoken = false

    /// What has the context look, if it is to be told.
    mutating func call() -> (@Sendable () -> Void)? {
      guard !mail.isEmpty, !isWoken, let wake else { return nil }
      isWoken = true
      return wake
    }
  }

  private let box = Locked(Box())
  private let isFilled = Atomic<Bool>(false)

  package init() {}

  /// Whether something waits.
  package var hasMail: Bool { isFilled.load(ordering: .acquiring) }

  /// Whether it takes anything.
  var isOpen: Bool {
    get { box.withLock { $0.isOpen } }
    set {
      change { box in
        // Nobody knows what was missed while it was closed.
        if newValue, !box.isOpen { box.mail.fill() }
        if !newValue { box.mail = Mail() }
        box.isOpen = newValue
      }
    }
  }

  /// What is called, by whoever fills the box, when something waits that the context has not been told of.
  func setWake(_ wake: @escaping @Sendable () -> Void) { change { $0.wake = wake } }

  func deliver(_ change: ChangeSet) { self.change { if $0.isOpen { $0.mail.add(change) } } }

  /// Anything may have changed.
  func deliverEverything() { change { if $0.isOpen { $0.mail.fill() } } }

  private func change(_ body: (inout Box) -> Void) {
    let call = box.withLock { box in
      body(&box)
      isFilled.store(!box.mail.isEmpty, ordering: .releasing)
      return box.call()
    }
    call?()
  }

  /// What waits, which goes on waiting.
  func peek() -> Mail { box.withLock { $0.mail } }

  package func take() -> Mail {
    box.withLock { box in
      defer {
        box.mail = Mail()
        box.isWoken = false
      }
      isFilled.store(false, ordering: .releasing)
      return box.mail
    }
  }

  /// What could not be taken over waits for the next try.
  package func putBack(_ mail: Mail) {
    box.withLock { box in
      guard box.isOpen else { return }
      let later = box.mail
      box.mail = mail
      for change in later.changes { box.mail.add(change) }
      if later.isOverfull { box.mail.fill() }
      isFilled.store(!box.mail.isEmpty, ordering: .releasing)
    }
  }
}

extension ContextInbox: CommitObserver {
  package var stage: CommitStage { .contexts }
  package func didCommit(_ changes: ChangeSet) { if !changes.isEmpty { deliver(changes) } }
  package func didCommitAnything() { deliverEverything() }
}

extension ChangeSet {
  fileprivate var rowCount: Int {
    entities.reduce(0) { $0 + $1.inserted.count + $1.updated.count + $1.deleted.count }
  }
}
