@_spi(Reflection) import Swift

/// Determines whether a type is a flat composite, and its members.
enum CompositeFields {
  /// One stored member, as the runtime describes it.
  struct Field {
    let name: String
    let offset: Int
    let type: any Any.Type
    let codec: _AnyPropertyCodec
    let accesses: [MemberAccess]
  }

  /// Returns the codec of a flat composite; nil for any other type.
  static func codec<Value: Codable>(for type: Value.Type) -> _AnyPropertyCodec? {
    guard let fields = fields(of: type), !fields.isEmpty, MemoryLayout<Value>.size > 0 else { return nil }
    var columns: [CodecColumn] = []
    var members: [CompositeMember] = []
    for field in fields {
      let first = columns.count
      columns += field.codec.columns.map { $0.within(field.name) }
      members.append(
        CompositeMember(
          name: field.name, offset: field.offset, type: field.type, columns: first..<columns.count,
          members: field.codec.members?.map { $0.moved(by: field.offset, columns: first) }))
    }
    let codec = CompositeCodec<Value>(columns: columns, members: members, accesses: fields.flatMap(\.accesses))
    return CodingProbe.hasSynthesisedCoding(type, fields, codec) ? codec : nil
  }

  /// Returns the members, if all of them may be members of a composite.
  private static func fields<Value>(of type: Value.Type) -> [Field]? {
    var described: [(name: String, offset: Int, type: any Any.Type)] = []
    // Classes and enumerations aren't walked without separate options.
    guard !(type is AnyClass),
      _forEachField(
        of: type, options: [],
        body: { name, offset, type, _ in
          described.append((String(cString: name), offset, type))
          return true
        })
    else { return nil }
    var fields: [Field] = []
    for member in described {
      guard let codec = _AnyPropertyCodec.makeCodec(for: member.type),
        let accesses = codec.memberAccesses(at: member.offset)
      else { return nil }
      fields.append(
        Field(name: member.name, offset: member.offset, type: member.type, codec: codec, accesses: accesses))
    }
    return fields
  }
}
