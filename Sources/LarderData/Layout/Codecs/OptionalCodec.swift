/// A codec for an optional of another codec's value: NULL in its column, or for a composite 0 in its presence column.
final class OptionalCodec<Wrapped>: _PropertyCodec<Wrapped?> {
  private let wrapped: _PropertyCodec<Wrapped>

  init(_ wrapped: _PropertyCodec<Wrapped>) {
    self.wrapped = wrapped
    super.init(columns: wrapped.optionalColumns, references: wrapped.references)
  }

  /// The members of the optional composite. Their offsets are those in the wrapped value, which an optional stores at its
  /// start, and their columns follow the presence column.
  override var members: [CompositeMember]? {
    wrapped.members?.map { $0.moved(by: 0, columns: 1) }
  }

  override func load(
    _ row: borrowing _RowReader, _ column: Int, isNullable: Bool, into memory: UnsafeMutablePointer<Wrapped?>
  ) -> Bool {
    wrapped.loadOptional(row, column, into: memory)
  }

  override func store(_ value: UnsafePointer<Wrapped?>, to binder: inout _RowBinder) {
    guard let value = value.pointee else { return wrapped.storeNil(to: &binder) }
    wrapped.storePresence(to: &binder)
    withUnsafePointer(to: value) { wrapped.store($0, to: &binder) }
  }

  override func storeMissing(to binder: inout _RowBinder) { wrapped.storeNil(to: &binder) }

  override func isSame(_ left: Wrapped?, _ right: Wrapped?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): wrapped.isSame(left, right)
    default: false
    }
  }

  override func sample(_ kind: SampleKind) -> Wrapped?? {
    kind != .withoutNil ? .some(nil) : wrapped.sample(kind)
  }

  override func memberAccesses(at offset: Int) -> [MemberAccess]? {
    // The columns can express one nil only.
    if Wrapped.self is any OptionalCoding.Type { return nil }
    // An optional of a value that is not flat is not flat either.
    return wrapped.memberAccesses(at: 0).map { _ in
      [CodecMember<Wrapped?>(offset: offset, codec: self)]
    }
  }
}
