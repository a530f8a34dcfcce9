import Dispatch

/// Runs what blocks away from Swift's own threads, of which there are as few as cores.
///
/// One at a time: a store's own calls wait here for one another, and not for its lock.
struct BlockingQueue: Sendable {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated, autoreleaseFrequency: .workItem) }

  func run<R: Sendable>(_ work: @escaping @Sendable () throws(SecretError) -> R) async throws(SecretError) -> R {
    try await result(of: work).get()
  }

  func result<R: Sendable>(of work: @escaping @Sendable () throws(SecretError) -> R) async -> Result<R, SecretError> {
    await withCheckedContinuation { continuation in
      queue.async {
        do throws(SecretError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
  }
}
