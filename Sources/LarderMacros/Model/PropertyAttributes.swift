import SwiftSyntax
import Synchronization

/// The attributes that `@Model` adds to the properties of a class, by the properties' names as they are written.
enum PropertyAttributes {
  /// Those of the class that was asked about last. The compiler asks for each member by itself and sends the whole class
  /// each time: to read all of it for each would be quadratic.
  private static let last = Mutex<(source: [UInt8], attributes: [String: AttributeSyntax])>(([], [:]))

  static func of(_ declaration: ClassDeclSyntax) -> [String: AttributeSyntax] {
    let source = declaration.syntaxTextBytes
    let known = last.withLock { $0.source == source ? $0.attributes : nil }
    if let known { return known }
    let inherits = declaration.mayInherit ? ", _mayInherit: true" : ""
    var attributes: [String: AttributeSyntax] = [:]
    for property in ModelClass(declaration).properties {
      attributes[property.written] =
        property.kind == .transformed
        ? "@_TransformablePersistedProperty(_index: \(raw: property.index)\(raw: inherits))"
        : "@_PersistedProperty(_index: \(raw: property.index), _scalar: \(raw: property.isScalar)\(raw: inherits))"
    }
    last.withLock { $0 = (source, attributes) }
    return attributes
  }
}
