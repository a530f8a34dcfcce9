import Foundation
import Synchronization

/// A body that is completely in memory.
final class BufferedBody: ResponseBodySource {
  let metrics: HTTPMetrics
  private let rest: Mutex<Data?>
  private let isCancelled = Atomic(false)

  init(_ data: Data, metrics: HTTPMetrics) {
    rest = Mutex(data.isEmpty ? nil : data)
    self.metrics = metrics
  }

  nonisolated(nonsending) func next() async throws(HTTPError) -> Data? {
    let piece = rest.withLock { rest in
      defer { rest = nil }
      return rest
    }
    // A cancellation is an error, and not the end of the body.
    if piece == nil, isCancelled.load(ordering: .relaxed) { throw HTTPError(.cancelled, delivery: .responded) }
    return piece
  }

  func cancel() {
    rest.withLock { rest in
      if rest != nil { isCancelled.store(true, ordering: .relaxed) }
      rest = nil
    }
  }
}
