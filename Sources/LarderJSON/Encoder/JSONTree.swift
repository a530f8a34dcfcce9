/// An encoded value, kept until it is complete and its keys can be sorted.
///
/// It is a class, since a type may write to a container after it has opened a sibling.
final class JSONTree {
  enum Content {
    case nothing
    /// A scalar in its written form.
    case scalar([UInt8])
    case array([JSONTree])
    case object([String: JSONTree])
  }

  var content: Content

  init(_ content: Content = .nothing) { self.content = content }

  /// Writes the value. Keys are in the order of their bytes.
  func write(to output: inout [UInt8], indentation: Int?) {
    switch content {
    case .nothing: output += Array("{}".utf8)
    case .scalar(let bytes): output += bytes
    case .array(let elements):
      JSONTree.write(elements, "[", "]", to: &output, indentation) { element, output, inner in
        element.write(to: &output, indentation: inner)
      }
    case .object(let values):
      let members = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      JSONTree.write(members, "{", "}", to: &output, indentation) { member, output, inner in
        JSONScalarFormatter.append(member.key, to: &output)
        output += inner == nil ? [ASCIIByte.colon] : [0x20, ASCIIByte.colon, 0x20]
        member.value.write(to: &output, indentation: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ open: UnicodeScalar, _ close: UnicodeScalar, to output: inout [UInt8],
    _ indentation: Int?, _ write: (Element, inout [UInt8], Int?) -> Void
  ) {
    func startLine(_ depth: Int) {
      output.append(ASCIIByte.newline)
      output.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }
    output.append(UInt8(ascii: open))
    let inner = indentation.map { $0 + 1 }
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(ASCIIByte.comma) }
      if let inner { startLine(inner) }
      write(element, &output, inner)
    }
    if let indentation, !elements.isEmpty { startLine(indentation) }
    output.append(UInt8(ascii: close))
  }
}

/// The written forms of strings and numbers.
enum JSONScalarFormatter {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends a string in quotes. Escapes only the characters of RFC 8259, section 7: quotes, backslashes and control characters.
  static func append(_ text: String, to output: inout [UInt8]) {
    output.append(ASCIIByte.quote)
    for byte in text.utf8 {
      switch byte {
      case ASCIIByte.quote, ASCIIByte.backslash: output += [ASCIIByte.backslash, byte]
      case 0x08: output += [ASCIIByte.backslash, UInt8(ascii: "b")]
      case 0x0C: output += [ASCIIByte.backslash, UInt8(ascii: "f")]
      case 0x0A: output += [ASCIIByte.backslash, UInt8(ascii: "n")]
      case 0x0D: output += [ASCIIByte.backslash, UInt8(ascii: "r")]
      case 0x09: output += [ASCIIByte.backslash, UInt8(ascii: "t")]
      case 0..<0x20:
        output += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: output.append(byte)
      }
    }
    output.append(ASCIIByte.quote)
  }

  /// Returns the shortest decimal number that parses to the same double. Whole numbers have no point.
  static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ number: Number) -> [UInt8] {
    let text = String(describing: number)
    return Array((text.hasSuffix(".0") ? text.dropLast(2) : Substring(text)).utf8)
  }
}
