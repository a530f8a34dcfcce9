/// An enumeration, or another type with a raw value, as its raw value.
final class RawValueCodec<Value: RawRepresentable>: PropertyCodec<Value> where Value.RawValue: ColumnValue {
  private typealias Raw = Value.RawValue

  init() {
    super.init(columns: ColumnCodec<Raw>().columns)
  }

  override func read(_ row: borrowing RowReader, _ column: Int) -> Value? {
    value(row.read(column, as: Raw.self), row)
  }

  override func readOptional(_ row: borrowing RowReader, _ column: Int) -> Value?? {
    guard let raw = row.read(column, as: Raw?.self) else { return .some(nil) }
    guard let value = value(raw, row) else { return nil }
    return .some(.some(value))
  }

  private func value(_ raw: Raw, _ row: borrowing RowReader) -> Value? {
    if let value = Value(rawValue: raw) { return value }
    row.problems.report(
      "\(Value.self) has no case with the stored raw value \(quoted(raw)); add the case, or correct the stored value")
    return nil
  }

  private func quoted(_ raw: Raw) -> String {
    // A text from a store may be of any length.
    raw is String ? "\"\(String(describing: raw).prefix(40))\"" : "\(raw)"
  }

  override func write(_ value: Value?, to binder: inout RowBinder) {
    if let value { binder.bind(value.rawValue) } else { writeMissing(to: &binder) }
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
    [CodecMember<Value>(offset: offset, codec: self, name: "\(Value.self)")]
  }
}
