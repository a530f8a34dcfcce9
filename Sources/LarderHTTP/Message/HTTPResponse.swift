public import Foundation

/// The status and the header of a response.
public struct ResponseHead: Sendable, Equatable {
  /// The status code, from 200 to 599; interim responses are skipped.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The URL of the server that responded, after redirects.
  public var url: URL
  /// Whether this is a refusal (403) of a request without a `User-Agent`, which some servers require.
  var wasSentWithoutUserAgent = false

  /// Creates the head of a response.
  public init(status: Int, headers: HTTPHeaders = [:], url: URL) {
    self.status = status
    self.headers = headers
    self.url = url
  }

  /// Whether the status is a success (2xx).
  public var isSuccess: Bool { (200..<300).contains(status) }
}

/// A whole response.
public struct HTTPResponse: Sendable {
  /// The status and the header.
  public var head: ResponseHead
  /// The body, decompressed.
  public var body: Data
  /// The metrics of the exchange.
  public var metrics: HTTPMetrics

  /// Creates a response, for a transport's stub or an interceptor.
  public init(head: ResponseHead, body: Data = Data(), metrics: HTTPMetrics = HTTPMetrics()) {
    self.head = head
    self.body = body
    self.metrics = metrics
  }

  /// The status code.
  public var status: Int { head.status }
  /// The header fields.
  public var headers: HTTPHeaders { head.headers }
  /// Whether the response is "unchanged" (304), for the condition of the request. Such a response has no body.
  public var isUnchanged: Bool { head.status == 304 }
}

/// A response whose body is still to come.
public struct StreamedResponse: Sendable {
  /// The status and the header.
  public var head: ResponseHead
  /// The body, which can be read once.
  public var body: ResponseBody

  /// Creates a response, for a transport or an interceptor.
  public init(head: ResponseHead, body: ResponseBody) {
    self.head = head
    self.body = body
  }

  /// The status code.
  public var status: Int { head.status }
  /// The header fields.
  public var headers: HTTPHeaders { head.headers }
}
