/// An entity tag: a server's name for one state of a resource (RFC 9110, section 8.8.3).
///
/// ```swift
/// if let tag = response.headers["ETag"].flatMap(EntityTag.init), !tag.isWeak {
///   update.headers["If-Match"] = tag.description
/// }
/// ```
///
/// A strong tag changes with each byte; a weak one (`W/"1"`) changes only with the meaning. There are two comparisons:
/// ``stronglyMatches(_:)`` states that two states are the same byte for byte, which changes and ranges need, and
/// ``weaklyMatches(_:)`` that they mean the same, which is enough for a cache.
public struct EntityTag: Sendable, Hashable {
  /// Whether the tag is weak.
  public let isWeak: Bool
  /// The text between the quotes. It has no meaning for clients.
  public let opaqueTag: String

  /// Reads a field's value; nil if it is no entity tag.
  ///
  /// Spaces around the tag are ignored. Other errors are not repaired: a tag without quotes, or with a quote inside, is rejected,
  /// since the server would compare a repaired tag with a different one of its own.
  ///
  /// - Parameter field: The value of an `ETag` field.
  public init?(_ field: String) {
    var bytes = ASCIIText.trimmed(field).utf8[...]
    isWeak = bytes.starts(with: "W/".utf8)
    if isWeak { bytes = bytes.dropFirst(2) }
    guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return nil }
    let inside = bytes.dropFirst().dropLast()
    guard inside.allSatisfy({ $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }) else { return nil }
    opaqueTag = String(decoding: inside, as: UTF8.self)
  }

  /// Returns whether both tags are strong and equal: the strong comparison (RFC 9110, section 8.8.3.2).
  public func stronglyMatches(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && weaklyMatches(other) }

  /// Returns whether both tags are equal, weak or not: the weak comparison (RFC 9110, section 8.8.3.2).
  public func weaklyMatches(_ other: EntityTag) -> Bool {
    // By bytes: the server distinguishes texts that Unicode considers equal.
    opaqueTag.utf8.elementsEqual(other.opaqueTag.utf8)
  }

  /// Returns whether both tags are the same text. This is neither comparison of the standard: see ``stronglyMatches(_:)``.
  public static func == (left: EntityTag, right: EntityTag) -> Bool {
    left.isWeak == right.isWeak && left.weaklyMatches(right)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(isWeak)
    for byte in opaqueTag.utf8 { hasher.combine(byte) }
  }
}

extension EntityTag: CustomStringConvertible {
  /// The tag as it is sent.
  public var description: String { (isWeak ? "W/\"" : "\"") + opaqueTag + "\"" }
}
