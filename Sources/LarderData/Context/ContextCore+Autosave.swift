import Foundation
import LarderSQLite
import LarderSupport

// A context with `autosaveEnabled` saves at the end of the queue turn in which a model changed, at most once in
// `autosaveInterval`; when the program ends; and when the context is released.

extension _ContextCore {
  /// The minimum number of seconds between two autosaves.
  package static let autosaveInterval = 1.0
  /// The maximum number of seconds between two attempts: rare enough for the log of a program whose disk is full, and soon
  /// enough once the disk has space again.
  static let maximumAutosaveDelay = 60.0

  /// Schedules an autosave at the end of the current turn.
  func scheduleAutosave() {
    let sinceLast = ProcessInfo.processInfo.systemUptime - lastAutosave
    scheduleAutosave(after: max(0, _ContextCore.autosaveInterval - sinceLast))
  }

  private func scheduleAutosave(after seconds: Double) {
    guard autosaveEnabled, !isAutosaveScheduled, let scheduler else { return }
    isAutosaveScheduled = true
    AutosaveRegistry.shared.add(weakHandle, scheduler, for: self)
    scheduler.schedule(after: seconds) { [weakHandle] in weakHandle.object?.autosave() }
  }

  func autosave() {
    guard isAutosaveScheduled else { return }
    isAutosaveScheduled = false
    // The end of the program waits for an autosave that is in progress.
    defer { if !isAutosaveScheduled { AutosaveRegistry.shared.remove(self) } }
    // A block that has not returned has made only part of its changes.
    guard autosaveEnabled, hasChanges, !isSaving, !transactionState.isActive else { return }
    lastAutosave = ProcessInfo.processInfo.systemUptime
    do {
      try save()
      consecutiveAutosaveFailures = 0
    } catch {
      // The cause may disappear without a further change in this context: a disk has space again.
      let pause = min(
        _ContextCore.maximumAutosaveDelay,
        _ContextCore.autosaveInterval * Double(1 << min(consecutiveAutosaveFailures, 16)))
      consecutiveAutosaveFailures += 1
      Log.warning(
        "Changes could not be saved by themselves, and stay pending. They are tried again in \(Int(pause)) s, and at the "
          + "end of the program. \(error)")
      scheduleAutosave(after: pause)
    }
  }
}

/// The contexts with a scheduled autosave, which also runs if the program ends first.
final class AutosaveRegistry: Sendable {
  static let shared: AutosaveRegistry = {
    let registry = AutosaveRegistry()
    StoreRegistry.runAtExit { registry.saveAtExit() }
    return registry
  }()

  private struct Entry {
    let weakHandle: WeakHandle<_ContextCore>
    let scheduler: ContextScheduler
  }

  private let entries = Locked<[ObjectIdentifier: Entry]>([:])

  func add(_ tether: WeakHandle<_ContextCore>, _ turns: ContextScheduler, for core: _ContextCore) {
    entries.withLock { $0[ObjectIdentifier(core)] = Entry(weakHandle: tether, scheduler: turns) }
  }

  func remove(_ core: _ContextCore) { _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(core)) } }

  /// The maximum number of passes over the waiting contexts: an observer of a save may change another context, and a context
  /// whose save fails waits again.
  private static let maximumExitPasses = 8

  /// Saves the changes that the end of the program would lose.
  func saveAtExit() {
    var busy: Set<ObjectIdentifier> = []
    for round in 0..<AutosaveRegistry.maximumExitPasses {
      let all = entries.withLock { $0.filter { !busy.contains($0.key) } }
      if all.isEmpty { return }
      for (core, one) in all {
        let tether = one.weakHandle
        let isAsked = one.scheduler.runAtExit {
          guard let core = tether.object, round == 0 || core.consecutiveAutosaveFailures == 0 else { return }
          core.autosave()
        }
        if isAsked { continue }
        busy.insert(core)
        Log.warning(
          "The program ended while a context was busy with changes, which are lost. Call save() before the end.")
      }
    }
  }
}
