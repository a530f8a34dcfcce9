public import Foundation

/// What a form sent: its fields in their order, of which several may have one name.
public struct FormFields: Sendable {
  private var fields: [(name: String, value: String)] = []

  /// Reads `application/x-www-form-urlencoded`. What is no UTF-8 becomes replacement characters, and nothing traps.
  public init(_ body: Data) {
    for field in body.split(separator: UInt8(ascii: "&")) {
      let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      fields.append((Self.decode(parts[0]), parts.count > 1 ? Self.decode(parts[1]) : ""))
    }
  }

  /// The first value of a name.
  public subscript(name: String) -> String? {
    fields.first { $0.name == name }?.value
  }

  /// Every value of a name.
  public func all(_ name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  private static func decode(_ text: Data.SubSequence) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        // A percent sign without its digits is only a percent sign.
        if let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2,
          rest.first != UInt8(ascii: "+")
        {
          bytes.append(value)
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte)
        }
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
