import Dispatch

/// A serial queue for blocking work, outside of Swift's cooperative threads, of which there are as few as cores.
///
/// Work runs one item at a time: a store's own calls wait for each other in the queue, and not for the store's lock.
struct BlockingQueue: Sendable {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated, autoreleaseFrequency: .workItem) }

  /// Runs work without returning its result.
  func enqueue(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  func run<R: Sendable>(_ work: @escaping @Sendable () throws(SecretError) -> R) async throws(SecretError) -> R {
    let result: Result<R, SecretError> = await withCheckedContinuation { continuation in
      queue.async {
        do throws(SecretError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
