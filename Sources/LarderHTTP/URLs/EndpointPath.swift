/// The path of an endpoint, written as a string whose values are encoded as they are put in.
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
/// A value is always within one segment, whatever is in it: `a/b?c` becomes `a%2Fb%3Fc`. Where it is to be several
/// segments, say so: `"/files/\(segments: ["a", "b"])"`. A value that is empty, or makes a segment `.` or `..`, would
/// lead elsewhere (servers and proxies take these segments out, encoded or not): it is an error of the kind
/// ``HTTPError/Kind/invalidRequest(_:)`` when the request is made.
///
/// The literal text may have percent-encoded characters in it, which stay; others that need it are encoded. It has no
/// query: `?` and `#` in it are an error.
public struct EndpointPath: Sendable, Hashable {
  /// The path as it is sent.
  public let encoded: String
  /// The path with `{}` where a value was put in: fit for logs and errors.
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

  /// A path of whole segments, each of which is encoded.
  public init(segments: [String]) {
    var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: segments.count)
    for segment in segments {
      interpolation.appendLiteral("/")
      interpolation.appendInterpolation(segment)
    }
    self.init(stringInterpolation: interpolation)
  }

  /// A path that is encoded already, as a server gives it. Its template is `…`, since it may hold values.
  public init(percentEncoded path: String) {
    let literal = EndpointPath(stringLiteral: path)
    encoded = literal.encoded
    template = "…"
    problem = literal.problem
  }

  /// Takes literals and values apart.
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

    /// A text: one segment, or a part of one.
    public mutating func appendInterpolation(_ value: String) {
      template += "{}"
      if value.isEmpty { problem = problem ?? .emptyPathComponent }
      PercentEncoding.append(value.utf8, to: &encoded, allowing: PercentEncoding.isUnreserved)
    }

    /// A number, a truth value, or anything else that is written without loss. An optional is none of these.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
      appendInterpolation(value.description)
    }

    /// The raw value of an enumeration.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
      appendInterpolation(value.rawValue.description)
    }

    /// Several segments.
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

  /// Whether a segment is `.` or `..`, also where the dots are encoded (RFC 3986, sections 5.2.4 and 6.2.2.2).
  private static func hasDotSegment(_ path: String) -> Bool {
    path.utf8.split(separator: 0x2F, omittingEmptySubsequences: true).contains { segment in
      // Encoded, the two dots are six bytes at most.
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
  /// The template, which holds no value.
  public var description: String { template }
}
