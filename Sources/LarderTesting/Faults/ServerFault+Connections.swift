extension ServerFault {
  /// The connection is closed when the request was read, and the server has done nothing.
  ///
  /// ```swift
  /// faults: .script([.closeBeforeCommit])  // the client cannot tell it from closeAfterCommit
  /// ```
  public static let closeBeforeCommit = ServerFault("closeBeforeCommit", .closeBeforeCommit)

  /// The server has acted, and was not heard: the connection is closed instead of an answer.
  ///
  /// ```swift
  /// // A payment must not be made twice, whatever the client does next.
  /// faults: .script([.closeAfterCommit])
  /// #expect(store.payments.count == 1)
  /// ```
  public static let closeAfterCommit = ServerFault("closeAfterCommit", .closeAfterCommit)

  /// The server has acted; its answer ends within the header.
  ///
  /// ```swift
  /// faults: .script([.closeWithinHead])
  /// ```
  public static let closeWithinHead = ServerFault("closeWithinHead", .closeWithinHead)

  /// The server has acted; its answer ends with the header.
  ///
  /// ```swift
  /// faults: .script([.closeBeforeBody])
  /// ```
  public static let closeBeforeBody = ServerFault("closeBeforeBody", .closeBeforeBody)

  /// The server has acted; the connection is reset instead of an answer.
  ///
  /// ```swift
  /// faults: .script([.reset])
  /// ```
  public static let reset = ServerFault("reset", .reset)

  /// The request is read, and nothing is done, until the client goes or the server stops.
  ///
  /// ```swift
  /// faults: .script([.stall])  // and a short deadline for the first byte
  /// ```
  public static let stall = ServerFault("stall", .stall)

  /// The server has acted; its answer stops in the middle of the body, and the connection stays open.
  ///
  /// ```swift
  /// faults: .script([.stallWithinBody])  // and a short deadline for silence
  /// ```
  public static let stallWithinBody = ServerFault("stallWithinBody", .stallWithinBody)

  /// The answer comes in small portions with pauses between them.
  ///
  /// ```swift
  /// faults: .script([.slowDrip(portion: 1, pause: .milliseconds(50))])
  /// ```
  ///
  /// - Parameters:
  ///   - portion: Bytes at a time.
  ///   - pause: Between two portions.
  public static func slowDrip(portion: Int = 1, pause: Duration = .milliseconds(2)) -> ServerFault {
    ServerFault("slowDrip", .drip(portion: portion, pause: pause))
  }

  /// The body ends before its length is reached, and the connection with it.
  ///
  /// ```swift
  /// faults: .script([.truncatedBody(keeping: 10)])
  /// ```
  ///
  /// - Parameter count: How many bytes come; nil for half of them.
  public static func truncatedBody(keeping count: Int? = nil) -> ServerFault {
    ServerFault("truncatedBody", .truncated(keeping: count))
  }

  /// `Content-Length` says another length than the body has.
  ///
  /// ```swift
  /// faults: .script([.wrongContentLength(by: -1)])  // the last byte is cut off, and nobody is told
  /// ```
  ///
  /// - Parameter bytes: How many more it says; fewer, where that is negative. With more the connection ends before them.
  public static func wrongContentLength(by bytes: Int = 5) -> ServerFault {
    ServerFault("wrongContentLength", .wrongLength(by: bytes))
  }
}
