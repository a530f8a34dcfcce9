import LarderData
import LarderSQLite
import LarderSupport

/// The number of foreign keys that reference missing rows, by their table and the table that they reference.
struct DanglingForeignKeys {
  private struct TablePair: Hashable {
    var table: String
    var parent: String
  }

  private var counts: [TablePair: Int64] = [:]

  init(on connection: Connection) throws {
    // The names in a REFERENCES clause keep the case of the CREATE statement.
    let sql = "SELECT lower(\"table\"), lower(parent), count(*) FROM pragma_foreign_key_check GROUP BY 1, 2"
    try connection.withStatement(for: sql) { statement in
      while try statement.step() {
        counts[TablePair(table: statement.string(0), parent: statement.string(1))] = statement.int64(2)
      }
    }
  }

  /// Moves the counts to the tables of the migration's result.
  mutating func applyRenames(of migration: StoreMigration) {
    if counts.isEmpty { return }
    let tables = DanglingForeignKeys.successors(in: migration)
    let moved = Set(migration.replacedTables.flatMap { [$0.name] + $0.companionTables }.map { $0.lowercased() })
    func places(_ table: String) -> Set<String> {
      let known = tables[table] ?? []
      return moved.contains(table) ? known : known.union([table])
    }
    var after: [TablePair: Int64] = [:]
    for (place, count) in counts {
      for table in places(place.table) {
        for parent in places(place.parent) { after[TablePair(table: table, parent: parent), default: 0] += count }
      }
    }
    counts = after
  }

  /// Returns the tables with more dangling keys than before.
  func tables(exceeding former: DanglingForeignKeys) -> [String] {
    Set(counts.filter { $0.value > former.counts[$0.key, default: 0] }.map(\.key.table)).inOrder()
  }

  /// Returns the tables that take the rows and pairs of each former table.
  private static func successors(in migration: StoreMigration) -> [String: Set<String>] {
    var tables: [String: Set<String>] = [:]
    func add(_ former: String, _ now: String) { tables[former.lowercased(), default: []].insert(now.lowercased()) }
    for change in migration.changes {
      let definition = change.definition
      for name in definition.classNames {
        guard let former = migration.matches[name]?.originalName.flatMap({ migration.store.table(of: $0) }) else {
          continue
        }
        add(former.name, definition.name)
        for external in definition.externals ?? [] {
          for was in former.externals ?? [] { add(was.name, external.name) }
        }
      }
      for relationship in definition.relationships ?? [] {
        for pairs in migration.mappings(of: relationship).compactMap(\.pairs) {
          add(pairs.table, relationship.joinTable?.name ?? definition.name)
        }
      }
    }
    return tables
  }
}
