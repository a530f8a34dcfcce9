/// The names of a table's indexes: after what they are of.
///
/// A name in backticks may have what separates the others: such a name stands between quotes, so that no two lists of columns
/// have one index's name.
extension StoreFormat {
  /// The name of a uniqueness constraint's index.
  package static func uniqueIndexName(_ entity: String, _ columns: [String]) -> String {
    makeIndexName("unique", entity, columns, quotedIfNeeded)
  }

  package static func indexName(_ entity: String, _ columns: [String]) -> String {
    makeIndexName("index", entity, columns, quotedIfNeeded)
  }

  /// What a store has that was made before such names stood between quotes; nil where that is the same.
  package static func legacyIndexName(isUnique: Bool, _ entity: String, _ columns: [String]) -> String? {
    let kind = isUnique ? "unique" : "index"
    let former = makeIndexName(kind, entity, columns) { $0 }
    return former == makeIndexName(kind, entity, columns, quotedIfNeeded) ? nil : former
  }

  private static func makeIndexName(
    _ kind: String, _ entity: String, _ columns: [String], _ part: (String) -> String
  ) -> String { "\(prefix)\(kind)_\(part(entity))(\(columns.map(part).joined(separator: ",")))" }

  private static func quotedIfNeeded(_ name: String) -> String {
    name.unicodeScalars.contains { separators.contains($0) } ? quoted(name) : name
  }

  private static let separators: Set<Unicode.Scalar> = [",", "(", ")", "\""]
}
