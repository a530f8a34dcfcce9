public import Foundation

/// A response's status and header.
public struct ResponseHead: Sendable, Equatable {
  /// The status code, from 200 to 599; interim ones are not shown.
  public var status: Int
  public var headers: HTTPHeaders
  /// The address that answered, after redirects.
  public var url: URL
  /// Whether it refuses (403) a request that had no `User-Agent`, which some servers want.
  var wasSentWithoutUserAgent = false

  public init(status: Int, headers: HTTPHeaders = [:], url: URL) {
    self.status = status
    self.headers = headers
    self.url = url
  }

  /// Whether the status is one of success (2xx).
  public var isSuccess: Bool { (200..<300).contains(status) }
}

/// A whole response.
public struct HTTPResponse: Sendable {
  public var head: ResponseHead
  /// The body, decompressed.
  public var body: Data
  public var metrics: HTTPMetrics

  public init(head: ResponseHead, body: Data = Data(), metrics: HTTPMetrics = HTTPMetrics()) {
    self.head = head
    self.body = body
    self.metrics = metrics
  }

  public var status: Int { head.status }
  public var headers: HTTPHeaders { head.headers }
  /// Whether it says that nothing has changed (304), in answer to the condition that the request had. It has no body.
  public var isUnchanged: Bool { head.status == 304 }
}

/// A response whose body is still to come.
public struct StreamedResponse: Sendable {
  public var head: ResponseHead
  public var body: ResponseBody

  public init(head: ResponseHead, body: ResponseBody) {
    self.head = head
    self.body = body
  }

  public var status: Int { head.status }
  public var headers: HTTPHeaders { head.headers }
}
