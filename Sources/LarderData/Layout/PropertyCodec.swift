/// A codec that reads and writes the values of one property whose type `@Model` cannot know: an enumeration, a composite, a
/// collection, or any other Codable type.
///
/// The three methods that `@Model` calls are compiled into the model's own module, where the type is known. The methods that
/// a codec overrides take pointers instead of optionals: unspecialised generic code would request the type `Value?` from
/// the runtime each time, which costs more than the columns do.
public class _PropertyCodec<Value>: _AnyPropertyCodec {
  /// Reads the value whose first column is `column`; returns nil after reporting the reason to `row`.
  @inlinable
  public final func read(_ row: borrowing _RowReader, _ column: Int) -> Value? {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      // A buffer of one value has an address.
      let memory = buffer.baseAddress.unsafelyUnwrapped
      return load(row, column, isNullable: false, into: memory) ? memory.move() : nil
    }
  }

  /// Writes each of the value's columns; `nil` means storage that was not read yet.
  @inlinable
  public final func write(_ value: Value?, to binder: inout _RowBinder) {
    if let value {
      withUnsafePointer(to: value) { store($0, to: &binder) }
    } else {
      storeMissing(to: &binder)
    }
  }

  /// Returns whether both values have the same stored form.
  public func isSame(_ left: Value, _ right: Value) -> Bool { false }

  /// Returns whether assigning a value in place of another would change nothing. An object may have been changed since its
  /// assignment, so each assignment of an object is stored.
  @usableFromInline
  final func isUnchanged(_ present: Value, by value: Value) -> Bool {
    switch references {
    case .never: isSame(present, value)
    case .dynamic:
      !ReferenceContainment.containsReference(value) && !ReferenceContainment.containsReference(present)
        && isSame(present, value)
    case .always: false
    }
  }

  /// Initialises the memory with the value whose first column is `column`. If it returns false, it has reported the reason
  /// and initialised nothing.
  /// - Parameter isNullable: Whether the columns may hold NULL, because the enclosing composite is optional. A NULL is then a
  ///   problem; otherwise the table excludes it.
  @usableFromInline
  func load(_ row: borrowing _RowReader, _ column: Int, isNullable: Bool, into memory: UnsafeMutablePointer<Value>)
    -> Bool
  { false }

  @usableFromInline
  func store(_ value: UnsafePointer<Value>, to binder: inout _RowBinder) {}

  /// Writes storage that was not read yet. The columns still take their positions.
  @usableFromInline
  func storeMissing(to binder: inout _RowBinder) {
    binder.reportUnstorable("it has no value yet; give it one before saving", at: binder.nextIndex)
    for _ in columns { binder.bindStored(.null) }
  }

  /// Does the same as `load`, for the values in ``_AnyPropertyCodec/optionalColumns``.
  func loadOptional(_ row: borrowing _RowReader, _ column: Int, into memory: UnsafeMutablePointer<Value?>) -> Bool {
    false
  }

  /// Writes nil to ``_AnyPropertyCodec/optionalColumns``.
  func storeNil(to binder: inout _RowBinder) { binder.bindStored(.null) }

  /// Writes the columns that precede a value's own columns in ``_AnyPropertyCodec/optionalColumns``.
  func storePresence(to binder: inout _RowBinder) {}

  final func reportMissing(_ row: borrowing _RowReader) {
    row.problems.report("a member of type \(Value.self) is NULL, though the value that it is part of is there")
  }

  override func write(boxed held: AnyObject, to binder: inout _RowBinder) {
    if let held = held as? _ValueBox<Value> { write(held.value, to: &binder) } else { storeMissing(to: &binder) }
  }

  override func isSame(boxed left: AnyObject, _ right: AnyObject) -> Bool {
    guard let left = left as? _ValueBox<Value>, let right = right as? _ValueBox<Value> else { return false }
    return isSame(left.value, right.value)
  }

  override func box(_ value: Any) -> AnyObject? { (value as? Value).map { _ValueBox($0) } }

  override func canRead(_ values: [_StoredValue], _ layout: _ModelLayout) -> Bool {
    value(of: values, layout) != nil
  }

  override func problem(of values: [_StoredValue], _ layout: _ModelLayout) -> String? {
    let problems = _RowProblems()
    let isRead = read(_RowReader(source: _RowSource(values), layout: layout, problems: problems), 0) != nil
    return problems.first ?? (isRead ? nil : "it is no \(Value.self)")
  }

  override func value(of values: [_StoredValue], _ layout: _ModelLayout) -> Any? {
    let problems = _RowProblems()
    let reader = _RowReader(source: _RowSource(values), layout: layout, problems: problems)
    guard let value = read(reader, 0), problems.first == nil else { return nil }
    return value
  }

  override func writeNil(to binder: inout _RowBinder) { storeMissing(to: &binder) }

  override func isNil(boxed held: AnyObject) -> Bool {
    guard let type = Value.self as? any NilTestable.Type, let held = held as? _ValueBox<Value> else { return false }
    return type.isNil(held.value)
  }

  /// Returns a valid value for probing a type's coding; nil where none can be created.
  func sample(_ kind: SampleKind) -> Value? { nil }
}

