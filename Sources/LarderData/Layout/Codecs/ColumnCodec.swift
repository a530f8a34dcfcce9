import Foundation

/// A scalar in its one column: those that `@Model` sees, and those that a type alias hides from it.
final class ColumnCodec<Value: ColumnValue>: PropertyCodec<Value> {
  init() {
    let isDecimal = Value.self == Decimal.self || Value.self == Decimal?.self
    super.init(columns: [
      CodecColumn(
        suffix: "", type: Value._columnType, isOptional: Value._isOptional, order: isDecimal ? .decimal : .natural)
    ])
  }

  override func read(_ row: borrowing RowReader, _ column: Int) -> Value? { row.read(column) }

  override func write(_ value: Value?, to binder: inout RowBinder) {
    if let value {
      binder.bind(value)
    } else if Value._isOptional {
      binder.bind(Value._zero)
    } else {
      writeMissing(to: &binder)
    }
  }

  override func isSame(_ left: Value, _ right: Value) -> Bool { left._isSame(as: right) }

  override func readOptional(_ row: borrowing RowReader, _ column: Int) -> Value?? {
    .some(row.read(column, as: Value?.self))
  }

  override func sample(_ kind: SampleKind) -> Value? { kind.value() }

  override func memberAccesses(at offset: Int) -> [MemberAccess]? { [ColumnMember<Value>(offset: offset)] }
}
