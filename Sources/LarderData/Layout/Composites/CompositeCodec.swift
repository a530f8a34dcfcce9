/// A codec for a flat Codable struct: one column for each stored member, named after the property and the member.
///
/// A struct is flat if its members are scalars, enumerations with a raw value, optionals of these, or flat structs, and if
/// its `Codable` implementation is synthesised. Other Codable types are stored as JSON.
final class CompositeCodec<Value>: _PropertyCodec<Value> {
  private let accesses: [MemberAccess]
  private let allMembers: [CompositeMember]

  override var members: [CompositeMember]? { allMembers }

  init(columns: [CodecColumn], members: [CompositeMember], accesses: [MemberAccess]) {
    self.accesses = accesses
    allMembers = members
    super.init(columns: columns)
  }

  override func load(
    _ row: borrowing _RowReader, _ column: Int, isNullable: Bool, into memory: UnsafeMutablePointer<Value>
  ) -> Bool {
    CompositeMemory.load(accesses, row, column, isNullable: isNullable, into: UnsafeMutableRawPointer(memory))
  }

  override func store(_ value: UnsafePointer<Value>, to binder: inout _RowBinder) {
    CompositeMemory.store(UnsafeRawPointer(value), accesses, to: &binder)
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool { CompositeMemory.isSame(left, right, accesses) }

  // MARK: Optional

  override var optionalColumns: [CodecColumn] {
    [CodecColumn(suffix: "", type: .integer, isOptional: false, form: .presence)] + super.optionalColumns
  }

  override func loadOptional(
    _ row: borrowing _RowReader, _ column: Int, into memory: UnsafeMutablePointer<Value?>
  ) -> Bool {
    // NULL where the composite is itself part of an optional composite that is nil.
    guard row.read(column, as: Bool?.self) ?? false else {
      row.skip(columns.count, from: column + 1)
      memory.initialize(to: nil)
      return true
    }
    return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      guard let value = buffer.baseAddress, load(row, column + 1, isNullable: true, into: value) else { return false }
      memory.initialize(to: value.move())
      return true
    }
  }

  override func storeNil(to binder: inout _RowBinder) {
    binder.bind(false)
    for _ in columns { binder.bindStored(.null) }
  }

  override func storePresence(to binder: inout _RowBinder) { binder.bind(true) }

  // MARK: Nested composites

  override func sample(_ kind: SampleKind) -> Value? {
    CompositeMemory.sample(Value.self, accesses, kind)
  }

  override func memberAccesses(at offset: Int) -> [MemberAccess]? { accesses.map { $0.moved(by: offset) } }
}

extension _RowReader {
  /// Skips columns without meaning. A source returns its values in order, so each must be consumed.
  func skip(_ count: Int, from column: Int) {
    guard statement == nil else { return }
    for column in column..<column + count { _ = storedValue(column) }
  }
}
