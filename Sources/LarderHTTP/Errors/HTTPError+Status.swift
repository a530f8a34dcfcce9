import Foundation

extension HTTPError {
  /// The error that a status which is no success stands for.
  init(unacceptable head: ResponseHead, body: Data, metrics: HTTPMetrics, now: Date) {
    let wait = RetryAfter(head: head, now: now)
    let kind: Kind =
      switch head.status {
      case 401: .unauthorized
      case 429: .rateLimited(until: wait?.date(from: now))
      case 503 where wait != nil: .rateLimited(until: wait?.date(from: now))
      // Some servers say so by 403: that nothing is left, or when to come again.
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
