/// A resolver of identifiers to rows of one model.
package struct IdentifierResolver {
  let identity: EntityIdentity
  let aliases: IdentifierAliases

  /// Returns the row ID; nil for an identifier of another store or model, or of an object that is in no store.
  func rowID(_ identifier: PersistentIdentifier) -> Int64? {
    guard identifier.identity === identity || identifier.identity.root === identity.root else { return nil }
    return aliases.row(of: identifier) ?? identifier.key
  }

  /// Returns the coding of identifiers as row IDs; nil for other types.
  func coding<Value>(of type: Value.Type) -> ScalarCoding<Value>? {
    guard Value.self == PersistentIdentifier.self || Value.self == PersistentIdentifier?.self else { return nil }
    return ScalarCoding { value in
      guard let identifier = value as? PersistentIdentifier else { return .null }
      // 0 is no row's ID, and differs from nil.
      return .integer(rowID(identifier) ?? 0)
    }
  }
}
