import LarderSQLite
import LarderSupport

/// A signal that resumes one waiting task. Any number of signals while the task is not waiting resume it once.
final class AsyncSignal: Sendable {
  private struct State {
    var isSignaled = false
    var isCancelled = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  /// Sends the signal.
  func signal() { wake { $0.isSignaled = true } }

  private func cancel() { wake { $0.isCancelled = true } }

  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiting?.resume()
  }

  /// Waits for the signal.
  ///
  /// - Returns: `true` after a signal, or `false` if the task was cancelled.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.isSignaled || state.isCancelled { return true }
          state.waiter = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
    return state.withLock { state in
      state.isSignaled = false
      return !state.isCancelled
    }
  }
}
