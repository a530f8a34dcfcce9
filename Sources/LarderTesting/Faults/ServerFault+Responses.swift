extension ServerFault {
  /// Sends a compressed response whose end is missing, with a `Content-Length` that matches the truncated body.
  ///
  /// ```swift
  /// faults: .script([.truncatedCompression])
  /// ```
  public static let truncatedCompression = ServerFault("truncatedCompression", .truncatedCompression)

  /// Sends a response of zeros that is a thousand times as large after decompression.
  ///
  /// ```swift
  /// faults: .script([.compressedBomb(bytes: 300 << 20)])
  /// ```
  ///
  /// - Parameter bytes: The decompressed size.
  public static func compressedBomb(bytes: Int = 1 << 20) -> ServerFault {
    ServerFault("compressedBomb", .compressedBomb(bytes: bytes))
  }

  /// Sends bytes that are no HTTP.
  ///
  /// ```swift
  /// faults: .script([.noHTTP])
  /// ```
  public static let noHTTP = ServerFault("noHTTP", .noHTTP)

  /// Sends a response of type JSON that is cut off in the middle, with a `Content-Length` that matches the truncated body.
  ///
  /// ```swift
  /// faults: .script([.noJSON])
  /// ```
  public static let noJSON = ServerFault("noJSON", .noJSON)

  /// Responds as the captive portal of a network: with success, and a page of HTML.
  ///
  /// ```swift
  /// faults: .script([.captivePortal])
  /// // No stored row may be deleted because of this response.
  /// ```
  public static let captivePortal = ServerFault("captivePortal", .portal)

  /// Redirects to a page of a network's captive portal.
  ///
  /// ```swift
  /// faults: .script([.captivePortalRedirect])
  /// ```
  public static let captivePortalRedirect = ServerFault("captivePortalRedirect", .portalRedirect)

  /// Redirects to a page that redirects to itself.
  ///
  /// ```swift
  /// faults: .always(.redirectLoop(status: 307))
  /// ```
  ///
  /// - Parameter status: The status code. 307 keeps method and body; 302 turns a POST into a GET.
  public static func redirectLoop(status: Int = 302) -> ServerFault {
    ServerFault("redirectLoop", .redirectLoop(status: status))
  }

  /// Redirects to the specified location, which may be of another origin.
  ///
  /// ```swift
  /// faults: .script([.redirect(to: other.url("/v1/items").absoluteString)])
  /// // The other server must not receive the credentials of this one.
  /// ```
  ///
  /// - Parameters:
  ///   - location: The value of `Location`.
  ///   - status: The status code. 307 keeps method and body; 302 turns a POST into a GET.
  public static func redirect(to location: String, status: Int = 307) -> ServerFault {
    ServerFault("redirect", .redirect(to: location, status: status))
  }

  /// Responds with an error status. The handler is not run.
  ///
  /// ```swift
  /// faults: .script([.status(429, retryAfter: .seconds(3)), .status(503, retryAfter: .date(.seconds(-60)))])
  /// ```
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - wait: The value of `Retry-After`. By default the field is absent.
  public static func status(_ status: Int, retryAfter wait: RetryAfter? = nil) -> ServerFault {
    ServerFault("status", .status(status, retryAfter: wait))
  }

  /// Sends a `Date` that differs from the server's clock.
  ///
  /// ```swift
  /// faults: .always(.dateSkew(.seconds(-86_400)))
  /// ```
  ///
  /// - Parameter skew: The difference, which is negative for an earlier date.
  public static func dateSkew(_ skew: Duration = .seconds(3_600)) -> ServerFault {
    ServerFault("dateSkew", .dateSkew(skew))
  }
}
