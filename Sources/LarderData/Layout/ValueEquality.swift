/// Returns whether two values that need not have a stored form are equal; false where their type cannot be compared.
public func _$areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
  if let left = left as? any _ColumnValue { return left.isSame(as: right) }
  return (left as? any Equatable)?.isEqual(to: right) ?? false
}

extension _ColumnValue {
  fileprivate func isSame(as other: Any) -> Bool { (other as? Self).map { _isSame(as: $0) } ?? false }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
