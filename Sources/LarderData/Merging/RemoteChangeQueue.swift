import LarderSQLite
import LarderSupport
import Synchronization

/// The commits of other contexts and processes that a context has not merged yet.
///
/// Any thread that saves adds a change set; only the context removes them, in its own isolation.
package final class RemoteChangeQueue: Sendable {
  package struct Batch {
    package private(set) var changes: [ChangeSet] = []
    var rowCount = 0
    /// Whether there were too many rows to list them.
    package fileprivate(set) var hasOverflowed = false

    var isEmpty: Bool { changes.isEmpty && !hasOverflowed }

    mutating func append(_ change: ChangeSet) {
      rowCount += change.rowCount
      if hasOverflowed || rowCount > ChangeSet.maximumListedRows {
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
    /// Whether the context has been notified of the waiting changes.
    var hasRequestedWake = false

    /// Returns the closure that wakes the context, if a notification is due.
    mutating func requestWake() -> (@Sendable () -> Void)? {
      guard !batch.isEmpty, !hasRequestedWake, let wake else { return nil }
      hasRequestedWake = true
      return wake
    }
  }

  private let state = Locked(State())
  private let isNonempty = Atomic<Bool>(false)

  package init() {}

  /// Whether changes are waiting.
  package var hasChanges: Bool { isNonempty.load(ordering: .acquiring) }

  /// Whether the queue accepts changes.
  var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set {
      updateState { box in
        // The changes that were missed while the queue was disabled are unknown.
        if newValue, !box.isEnabled { box.batch.overflow() }
        if !newValue { box.batch = Batch() }
        box.isEnabled = newValue
      }
    }
  }

  /// Sets the closure that wakes the context. The thread that adds changes calls it, once until the next ``drain()``.
  func setWake(_ wake: @escaping @Sendable () -> Void) { updateState { $0.wake = wake } }

  func enqueue(_ change: ChangeSet) { self.updateState { if $0.isEnabled { $0.batch.append(change) } } }

  /// Records that any row may have changed.
  func enqueueUnknownChanges() { updateState { if $0.isEnabled { $0.batch.overflow() } } }

  private func updateState(_ body: (inout State) -> Void) {
    let call = state.withLock { box in
      body(&box)
      isNonempty.store(!box.batch.isEmpty, ordering: .releasing)
      return box.requestWake()
    }
    call?()
  }

  /// Returns the waiting changes without removing them.
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

  /// Returns changes that could not be merged to the queue, for the next attempt.
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
