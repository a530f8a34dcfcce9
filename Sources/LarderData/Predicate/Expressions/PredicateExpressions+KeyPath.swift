import Foundation
import LarderSupport

extension PredicateExpressions.KeyPath: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Root.self) }

  func capture(_ lowering: inout Lowering, at offset: Int?) throws -> CaptureLoader<Output>? {
    guard Self.isConstant,
      let root = try lowering.capture(root, at: Lowering.offset(offset, of: \Self.root))
    else { return nil }
    let keyPath: Swift.KeyPath<Root.Output, Output> = keyPath
    lowering.require(keyPath, at: Lowering.offset(offset, of: \Self.keyPath))
    if let start = root.offset, let member = MemoryLayout<Root.Output>.offset(of: keyPath) {
      return CaptureLoader(offset: start + member)
    }
    return root.map { $0[keyPath: keyPath] }
  }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if Self.isConstant { return try lowerCaptured(&lowering, at: offset) }
    let root = try lowering.lower(root, at: Lowering.offset(offset, of: \Self.root))
    lowering.require(keyPath, at: Lowering.offset(offset, of: \Self.keyPath))
    switch root.operation {
    case .object(let source): return try lowering.property(keyPath, of: Root.Output.self, source)
    case .collection(let collection):
      switch kind {
      case .collectionCount: return Term(.count(collection), Self.count)
      case .collectionIsEmpty: return .condition(.not(collection.contains(nil)))
      default: throw UnsupportedPredicate.collection(keyPath, Root.Output.self)
      }
    case .composite(let composite):
      if let member = try member(of: composite, &lowering) { return member }
      return try Lowering.call(root) { [keyPath] (value: Root.Output) in value[keyPath: keyPath] }
    default: return try derivedValue(of: root, &lowering)
    }
  }

  /// Returns a stored member of a composite, found by its offset in the value; nil for a computed property.
  private func member(of composite: CompositeTerm, _ lowering: inout Lowering) throws -> Term? {
    let keyPath: Swift.KeyPath<Root.Output, Output> = keyPath
    guard let offset = MemoryLayout<Root.Output>.offset(of: keyPath),
      let member = composite.members.first(where: { $0.offset == offset && $0.type == Output.self })
    else { return nil }
    return try lowering.term(of: member, in: composite, keyPath)
  }

  /// The kind of a count, which is an Int like any other.
  private static var count: ValueKind { .integer(Int64.min...Int64.max) }

  /// Returns a derived value, in SQL where SQL has an equivalent, otherwise in Swift.
  private func derivedValue(of root: Term, _ lowering: inout Lowering) throws -> Term {
    switch (root.kind, kind) {
    case (.text, .collectionIsEmpty): return .condition(.equal(root, Term(.emptyText, .text)))
    case (.text, .collectionCount): return Term(.characterCount(root), Self.count)
    case (.data, .collectionCount): return Term(.byteCount(root), Self.count)
    case (.data, .collectionIsEmpty):
      let zero = try lowering.parameter(CaptureLoader { _ in 0 })
      return .condition(.equal(Term(.byteCount(root), Self.count), zero))
    case (.raw(let kind), _) where RawValueKeyPath.isRawValue(keyPath, of: Root.Output.self):
      return Term(root.operation, kind, isOptional: root.isOptional)
    default: return try Lowering.call(root) { [keyPath] (value: Root.Output) in value[keyPath: keyPath] }
    }
  }
}

