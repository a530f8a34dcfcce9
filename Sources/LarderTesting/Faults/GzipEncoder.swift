package import Foundation

/// Compressed bodies without a compression library: gzip with stored or repeating blocks.
package enum GzipEncoder {
  /// Returns a gzip member (RFC 1952) with stored deflate blocks (RFC 1951).
  package static func gzip(_ data: Data) -> Data {
    var out = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    var rest = data[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let size = UInt16(block.count)
      out.append(rest.isEmpty ? 1 : 0)
      out.append(contentsOf: [UInt8(size & 0xFF), UInt8(size >> 8), UInt8(~size & 0xFF), UInt8(~size >> 8)])
      out.append(block)
    } while !rest.isEmpty
    out.append(littleEndian: checksum(data))
    out.append(littleEndian: UInt32(truncatingIfNeeded: data.count))
    return out
  }

  /// Returns a gzip member of many zeros: one literal, then copies of 258 bytes at a distance of 1, by the fixed codes.
  package static func gzip(zeros count: Int) -> Data {
    var out = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    var bits: UInt64 = 0
    var held = 0
    func put(_ value: UInt64, _ length: Int) {
      bits |= value << held
      held += length
      while held >= 8 {
        out.append(UInt8(bits & 0xFF))
        bits >>= 8
        held -= 8
      }
    }
    /// Appends a Huffman code. These codes are packed from their highest bit.
    func code(_ value: UInt64, _ length: Int) { for place in (0..<length).reversed() { put(value >> place & 1, 1) } }
    put(1, 1)
    put(1, 2)
    code(0x30, 8)
    let copies = (count - 1) / 258
    for _ in 0..<copies {
      code(0xC0 + 5, 8)
      code(0, 5)
    }
    for _ in 0..<(count - 1 - copies * 258) { code(0x30, 8) }
    code(0, 7)
    put(0, 7)
    out.append(littleEndian: checksum(Data(count: count)))
    out.append(littleEndian: UInt32(truncatingIfNeeded: count))
    return out
  }

  private static func checksum(_ data: Data) -> UInt32 {
    ~data.reduce(0xFFFF_FFFF) { $0 >> 8 ^ checksumTable[Int(($0 ^ UInt32($1)) & 0xFF)] }
  }

  /// The CRC-32 of each byte.
  private static let checksumTable: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }
}

extension Data {
  fileprivate mutating func append(littleEndian value: UInt32) {
    for place in 0..<4 { append(UInt8(value >> (8 * place) & 0xFF)) }
  }
}
