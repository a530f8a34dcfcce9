/// A flat Codable struct: a column for each stored member, named after the property and the member.
///
/// Flat are structs whose members are scalars, enumerations with a raw value, optionals of these, or structs of the
/// same kind, and whose coding is the one that the compiler writes. Other Codable types are JSON.
final class CompositeCodec<Value>: PropertyCodec<Value> {
  private let accesses: [MemberAccess]
  private let allMembers: [CompositeMember]

  override var members: [CompositeMember]? { allMembers }

  init(columns: [CodecColumn], members: [CompositeMember], accesses: [MemberAccess]) {
    self.accesses = accesses
    allMembers = members
    super.init(columns: columns)
  }

  override func read(_ row: borrowing RowReader, _ column: Int) -> Value? {
    read(row, column, isNullable: false)
  }

  private func read(_ row: borrowing RowReader, _ column: Int, isNullable: Bool) -> Value? {
    CompositeMemory.assemble(Value.self, accesses, row, column, isNullable: isNullable)
  }

  override func write(_ value: Value?, to binder: inout RowBinder) {
    guard let value else { return writeMissing(to: &binder) }
    CompositeMemory.write(value, accesses, to: &binder)
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool { CompositeMemory.isSame(left, right, accesses) }

  // MARK: Optional

  override var optionalColumns: [CodecColumn] {
    [CodecColumn(suffix: "", type: .integer, isOptional: false, form: .presence)] + super.optionalColumns
  }

  override func readOptional(_ row: borrowing RowReader, _ column: Int) -> Value?? {
    // NULL where the composite is itself part of an optional one that is not there.
    if row.read(column, as: Bool?.self) ?? false {
      guard let value = read(row, column + 1, isNullable: true) else { return nil }
      return .some(.some(value))
    }
    row.skip(columns.count, from: column + 1)
    return .some(nil)
  }

  override func writeOptional(_ value: Value?, to binder: inout RowBinder) {
    binder.bind(value != nil)
    if let value { return CompositeMemory.write(value, accesses, to: &binder) }
    for _ in columns { binder.put(.null) }
  }

  // MARK: Within another composite

  override func sample(_ kind: SampleKind) -> Value? {
    CompositeMemory.sample(Value.self, accesses, kind)
  }

  override func memberAccesses(at offset: Int) -> [MemberAccess]? { accesses.map { $0.moved(by: offset) } }
}

extension RowReader {
  /// Passes over columns that mean nothing. A source hands its values out in order, so each must be taken.
  func skip(_ count: Int, from column: Int) {
    guard statement == nil else { return }
    for column in column..<column + count { _ = stored(column) }
  }
}
