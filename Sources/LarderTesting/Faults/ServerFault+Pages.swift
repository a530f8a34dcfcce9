extension ServerFault {
  /// The server answers that nothing has changed, though it has; without a condition it is a refusal all the same.
  ///
  /// ```swift
  /// faults: .always(.alwaysUnchanged)
  /// // What is older than the validators' age is fetched anew.
  /// ```
  public static let alwaysUnchanged = ServerFault("alwaysUnchanged", .alwaysUnchanged)

  /// What was answered first to this request is answered again, as a cache does that is broken.
  ///
  /// ```swift
  /// faults: .script([nil, nil, .staleReplay])
  /// // The rows of the second answer must not become those of the first.
  /// ```
  public static let staleReplay = ServerFault("staleReplay", .staleReplay)

  /// What was answered last at this path is answered again, whatever page is asked for.
  ///
  /// ```swift
  /// faults: .script([nil, .duplicatePage])
  /// ```
  public static let duplicatePage = ServerFault("duplicatePage", .duplicatePage)

  /// The items of the page come in reverse: those of the body's array, or of the first array among its members.
  ///
  /// ```swift
  /// faults: .script([.reorderedPage])
  /// ```
  public static let reorderedPage = ServerFault("reorderedPage", .reorderedPage)

  /// The page names itself as the next one: in `Link` (RFC 8288), and in a member of its body.
  ///
  /// ```swift
  /// faults: .always(.nextLinkLoop(member: "next"))
  /// // Whoever follows it must notice, and not go on for ever.
  /// ```
  ///
  /// - Parameter member: The member of the body's object that names the next page; by default there is none.
  public static func nextLinkLoop(member: String? = nil) -> ServerFault {
    ServerFault("nextLinkLoop", .nextLinkLoop(member: member))
  }

  /// The server no longer knows the cursor that it gave.
  ///
  /// ```swift
  /// faults: .script([nil, .expiredCursor()])
  /// // Everything is fetched anew, and nothing is lost meanwhile.
  /// ```
  ///
  /// - Parameter status: What it says that by; 410 by default, and a problem (RFC 9457) of the type `cursor-expired`.
  public static func expiredCursor(status: Int = 410) -> ServerFault {
    ServerFault("expiredCursor", .expiredCursor(status: status))
  }
}
