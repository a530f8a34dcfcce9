import LarderSQLite
import LarderSupport
import Synchronization

/// What others saved, until a context takes it over, in its own isolation.
///
/// Whoever saves puts a change set in, from any thread; only the context takes them out.
package final class RemoteChangeQueue: Sendable {
  /// More rows than these are not listed any more: the context then looks at all of its objects.
  static let capacity = 50_000

  package struct Batch {
    package private(set) var changes: [ChangeSet] = []
    var rowCount = 0
    /// Whether there were too many rows to list them.
    package fileprivate(set) var hasOverflowed = false

    var isEmpty: Bool { changes.isEmpty && !hasOverflowed }

    mutating func append(_ change: ChangeSet) {
      rowCount += change.rowCount
      if hasOverflowed || rowCount > RemoteChangeQueue.capacity {
        overflow()
      } else {
        changes.append(change)
      }
    }

    fileprivate mutating func overflow() {
      hasOverflowed = true
      changes.removeAll()
    }
  }

  private struct State {
    var batch = Batch()
    var isEnabled = true
    var wake: (@Sendable () -> Void)?
    /// Whether the context has been told of what waits.
    var hasRequestedWake = false

    /// What has the context look, if it is to be told.
    mutating func requestWake() -> (@Sendable () -> Void)? {
      guard !batch.isEmpty, !hasRequestedWake, let wake else { return nil }
      hasRequestedWake = true
      return wake
    }
  }

  private let state = Locked(State())
  private let isNonempty = Atomic<Bool>(false)

  package init() {}

  /// Whether something waits.
  package var hasChanges: Bool { isNonempty.load(ordering: .acquiring) }

  /// Whether it takes anything.
  var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set {
      updateState { box in
        // Nobody knows what was missed while it was closed.
        if newValue, !box.isEnabled { box.batch.overflow() }
        if !newValue { box.batch = Batch() }
        box.isEnabled = newValue
      }
    }
  }

  /// What is called, by whoever fills the box, when something waits that the context has not been told of.
  func setWake(_ wake: @escaping @Sendable () -> Void) { updateState { $0.wake = wake } }

  func enqueue(_ change: ChangeSet) { self.updateState { if $0.isEnabled { $0.batch.append(change) } } }

  /// Anything may have changed.
  func enqueueUnknownChanges() { updateState { if $0.isEnabled { $0.batch.overflow() } } }

  private func updateState(_ body: (inout State) -> Void) {
    let call = state.withLock { box in
      body(&box)
      isNonempty.store(!box.batch.isEmpty, ordering: .releasing)
      return box.requestWake()
    }
    call?()
  }

  /// What waits, which goes on waiting.
  func peek() -> Batch { state.withLock { $0.batch } }

  package func drain() -> Batch {
    state.withLock { box in
      defer {
        box.batch = Batch()
        box.hasRequestedWake = false
      }
      isNonempty.store(false, ordering: .releasing)
      return box.batch
    }
  }

  /// What could not be taken over waits for the next try.
  package func requeue(_ mail: Batch) {
    state.withLock { box in
      guard box.isEnabled else { return }
      let later = box.batch
      box.batch = mail
      for change in later.changes { box.batch.append(change) }
      if later.hasOverflowed { box.batch.overflow() }
      isNonempty.store(!box.batch.isEmpty, ordering: .releasing)
    }
  }
}

extension RemoteChangeQueue: CommitObserver {
  package var stage: CommitStage { .contexts }
  package func didCommit(_ changes: ChangeSet) { if !changes.isEmpty { enqueue(changes) } }
  package func didCommitUnknownChanges() { enqueueUnknownChanges() }
}

extension ChangeSet {
  fileprivate var rowCount: Int {
    entities.reduce(0) { $0 + $1.inserted.count + $1.updated.count + $1.deleted.count }
  }
}
