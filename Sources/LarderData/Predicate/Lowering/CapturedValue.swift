import LarderSupport

/// A captured value that is not a scalar: a composite, a range or a collection.
struct CapturedValue {
  let type: any Any.Type
  /// The number of the value's parameter in the evaluator.
  let parameter: Int
  /// Returns the stored member of a composite, to be bound; nil where it is not a scalar.
  let member: (CompositeMember) -> ParameterSource?
  /// Whether a captured optional has a value.
  let presence: ParameterSource
  /// Returns the row ID for a model, if the value is an identifier.
  let rowID: (IdentifierResolver) -> ParameterSource?

  init<Value>(_ load: CaptureLoader<Value>, parameter: Int) {
    type = Value.self
    self.parameter = parameter
    rowID = { rows in rows.coding(of: Value.self).map { ParameterSource(load, $0) } }
    if let optional = Value.self as? any OptionalValue.Type {
      (member, presence) = CapturedValue.accessors(ofOptional: optional, load)
    } else {
      member = { member in CapturedValue.source(member) { .some(try load($0)) } as ParameterSource? }
      presence = ParameterSource(CaptureLoader { _ in 1 }, ScalarCoding { .integer(Int64($0)) })
    }
  }

  private init(_ other: CapturedValue, parameter: Int) {
    (type, member, presence, rowID) = (other.type, other.member, other.presence, other.rowID)
    self.parameter = parameter
  }

  /// Returns the same value with another number.
  func moved(to parameter: Int) -> CapturedValue { CapturedValue(self, parameter: parameter) }

  private static func accessors<Optional: OptionalValue, Value>(
    ofOptional type: Optional.Type, _ load: CaptureLoader<Value>
  ) -> ((CompositeMember) -> ParameterSource?, ParameterSource) {
    // Value is Optional: only the compiler doesn't know.
    let wrapped: (ExpressionMemory) throws -> Optional.Wrapped? = { (try load($0) as? Optional)?.wrappedValue }
    let presence = ParameterSource(
      CaptureLoader { try wrapped($0) == nil ? 0 : 1 }, ScalarCoding { .integer(Int64($0 as Int)) })
    return ({ source($0, wrapped) }, presence)
  }

  private static func source<Root>(
    _ member: CompositeMember, _ load: @escaping (ExpressionMemory) throws -> Root?
  ) -> ParameterSource? {
    func open<Member>(_ type: Member.Type) -> ParameterSource? {
      guard let coding = ScalarCoding<Member>.find() else { return nil }
      let offset = member.offset
      let optional = ScalarCoding<Member?> { try $0.map(coding.stored) ?? .null }
      return ParameterSource(
        CaptureLoader { try load($0).map { ExpressionMemory.member(of: $0, at: offset, as: type) } }, optional)
    }
    return _openExistential(member.type, do: open)
  }
}
