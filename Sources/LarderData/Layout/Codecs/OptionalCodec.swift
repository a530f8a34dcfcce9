/// An optional of what has a codec of its own: NULL in its column, or, for a composite, absent by its presence column.
final class OptionalCodec<Wrapped>: PropertyCodec<Wrapped?> {
  private let wrapped: PropertyCodec<Wrapped>

  init(_ wrapped: PropertyCodec<Wrapped>) {
    self.wrapped = wrapped
    super.init(columns: wrapped.optionalColumns)
  }

  /// The members of the composite that may be there. Their offsets are those in the wrapped value, which an optional
  /// keeps at its start, and their columns come after the presence column.
  override var members: [CompositeMember]? {
    wrapped.members?.map { $0.moved(by: 0, columns: 1) }
  }

  override func read(_ row: borrowing RowReader, _ column: Int) -> Wrapped?? { wrapped.readOptional(row, column) }

  override func write(_ value: Wrapped??, to binder: inout RowBinder) {
    wrapped.writeOptional(value ?? nil, to: &binder)
  }

  override func isSame(_ left: Wrapped?, _ right: Wrapped?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): wrapped.isSame(left, right)
    default: false
    }
  }

  override func sample(_ kind: SampleKind) -> Wrapped?? {
    kind == .zero ? .some(nil) : wrapped.sample(kind)
  }

  override func memberAccesses(at offset: Int) -> [MemberAccess]? {
    // An optional of what is not flat is not flat either.
    wrapped.memberAccesses(at: 0).map { _ in
      [CodecMember<Wrapped?>(offset: offset, codec: self, name: "\(Wrapped.self)?")]
    }
  }
}
