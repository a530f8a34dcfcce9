// The only file that reads and writes values by address.
//
// A composite is a struct whose stored members are known by type and offset from the runtime's own description, and whose
// coding was proved to consist of exactly these members. Decoding through its Decoder costs about 250 ns a row; reading
// through its memory costs about as much as reading its columns. This is sound for these reasons:
//
// - Each member is read, written and destroyed with its own static type, at the offset that the runtime reports.
// - A struct is exactly its stored members: if all of them are initialised, the struct is initialised.
// - If a member cannot be read, the members before it are destroyed, and no value is returned.
// - The addresses do not escape the closures that receive them.

/// Access to one stored member of a composite in a value's memory.
class MemberAccess {
  final let offset: Int
  /// The number of the member's columns.
  final let columnCount: Int

  init(offset: Int, columnCount: Int) {
    self.offset = offset
    self.columnCount = columnCount
  }

  /// Initialises the member in a value's memory. If it returns false, it has reported the reason and initialised nothing.
  /// - Parameter isNullable: Whether the columns may hold NULL because the whole value is optional.
  func read(_ row: borrowing _RowReader, _ column: Int, into value: UnsafeMutableRawPointer, isNullable: Bool) -> Bool {
    false
  }

  func write(_ value: UnsafeRawPointer, to binder: inout _RowBinder) {}
  func isSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool { false }
  func destroy(_ value: UnsafeMutableRawPointer) {}
  /// Initialises the member with a sample, if there is one.
  func makeSample(_ kind: SampleKind, into value: UnsafeMutableRawPointer) -> Bool { false }
  /// Returns the same member for a composite that is nested in another at an offset.
  func moved(by distance: Int) -> MemberAccess { self }
}

/// Access to a scalar member.
final class ColumnMember<Member: MemberValue>: MemberAccess {
  init(offset: Int) { super.init(offset: offset, columnCount: 1) }

  override func read(
    _ row: borrowing _RowReader, _ column: Int, into value: UnsafeMutableRawPointer, isNullable: Bool
  ) -> Bool {
    guard isNullable else {
      Member.readMember(row, column, into: value + offset)
      return true
    }
    if Member.readNullableMember(row, column, into: value + offset) { return true }
    row.problems.report("a member of type \(Member.self) is NULL, though the value that it is part of is there")
    return false
  }

  override func write(_ value: UnsafeRawPointer, to binder: inout _RowBinder) {
    Member.writeMember(value + offset, to: &binder)
  }

  override func isSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    Member.isSameMember(left + offset, right + offset)
  }

  override func destroy(_ value: UnsafeMutableRawPointer) {
    (value + offset).assumingMemoryBound(to: Member.self).deinitialize(count: 1)
  }

  override func makeSample(_ kind: SampleKind, into value: UnsafeMutableRawPointer) -> Bool {
    guard let sample: Member = kind.value() else { return false }
    (value + offset).initializeMemory(as: Member.self, to: sample)
    return true
  }

  override func moved(by distance: Int) -> MemberAccess { ColumnMember(offset: offset + distance) }
}

/// Access to an optional scalar member.
final class OptionalColumnMember<Member: MemberValue>: MemberAccess {
  init(offset: Int) { super.init(offset: offset, columnCount: 1) }

  override func read(
    _ row: borrowing _RowReader, _ column: Int, into value: UnsafeMutableRawPointer, isNullable: Bool
  ) -> Bool {
    Member.readOptionalMember(row, column, into: value + offset)
    return true
  }

  override func write(_ value: UnsafeRawPointer, to binder: inout _RowBinder) {
    Member.writeOptionalMember(value + offset, to: &binder)
  }

  override func isSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    Member.isSameOptionalMember(left + offset, right + offset)
  }

  override func destroy(_ value: UnsafeMutableRawPointer) {
    (value + offset).assumingMemoryBound(to: Member?.self).deinitialize(count: 1)
  }

  override func makeSample(_ kind: SampleKind, into value: UnsafeMutableRawPointer) -> Bool {
    guard let sample: Member? = kind.value() else { return false }
    (value + offset).initializeMemory(as: Member?.self, to: sample)
    return true
  }

  override func moved(by distance: Int) -> MemberAccess { OptionalColumnMember(offset: offset + distance) }
}

extension MemberValue {
  static func readMember(_ row: borrowing _RowReader, _ column: Int, into member: UnsafeMutableRawPointer) {
    member.initializeMemory(as: Self.self, to: row.read(column))
  }

  static func readOptionalMember(_ row: borrowing _RowReader, _ column: Int, into member: UnsafeMutableRawPointer) {
    member.initializeMemory(as: Self?.self, to: row.read(column))
  }

  static func readNullableMember(
    _ row: borrowing _RowReader, _ column: Int, into member: UnsafeMutableRawPointer
  ) -> Bool {
    guard let value = row.read(column, as: Self?.self) else { return false }
    member.initializeMemory(as: Self.self, to: value)
    return true
  }

