/// The time limits of a request's phases. A phase that is nil has no limit.
///
/// ```swift
/// endpoint.deadlines = Deadlines(total: .seconds(10))
/// ```
///
/// A request that exceeds one fails with the kind ``HTTPError/Kind/deadline(_:)``. Precise to about a millisecond.
public struct Deadlines: Sendable, Hashable {
  /// From the beginning until the connection is established: name resolution, TCP and TLS.
  public var connect: Duration?
  /// From the moment at which the whole request was passed to the connection until the first byte of the response. An interim
  /// response (1xx) restarts it.
  public var firstByte: Duration?
  /// The longest silence in either direction during the transfer of a body. A pause because of a slow reader is no silence.
  public var idle: Duration?
  /// The whole call: the encoding of the body, all attempts, the waits between them, redirects, and the body of the response.
  ///
  /// A wait that would exceed it is not begun: the last attempt's error is thrown at once, and not
  /// ``HTTPError/Kind/deadline(_:)``.
  public var total: Duration?

  /// Creates deadlines; nil removes a limit.
  public init(
    connect: Duration? = Deadlines.defaultConnect, firstByte: Duration? = Deadlines.defaultFirstByte,
    idle: Duration? = Deadlines.defaultIdle, total: Duration? = Deadlines.defaultTotal
  ) {
    self.connect = connect
    self.firstByte = firstByte
    self.idle = idle
    self.total = total
  }

  /// Deadlines for bodies that may take any time as long as data moves.
  public static let streaming = Deadlines(total: nil)

  /// 10 s: three retransmissions of a lost SYN.
  public static let defaultConnect: Duration? = .seconds(10)
  /// 60 s: the time that most servers and proxies allow a handler.
  public static let defaultFirstByte: Duration? = .seconds(60)
  /// 30 s: a mobile connection that is silent for longer is gone.
  public static let defaultIdle: Duration? = .seconds(30)
  /// 5 min: no user waits longer for a response of a few megabytes, and a server that drips must not hold a request for ever.
  public static let defaultTotal: Duration? = .seconds(300)
}

/// The size limits of a response. A larger response fails with the kind ``HTTPError/Kind/tooLarge(_:)``, as soon as its size
/// is known.
///
/// ```swift
/// endpoint.limits = Limits(body: 1 << 20)
/// ```
public struct Limits: Sendable, Hashable {
  /// The bytes of the body as it arrives over the connection. Of a compressed refusal at most 1 MiB is read.
  public var body: Int64
  /// The bytes of the body after decompression: a kilobyte can become a gigabyte.
  public var decompressedBody: Int64
  /// The bytes of the header.
  public var headers: Int
  /// The number of redirects that are followed.
  public var redirects: Int

  /// Creates limits.
  public init(
    body: Int64 = Limits.defaultBody, decompressedBody inflatedBody: Int64 = Limits.defaultDecompressedBody,
    headers: Int = Limits.defaultHeaders, redirects: Int = Limits.defaultRedirects
  ) {
    self.body = body
    self.decompressedBody = inflatedBody
    self.headers = headers
    self.redirects = redirects
  }

  /// Limits for downloads and streams, whose bodies are not kept in memory.
  public static let streaming = Limits(body: .max, decompressedBody: .max)

  /// 64 MiB: far more than an API's response, and less than a small device's memory.
  public static let defaultBody: Int64 = 64 << 20
  /// 256 MiB: compressed JSON has a quarter of its size, and seldom less.
  public static let defaultDecompressedBody: Int64 = 256 << 20
  /// 64 KiB: the limit of the larger servers themselves.
  public static let defaultHeaders = 64 << 10
  /// 10: a longer chain is a loop.
  public static let defaultRedirects = 10
}
