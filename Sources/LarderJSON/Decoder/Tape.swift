/// The kind of a tape entry.
enum TapeKind: UInt8 {
  case object
  case array
  /// The second entry of an object or array: the enclosing container.
  case parent
  case key
  case string
  case number
  case trueLiteral
  case falseLiteral
  case null
}

/// A value, a key, or half of a container, in 16 bytes.
///
/// | kind | `offset` | `length` | `count` |
/// |---|---|---|---|
/// | object, array | its beginning | the index of the entry after its last | the number of keys or elements |
/// | parent | the enclosing container | its position there | |
/// | key | its text, without quotes | the length as written | the number of its converted form |
/// | string | its text, without quotes | the length as written | |
/// | number, literals | its beginning | its length | |
struct TapeEntry {
  var offset: UInt32
  var length: UInt32
  var count: UInt32 = 0
  var kind: TapeKind
  /// For text: whether it has escapes. For an object: whether its keys are data, which are never converted.
  var hasEscapes = false
}

/// The structure of one value: the places of its parts in the text, in their order.
///
/// Filling the tape validates the text, so its readers rely on that. The tape takes 16 bytes for each key and each value, and is
/// reused for the next value.
struct Tape: ~Copyable {
  private(set) var entries: UnsafeMutablePointer<TapeEntry>
  private(set) var count = 0
  private var capacity: Int

  /// The index that means no container.
  static let noIndex = UInt32.max
  /// The greatest length of a text: offsets have 32 bits.
  static let maximumTextLength = Int(UInt32.max) - 1
  /// The number of entries at first. They take 4 KiB, room for a record with a hundred values.
  private static let initialCapacity = 256

  init() {
    capacity = Tape.initialCapacity
    entries = .allocate(capacity: capacity)
  }

  deinit { entries.deallocate() }

  @inline(__always)
  private mutating func append(_ entry: TapeEntry) {
    if _slowPath(count == capacity) { grow() }
    (entries + count).initialize(to: entry)
    count += 1
  }

  private mutating func grow() {
    let grown = UnsafeMutablePointer<TapeEntry>.allocate(capacity: capacity * 2)
    grown.moveInitialize(from: entries, count: count)
    entries.deallocate()
    entries = grown
    capacity *= 2
  }

  /// Reads the next value. Its bytes stay in the window, from the reader's pin on.
  ///
  /// - Parameters:
  ///   - base: The reader's offset at the pin, from which offsets are counted.
  ///   - keys: The table that numbers keys by their converted form, if keys are converted.
  mutating func fill(from reader: inout JSONReader, base: Int, keys: KeyTable?) throws {
    count = 0
    let outermost = reader.depth
    var parent = Tape.noIndex
    while true {
      // A value comes next.
      let byte = try reader.nextByte()
      let offset = reader.offset - base
      if offset > Tape.maximumTextLength { throw reader.error(.documentTooLarge, at: reader.position, Tape.tooLong) }
      var entry = TapeEntry(offset: UInt32(truncatingIfNeeded: offset), length: 0, kind: .null)
      switch byte {
      case ASCIIByte.openBrace, ASCIIByte.openBracket:
        let isObject = byte == ASCIIByte.openBrace
        entry.kind = isObject ? .object : .array
        append(entry)
        append(
          TapeEntry(
            offset: parent, length: parent == Tape.noIndex ? 0 : entries[Int(parent)].count &- 1, kind: .parent))
        parent = UInt32(truncatingIfNeeded: count - 2)
        try reader.open(isObject: isObject)
      case ASCIIByte.quote:
        let scan = try reader.skipStringScanning()
        entry.kind = .string
        entry.offset &+= 1
        entry.hasEscapes = scan.hasEscapes
        entry.length = UInt32(truncatingIfNeeded: reader.offset - base - 1) &- entry.offset
        append(entry)
      case ASCIIByte.minus, ASCIIByte.zero...ASCIIByte.nine:
        try reader.skipNumber()
        entry.kind = .number
        entry.length = UInt32(truncatingIfNeeded: reader.offset - base) &- entry.offset
        append(entry)
      default:
        let isTrue = try reader.consumeLiteral(byte)
        entry.kind = isTrue ? .trueLiteral : byte == UInt8(ascii: "n") ? .null : .falseLiteral
        append(entry)
      }
      // After a value: the next key or element, or the end of an open container.
      while true {
        if reader.depth == outermost { return }
        let isObject = reader.frame.pointee.isObject
        if isObject {
          if try appendKey(&reader, base: base, keys: keys, parent: parent) { break }
        } else if try reader.nextElement() {
          entries[Int(parent)].count &+= 1
          break
        }
        entries[Int(parent)].length = UInt32(truncatingIfNeeded: count)
        parent = entries[Int(parent) + 1].offset
      }
    }
  }

  @inline(__always)
  private mutating func appendKey(_ reader: inout JSONReader, base: Int, keys: KeyTable?, parent: UInt32) throws -> Bool
  {
    guard let key = try reader.nextKey() else { return false }
    let frame = reader.frame.pointee
    guard let written = frame.key else { return false }
    let offset = reader.offset(of: written) - base
    append(
      TapeEntry(
        offset: UInt32(truncatingIfNeeded: offset), length: UInt32(truncatingIfNeeded: frame.lengthOrIndex),
        count: keys.map { $0.number(of: key) } ?? 0, kind: .key, hasEscapes: key.isCopy(of: written)))
    entries[Int(parent)].count &+= 1
    return true
  }

  private static let tooLong = "Documents of 4 GiB and more cannot be decoded in one piece; read them as a stream."
}

extension JSONReader {
  /// Skips the string at the reader's position, and returns its scan, which says whether it has escapes.
  @inline(__always)
  mutating func skipStringScanning() throws -> StringScan {
    let scan = try scanNextString()
    position = scan.end + 1
    return scan
  }
}

extension JSONKey {
  /// Whether the key was copied, since it has escapes or had to wait for its colon.
  @inline(__always)
  func isCopy(of written: UnsafePointer<UInt8>) -> Bool { start != written }
}
