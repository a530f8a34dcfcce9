import Foundation

/// A codec for a scalar in one column: both scalars that `@Model` recognises, and scalars that a type alias hides from it.
final class ColumnCodec<Value: _ColumnValue>: _PropertyCodec<Value> {
  init() {
    let isDecimal = Value.self == Decimal.self || Value.self == Decimal?.self
    super.init(columns: [
      CodecColumn(
        suffix: "", type: Value._columnType, isOptional: Value._isOptional, order: isDecimal ? .decimal : .natural)
    ])
  }

  override func load(
    _ row: borrowing _RowReader, _ column: Int, isNullable: Bool, into memory: UnsafeMutablePointer<Value>
  ) -> Bool {
    memory.initialize(to: row.read(column))
    return true
  }

  override func store(_ value: UnsafePointer<Value>, to binder: inout _RowBinder) { binder.bind(value.pointee) }

  override func storeMissing(to binder: inout _RowBinder) {
    if Value._isOptional { binder.bindStored(.null) } else { super.storeMissing(to: &binder) }
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool { left._isSame(as: right) }

  override func sample(_ kind: SampleKind) -> Value? { kind.value() }

  override func memberAccesses(at offset: Int) -> [MemberAccess]? {
    func required<Member: MemberValue>(_ type: Member.Type) -> MemberAccess { ColumnMember<Member>(offset: offset) }
    func optional<Member: MemberValue>(_ type: Member.Type) -> MemberAccess {
      OptionalColumnMember<Member>(offset: offset)
    }
    if let type = Value.self as? any MemberValue.Type { return [required(type)] }
    if let type = (Value.self as? any OptionalType.Type)?.wrappedType as? any MemberValue.Type {
      return [optional(type)]
    }
    // An optional of an optional: a NULL cannot express which of them is nil.
    return nil
  }
}
