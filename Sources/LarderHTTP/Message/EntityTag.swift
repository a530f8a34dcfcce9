/// An entity tag: what a server calls one state of a resource (RFC 9110, section 8.8.3).
///
/// ```swift
/// if let tag = response.headers["ETag"].flatMap(EntityTag.init), !tag.isWeak {
///   update.headers["If-Match"] = tag.description
/// }
/// ```
///
/// A strong tag changes with each byte; a weak one (`W/"1"`) only where the meaning does. There are two comparisons: by
/// ``stronglyMatches(_:)`` two states are the same byte for byte, which changes and ranges need, and by ``weaklyMatches(_:)`` they
/// mean the same, which is enough for a cache.
public struct EntityTag: Sendable, Hashable {
  /// Whether it is weak.
  public let isWeak: Bool
  /// What stands between the quotes. No more is known of it.
  public let opaqueTag: String

  /// Reads a field's value; nil where it is no tag.
  ///
  /// Blanks around it are left out. Nothing else is put right: a tag without quotes, or with a quote inside, is none, since
  /// servers would compare it with something else than what they sent.
  public init?(_ field: String) {
    var bytes = ASCIIText.trimmed(field).utf8[...]
    isWeak = bytes.starts(with: "W/".utf8)
    if isWeak { bytes = bytes.dropFirst(2) }
    guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return nil }
    let inside = bytes.dropFirst().dropLast()
    guard inside.allSatisfy({ $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }) else { return nil }
    opaqueTag = String(decoding: inside, as: UTF8.self)
  }

  /// Whether both are strong and equal: the strong comparison (RFC 9110, section 8.8.3.2).
  public func stronglyMatches(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && weaklyMatches(other) }

  /// Whether both are equal, weak or not: the weak comparison (RFC 9110, section 8.8.3.2).
  public func weaklyMatches(_ other: EntityTag) -> Bool {
    // By bytes: of two texts that Unicode holds for equal, the server knows one.
    opaqueTag.utf8.elementsEqual(other.opaqueTag.utf8)
  }

  /// Equal, if they are the same text. No comparison of the standard's: see ``stronglyMatches(_:)``.
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
