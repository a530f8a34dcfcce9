import Foundation

extension PredicateExpressions.KeyPath: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Root.self) }

  func capture(_ lowering: inout Lowering, at offset: Int?) throws -> Load<Output>? {
    guard Self.isConstant,
      let root = try lowering.capture(root, at: Lowering.offset(offset, of: \Self.root))
    else { return nil }
    let keyPath: Swift.KeyPath<Root.Output, Output> = keyPath
    lowering.require(keyPath, at: Lowering.offset(offset, of: \Self.keyPath))
    if let start = root.offset, let member = MemoryLayout<Root.Output>.offset(of: keyPath) {
      return Load(offset: start + member)
    }
    return root.map { $0[keyPath: keyPath] }
  }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if Self.isConstant { return try lowerCaptured(&lowering, at: offset) }
    let root = try lowering.lower(root, at: Lowering.offset(offset, of: \Self.root))
    lowering.require(keyPath, at: Lowering.offset(offset, of: \Self.keyPath))
    switch root.operation {
    case .object: return try lowering.property(keyPath, Output.self, of: Root.Output.self)
    case .composite(let composite): return try member(of: composite, &lowering)
    default: return try computed(root)
    }
  }

  /// A stored member of a composite, found by where it lies in the value.
  private func member(of composite: CompositeTerm, _ lowering: inout Lowering) throws -> Term {
    let keyPath: Swift.KeyPath<Root.Output, Output> = keyPath
    guard let offset = MemoryLayout<Root.Output>.offset(of: keyPath),
      let member = composite.members.first(where: { $0.offset == offset && $0.type == Output.self })
    else { throw Unsupported.keyPath(keyPath, of: Root.Output.self) }
    return try lowering.term(of: member, in: composite, Output.self)
  }

  /// What a scalar can be asked for.
  private func computed(_ root: Term) throws -> Term {
    switch (root.kind, kind) {
    case (.text, .collectionIsEmpty): return .condition(.equal(root, Term(.emptyText, .text)))
    case (.data, .collectionCount): return Term(.byteCount(root), .integer(0...Int64.max))
    case (.raw(let kind), _) where RawValueKeyPath.isRawValue(keyPath, of: Root.Output.self):
      return Term(root.operation, kind, isOptional: root.isOptional)
    case (.text, .collectionCount):
      throw Unsupported.because(
        "count of a string isn't supported in a predicate: the store has its bytes, not its characters. Store the "
          + "count as a property, or compare with isEmpty.")
    default: throw Unsupported.keyPath(keyPath, of: Root.Output.self)
    }
  }
}

extension Lowering {
  /// A persisted property of the object.
  mutating func property(_ keyPath: AnyKeyPath, _ type: any Any.Type, of root: any Any.Type) throws -> Term {
    guard let property = layout.property(keyPath) else { throw Unsupported.keyPath(keyPath, of: root) }
    let isOptional = type is any OptionalValue.Type
    if let members = property.codec.members {
      return composite(members, property.columns.lowerBound, property.columns, isOptional: isOptional)
    }
    guard property.columns.count == 1, let index = property.columns.first else {
      throw Unsupported.because(
        "\(layout.entityName).\(property.name) isn't supported in a predicate here: it is no attribute of this table. "
          + "Filter what comes back in Swift.")
    }
    return scalar(index, type, isOptional: isOptional)
  }

  mutating func term(of member: CompositeMember, in composite: CompositeTerm, _ type: any Any.Type) throws -> Term {
    let isOptional = type is any OptionalValue.Type
    if let members = member.members {
      let first = composite.firstColumn + member.columns.lowerBound
      // A member's members count from the outermost composite; key paths into it from the member.
      let own = members.map { $0.moved(by: -member.offset, columns: 0) }
      return self.composite(
        own, composite.firstColumn, first..<first + member.columns.count, isOptional: isOptional)
    }
    return scalar(composite.firstColumn + member.columns.lowerBound, type, isOptional: isOptional)
  }

  private mutating func composite(
    _ members: [CompositeMember], _ first: Int, _ columns: Range<Int>, isOptional: Bool
  ) -> Term {
    var composite = CompositeTerm(members: members, firstColumn: first)
    let own = composite.columns
    composite.presence = columns.first { layout.columns[$0].form == .presence && !own.contains($0) }
    return Term(.composite(composite), .structure, isOptional: isOptional)
  }

  private mutating func scalar(_ index: Int, _ type: any Any.Type, isOptional: Bool) -> Term {
    let stored = layout.columns[index]
    guard stored.form != .json, let kind = ValueKind.of(type), kind.columnType == stored.type else {
      return column(index, .json, isOptional: isOptional)
    }
    return column(index, kind, isOptional: isOptional)
  }
}

extension CompositeTerm {
  /// The places in the layout of all its members.
  var columns: Set<Int> { Set(members.flatMap(\.columns).map { $0 + firstColumn }) }
}
