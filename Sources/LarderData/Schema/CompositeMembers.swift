@_spi(Reflection) import Swift

/// The stored members of a struct that may each become a column.
enum CompositeMembers {
  struct Member {
    let name: String
    let keyPath: AnyKeyPath
    var type: any Any.Type { Swift.type(of: keyPath).valueType }
  }

  /// Returns the members in the order of their declaration; nil for a type that is not a Codable struct with stored
  /// members, and so has no column for each.
  static func of(_ type: any Any.Type) -> [Member]? {
    let bare = ValueTypes.unwrapped(type)
    // Also excludes `any P`, which reflection takes for a value of it, and crashes.
    guard bare is any Codable.Type, !(bare is AnyClass), !ValueTypes.isStandard(bare) else { return nil }
    let members = collect(bare)
    return members.isEmpty ? nil : members
  }

  private static func collect<T>(_ type: T.Type) -> [Member] {
    var members: [Member] = []
    let complete = _forEachFieldWithKeyPath(of: type) { name, keyPath in
      members.append(Member(name: String(cString: name), keyPath: keyPath))
      return true
    }
    return complete ? members : []
  }
}

extension Schema {
  /// Returns the attributes into which the type's codec splits a value; nil where the value is stored whole.
  package static func compositeProperties(of type: any Any.Type) -> [Schema.Attribute]? {
    guard let members = _AnyPropertyCodec.makeCodec(for: type)?.members else { return nil }
    return attributes(of: members)
  }

  private static func attributes(of members: [CompositeMember]) -> [Schema.Attribute] {
    members.map { member in
      guard let inner = member.members else { return Attribute(name: member.name, valueType: member.type) }
      let composite = CompositeAttribute(name: member.name, valueType: member.type)
      composite.properties = attributes(of: inner)
      return composite
    }
  }
}
