import SwiftSyntax
import Synchronization

/// The attributes that `@Model` adds to the properties of a class, by the properties' names in the source.
enum PropertyAttributes {
  /// The attributes of the latest class. The compiler asks for each member separately and passes the whole class each time: parsing
  /// it
  /// each time would be quadratic.
  private static let cache = Mutex<CacheEntry>(CacheEntry(source: [], conditions: "", attributes: [:]))

  private struct CacheEntry {
    var source: [UInt8]
    var conditions: String
    var attributes: [String: AttributeSyntax]
  }

  static func of(_ declaration: ClassDeclSyntax, _ conditions: Conditions) -> [String: AttributeSyntax] {
    let source = declaration.syntaxTextBytes
    let fingerprint = conditions.fingerprint
    let known = cache.withLock { $0.source == source && $0.conditions == fingerprint ? $0.attributes : nil }
    if let known { return known }
    let inherits = declaration.mayInherit ? ", _mayInherit: true" : ""
    var attributes: [String: AttributeSyntax] = [:]
    for property in ModelClass(declaration, conditions).properties {
      attributes[property.spelling] =
        property.kind == .transformed
        ? "@_TransformablePersistedProperty(_index: \(raw: property.index)\(raw: inherits))"
        : "@_PersistedProperty(_index: \(raw: property.index), _scalar: \(raw: property.isScalar)\(raw: inherits))"
    }
    cache.withLock { $0 = CacheEntry(source: source, conditions: fingerprint, attributes: attributes) }
    return attributes
  }
}
