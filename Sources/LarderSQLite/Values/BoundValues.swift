public import CLarderSQLite

/// An array of values for one parameter: the rows of `larder_values(?)`.
///
/// One SQL text serves any number of values, and the index of the compared column is used:
///
/// ```swift
/// let find = try connection.prepare("SELECT id FROM fruit WHERE name IN (SELECT value FROM larder_values(?1))")
/// find.bind(1, BoundValues(["pear", "", "fig"]))
/// ```
///
/// The table has the column `value`; its `rowid` is the position, counted from 1. The values are copied when the array
/// is created. A statement retains them until the parameter is bound again or the statement is reset.
public final class BoundValues: @unchecked Sendable {
  // Safe to share: the array is immutable after its creation, and its reference count is atomic.
  public let storage: UnsafeMutablePointer<larder_values>?

  /// The number of values.
  public let count: Int

  deinit {
    if let storage { larder_values_release(storage) }
  }

  private init(kind: Int32, count: Int, bytes: Int = 0, withNulls: Bool) {
    self.count = count
    // `nil` if there is not enough memory; the binding then reports that.
    storage = larder_values_create(kind, Int64(count), Int64(bytes), withNulls ? 1 : 0)
  }

  /// Creates an array of integers.
  public convenience init(_ values: [Int64]) {
    self.init(kind: Int32(LARDER_VALUES_INT64), count: values.count, withNulls: false)
    guard let target = storage?.pointee.integers else { return }
    for (index, value) in values.enumerated() { target[index] = value }
  }

  /// Creates an array of integers, or NULL for `nil`.
  public convenience init(_ values: [Int64?]) {
    self.init(kind: Int32(LARDER_VALUES_INT64), count: values.count, withNulls: true)
    guard let target = storage?.pointee.integers, let nulls = storage?.pointee.nulls else { return }
    for (index, value) in values.enumerated() {
      if let value { target[index] = value } else { nulls[index] = 1 }
    }
  }

  /// Creates an array of numbers.
  public convenience init(_ values: [Double]) {
    self.init(kind: Int32(LARDER_VALUES_DOUBLE), count: values.count, withNulls: false)
    guard let target = storage?.pointee.doubles else { return }
    for (index, value) in values.enumerated() { target[index] = value }
  }

  /// Creates an array of numbers, or NULL for `nil`.
  public convenience init(_ values: [Double?]) {
    self.init(kind: Int32(LARDER_VALUES_DOUBLE), count: values.count, withNulls: true)
    guard let target = storage?.pointee.doubles, let nulls = storage?.pointee.nulls else { return }
    for (index, value) in values.enumerated() {
      if let value { target[index] = value } else { nulls[index] = 1 }
    }
  }

  /// Creates an array of texts.
  public convenience init(_ values: [String]) {
    self.init(kind: Int32(LARDER_VALUES_TEXT), sequences: values.lazy.map { Optional($0.utf8) })
  }

  /// Creates an array of texts, or NULL for `nil`.
  public convenience init(_ values: [String?]) {
    self.init(kind: Int32(LARDER_VALUES_TEXT), sequences: values.lazy.map { $0?.utf8 })
  }

  /// Creates an array of blobs, or NULL for `nil`.
  public convenience init(_ values: [[UInt8]?]) {
    self.init(kind: Int32(LARDER_VALUES_BLOB), sequences: values)
  }

  private convenience init<Bytes: Collection<UInt8>>(kind: Int32, sequences: some Collection<Bytes?>) {
    let total = sequences.reduce(into: 0) { $0 += $1?.count ?? 0 }
    let withNulls = sequences.contains { $0 == nil }
    self.init(kind: kind, count: sequences.count, bytes: total, withNulls: withNulls)
    guard let bytes = storage?.pointee.bytes, let ends = storage?.pointee.ends else { return }
    let room = UnsafeMutableBufferPointer(start: bytes, count: total)
    var end = 0
    for (index, sequence) in sequences.enumerated() {
      if let sequence {
        end = room[end...].update(fromContentsOf: sequence)
      } else {
        storage?.pointee.nulls?[index] = 1
      }
      ends[index] = Int64(end)
    }
  }
}
