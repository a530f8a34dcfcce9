import LarderSupport

/// The values of an enumeration without associated values.
enum EnumerationCases {
  /// 256: enumerations of up to this many cases are one byte, which is the number of the case.
  private static let maximumCaseCount = 256
  /// The kind of an enumeration's metadata, and the offsets of the case counts in its descriptor: part of Swift's stable ABI
  /// (`TargetEnumDescriptor`).
  private static let enumerationKind = 0x201
  private static let payloadCasesOffset = 20
  private static let emptyCasesOffset = 24
  /// The bits of the first count that contain the count; the others contain the payload's size.
  private static let payloadCasesMask: UInt32 = 0x00FF_FFFF

  /// Returns the values; nil for any other type.
  static func all<Value>(of type: Value.Type) -> [Value]? {
    if let iterable = type as? any CaseIterable.Type, let cases = iterated(iterable) as? [Value] { return cases }
    guard MemoryLayout<Value>.size <= 1, _isPOD(type), let count = count(type) else { return nil }
    return (0..<count).map { number in
      withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { memory in
        memory[0] = UInt8(truncatingIfNeeded: number)
        return UnsafeRawBufferPointer(memory).load(as: type)
      }
    }
  }

  private static func iterated<Value: CaseIterable>(_ type: Value.Type) -> Any { Array(type.allCases) }

  // Swift has no public way to list the cases of an enumeration.
  private static func count<Value>(_ type: Value.Type) -> Int? {
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafePointer<Int>.self)
    guard metadata[0] == enumerationKind, let descriptor = UnsafeRawPointer(bitPattern: metadata[1]) else { return nil }
    let withPayload = descriptor.load(fromByteOffset: payloadCasesOffset, as: UInt32.self) & payloadCasesMask
    let count = Int(descriptor.load(fromByteOffset: emptyCasesOffset, as: UInt32.self))
    return withPayload == 0 && (1...maximumCaseCount).contains(count) ? count : nil
  }
}
