import Dispatch

/// Runs what blocks away from Swift's own threads, of which there are as few as cores.
///
/// One at a time: a store's own calls wait here for one another, and not for its lock.
struct BlockingQueue: Sendable {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated, autoreleaseFrequency: .workItem) }

  /// For who sees himself to what comes of it.
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
