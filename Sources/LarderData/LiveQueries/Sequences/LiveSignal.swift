import LarderSQLite
import LarderSupport

/// Wakes one who waits. However often it is told while he is busy, he is woken once.
final class LiveSignal: Sendable {
  private struct State {
    var isTold = false
    var isOver = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  func tell() { wake { $0.isTold = true } }

  private func end() { wake { $0.isOver = true } }

  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Waits until there is something to look at.
  ///
  /// - Returns: Whether there is; otherwise the task was cancelled.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.isTold || state.isOver { return true }
          state.waiting = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      end()
    }
    return state.withLock { state in
      state.isTold = false
      return !state.isOver
    }
  }
}
