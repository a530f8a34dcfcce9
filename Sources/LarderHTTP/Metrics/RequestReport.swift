/// A report of a finished exchange, successful or not.
///
/// ```swift
/// configuration.metrics = { report in statistics.add(report.name, report.metrics.total, isFailure: report.error != nil) }
/// ```
public struct RequestReport: Sendable {
  /// The method and the path, without values.
  public var name: String
  /// The status of the response, if there was one.
  public var status: Int?
  /// The metrics of the exchange.
  public var metrics: HTTPMetrics
  /// The error of a failed exchange.
  public var error: HTTPError?

  /// Creates a report.
  public init(name: String, status: Int?, metrics: HTTPMetrics = HTTPMetrics(), error: HTTPError? = nil) {
    self.name = name
    self.status = status
    self.metrics = metrics
    self.error = error
  }
}
