import Foundation

extension HTTPError {
  /// Creates the error for a status that is no success.
  init(unacceptable head: ResponseHead, body: Data, metrics: HTTPMetrics, now: Date) {
    let wait = RetryAfter(head: head, now: now)
    let kind: Kind =
      switch head.status {
      case 401: .unauthorized
      case 429: .rateLimited(until: wait?.date(from: now))
      case 503 where wait != nil: .rateLimited(until: wait?.date(from: now))
      // Some servers send 403 for an exhausted limit, or with the time to come again.
      case 403 where wait != nil: .rateLimited(until: wait?.date(from: now))
      default: .unacceptableStatus(head.status)
      }
    self.init(kind, delivery: .responded, status: head.status)
    headers = head.headers
    wasSentWithoutUserAgent = head.wasSentWithoutUserAgent
    self.body = body
    self.metrics = metrics
    if MediaType(head.headers["Content-Type"]).isJSON { problem = ProblemDetails(json: body) }
  }
}
