internal import Dispatch
internal import Synchronization

extension MainActor {
  /// Does something on the main actor while this thread waits: for the handlers of a server, each of which has a thread
  /// of its own. Not to be called on the main actor, nor from a task.
  public static func whileBlocked<Value: Sendable>(
    _ body: @escaping @MainActor @Sendable () async throws -> Value
  ) throws -> Value {
    let answer = Answer<Value>()
    let done = DispatchSemaphore(value: 0)
    Task { @MainActor in
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      answer.result.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    guard let result = answer.result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}

private final class Answer<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, any Error>?>(nil)
}
