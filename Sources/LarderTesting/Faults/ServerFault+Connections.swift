extension ServerFault {
  /// Closes the connection after the request was read. The handler is not run.
  ///
  /// ```swift
  /// faults: .script([.closeBeforeCommit])  // the client cannot distinguish it from closeAfterCommit
  /// ```
  public static let closeBeforeCommit = ServerFault("closeBeforeCommit", .closeBeforeCommit)

  /// Runs the handler, and closes the connection instead of sending the response.
  ///
  /// ```swift
  /// // A payment must not be made twice, whatever the client does next.
  /// faults: .script([.closeAfterCommit])
  /// #expect(store.payments.count == 1)
  /// ```
  public static let closeAfterCommit = ServerFault("closeAfterCommit", .closeAfterCommit)

  /// Runs the handler. The response ends within the header.
  ///
  /// ```swift
  /// faults: .script([.closeWithinHead])
  /// ```
  public static let closeWithinHead = ServerFault("closeWithinHead", .closeWithinHead)

  /// Runs the handler. The response ends after the header.
  ///
  /// ```swift
  /// faults: .script([.closeBeforeBody])
  /// ```
  public static let closeBeforeBody = ServerFault("closeBeforeBody", .closeBeforeBody)

  /// Runs the handler, and resets the connection instead of sending the response.
  ///
  /// ```swift
  /// faults: .script([.reset])
  /// ```
  public static let reset = ServerFault("reset", .reset)

  /// Reads the request, and sends nothing until the client disconnects or the server stops. The handler is not run.
  ///
  /// ```swift
  /// faults: .script([.stall])  // and a short deadline for the first byte
  /// ```
  public static let stall = ServerFault("stall", .stall)

  /// Runs the handler. The response stops in the middle of the body, and the connection stays open.
  ///
  /// ```swift
  /// faults: .script([.stallWithinBody])  // and a short deadline for silence
  /// ```
  public static let stallWithinBody = ServerFault("stallWithinBody", .stallWithinBody)

  /// Sends the response in small portions with pauses between them.
  ///
  /// ```swift
  /// faults: .script([.slowDrip(portion: 1, pause: .milliseconds(50))])
  /// ```
  ///
  /// - Parameters:
  ///   - portion: The number of bytes in a portion.
  ///   - pause: The time between two portions.
  public static func slowDrip(portion: Int = 1, pause: Duration = .milliseconds(2)) -> ServerFault {
    ServerFault("slowDrip", .drip(portion: portion, pause: pause))
  }

  /// Ends the body, and the connection, before the length in `Content-Length` is reached.
  ///
  /// ```swift
  /// faults: .script([.truncatedBody(keeping: 10)])
  /// ```
  ///
  /// - Parameter count: The number of bytes that are sent; `nil` for half of them.
  public static func truncatedBody(keeping count: Int? = nil) -> ServerFault {
    ServerFault("truncatedBody", .truncated(keeping: count))
  }

  /// Sends a `Content-Length` that differs from the body's length.
  ///
  /// ```swift
  /// faults: .script([.wrongContentLength(by: -1)])  // the last byte is cut off, without an error
  /// ```
  ///
  /// - Parameter bytes: The difference from the body's length. If it is positive, the connection ends before the missing bytes; if
  ///   it is negative, the stated length is less than the body's.
  public static func wrongContentLength(by bytes: Int = 5) -> ServerFault {
    ServerFault("wrongContentLength", .wrongLength(by: bytes))
  }
}
