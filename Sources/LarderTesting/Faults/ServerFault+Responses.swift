extension ServerFault {
  /// The answer is compressed, and its end is missing, though its length is right.
  ///
  /// ```swift
  /// faults: .script([.truncatedCompression])
  /// ```
  public static let truncatedCompression = ServerFault("truncatedCompression", .truncatedCompression)

  /// The answer becomes a thousand times as large when it is decompressed: zeros.
  ///
  /// ```swift
  /// faults: .script([.compressedBomb(bytes: 300 << 20)])
  /// ```
  ///
  /// - Parameter bytes: How large it becomes.
  public static func compressedBomb(bytes: Int = 1 << 20) -> ServerFault {
    ServerFault("compressedBomb", .compressedBomb(bytes: bytes))
  }

  /// What comes is no HTTP.
  ///
  /// ```swift
  /// faults: .script([.noHTTP])
  /// ```
  public static let noHTTP = ServerFault("noHTTP", .noHTTP)

  /// The answer says that it is JSON, and breaks off in the middle of it, with the length of what is there.
  ///
  /// ```swift
  /// faults: .script([.noJSON])
  /// ```
  public static let noJSON = ServerFault("noJSON", .noJSON)

  /// A network's portal answers in the server's place: with success, and a page.
  ///
  /// ```swift
  /// faults: .script([.captivePortal])
  /// // Nothing that was stored may be deleted for it.
  /// ```
  public static let captivePortal = ServerFault("captivePortal", .portal)

  /// A network's portal redirects to a page of its own.
  ///
  /// ```swift
  /// faults: .script([.captivePortalRedirect])
  /// ```
  public static let captivePortalRedirect = ServerFault("captivePortalRedirect", .portalRedirect)

  /// The answer redirects to itself.
  ///
  /// ```swift
  /// faults: .always(.redirectLoop(status: 307))
  /// ```
  ///
  /// - Parameter status: 307 keeps method and body; 302 turns a POST into a GET.
  public static func redirectLoop(status: Int = 302) -> ServerFault {
    ServerFault("redirectLoop", .redirectLoop(status: status))
  }

  /// The answer redirects elsewhere, to another origin too.
  ///
  /// ```swift
  /// faults: .script([.redirect(to: other.url("/v1/items").absoluteString)])
  /// // The other server must not be given the credentials of this one.
  /// ```
  ///
  /// - Parameters:
  ///   - location: What `Location` says.
  ///   - status: 307 keeps method and body; 302 turns a POST into a GET.
  public static func redirect(to location: String, status: Int = 307) -> ServerFault {
    ServerFault("redirect", .redirect(to: location, status: status))
  }

  /// The server refuses, and has not acted.
  ///
  /// ```swift
  /// faults: .script([.status(429, wait: .seconds(3)), .status(503, wait: .date(.seconds(-60)))])
  /// ```
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - wait: What `Retry-After` says; by default it is not there.
  public static func status(_ status: Int, retryAfter wait: RetryAfter? = nil) -> ServerFault {
    ServerFault("status", .status(status, retryAfter: wait))
  }

  /// The clock of the server is wrong: `Date` is so much later, or earlier.
  ///
  /// ```swift
  /// faults: .always(.dateSkew(.seconds(-86_400)))
  /// ```
  public static func dateSkew(_ skew: Duration = .seconds(3_600)) -> ServerFault {
    ServerFault("dateSkew", .dateSkew(skew))
  }
}
