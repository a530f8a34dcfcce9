/// The path of an endpoint: a string literal whose interpolated values are percent-encoded.
///
/// ```swift
/// var path: EndpointPath {
///   switch self {
///   case .getPayments: "/v1/payments"
///   case .getPayment(let id): "/v1/payments/\(id)"
///   }
/// }
/// ```
///
/// A value always stays within one segment, whatever it contains: `a/b?c` becomes `a%2Fb%3Fc`. For several segments write
/// `"/files/\(segments: ["a", "b"])"`. A value that is empty, or makes a segment `.` or `..`, would address another path
/// (servers and proxies remove these segments, encoded or not): the request then fails with the kind
/// ``HTTPError/Kind/invalidRequest(_:)`` before it is sent.
///
/// Percent-encoded characters in the literal text are kept, and others that need it are encoded. The literal has no query:
/// `?` and `#` in it are an error.
public struct EndpointPath: Sendable, Hashable {
  /// The path as it is sent.
  public let encoded: String
  /// The path with `{}` in place of values: safe for logs and errors.
  public let template: String
  let problem: InvalidRequest?
}

extension EndpointPath: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    var interpolation = StringInterpolation(literalCapacity: value.utf8.count, interpolationCount: 0)
    interpolation.appendLiteral(value)
    self.init(stringInterpolation: interpolation)
  }

  public init(stringInterpolation: StringInterpolation) {
    encoded = stringInterpolation.encoded
    template = stringInterpolation.template
    problem = stringInterpolation.problem ?? (Self.hasDotSegment(stringInterpolation.encoded) ? .dotSegment : nil)
  }

  /// Creates a path from whole segments, each of which is encoded.
  public init(segments: [String]) {
    var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: segments.count)
    for segment in segments {
      interpolation.appendLiteral("/")
      interpolation.appendInterpolation(segment)
    }
    self.init(stringInterpolation: interpolation)
  }

  /// Creates a path from encoded text, as a server returns it. Its template is `…`, since the text may hold values.
  public init(percentEncoded path: String) {
    let literal = EndpointPath(stringLiteral: path)
    encoded = literal.encoded
    template = "…"
    problem = literal.problem
  }

  /// The interpolation of a path, which separates literals and values.
  public struct StringInterpolation: StringInterpolationProtocol {
    var encoded = ""
    var template = ""
    var problem: InvalidRequest?

    public init(literalCapacity: Int, interpolationCount: Int) {
      encoded.reserveCapacity(literalCapacity + interpolationCount * 16)
      template.reserveCapacity(literalCapacity + interpolationCount * 2)
    }

    public mutating func appendLiteral(_ literal: String) {
      template += literal
      let bytes = Array(literal.utf8)
      for (place, byte) in bytes.enumerated() {
        switch byte {
        case 0x25:  // %
          let isEncoding =
            place + 2 < bytes.count && PercentEncoding.hexadecimalValue(bytes[place + 1]) != nil
            && PercentEncoding.hexadecimalValue(bytes[place + 2]) != nil
          if !isEncoding { problem = problem ?? .path }
          encoded += "%"
        case 0x3F, 0x23:  // ? #
          problem = problem ?? .path
        default:
          PercentEncoding.append(
            CollectionOfOne(byte), to: &encoded, allowing: { PercentEncoding.isPathCharacter($0) || $0 == 0x2F })
        }
      }
    }

    /// Appends text: one segment, or a part of one.
    public mutating func appendInterpolation(_ value: String) {
      template += "{}"
      if value.isEmpty { problem = problem ?? .emptyPathComponent }
      PercentEncoding.append(value.utf8, to: &encoded, allowing: PercentEncoding.isUnreserved)
    }

    /// Appends a number, a Boolean, or any other value with a lossless description. Optionals are excluded.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
      appendInterpolation(value.description)
    }

    /// Appends the raw value of an enumeration.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
      appendInterpolation(value.rawValue.description)
    }

    /// Appends several segments.
    public mutating func appendInterpolation(segments: [String]) {
      if segments.isEmpty { problem = problem ?? .emptyPathComponent }
      for (place, segment) in segments.enumerated() {
        if place > 0 {
          encoded += "/"
          template += "/"
        }
        appendInterpolation(segment)
      }
    }
  }

  /// Returns whether a segment is `.` or `..`, also with encoded dots (RFC 3986, sections 5.2.4 and 6.2.2.2).
  private static func hasDotSegment(_ path: String) -> Bool {
    path.utf8.split(separator: 0x2F, omittingEmptySubsequences: true).contains { segment in
      // Two encoded dots have six bytes at most.
      guard segment.count <= 6 else { return false }
      var rest = segment[...]
      var dots = 0
      while let first = rest.first {
        if first == 0x2E {
          rest = rest.dropFirst()
        } else if rest.count >= 3, ASCIIText.equal(String(rest.prefix(3)) ?? "", "%2e") {
          rest = rest.dropFirst(3)
        } else {
          return false
        }
        dots += 1
      }
      return dots == 1 || dots == 2
    }
  }
}

extension EndpointPath: CustomStringConvertible {
  /// The template, which contains no values.
  public var description: String { template }
}
