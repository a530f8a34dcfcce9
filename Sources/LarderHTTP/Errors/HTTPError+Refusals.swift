import Foundation

extension HTTPError {
  /// The error that a status which is no success stands for.
  init(refusal head: ResponseHead, body: Data, metrics: HTTPMetrics, now: Date) {
    let wait = ServerWait(head: head, now: now)
    let kind: Kind =
      switch head.status {
      case 401: .unauthorized
      case 429: .limited(until: wait?.date(from: now))
      case 503 where wait != nil: .limited(until: wait?.date(from: now))
      // Some servers say so by 403: that nothing is left, or when to come again.
      case 403 where wait != nil: .limited(until: wait?.date(from: now))
      default: .refused(head.status)
      }
    self.init(kind, delivery: .answered, status: head.status)
    headers = head.headers
    hadNoUserAgent = head.isWithoutUserAgent
    self.body = body
    self.metrics = metrics
    if MediaType(head.headers["Content-Type"]).isJSON { problem = ProblemDetails(json: body) }
  }
}
