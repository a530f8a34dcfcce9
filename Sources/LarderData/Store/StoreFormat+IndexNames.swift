/// The names of a table's indexes, made from the names of entity and columns.
///
/// A name in backticks may contain a separator: such a name is quoted, so that no two lists of columns share an index
/// name.
extension StoreFormat {
  /// Returns the name of a uniqueness constraint's index.
  package static func uniqueIndexName(_ entity: String, _ columns: [String]) -> String {
    makeIndexName("unique", entity, columns, quotedIfNeeded)
  }

  package static func indexName(_ entity: String, _ columns: [String]) -> String {
    makeIndexName("index", entity, columns, quotedIfNeeded)
  }

  /// Returns the name that an index has in stores from before such names were quoted; `nil` if it is the same.
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
