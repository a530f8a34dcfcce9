@_spi(Reflection) import Swift

/// The columns that a model's key paths identify: those of its properties, and of the members of its composites.
struct KeyPathColumns {
  private var ranges: [AnyKeyPath: Range<Int>] = [:]

  init(_ properties: [PropertyLayout]) {
    for property in properties where !property.columns.isEmpty {
      for keyPath in property.keyPaths {
        ranges[keyPath] = property.columns
        // Key paths into an optional (`\.location?.name`) cannot be built from their parts.
        guard !property.isOptional, let members = property.codec.members else { continue }
        addMembers(members, of: property.valueType, below: keyPath, from: property.columns.lowerBound)
      }
    }
  }

  subscript(_ keyPath: AnyKeyPath) -> Range<Int>? { ranges[keyPath] }

  func first(where isWanted: (AnyKeyPath) -> Bool) -> Range<Int>? { ranges.first { isWanted($0.key) }?.value }

  private mutating func addMembers(
    _ members: [CompositeMember], of type: any Any.Type, below path: AnyKeyPath, from first: Int
  ) {
    for member in members {
      guard let step = KeyPathColumns.keyPaths(of: type)[member.name], let path = path.appending(path: step) else {
        continue
      }
      ranges[path] = member.columns.lowerBound + first..<member.columns.upperBound + first
      guard let inner = member.members, !ValueTypes.isOptional(member.type) else { continue }
      addMembers(inner, of: member.type, below: path, from: first)
    }
  }

  /// Returns the key paths of a struct's stored members.
  private static func keyPaths(of type: any Any.Type) -> [String: AnyKeyPath] {
    func collect<Value>(_ type: Value.Type) -> [String: AnyKeyPath] {
      var found: [String: AnyKeyPath] = [:]
      _ = _forEachFieldWithKeyPath(of: type) { name, keyPath in
        found[String(cString: name)] = keyPath
        return true
      }
      return found
    }
    return collect(type)
  }
}
