/// The names of a table's indexes: after what they are of.
///
/// A name in backticks may have what separates the others: such a name stands between quotes, so that no two lists of columns
/// have one index's name.
extension StoreFormat {
  /// The name of a uniqueness constraint's index.
  package static func uniqueIndex(_ entity: String, _ columns: [String]) -> String {
    indexName("unique", entity, columns, part)
  }

  package static func index(_ entity: String, _ columns: [String]) -> String {
    indexName("index", entity, columns, part)
  }

  /// What a store has that was made before such names stood between quotes; nil where that is the same.
  package static func formerName(ofIndex isUnique: Bool, _ entity: String, _ columns: [String]) -> String? {
    let kind = isUnique ? "unique" : "index"
    let former = indexName(kind, entity, columns) { $0 }
    return former == indexName(kind, entity, columns, part) ? nil : former
  }

  private static func indexName(
    _ kind: String, _ entity: String, _ columns: [String], _ part: (String) -> String
  ) -> String { "\(prefix)\(kind)_\(part(entity))(\(columns.map(part).joined(separator: ",")))" }

  private static func part(_ name: String) -> String {
    name.unicodeScalars.contains { separators.contains($0) } ? quoted(name) : name
  }

  private static let separators: Set<Unicode.Scalar> = [",", "(", ")", "\""]
}
