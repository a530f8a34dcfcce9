/// A log message whose values are hidden unless they are declared public.
///
/// ```swift
/// logger.log(.info, "fetched \(count, privacy: .public) rows for \(user.id, privacy: .hashed) with \(token)")
/// // fetched 20 rows for #5f3a91c0d2e44b17 with <private>
/// ```
///
/// Hidden values are dropped when the message is created; no handler can recover them.
public struct LogMessage: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The text, without the private values.
  public let text: String

  public var description: String { text }

  public init(stringLiteral value: String) { text = value }

  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// The interpolation of a message, which hides the private values.
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 12)
    }

    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a value, hidden by default. A private value is not even described.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some CustomStringConvertible, privacy: LogPrivacy = .private
    ) {
      switch privacy {
      // Line breaks and control characters could forge entries.
      case .public: text += value().description.singleLine
      case .private: text += "<private>"
      case .hashed: text += LogPrivacy.hash(of: value().description)
      }
    }
  }
}

/// The visibility of a value in the log.
public enum LogPrivacy: Sendable, Hashable {
  /// The value is visible.
  case `public`
  /// The value is hidden.
  case `private`
  /// A hash is visible, which shows equal values within one run of the program.
  case hashed

  /// Returns a keyed hash, with a random key for each process: an identifier cannot be found by trial.
  static func hash(of text: String) -> String {
    var hasher = Hasher()
    hasher.combine(key.0)
    hasher.combine(key.1)
    hasher.combine(text)
    let digits = String(UInt64(bitPattern: Int64(hasher.finalize())), radix: 16)
    return "#" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A random key of its own, since that of the standard library can be fixed from outside.
  private static let key = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
}

extension String {
  /// The text without line breaks and control characters.
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
