/// How long the phases of a request may take. A phase that is nil has no limit.
///
/// ```swift
/// endpoint.deadlines = Deadlines(total: .seconds(10))
/// ```
///
/// What passes one is an error of the kind ``HTTPError/Kind/deadline(_:)``. Precise to about a millisecond.
public struct Deadlines: Sendable, Hashable {
  /// From the beginning until the connection stands: finding the address, TCP and TLS.
  public var connect: Duration?
  /// From the moment at which the whole request was handed over until the first byte of the answer. An interim response
  /// (1xx) begins it anew.
  public var firstByte: Duration?
  /// The longest silence in either direction while a body is under way. What waits because its reader is slow is not
  /// silent.
  public var idle: Duration?
  /// All of it: the encoding of its body, every attempt, the waits between them, redirects, and the body of the answer.
  ///
  /// A wait that would end after it is not begun: what has failed last is thrown at once, and not
  /// ``HTTPError/Kind/deadline(_:)``.
  public var total: Duration?

  public init(
    connect: Duration? = Deadlines.defaultConnect, firstByte: Duration? = Deadlines.defaultFirstByte,
    idle: Duration? = Deadlines.defaultIdle, total: Duration? = Deadlines.defaultTotal
  ) {
    self.connect = connect
    self.firstByte = firstByte
    self.idle = idle
    self.total = total
  }

  /// For bodies that may take as long as they like while something moves.
  public static let streaming = Deadlines(total: nil)

  /// 10 s: three retransmissions of a lost SYN.
  public static let defaultConnect: Duration? = .seconds(10)
  /// 60 s, what most servers and proxies allow a handler.
  public static let defaultFirstByte: Duration? = .seconds(60)
  /// 30 s: a mobile connection that is silent for longer is gone.
  public static let defaultIdle: Duration? = .seconds(30)
  /// 5 min: nobody waits longer for an answer of a few megabytes, and a server that drips must not hold one for ever.
  public static let defaultTotal: Duration? = .seconds(300)
}

/// How much a response may be. What is more is an error of the kind ``HTTPError/Kind/tooLarge(_:)``, as soon as it is
/// known.
public struct Limits: Sendable, Hashable {
  /// The body as it comes over the connection, in bytes. Of a compressed refusal no more than 1 MiB is taken.
  public var body: Int64
  /// The body after decompression, in bytes: a kilobyte can become a gigabyte.
  public var decompressedBody: Int64
  /// The header, in bytes.
  public var headers: Int
  /// How many redirects are followed.
  public var redirects: Int

  public init(
    body: Int64 = Limits.defaultBody, decompressedBody inflatedBody: Int64 = Limits.defaultDecompressedBody,
    headers: Int = Limits.defaultHeaders, redirects: Int = Limits.defaultRedirects
  ) {
    self.body = body
    self.decompressedBody = inflatedBody
    self.headers = headers
    self.redirects = redirects
  }

  /// For downloads and streams, which nobody holds in memory.
  public static let streaming = Limits(body: .max, decompressedBody: .max)

  /// 64 MiB: far more than an API's answer, and less than a small device has.
  public static let defaultBody: Int64 = 64 << 20
  /// 256 MiB: JSON is a quarter of its size when it is compressed, seldom less.
  public static let defaultDecompressedBody: Int64 = 256 << 20
  /// 64 KiB: what the larger servers themselves allow.
  public static let defaultHeaders = 64 << 10
  /// 10: a chain that is longer is a circle.
  public static let defaultRedirects = 10
}
