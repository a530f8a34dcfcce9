import Foundation
import LarderSQLite
import LarderSupport

// A context with `autosaveEnabled` saves at the end of the turn of its queue in which something changed, at most once in
// `autosaveInterval`; at the end of the program; and when it goes.

extension ContextCore {
  /// Seconds between two saves that nobody asked for.
  package static let autosaveInterval = 1.0
  /// Seconds between two tries at the most: rare enough for the log of a program whose disk is full, and soon enough
  /// once it is not.
  static let longestAutosavePause = 60.0

  /// Has what has just begun to change saved at the end of the turn.
  func awaitAutosave() {
    let sinceLast = ProcessInfo.processInfo.systemUptime - lastAutosave
    awaitAutosave(after: max(0, ContextCore.autosaveInterval - sinceLast))
  }

  private func awaitAutosave(after seconds: Double) {
    guard autosaveEnabled, !isAutosaveAwaited, let turns else { return }
    isAutosaveAwaited = true
    Autosaves.shared.add(tether, turns, for: self)
    turns.run(after: seconds) { [tether] in tether.object?.autosave() }
  }

  func autosave() {
    guard isAutosaveAwaited else { return }
    isAutosaveAwaited = false
    // The end of the program waits for it until it is done.
    defer { if !isAutosaveAwaited { Autosaves.shared.remove(self) } }
    // A block that has not returned is half of a change.
    guard autosaveEnabled, hasChanges, !isSaving, !transactions.isUnderWay else { return }
    lastAutosave = ProcessInfo.processInfo.systemUptime
    do {
      try save()
      failedAutosaves = 0
    } catch {
      // What is wrong may be mended by a change that begins nothing, or by nobody here: a disk has room again.
      let pause = min(
        ContextCore.longestAutosavePause, ContextCore.autosaveInterval * Double(1 << min(failedAutosaves, 16)))
      failedAutosaves += 1
      Log.warning(
        "Changes could not be saved by themselves, and stay pending. They are tried again in \(Int(pause)) s, and at the "
          + "end of the program. \(error)")
      awaitAutosave(after: pause)
    }
  }
}

/// The contexts that are about to save by themselves: the end of the program comes before that.
final class Autosaves: Sendable {
  static let shared = Autosaves()

  private struct Waiting {
    let tether: Tether<ContextCore>
    let turns: ContextTurns
  }

  private let waiting = Locked<[ObjectIdentifier: Waiting]>([:])

  func add(_ tether: Tether<ContextCore>, _ turns: ContextTurns, for core: ContextCore) {
    waiting.withLock { $0[ObjectIdentifier(core)] = Waiting(tether: tether, turns: turns) }
  }

  func remove(_ core: ContextCore) { _ = waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(core)) } }

  /// So many times contexts that wait are asked to save: who is told of a save may change something, and who cannot save
  /// waits again.
  private static let roundsAtExit = 8

  /// Saves what the end of the program would lose.
  func saveAtExit() {
    var busy: Set<ObjectIdentifier> = []
    for round in 0..<Autosaves.roundsAtExit {
      let all = waiting.withLock { $0.filter { !busy.contains($0.key) } }
      if all.isEmpty { return }
      for (core, one) in all {
        let tether = one.tether
        let isAsked = one.turns.runAtExit {
          guard let core = tether.object, round == 0 || core.failedAutosaves == 0 else { return }
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
