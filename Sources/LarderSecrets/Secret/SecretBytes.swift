import CLarderSecrets

/// Bytes that are overwritten when the last reference to them is released.
///
/// An array is unsuitable: a change may copy it, and copies are freed without being overwritten.
///
/// `@unchecked Sendable`, since only the initializer writes the memory, before any other code has a reference; afterwards it is
/// only
/// read.
final class SecretBytes: @unchecked Sendable {
  let count: Int
  private let memory: UnsafeMutableRawPointer

  /// Creates zeroed bytes, which `fill` then writes.
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
    // Contiguous bytes are copied directly, so that no intermediate copy remains in memory.
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
    // The buffer is valid only as long as this object.
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Returns whether the bytes are equal, in a time that does not depend on their content. Different lengths are unequal at once.
  func isEqual(to other: SecretBytes) -> Bool {
    count == other.count && cls_equal(memory, other.memory, count) == 1
  }

  static func random(count: Int) throws(SecretError) -> SecretBytes {
    try SecretBytes(count: count) { (bytes) throws(SecretError) in
      guard cls_random(bytes.baseAddress, bytes.count) == 1 else { throw .noRandomness }
    }
  }
}

/// Overwrites and empties an array. Memory that other copies share is not overwritten.
func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { cls_wipe($0.baseAddress, $0.count) }
  bytes = []
}
