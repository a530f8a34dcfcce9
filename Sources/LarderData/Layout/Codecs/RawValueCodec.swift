/// A codec for an enumeration, or another type with a raw value, stored as its raw value.
final class RawValueCodec<Value: RawRepresentable>: _PropertyCodec<Value> where Value.RawValue: _ColumnValue {
  private typealias Raw = Value.RawValue

  init() {
    super.init(columns: ColumnCodec<Raw>().columns, references: Value.self is AnyClass ? .always : .never)
  }

  override func load(
    _ row: borrowing _RowReader, _ column: Int, isNullable: Bool, into memory: UnsafeMutablePointer<Value>
  ) -> Bool {
    if isNullable {
      guard let raw = row.read(column, as: Raw?.self) else {
        reportMissing(row)
        return false
      }
      guard let value = value(raw, row) else { return false }
      memory.initialize(to: value)
    } else {
      guard let value = value(row.read(column, as: Raw.self), row) else { return false }
      memory.initialize(to: value)
    }
    return true
  }

  override func loadOptional(
    _ row: borrowing _RowReader, _ column: Int, into memory: UnsafeMutablePointer<Value?>
  ) -> Bool {
    guard let raw = row.read(column, as: Raw?.self) else {
      memory.initialize(to: nil)
      return true
    }
    guard let value = value(raw, row) else { return false }
    memory.initialize(to: value)
    return true
  }

  private func value(_ raw: Raw, _ row: borrowing _RowReader) -> Value? {
    if let value = Value(rawValue: raw) { return value }
    row.problems.report(
      "\(Value.self) has no case with the stored raw value \(quoted(raw)); add the case, or correct the stored value")
    return nil
  }

  private func quoted(_ raw: Raw) -> String {
    // A string from a store may be of any length.
    raw is String ? "\"\(String(describing: raw).prefix(40))\"" : "\(raw)"
  }

  override func store(_ value: UnsafePointer<Value>, to binder: inout _RowBinder) {
    binder.bind(value.pointee.rawValue)
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool { left.rawValue._isSame(as: right.rawValue) }

  override func sample(_ kind: SampleKind) -> Value? {
    if let raw: Raw = kind.value(), let value = Value(rawValue: raw) { return value }
    if let value = Value(rawValue: Raw._zero) { return value }
    if let listed = Value.self as? any CaseIterable.Type { return first(of: listed) }
    return CompositeMemory.zeroBits()
  }

  private func first<Listed: CaseIterable>(of type: Listed.Type) -> Value? {
    type.allCases.first as? Value
  }

  override func memberAccesses(at offset: Int) -> [MemberAccess]? {
    [CodecMember<Value>(offset: offset, codec: self)]
  }
}
