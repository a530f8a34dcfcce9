extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Equal, if name and value are.
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.value == right.value }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(value)
  }

  /// Name and value, where that is nothing by which somebody is known.
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
  /// What is not among the fields of former ones was added to show who asks.
  mutating func markSecrets(since former: HTTPHeaders) {
    markSecret { !former.fields.contains($0) }
  }

  /// Takes out what was added to show who asks.
  mutating func removeSecrets() { removeAll { $0.isSecret } }
}
