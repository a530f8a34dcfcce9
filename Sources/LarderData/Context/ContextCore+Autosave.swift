import Foundation
import LarderSQLite
import LarderSupport

// A context with `autosaveEnabled` saves at the end of the turn of its queue in which something changed, at most once in
// `autosaveInterval`; at the end of the program; and when it goes.

extension _ContextCore {
  /// Seconds between two saves that nobody asked for.
  package static let autosaveInterval = 1.0
  /// Seconds between two tries at the most: rare enough for the log of a program whose disk is full, and soon enough
  /// once it is not.
  static let maximumAutosaveDelay = 60.0

  /// Has what has just begun to change saved at the end of the turn.
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
    // The end of the program waits for it until it is done.
    defer { if !isAutosaveScheduled { AutosaveRegistry.shared.remove(self) } }
    // A block that has not returned is half of a change.
    guard autosaveEnabled, hasChanges, !isSaving, !transactionState.isActive else { return }
    lastAutosave = ProcessInfo.processInfo.systemUptime
    do {
      try save()
      consecutiveAutosaveFailures = 0
    } catch {
      // What is wrong may be mended by a change that begins nothing, or by nobody here: a disk has room again.
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

/// The contexts that are about to save by themselves: the end of the program comes before that.
final class AutosaveRegistry: Sendable {
  static let shared = AutosaveRegistry()

  private struct Entry {
    let weakHandle: WeakHandle<_ContextCore>
    let scheduler: ContextScheduler
  }

  private let entries = Locked<[ObjectIdentifier: Entry]>([:])

  func add(_ tether: WeakHandle<_ContextCore>, _ turns: ContextScheduler, for core: _ContextCore) {
    entries.withLock { $0[ObjectIdentifier(core)] = Entry(weakHandle: tether, scheduler: turns) }
  }

  func remove(_ core: _ContextCore) { _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(core)) } }

  /// So many times contexts that wait are asked to save: who is told of a save may change something, and who cannot save
  /// waits again.
  private static let maximumExitPasses = 8

  /// Saves what the end of the program would lose.
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
