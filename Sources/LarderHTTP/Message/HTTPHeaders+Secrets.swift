extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Returns whether the names and the values are equal.
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.value == right.value }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(value)
  }

  /// The name and the value. The value of a field with credentials is hidden.
  public var description: String { name + ": " + redactedValue }
  public var debugDescription: String { description }
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": redactedValue], displayStyle: .struct)
  }

  private static let secretNames = ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"]

  private var redactedValue: String {
    isSecret || Self.secretNames.contains { ASCIIText.equal($0, name) } ? "<private>" : value
  }
}

extension HTTPHeaders {
  /// Marks the fields that are not among the former ones as secret: the authentication has added them.
  mutating func markSecrets(since former: HTTPHeaders) {
    markSecret { !former.fields.contains($0) }
  }

  /// Removes the fields that the authentication has added.
  mutating func removeSecrets() { removeAll { $0.isSecret } }
}