  static func writeMember(_ member: UnsafeRawPointer, to binder: inout _RowBinder) {
    binder.bind(member.assumingMemoryBound(to: Self.self).pointee)
  }

  static func writeOptionalMember(_ member: UnsafeRawPointer, to binder: inout _RowBinder) {
    binder.bind(member.assumingMemoryBound(to: Self?.self).pointee)
  }

  static func isSameMember(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    left.assumingMemoryBound(to: Self.self).pointee._isSame(as: right.assumingMemoryBound(to: Self.self).pointee)
  }

  static func isSameOptionalMember(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    left.assumingMemoryBound(to: Self?.self).pointee._isSame(as: right.assumingMemoryBound(to: Self?.self).pointee)
  }
}

/// Access to a member with a codec of its own: an enumeration, an optional one, an optional composite.
final class CodecMember<Member>: MemberAccess {
  private let codec: _PropertyCodec<Member>

  init(offset: Int, codec: _PropertyCodec<Member>) {
    self.codec = codec
    super.init(offset: offset, columnCount: codec.columns.count)
  }

  override func read(
    _ row: borrowing _RowReader, _ column: Int, into value: UnsafeMutableRawPointer, isNullable: Bool
  ) -> Bool {
    codec.load(
      row, column, isNullable: isNullable, into: (value + offset).bindMemory(to: Member.self, capacity: 1))
  }

  override func write(_ value: UnsafeRawPointer, to binder: inout _RowBinder) {
    codec.store((value + offset).assumingMemoryBound(to: Member.self), to: &binder)
  }

  override func isSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    codec.isSame(
      (left + offset).assumingMemoryBound(to: Member.self).pointee,
      (right + offset).assumingMemoryBound(to: Member.self).pointee)
  }

  override func destroy(_ value: UnsafeMutableRawPointer) {
    (value + offset).assumingMemoryBound(to: Member.self).deinitialize(count: 1)
  }

  override func makeSample(_ kind: SampleKind, into value: UnsafeMutableRawPointer) -> Bool {
    guard let sample = codec.sample(kind) else { return false }
    (value + offset).initializeMemory(as: Member.self, to: sample)
    return true
  }

  override func moved(by distance: Int) -> MemberAccess {
    CodecMember(offset: offset + distance, codec: codec)
  }
}

/// Whole values, assembled from their members.
enum CompositeMemory {
  /// Assembles a value from a row; returns false, with nothing initialised, if a member cannot be read.
  static func load(
    _ members: [MemberAccess], _ row: borrowing _RowReader, _ column: Int, isNullable: Bool,
    into value: UnsafeMutableRawPointer
  ) -> Bool {
    var column = column
    for member in members {
      guard member.read(row, column, into: value, isNullable: isNullable) else {
        destroy(members, before: member, value)
        return false
      }
      column += member.columnCount
    }
    return true
  }

  static func store(_ value: UnsafeRawPointer, _ members: [MemberAccess], to binder: inout _RowBinder) {
    for member in members { member.write(value, to: &binder) }
  }

  /// Assembles a sample, if each member has one.
  static func sample<Value>(_ type: Value.Type, _ members: [MemberAccess], _ kind: SampleKind) -> Value? {
    withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment
    ) { memory -> Value? in
      guard let base = memory.baseAddress else { return nil }
      for member in members {
        guard member.makeSample(kind, into: base) else {
          destroy(members, before: member, base)
          return nil
        }
      }
      return base.assumingMemoryBound(to: Value.self).move()
    }
  }

  private static func destroy(
    _ members: [MemberAccess], before failed: MemberAccess, _ base: UnsafeMutableRawPointer
  ) {
    for member in members {
      if member === failed { return }
      member.destroy(base)
    }
  }

  static func isSame<Value>(_ left: Value, _ right: Value, _ members: [MemberAccess]) -> Bool {
    withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { right in
        members.allSatisfy { $0.isSame(UnsafeRawPointer(left), UnsafeRawPointer(right)) }
      }
    }
  }

  /// Returns the member of a value at an offset.
  ///
  /// - Precondition: The runtime describes the value's type as having a member of this type at this offset.
  static func load<Value, Member>(_ type: Member.Type, at offset: Int, of value: Value) -> Member {
    withUnsafePointer(to: value) {
      (UnsafeRawPointer($0) + offset).assumingMemoryBound(to: Member.self).pointee
    }
  }

  /// Returns the value whose bits are all zero, for types of at most one byte without references: the first case of an
  /// enumeration, and a struct of such values. Nil for larger types, for which zero may be invalid.
  static func zeroBits<Value>() -> Value? {
    guard MemoryLayout<Value>.size <= 1, _isPOD(Value.self) else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { byte in
      byte.initialize(repeating: 0)
      return byte.baseAddress.map { UnsafeRawPointer($0).loadUnaligned(as: Value.self) }
    }
  }
}