extension Lowering {
  /// Returns a persisted property of the object, or its identifier.
  ///
  /// - Parameter source: The number of the object.
  mutating func property<Root, Value>(
    _ keyPath: KeyPath<Root, Value>, of root: Root.Type, _ source: Int
  ) throws -> Term {
    let layout = layout(of: source)
    guard let property = layout.property(keyPath) else {
      if let rows = identifierResolver(of: source), IdentifierKeyPath.isIdentifier(keyPath) {
        return Term(.identifier(rows.identity, rowIDTerm(of: source)), .structure)
      }
      if RequirementKeyPath.isRequirement(keyPath) { return try requirementCall(keyPath, of: source) }
      throw UnsupportedPredicate.keyPath(keyPath, of: root)
    }
    if let relationship = property.relationship { return self.relationship(relationship, of: source) }
    let columns =
      ColumnReference.make(
        column: property.columns.lowerBound, source: source)..<ColumnReference.make(
        column: property.columns.upperBound, source: source)
    let isOptional = Value.self is any OptionalValue.Type
    if let members = property.codec.members {
      recordRead(property.bit, of: source)
      return composite(
        members, columns.lowerBound, columns, StructuredValueReader(property, Value.self, layout, columns),
        isOptional: isOptional)
    }
    guard columns.count == 1, let index = columns.first else {
      throw UnsupportedPredicate.because(
        "\(layout.entityName).\(property.name) isn't supported in a predicate here: "
          + (property.unqueryableReason ?? "it is no attribute of this table. Filter what comes back in Swift") + "."
      )
    }
    if let scalar = scalar(index, Value.self, isOptional: isOptional) { return scalar }
    recordRead(property.bit, of: source)
    let structure = Term(
      .json(column: index, StructuredValueReader(property, Value.self, layout, columns)), .structure,
      isOptional: isOptional)
    return try decodedScalar(structure, Value.self)
  }

  /// Returns a protocol requirement's value. The property behind it is unknown, so the value is read from each object.
  private mutating func requirementCall<Root, Value>(_ keyPath: KeyPath<Root, Value>, of source: Int) throws -> Term {
    // Key paths of two requirements may be equal.
    isReusable = false
    recordRead(~0, of: source)
    let bridge = try ValueBridge<Value>()
    let call = SwiftCall(arguments: [Term(.object(source), .structure)], mayFail: false) { arguments in
      guard case .swift(let any) = arguments[0] else { return .null }
      guard let object = any as? Root else { throw PredicateFailure.unexpectedValue }
      return try bridge.evaluated(object[keyPath: keyPath])
    }
    return Term(.call(call), bridge.kind, isOptional: bridge.isOptional)
  }

  /// Returns a scalar that its column stores in another form, as with a value transformer: reading it in Swift yields the
  /// scalar.
  private func decodedScalar<Value>(_ structure: Term, _ type: Value.Type) throws -> Term {
    let bridge = try ValueBridge<Value>()
    if bridge.kind == .structure { return structure }
    let call = SwiftCall(arguments: [structure], mayFail: false) {
      if $0[0].isNull { return .null }
      guard case .swift(let any) = $0[0], let value = any as? Value else { throw PredicateFailure.unexpectedValue }
      return try bridge.evaluated(value)
    }
    return Term(.call(call), bridge.kind, isOptional: bridge.isOptional)
  }

  mutating func term<Root, Value>(
    of member: CompositeMember, in composite: CompositeTerm, _ keyPath: KeyPath<Root, Value>
  ) throws -> Term {
    let isOptional = Value.self is any OptionalValue.Type
    if let members = member.members {
      let first = composite.firstColumn + member.columns.lowerBound
      // Nested members count from the outermost composite; key paths into it count from the member.
      let own = members.map { $0.moved(by: -member.offset, columns: 0) }
      return self.composite(
        own, composite.firstColumn, first..<first + member.columns.count, composite.reader.member(keyPath),
        isOptional: isOptional, isMember: true)
    }
    guard let scalar = scalar(composite.firstColumn + member.columns.lowerBound, Value.self, isOptional: isOptional)
    else { throw UnsupportedPredicate.keyPath(keyPath, of: Root.self) }
    return scalar
  }

  private mutating func composite(
    _ members: [CompositeMember], _ first: Int, _ columns: Range<Int>, _ reader: StructuredValueReader,
    isOptional: Bool,
    isMember: Bool = false
  ) -> Term {
    var composite = CompositeTerm(members: members, firstColumn: first, reader: reader, isMember: isMember)
    let own = composite.columns
    composite.presence = columns.first { columnLayout($0).form == .presence && !own.contains($0) }
    return Term(.composite(composite), .structure, isOptional: isOptional)
  }

  /// Returns the value of a column; nil where the column's form isn't that of the value.
  private mutating func scalar(_ index: Int, _ type: any Any.Type, isOptional: Bool) -> Term? {
    let stored = columnLayout(index)
    guard stored.form == .value, let kind = ValueKind.of(type), kind.columnType == stored.type else { return nil }
    return column(index, kind, isOptional: isOptional)
  }
}

extension CompositeTerm {
  /// The indexes in the layout of all members' columns.
  var columns: Set<Int> { Set(members.flatMap(\.columns).map { $0 + firstColumn }) }
}
