/// What is told of an exchange that has ended, well or not.
public struct RequestReport: Sendable {
  /// Method and path without values.
  public var name: String
  /// The status of the response, where there was one.
  public var status: Int?
  public var metrics: HTTPMetrics
  /// Why it failed, if it did.
  public var error: HTTPError?

  public init(name: String, status: Int?, metrics: HTTPMetrics = HTTPMetrics(), error: HTTPError? = nil) {
    self.name = name
    self.status = status
    self.metrics = metrics
    self.error = error
  }
}
