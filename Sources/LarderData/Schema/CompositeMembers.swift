@_spi(Reflection) import Swift

/// The stored members of a struct, as candidates for a column each.
enum CompositeMembers {
  struct Member {
    let name: String
    let keyPath: AnyKeyPath
    var type: any Any.Type { Swift.type(of: keyPath).valueType }
  }

  /// The members in the order of their declaration; nil for what is no struct with stored members of its own.
  static func of(_ type: any Any.Type) -> [Member]? {
    let bare = ValueTypes.unwrapped(type)
    guard !(bare is AnyClass), !ValueTypes.isStandard(bare) else { return nil }
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
  /// The attributes that a value of this type is split into; nil where it is kept whole.
  ///
  /// Split is a Codable struct whose members are all plain values: standard types, raw-value enums, and optionals of
  /// them.
  package static func compositeProperties(of type: any Any.Type) -> [Schema.Attribute]? {
    let bare = ValueTypes.unwrapped(type)
    guard bare is any Codable.Type, !(bare is any RawRepresentable.Type), !(bare is any PersistentModel.Type),
      let members = CompositeMembers.of(bare), members.allSatisfy({ ValueTypes.isPlain($0.type) })
    else { return nil }
    return members.map { Attribute(name: $0.name, valueType: $0.type) }
  }
}
