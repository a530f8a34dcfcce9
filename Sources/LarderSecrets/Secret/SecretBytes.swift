import CLarderSecrets

/// Bytes that are overwritten when the last who holds them lets go.
///
/// Not an array: that would be copied by whoever changes it, and its copies are freed as they are.
///
/// `@unchecked Sendable`, since the memory is written by who made it before anybody else has it, and only read from
/// then on.
final class SecretBytes: @unchecked Sendable {
  let count: Int
  private let memory: UnsafeMutableRawPointer

  /// Bytes that are all 0 until `fill` has written them.
  init<E: Error>(count: Int, fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E) {
    self.count = count
    memory = .allocate(byteCount: max(count, 1), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
    try fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
  }

  convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  convenience init(copying bytes: some Sequence<UInt8>) {
    // What lies in memory as it is leaves no copy that nobody wipes.
    if let copy = bytes.withContiguousStorageIfAvailable({ SecretBytes(copying: UnsafeRawBufferPointer($0)) }) {
      self.init(copying: copy)
    } else {
      var array = Array(bytes)
      defer { wipe(&array) }
      self.init(count: array.count) { memory in array.withUnsafeBytes { memory.copyMemory(from: $0) } }
    }
  }

  private convenience init(copying other: SecretBytes) {
    self.init(count: other.count) { memory in other.withBytes { memory.copyMemory(from: $0) } }
  }

  deinit {
    cls_wipe(memory, count)
    memory.deallocate()
  }

  func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    // The buffer is valid only for as long as this is held.
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// In a time that does not depend on where they differ; of other lengths they are unlike at once.
  func isEqual(to other: SecretBytes) -> Bool {
    count == other.count && cls_equal(memory, other.memory, count) == 1
  }

  static func random(count: Int) throws(SecretError) -> SecretBytes {
    try SecretBytes(count: count) { (bytes) throws(SecretError) in
      guard cls_random(bytes.baseAddress, bytes.count) == 1 else { throw .noRandomness }
    }
  }
}

/// Overwrites an array's bytes where nobody else has them; else those are others' to wipe.
func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { cls_wipe($0.baseAddress, $0.count) }
  bytes = []
}
