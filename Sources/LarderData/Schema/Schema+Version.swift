extension Schema {
  /// The version of a schema: three numbers, compared from left to right.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    public let major: Int
    public let minor: Int
    public let patch: Int

    /// Creates a version, for example `Schema.Version(1, 2, 0)`.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// The numbers with dots between them: "1.2.0".
    public var description: String { "\(major).\(minor).\(patch)" }

    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }
}
