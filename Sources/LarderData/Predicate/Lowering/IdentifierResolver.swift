/// Finds the rows of one model that identifiers name.
package struct IdentifierResolver {
  let identity: EntityIdentity
  let aliases: IdentifierAliases

  /// The row's key; nil for an identifier of another store or model, or of an object that no store knows.
  func rowID(_ identifier: PersistentIdentifier) -> Int64? {
    guard identifier.identity === identity || identifier.identity.root === identity.root else { return nil }
    return aliases.row(of: identifier) ?? identifier.key
  }

  /// The coding of identifiers as keys; nil for other types.
  func coding<Value>(of type: Value.Type) -> ScalarCoding<Value>? {
    guard Value.self == PersistentIdentifier.self || Value.self == PersistentIdentifier?.self else { return nil }
    return ScalarCoding { value in
      guard let identifier = value as? PersistentIdentifier else { return .null }
      // 0 is the key of no row, and nothing that is nil.
      return .integer(rowID(identifier) ?? 0)
    }
  }
}
