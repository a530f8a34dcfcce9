/// A message whose values are hidden unless they are said to be public.
///
/// ```swift
/// logger.log(.info, "fetched \(count, privacy: .public) rows for \(user.id, privacy: .hashed) with \(token)")
/// // fetched 20 rows for #5f3a91c0d2e44b17 with <private>
/// ```
///
/// What is hidden is dropped when the message is made; no handler can bring it back.
public struct LogMessage: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The text, without what is private.
  public let text: String

  public var description: String { text }

  public init(stringLiteral value: String) { text = value }

  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 12)
    }

    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// A value, hidden unless `privacy` says otherwise. What is hidden is not even described.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some CustomStringConvertible, privacy: LogPrivacy = .private
    ) {
      switch privacy {
      // Line breaks and controls would forge entries.
      case .public: text += value().description.singleLine
      case .private: text += "<private>"
      case .hashed: text += LogPrivacy.hash(of: value().description)
      }
    }
  }
}

/// Who may see a value.
public enum LogPrivacy: Sendable, Hashable {
  /// Everybody.
  case `public`
  /// Nobody.
  case `private`
  /// Everybody may see which values are the same, within one run of the program.
  case hashed

  /// A keyed hash, with a key that each process draws anew: an identifier cannot be found again by trying.
  static func hash(of text: String) -> String {
    var hasher = Hasher()
    hasher.combine(key.0)
    hasher.combine(key.1)
    hasher.combine(text)
    let digits = String(UInt64(bitPattern: Int64(hasher.finalize())), radix: 16)
    return "#" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Drawn here too, since the library's own key can be fixed from outside.
  private static let key = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
}

extension String {
  /// The same without line breaks and controls.
  var singleLine: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    var clean = ""
    for scalar in unicodeScalars {
      if scalar.isControl { clean += "\u{FFFD}" } else { clean.unicodeScalars.append(scalar) }
    }
    return clean
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
