import Foundation
import Synchronization

/// A body that is there already.
final class WholeBody: ResponseBodySource {
  let metrics: HTTPMetrics
  private let rest: Mutex<Data?>

  init(_ data: Data, metrics: HTTPMetrics) {
    rest = Mutex(data.isEmpty ? nil : data)
    self.metrics = metrics
  }

  nonisolated(nonsending) func next() async throws(HTTPError) -> Data? {
    rest.withLock { rest in
      defer { rest = nil }
      return rest
    }
  }

  func cancel() { rest.withLock { $0 = nil } }
}