/// A codec without its value's type.
public class _AnyPropertyCodec {
  /// The columns that the codec reads and writes, named relative to the property: "" is the property's own name.
  package let columns: [CodecColumn]
  /// The members, if the value is a composite.
  package var members: [CompositeMember]? { nil }

  /// Whether the values may contain objects, which change without an assignment.
  let references: ReferenceContainment

  init(columns: [CodecColumn], references objects: ReferenceContainment = .never) {
    self.columns = columns
    self.references = objects
  }

  /// The indexes of the columns that have a value whenever the whole does: neither optional nor part of an optional.
  package var columnsOfRequiredMembers: Set<Int> {
    func required(_ members: [CompositeMember]) -> Set<Int> {
      members.reduce(into: []) { places, member in
        if ValueTypes.isOptional(member.type) { return }
        if let inner = member.members { places.formUnion(required(inner)) } else { places.formUnion(member.columns) }
      }
    }
    return required(members ?? [])
  }

  /// The columns of an optional value.
  var optionalColumns: [CodecColumn] { columns.map(\.asOptional) }

  // The same functions for values without their types, as `_ValueBox`s.
  func write(boxed held: AnyObject, to binder: inout _RowBinder) {}
  func isSame(boxed left: AnyObject, _ right: AnyObject) -> Bool { false }
  func isNil(boxed held: AnyObject) -> Bool { false }
  func box(_ value: Any) -> AnyObject? { nil }
  func writeNil(to binder: inout _RowBinder) {}
  /// Returns whether the columns hold a value.
  func canRead(_ values: [_StoredValue], _ layout: _ModelLayout) -> Bool { false }
  /// Returns the reason why the columns hold no value; nil where they hold one.
  func problem(of values: [_StoredValue], _ layout: _ModelLayout) -> String? { nil }
  /// Returns the value that the columns hold, if they hold one.
  func value(of values: [_StoredValue], _ layout: _ModelLayout) -> Any? { nil }

  /// Returns the accesses to the members of a value at an offset within a composite; nil for a value with which the composite
  /// is not flat.
  func memberAccesses(at offset: Int) -> [MemberAccess]? { nil }
}

package struct CodecColumn {
  /// The part of the column's name after the property's name: "" or "_name", "_inner_name".
  package var suffix: String
  package var type: _ColumnType
  package var isOptional: Bool
  package var order: ColumnOrder = .natural
  package var form: ColumnForm = .value

  var asOptional: CodecColumn {
    var column = self
    column.isOptional = true
    return column
  }

  func within(_ member: String) -> CodecColumn {
    var column = self
    column.suffix = "_" + member + suffix
    return column
  }
}

/// The meaning of a column's stored form, which decides how a predicate can use it.
package enum ColumnForm: Sendable {
  /// The value itself, or the raw value of an enumeration.
  case value
  /// Whether an optional composite has a value.
  case presence
  /// JSON, which SQL cannot evaluate.
  case json
  /// The output of a value transformer, which SQL cannot evaluate.
  case transformed
  /// The row ID of another model's row.
  case foreignKey
}

/// A stored member of a composite: its place in the value, and its columns among the codec's.
package struct CompositeMember {
  package var name: String
  package var offset: Int
  package var type: any Any.Type
  /// The indexes in the codec's own `columns`; those of nested members also count from the outermost composite.
  package var columns: Range<Int>
  /// The members, if the member is itself a composite.
  package var members: [CompositeMember]?

  /// Returns the member as part of a value at an offset, whose first column is at a position.
  func moved(by offset: Int, columns places: Int) -> CompositeMember {
    CompositeMember(
      name: name, offset: self.offset + offset, type: type,
      columns: columns.lowerBound + places..<columns.upperBound + places,
      members: members?.map { $0.moved(by: offset, columns: places) })
  }
}

extension [CompositeMember] {
  /// Returns the type of the member whose column name has the suffix; nil for no member, and for a presence column.
  func type(of suffix: Substring) -> (any Any.Type)? {
    for member in self {
      let start = "_" + member.name
      guard suffix.hasPrefix(start) else { continue }
      let rest = suffix.dropFirst(start.count)
      if let inner = member.members {
        if let type = inner.type(of: rest) { return type }
      } else if rest.isEmpty {
        return member.type
      }
    }
    return nil
  }
}
