import LarderData
import LarderSQLite
import LarderSupport

/// A check for rows of several tables that are merged into one table and have the same row ID. Programs never assign a
/// row ID twice in a store, but an insert by hand may.
struct RowIDCollisionCheck {
  private let definition: TableDefinition
  /// The mappings, grouped by their source tables.
  private let sources: [[EntityMapping]]
  private let connection: Connection
  private let identifierColumn = StoreFormat.identifierColumn

  init(_ definition: TableDefinition, _ mappings: [EntityMapping], on connection: Connection) {
    self.definition = definition
    sources = Dictionary(grouping: mappings, by: \.table).inOrder { $0.key < $1.key }.map(\.value)
    self.connection = connection
  }

  /// Returns the problems, as sentences.
  func problems() throws -> [String] {
    var problems: [String] = []
    for (place, one) in sources.enumerated() {
      for other in sources[..<place] {
        if let problem = try problem(other, one) { problems.append(problem) }
      }
    }
    return problems
  }

  private func problem(_ one: [EntityMapping], _ other: [EntityMapping]) throws -> String? {
    // Both by their primary keys.
    let both =
      "FROM (\(identifiers(of: one))) AS a JOIN (\(identifiers(of: other))) AS b ON a.\(identifierColumn) = b.\(identifierColumn)"
    guard let count = try connection.int64("SELECT count(*) \(both)"), count > 0,
      let first = try connection.int64("SELECT min(a.\(identifierColumn)) \(both)")
    else { return nil }
    let names = try [one, other].map { try name(of: first, among: $0) }.inOrder()
    return "\(names.joined(separator: " and ")) both have a row with the larder_id \(first)"
      + (count > 1 ? " (and \(count - 1) more in common)" : "")
      + ", and their rows come into one table, that of \(definition.name), where a larder_id has one row: "
      + "give those that another program has inserted a larder_id that no row has, or let willMigrate insert them anew"
  }

  private func identifiers(of mappings: [EntityMapping]) -> String {
    let conditions = mappings.compactMap(\.condition)
    let source = "SELECT f.\(identifierColumn) AS \(identifierColumn) FROM \(mappings[0].table) AS f"
    if conditions.count < mappings.count { return source }
    return "\(source) WHERE " + conditions.map { "(\($0))" }.joined(separator: " OR ")
  }

  /// Returns the store's name of the model to which a row belongs.
  private func name(of row: Int64, among mappings: [EntityMapping]) throws -> String {
    for mapping in mappings.dropFirst() {
      if try connection.int64("SELECT 1 FROM \(mapping.rows("f.\(identifierColumn) = \(row)"))") != nil {
        return mapping.originalName
      }
    }
    return mappings[0].originalName
  }
}
