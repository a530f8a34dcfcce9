internal import Foundation
internal import Synchronization

/// The body of a stream, which reports the end of the exchange: when it is read to its end, has failed, or is abandoned.
final class ReportingBody: ResponseBodySource {
  private let response: StreamedResponse
  private let name: String
  private let isSafe: Bool
  private let counts: CallCounts
  private let report: @Sendable (HTTPMetrics, HTTPError?) -> Void
  private let isReported = Atomic(false)

  init(
    _ response: StreamedResponse, of request: HTTPRequest, counts: CallCounts,
    report: @escaping @Sendable (HTTPMetrics, HTTPError?) -> Void
  ) {
    self.response = response
    name = request.name
    isSafe = request.method.isSafe
    self.counts = counts
    self.report = report
  }

  var metrics: HTTPMetrics { response.body.metrics.with(counts) }

  /// Runs on no actor: the report calls the program's code, which must not delay a reader on the main actor.
  @concurrent func next() async throws(HTTPError) -> Data? {
    do throws(HTTPError) {
      var pieces = response.body.makeAsyncIterator()
      guard let piece = try await pieces.next() else {
        reportEnd(nil)
        return nil
      }
      return piece
    } catch {
      let failure = withCallDetails(error)
      reportEnd(failure)
      throw failure
    }
  }

  func cancel() {
    response.body.cancel()
    reportEnd(withCallDetails(HTTPError(.cancelled, delivery: .responded)))
  }

  private func withCallDetails(_ error: HTTPError) -> HTTPError {
    var known = error.withResponseHead(response.head)
    known.request = name
    known.isSafe = isSafe
    known.attempts = counts.attempts
    known.metrics = (error.metrics ?? response.body.metrics).with(counts)
    return known
  }

  private func reportEnd(_ error: HTTPError?) {
    guard !isReported.exchange(true, ordering: .acquiringAndReleasing) else { return }
    report(error?.metrics ?? metrics, error)
  }
}
