// The one file that reads and writes values by address.
//
// A composite is a struct whose stored members are known by type and offset from the runtime's own description of it,
// and whose coding was proved to be nothing but those members. Going through its Decoder costs about 250 ns a row,
// going through its memory about as much as its columns. What keeps this sound:
//
// - Each member is read, written and destroyed with its own static type, at the offset at which the runtime has it.
// - A struct is exactly its stored members: all of them initialised is the struct initialised.
// - When a member cannot be read, those already made are destroyed, and no value comes out.
// - The addresses do not leave the closures that they are handed to.

/// Reads and writes one stored member of a composite in a value's memory.
class MemberAccess {
  final let offset: Int
  /// How many columns it takes.
  final let columnCount: Int

  init(offset: Int, columnCount: Int) {
    self.offset = offset
    self.columnCount = columnCount
  }

  /// Initialises the member in a value's memory. If it returns false, it has reported why, and initialised nothing.
  /// - Parameter isNullable: Whether the columns may hold NULL because the whole value is optional.
  func read(_ row: borrowing RowReader, _ column: Int, into value: UnsafeMutableRawPointer, isNullable: Bool) -> Bool {
    false
  }

  func write(_ value: UnsafeRawPointer, to binder: inout RowBinder) {}
  func isSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool { false }
  func destroy(_ value: UnsafeMutableRawPointer) {}
  /// Initialises the member with a sample, if there is one.
  func makeSample(_ kind: SampleKind, into value: UnsafeMutableRawPointer) -> Bool { false }
  /// The same member of a composite that lies at an offset within another.
  func moved(by distance: Int) -> MemberAccess { self }
}

/// A scalar member.
final class ColumnMember<Member: ColumnValue>: MemberAccess {
  init(offset: Int) { super.init(offset: offset, columnCount: 1) }

  override func read(
    _ row: borrowing RowReader, _ column: Int, into value: UnsafeMutableRawPointer, isNullable: Bool
  ) -> Bool {
    let member = value + offset
    guard isNullable, !Member._isOptional else {
      member.initializeMemory(as: Member.self, to: row.read(column))
      return true
    }
    guard let found = row.read(column, as: Member?.self) else {
      row.problems.report("a member of type \(Member.self) is NULL, though the value that it is part of is there")
      return false
    }
    member.initializeMemory(as: Member.self, to: found)
    return true
  }

  override func write(_ value: UnsafeRawPointer, to binder: inout RowBinder) {
    binder.bind((value + offset).assumingMemoryBound(to: Member.self).pointee)
  }

  override func isSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    (left + offset).assumingMemoryBound(to: Member.self).pointee._isSame(
      as: (right + offset).assumingMemoryBound(to: Member.self).pointee)
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

/// A member with a codec of its own: an enumeration, an optional one, an optional composite.
final class CodecMember<Member>: MemberAccess {
  private let codec: PropertyCodec<Member>
  private let name: String

  init(offset: Int, codec: PropertyCodec<Member>, name: String) {
    self.codec = codec
    self.name = name
    super.init(offset: offset, columnCount: codec.columns.count)
  }

  override func read(
    _ row: borrowing RowReader, _ column: Int, into value: UnsafeMutableRawPointer, isNullable: Bool
  ) -> Bool {
    let found = isNullable ? codec.readOptional(row, column) : .some(codec.read(row, column))
    guard let found else { return false }
    guard let member = found else {
      // Without NULLs, the codec has said why.
      row.problems.report("a member of type \(name) is NULL, though the value that it is part of is there")
      return false
    }
    (value + offset).initializeMemory(as: Member.self, to: member)
    return true
  }

  override func write(_ value: UnsafeRawPointer, to binder: inout RowBinder) {
    codec.write((value + offset).assumingMemoryBound(to: Member.self).pointee, to: &binder)
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
    CodecMember(offset: offset + distance, codec: codec, name: name)
  }
}

/// Whole values, put together from their members.
enum CompositeMemory {
  /// Puts a value together from a row; nil, with nothing left behind, as soon as one member cannot be read.
  static func assemble<Value>(
    _ type: Value.Type, _ members: [MemberAccess], _ row: borrowing RowReader, _ column: Int, isNullable: Bool
  ) -> Value? {
    withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment
    ) { memory -> Value? in
      // A composite has at least one member that takes room.
      guard let base = memory.baseAddress else { return nil }
      var column = column
      for member in members {
        guard member.read(row, column, into: base, isNullable: isNullable) else {
          destroy(members, before: member, base)
          return nil
        }
        column += member.columnCount
      }
      return base.assumingMemoryBound(to: Value.self).move()
    }
  }

  /// Puts a sample together, if each member has one.
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

  static func write<Value>(_ value: Value, _ members: [MemberAccess], to binder: inout RowBinder) {
    withUnsafePointer(to: value) { pointer in
      let base = UnsafeRawPointer(pointer)
      for member in members { member.write(base, to: &binder) }
    }
  }

  static func isSame<Value>(_ left: Value, _ right: Value, _ members: [MemberAccess]) -> Bool {
    withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { right in
        members.allSatisfy { $0.isSame(UnsafeRawPointer(left), UnsafeRawPointer(right)) }
      }
    }
  }

  /// The member of a value at an offset.
  ///
  /// - Precondition: The runtime describes the value's type as having a member of this type at this offset.
  static func load<Value, Member>(_ type: Member.Type, at offset: Int, of value: Value) -> Member {
    withUnsafePointer(to: value) {
      (UnsafeRawPointer($0) + offset).assumingMemoryBound(to: Member.self).pointee
    }
  }

  /// The value whose bits are all zero, for types of at most one byte without references: the first case of an
  /// enumeration, and a struct of such values. Nil for larger types, whose zero need not be valid.
  static func zeroBits<Value>() -> Value? {
    guard MemoryLayout<Value>.size <= 1, _isPOD(Value.self) else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { byte in
      byte.initialize(repeating: 0)
      return byte.baseAddress.map { UnsafeRawPointer($0).loadUnaligned(as: Value.self) }
    }
  }
}
