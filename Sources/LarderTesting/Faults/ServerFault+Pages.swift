extension ServerFault {
  /// Responds with 304 (Not Modified) although the content has changed, and also to requests without a condition.
  ///
  /// ```swift
  /// faults: .always(.alwaysUnchanged)
  /// // Content older than the maximum age of its validators is fetched again.
  /// ```
  public static let alwaysUnchanged = ServerFault("alwaysUnchanged", .alwaysUnchanged)

  /// Repeats the first response to the same request, as a broken cache does.
  ///
  /// ```swift
  /// faults: .script([nil, nil, .staleReplay])
  /// // The rows of the second response must not be overwritten by those of the first.
  /// ```
  public static let staleReplay = ServerFault("staleReplay", .staleReplay)

  /// Repeats the last response at the same path, for any requested page.
  ///
  /// ```swift
  /// faults: .script([nil, .duplicatePage])
  /// ```
  public static let duplicatePage = ServerFault("duplicatePage", .duplicatePage)

  /// Sends the items of the page in reverse: the elements of the body's array, or of the first array among its members.
  ///
  /// ```swift
  /// faults: .script([.reorderedPage])
  /// ```
  public static let reorderedPage = ServerFault("reorderedPage", .reorderedPage)

  /// Sends a page that names itself as the next one: in `Link` (RFC 8288), and in a member of its body.
  ///
  /// ```swift
  /// faults: .always(.nextLinkLoop(member: "next"))
  /// // A client that follows the links must detect the loop.
  /// ```
  ///
  /// - Parameter member: The member of the body's object that names the next page. The default is none.
  public static func nextLinkLoop(member: String? = nil) -> ServerFault {
    ServerFault("nextLinkLoop", .nextLinkLoop(member: member))
  }

  /// Responds that the cursor has expired.
  ///
  /// ```swift
  /// faults: .script([nil, .expiredCursor()])
  /// // All pages are fetched again, and no rows are lost meanwhile.
  /// ```
  ///
  /// - Parameter status: The status code of the response. The default is 410. The body is a problem (RFC 9457) of the type
  ///   `cursor-expired`.
  public static func expiredCursor(status: Int = 410) -> ServerFault {
    ServerFault("expiredCursor", .expiredCursor(status: status))
  }
}
